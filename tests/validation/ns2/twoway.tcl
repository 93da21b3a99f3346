# A connection of two FullTcp agents with data both ways, in ns-2, and each segment that either end sends.
#
#   ns twoway.tcl folder /tmp/out rate_bps 10000000 client {{0 send 400}} server {{0.1 send 50000}} ...
#
# The client opens the connection by its first "send"; the server listens. Links are simplex:
# server --access wire--> bottleneck queue --> client --return wire--> server. The wires' queues have room for everything;
# the bottleneck has room for limit_packets. Written into the folder: server.tr and client.tr, each packet as it enters
# the first wire of the end that sends it.

array set option {
    folder . agent FullTcp duration 10
    rate_bps 10000000 delay_ms 10 limit_packets 1000
    access_bps 1000000000 access_ms 1 return_bps 1000000000 return_ms 10
    client {} server {} answer_bytes 0 marks {} settings {}
}
array set option $argv

set simulator [new Simulator]
Trace set show_tcphdr_ 1

proc wire {from to bits_per_second milliseconds limit} {
    global simulator
    $simulator simplex-link $from $to $bits_per_second [expr {$milliseconds / 1000.0}] DropTail
    $simulator queue-limit $from $to $limit
}

proc agent {name node} {
    global option simulator
    set agent [new Agent/TCP/$option(agent)]
    foreach {setting value} $option(settings) {
        $agent set $setting $value
    }
    $agent set fid_ 1
    $simulator attach-agent $node $agent
    return $agent
}

# A server that sends its answer when it has the whole request, and a client that notes when it has the whole answer.
Application/TcpApp instproc answer {bytes to} {
    $self send $bytes "$to answered"
}
Application/TcpApp instproc answered {} {
    global simulator
    puts "answered [$simulator now]"
}

foreach name {server_node near client_node} {
    set $name [$simulator node]
}
wire $server_node $near $option(access_bps) $option(access_ms) 1000000
wire $near $client_node $option(rate_bps) $option(delay_ms) $option(limit_packets)
wire $client_node $server_node $option(return_bps) $option(return_ms) 1000000
$simulator trace-queue $server_node $near [open $option(folder)/server.tr w]
$simulator trace-queue $client_node $server_node [open $option(folder)/client.tr w]

# Those of the server's packets that a queue marks instead of dropping them.
if {[llength $option(marks)]} {
    set marking [new ErrorModel/List]
    $marking droplist $option(marks)
    $marking set markecn_ true
    $simulator link-lossmodel $marking $server_node $near
}

set server [agent server $server_node]
set client [agent client $client_node]
$simulator connect $server $client
$server listen

if {$option(answer_bytes)} {
    set asking [new Application/TcpApp $client]
    set answering [new Application/TcpApp $server]
    $asking connect $answering
    foreach command $option(client) {
        if {[lindex $command 2] == 0} {
            # A message of no bytes would be a request, too.
            $simulator at [lindex $command 0] "$client advance-bytes 0"
            continue
        }
        $simulator at [lindex $command 0] "$asking send [lindex $command 2] \"$answering answer $option(answer_bytes) $asking\""
    }
} else {
    foreach name {client server} {
        foreach command $option($name) {
            foreach {at verb bytes} $command {}
            if {$verb eq "send"} {
                $simulator at $at "[set $name] advance-bytes $bytes"
            } elseif {$verb eq "close"} {
                $simulator at $at "[set $name] close"
            }
        }
    }
}

proc finish {} {
    global server client
    puts "version [ns-version]"
    foreach name {server client} {
        puts "$name sent [[set $name] set ndatapack_] retransmissions [[set $name] set nrexmitpack_]\
            timeouts [[set $name] set nrexmit_] acks [[set $name] set nackpack_] cwnd [[set $name] set cwnd_]"
    }
    exit 0
}
$simulator at $option(duration) finish
$simulator run
