# Flows that share one bottleneck, in ns-2, and what they did.
#
#   ns dumbbell.tcl folder /tmp/out agent Reno duration 10 ...
#
# Each flow has a node of its own: sender --access wire--> bottleneck queue --> receiver --return wire--> sender.
# Links are simplex, so the return wire is one link and ACKs wait for nobody. Written into the folder: sent.tr
# (packets as they enter the first flow's access wire), bottleneck.tr, events.tr (timeouts, fast retransmits),
# cwnd.tr, and on the standard output one "name value ..." per line.

array set option {
    folder . agent Reno sink TCPSink duration 10 starts 0
    rate_bps 10000000 delay_ms 10 limit_packets 20
    access_bps 1000000000 access_ms 1 return_bps 1000000000 return_ms 10
    drops {} spike_at_s -1 spike_for_s 0 spike_extra_ms 0 outages {}
    late_acks_at_s -1 late_acks_for_s 0 late_acks_extra_ms 0
    packets 0 trace 1 linux "" agent_settings {} sink_settings {}
}
array set option $argv

set simulator [new Simulator]
if {$option(trace)} {
    $simulator eventtrace-all [open $option(folder)/events.tr w]
}

proc wire {simulator from to bits_per_second milliseconds limit} {
    $simulator simplex-link $from $to $bits_per_second [expr {$milliseconds / 1000.0}] DropTail
    $simulator queue-limit $from $to $limit
}

proc last_given {list index} {
    return [lindex $list [expr {min($index, [llength $list] - 1)}]]
}

# The access wire of the first flow loses, delays or stands still as asked.
proc impair {simulator from to} {
    global option
    set wire [[$simulator link $from $to] link]
    if {[llength $option(drops)]} {
        set losses [new ErrorModel/List]
        $losses droplist $option(drops)
        $losses drop-target [new Agent/Null]
        $simulator link-lossmodel $losses $from $to
    } elseif {[llength $option(outages)]} {
        set outage [new ErrorModel]
        $outage unit pkt
        $outage set rate_ 0
        $outage drop-target [new Agent/Null]
        $simulator link-lossmodel $outage $from $to
        foreach {start length} $option(outages) {
            $simulator at $start "$outage set rate_ 1"
            $simulator at [expr {$start + $length}] "$outage set rate_ 0"
        }
    }
    if {$option(spike_at_s) >= 0} {
        $wire set avoidReordering_ true
        set usual [$wire set delay_]
        set longer [expr {$usual + $option(spike_extra_ms) / 1000.0}]
        $simulator at $option(spike_at_s) "$wire set delay_ $longer"
        $simulator at [expr {$option(spike_at_s) + $option(spike_for_s)}] "$wire set delay_ $usual"
    }
}

# ACKs on the return wire of the first flow are late for a while, and later ones overtake them.
proc delay_acks {simulator from to} {
    global option
    set wire [[$simulator link $from $to] link]
    set usual [$wire set delay_]
    set longer [expr {$usual + $option(late_acks_extra_ms) / 1000.0}]
    $simulator at $option(late_acks_at_s) "$wire set delay_ $longer"
    $simulator at [expr {$option(late_acks_at_s) + $option(late_acks_for_s)}] "$wire set delay_ $usual"
}

set near [$simulator node]
set far [$simulator node]
wire $simulator $near $far $option(rate_bps) $option(delay_ms) $option(limit_packets)
if {$option(trace)} {
    $simulator trace-queue $near $far [open $option(folder)/bottleneck.tr w]
}

for {set flow 0} {$flow < [llength $option(starts)]} {incr flow} {
    set node [$simulator node]
    wire $simulator $node $near $option(access_bps) [last_given $option(access_ms) $flow] 1000000
    wire $simulator $far $node $option(return_bps) [last_given $option(return_ms) $flow] 1000000
    set sender [new Agent/TCP[expr {$option(agent) eq "Tahoe" ? "" : "/$option(agent)"}]]
    foreach {name value} $option(agent_settings) {
        $sender set $name $value
    }
    $sender set fid_ $flow
    set sink [new Agent/$option(sink)]
    foreach {name value} $option(sink_settings) {
        $sink set $name $value
    }
    $simulator attach-agent $node $sender
    $simulator attach-agent $far $sink
    $simulator connect $sender $sink
    if {$option(linux) ne ""} {
        $simulator at 0 "$sender select_ca $option(linux)"
    }
    if {$flow == 0} {
        impair $simulator $node $near
        if {$option(late_acks_at_s) >= 0} {
            delay_acks $simulator $far $node
        }
        if {$option(trace)} {
            $simulator trace-queue $node $near [open $option(folder)/sent.tr w]
            $sender attach [open $option(folder)/cwnd.tr w]
            $sender tracevar cwnd_
        }
    }
    set application [new Application/FTP]
    $application attach-agent $sender
    set command [expr {$option(packets) ? "$application produce $option(packets)" : "$application start"}]
    $simulator at [lindex $option(starts) $flow] $command
    lappend senders $sender
    lappend sinks $sink
}

proc finish {} {
    global senders sinks ahead
    puts "version [ns-version]"
    foreach sender $senders sink $sinks ahead_s $ahead {
        puts "flow bytes_in_order [$sink set bytes_] sent [$sender set ndatapack_]\
            retransmissions [$sender set nrexmitpack_] timeouts [$sender set nrexmit_]\
            acks [$sender set nackpack_] clock_ahead_s $ahead_s cwnd [$sender set cwnd_] ssthresh [$sender set ssthresh_]"
    }
    exit 0
}

# When the simulation begins each sender draws how far its clock is ahead (TcpAgent::reset, boot_time_), in the order of
# their nodes: the draws are to be the numbers that are written down.
set seed 370370367
$defaultRNG seed $seed
foreach sender $senders {
    lappend ahead [expr {[$defaultRNG uniform 0 1] * [$sender set tcpTick_]}]
}
$defaultRNG seed $seed

$simulator at $option(duration) finish
$simulator run
