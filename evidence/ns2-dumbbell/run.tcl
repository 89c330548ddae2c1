# One run of the dumbbell of network.toml on ns-2 2.35; prints metrics under our names.
#
#   ns run.tcl discipline=RED tcp=Newreno flows=8 delay=80 window=1000 spread=10 seed=1 ...
#
# discipline, tcp and seed as ns-2 calls them; delay of the bottleneck in ms; sender i is `spread` ms
# times i further away. CLASS.NAME=VALUE sets a default of ns-2.
array set given {
    discipline DropTail tcp Newreno flows 8 delay 80 window 20 limit 50 spread 0
    warmup 0 duration 60 seed 1
}
Queue/RED set mean_pktsize_ 1040
foreach argument $argv {
    set at [string first = $argument]
    set name [string range $argument 0 [expr {$at - 1}]]
    set value [string range $argument [expr {$at + 1}] end]
    if {[string match *.* $name]} {
        [lindex [split $name .] 0] set [lindex [split $name .] 1] $value
    } else {
        set given($name) $value
    }
}
ns-random $given(seed)
set starts [new RNG]
$starts seed [expr {1000003 * $given(seed) + 11}]

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right 45Mb $given(delay)ms $given(discipline)
$ns simplex-link $right $left 45Mb $given(delay)ms DropTail
$ns queue-limit $left $right $given(limit)
$ns queue-limit $right $left $given(limit)
for {set i 0} {$i < $given(flows)} {incr i} {
    set from [$ns node]
    set to [$ns node]
    $ns duplex-link $from $left 100Mb [expr {0.001 * $i * $given(spread)}] DropTail
    $ns duplex-link $right $to 100Mb 0ms DropTail
    $ns queue-limit $from $left 10000
    $ns queue-limit $right $to 10000
    switch $given(tcp) {
        Tahoe { set kind ""; set sink [new Agent/TCPSink] }
        Sack { set kind /Sack1; set sink [new Agent/TCPSink/Sack1] }
        default { set kind /$given(tcp); set sink [new Agent/TCPSink] }
    }
    set tcp($i) [new Agent/TCP$kind]
    $tcp($i) set window_ $given(window)
    $tcp($i) set packetSize_ 1000
    $ns attach-agent $from $tcp($i)
    $ns attach-agent $to $sink
    $ns connect $tcp($i) $sink
    set source [new Application/FTP]
    $source attach-agent $tcp($i)
    $ns at [$starts uniform 0 0.1] "$source start"
}
set queue [$ns monitor-queue $left $right ""]
set waiting [$queue get-pkts-integrator]

proc report {} {
    global ns given tcp queue waiting
    $waiting newpoint [$ns now] [$waiting set lasty_]
    set time [expr {double($given(duration))}]
    set sum 0.0
    set squares 0.0
    for {set i 0} {$i < $given(flows)} {incr i} {
        set rate [expr {8000.0 * max(0, [$tcp($i) set ack_]) / $time}]
        set sum [expr {$sum + $rate}]
        set squares [expr {$squares + $rate * $rate}]
    }
    puts "links.bottleneck.utilization [expr {8 * [$queue set bdepartures_] / 45e6 / $time}]"
    puts "links.bottleneck.queue_mean_packets [expr {[$waiting set sum_] / $time}]"
    puts "links.bottleneck.loss_ratio [expr {double([$queue set pdrops_]) / [$queue set parrivals_]}]"
    puts "groups.tcp.goodput_bps $sum"
    puts "groups.tcp.jain_index [expr {$sum * $sum / ($given(flows) * $squares)}]"
    exit 0
}
$ns at $given(duration) report
$ns run
