# Three UDP sources over one bottleneck, on ns-2: the network of the EQM study.
#
#   n0, n1, n2 --3 Mbit/s 10 ms--> n3 --8 Mbit/s 10 ms--> n4 --9 Mbit/s 10 ms--> n5
#
# usage: ns udp.tcl DISCIPLINE cbr|exp RATE SEED WARMUP DURATION
#   DISCIPLINE  DropTail, RED, REM or SFQ: the queue of n3 -> n4, with ns-2's defaults
#   RATE        Mbit/s of each source; of "exp" while it is on (on and off 500 ms on average)
#   WARMUP      seconds that are not measured
#   DURATION    seconds that are
# prints: mean waiting packets, arrivals, drops and departures of the bottleneck's queue

if {$argc != 6} {
    puts stderr "usage: ns udp.tcl DISCIPLINE cbr|exp RATE SEED WARMUP DURATION"
    exit 2
}
foreach {discipline traffic rate seed warmup duration} $argv break

# The queues draw from the default generator; the starts have one of their own, so that they
# do not depend on the discipline.
$defaultRNG seed $seed
set starts [new RNG]
$starts seed [expr {1000003 + $seed}]

Queue set limit_ 50
set ns [new Simulator]
for {set i 0} {$i < 6} {incr i} {
    set node($i) [$ns node]
}
for {set i 0} {$i < 3} {incr i} {
    $ns simplex-link $node($i) $node(3) 3Mb 10ms DropTail
}
$ns simplex-link $node(3) $node(4) 8Mb 10ms $discipline
$ns simplex-link $node(4) $node(5) 9Mb 10ms DropTail
set monitor [$ns monitor-queue $node(3) $node(4) ""]
set integral [$monitor get-pkts-integrator]

for {set i 0} {$i < 3} {incr i} {
    set agent [new Agent/UDP]
    $agent set packetSize_ 500
    $agent set fid_ [expr {$i + 1}]
    $ns attach-agent $node($i) $agent
    set sink [new Agent/Null]
    $ns attach-agent $node(5) $sink
    $ns connect $agent $sink
    if {$traffic eq "cbr"} {
        set source [new Application/Traffic/CBR]
    } else {
        set source [new Application/Traffic/Exponential]
        $source set burst_time_ 500ms
        $source set idle_time_ 500ms
    }
    $source set packetSize_ 500
    $source set rate_ ${rate}Mb
    $source attach-agent $agent
    $ns at [$starts uniform 0 0.1] "$source start"
}

# Brings the integral up to now, then reads all counters.
proc look {into} {
    upvar #0 $into values
    global ns monitor integral
    $integral newpoint [$ns now] [$integral set lasty_]
    set values(queue) [$integral set sum_]
    foreach counter {parrivals_ pdrops_ pdepartures_} {
        set values($counter) [$monitor set $counter]
    }
}

proc finish {} {
    global before after duration
    look after
    set mean [expr {($after(queue) - $before(queue)) / $duration}]
    set counts {}
    foreach counter {parrivals_ pdrops_ pdepartures_} {
        lappend counts [format %d [expr {int($after($counter) - $before($counter))}]]
    }
    puts [format "%.6f %s" $mean $counts]
    exit 0
}

$ns at $warmup "look before"
$ns at [expr {$warmup + $duration}] finish
$ns run
