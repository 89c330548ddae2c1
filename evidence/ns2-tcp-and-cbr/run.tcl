# One run of network.toml on ns-2 2.35; prints metrics under our names.
#
#   ns run.tcl discipline=RED tcp=Newreno rate=0.25 seed=1 Queue/RED.thresh_=5 ...
#
# discipline, tcp and seed as ns-2 calls them; rate of each of the two UDP flows in Mbit/s.
# CLASS.NAME=VALUE sets a default of ns-2.
source [file join [file dirname [info script]] .. ns2.tcl]
array set given {discipline DropTail tcp Tahoe rate 0.25 limit 50 duration 100 seed 1}
read_arguments
set starts [generator [expr {1000003 * $given(seed) + 11}]]

# Constant-rate UDP from `start` on; returns what counts its bytes at the receiver.
proc connect_cbr {from to start} {
    global ns given
    set udp [new Agent/UDP]
    set heard [new Agent/LossMonitor]
    $udp set packetSize_ 1000
    $ns attach-agent $from $udp
    $ns attach-agent $to $heard
    $ns connect $udp $heard
    set source [new Application/Traffic/CBR]
    $source set packetSize_ 1000
    $source set rate_ $given(rate)Mb
    $source attach-agent $udp
    $ns at $start "$source start"
    return $heard
}

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right 1.5Mb 20ms $given(discipline)
$ns simplex-link $right $left 1.5Mb 20ms DropTail
$ns queue-limit $left $right $given(limit)
$ns queue-limit $right $left $given(limit)
for {set i 0} {$i < 8} {incr i} {
    set from [$ns node]
    set to [$ns node]
    $ns duplex-link $from $left 10Mb 3ms DropTail
    $ns duplex-link $right $to 10Mb 3ms DropTail
    set start [$starts uniform 0 0.5]
    if {$i < 6} {
        set tcp($i) [connect_tcp $given(tcp) $from $to 25 1460 $start]
    } else {
        set heard($i) [connect_cbr $from $to $start]
    }
}
watch $left $right

proc report {} {
    global given tcp heard queue
    set acked 0
    for {set i 0} {$i < 6} {incr i} {incr acked [acknowledged $tcp($i)]}
    set bytes [expr {[$heard(6) set bytes_] + [$heard(7) set bytes_]}]
    set time [expr {double($given(duration))}]
    puts "links.bottleneck.utilization [expr {8 * [$queue set bdepartures_] / 1.5e6 / $time}]"
    puts "links.bottleneck.queueing_delay_mean_s [expr {[waited] / [$queue set pdepartures_]}]"
    puts "links.bottleneck.loss_ratio [expr {double([$queue set pdrops_]) / [$queue set parrivals_]}]"
    puts "groups.tcp.goodput_bps [expr {8.0 * 1460 * $acked / $time}]"
    puts "groups.cbr.goodput_bps [expr {8.0 * $bytes / $time}]"
    exit 0
}
$ns at $given(duration) report
$ns run
