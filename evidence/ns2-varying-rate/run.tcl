# One run of network.toml on ns-2 2.35; prints metrics under our names.
#
#   ns run.tcl discipline=RED tcp=Newreno flows=4 rates=10,2 step=5 limit=50 seed=1 ...
#
# The bottleneck has each of the rates in Mbit/s for `step` seconds, one after the other, and again
# from the first. discipline, tcp and seed as ns-2 calls them; CLASS.NAME=VALUE sets a default of ns-2.
source [file join [file dirname [info script]] .. ns2.tcl]
array set given {discipline DropTail tcp Newreno flows 4 rates 10,2 step 5 limit 50 duration 120 seed 1}
Queue/RED set mean_pktsize_ 1040
read_arguments
set starts [generator [expr {1000003 * $given(seed) + 11}]]
set rates [split $given(rates) ,]

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right [lindex $rates 0]Mb 15ms $given(discipline)
$ns simplex-link $right $left 100Mb 15ms DropTail
$ns queue-limit $left $right $given(limit)
$ns queue-limit $right $left 1000
for {set i 0} {$i < $given(flows)} {incr i} {
    set from [$ns node]
    set to [$ns node]
    $ns duplex-link $from $left 100Mb 2ms DropTail
    $ns duplex-link $right $to 100Mb 3ms DropTail
    $ns queue-limit $from $left 10000
    $ns queue-limit $right $to 10000
    set tcp($i) [connect_tcp $given(tcp) $from $to 1000 1000 [$starts uniform 0 1]]
}
watch $left $right

set link [[$ns link $left $right] link]
for {set k 1} {$k * $given(step) < $given(duration)} {incr k} {
    set rate [lindex $rates [expr {$k % [llength $rates]}]]
    $ns at [expr {$k * $given(step)}] "$link set bandwidth_ ${rate}Mb"
}

proc report {} {
    global given queue
    set time [expr {double($given(duration))}]
    lassign [sum_and_jain [goodputs $time]] sum jain
    puts "links.bottleneck.throughput_bps [expr {8 * [$queue set bdepartures_] / $time}]"
    puts "links.bottleneck.queue_mean_packets [expr {[waited] / $time}]"
    puts "links.bottleneck.loss_ratio [expr {double([$queue set pdrops_]) / [$queue set parrivals_]}]"
    puts "groups.tcp.goodput_bps $sum"
    exit 0
}
$ns at $given(duration) report
$ns run
