# ns dumbbell.tcl FLOWS SECONDS: greedy Newreno flows through a dumbbell, 10 Mb/s, 20 ms and a queue of 20 packets between two
# routers, every sender and receiver on a fast link of its own; nothing traced. Prints the packets delivered in order.

lassign $argv flows seconds
set simulator [new Simulator]
set near [$simulator node]
set far [$simulator node]
$simulator duplex-link $near $far 10Mb 20ms DropTail
$simulator queue-limit $near $far 20

proc host {router} {
    global simulator
    set host [$simulator node]
    $simulator duplex-link $host $router 1Gb 0ms DropTail
    $simulator queue-limit $host $router 10000
    return $host
}

for {set flow 0} {$flow < $flows} {incr flow} {
    set sender [new Agent/TCP/Newreno]
    $sender set packetSize_ 1460
    $sender set window_ 1000
    set sink [new Agent/TCPSink]
    lappend sinks $sink
    $simulator attach-agent [host $near] $sender
    $simulator attach-agent [host $far] $sink
    $simulator connect $sender $sink
    set application [new Application/FTP]
    $application attach-agent $sender
    $simulator at 0 "$application start"
}
$simulator at $seconds {
    set bytes 0
    foreach sink $sinks { incr bytes [$sink set bytes_] }
    puts [expr {$bytes / 1500}]
    exit 0
}
$simulator run
