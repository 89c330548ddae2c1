# One run of the dumbbell of network.toml on ns-2 2.35; prints metrics under our names.
#
#   ns run.tcl discipline=RED tcp=Newreno flows=8 delay=80 window=1000 spread=10 seed=1 ...
#
# discipline, tcp and seed as ns-2 calls them; delay of the bottleneck in ms; sender i is `spread` ms
# times i further away. CLASS.NAME=VALUE sets a default of ns-2.
source [file join [file dirname [info script]] .. ns2.tcl]
array set given {
    discipline DropTail tcp Newreno flows 8 delay 80 window 20 limit 50 spread 0 duration 60 seed 1
}
Queue/RED set mean_pktsize_ 1040
read_arguments
set starts [generator [expr {1000003 * $given(seed) + 11}]]

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
    set tcp($i) [connect_tcp $given(tcp) $from $to $given(window) 1000 [$starts uniform 0 0.1]]
}
watch $left $right

proc report {} {
    global given queue
    set time [expr {double($given(duration))}]
    lassign [sum_and_jain [goodputs $time]] sum jain
    puts "links.bottleneck.utilization [expr {8 * [$queue set bdepartures_] / 45e6 / $time}]"
    puts "links.bottleneck.queue_mean_packets [expr {[waited] / $time}]"
    puts "links.bottleneck.loss_ratio [expr {double([$queue set pdrops_]) / [$queue set parrivals_]}]"
    puts "groups.tcp.goodput_bps $sum"
    puts "groups.tcp.jain_index $jain"
    exit 0
}
$ns at $given(duration) report
$ns run
