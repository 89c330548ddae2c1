# One run of network.toml on ns-2 2.35; prints metrics under our names.
#
#   ns run.tcl discipline=RED tcp=Newreno rate=0.25 seed=1 Queue/RED.thresh_=5 ...
#
# discipline, tcp and seed as ns-2 calls them; rate of each of the two UDP flows in Mbit/s.
# CLASS.NAME=VALUE sets a default of ns-2.
array set given {discipline DropTail tcp Tahoe rate 0.25 limit 50 duration 100 seed 1}
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
$ns simplex-link $left $right 1.5Mb 20ms $given(discipline)
$ns simplex-link $right $left 1.5Mb 20ms DropTail
$ns queue-limit $left $right $given(limit)
$ns queue-limit $right $left $given(limit)
for {set i 0} {$i < 8} {incr i} {
    set from [$ns node]
    set to [$ns node]
    $ns duplex-link $from $left 10Mb 3ms DropTail
    $ns duplex-link $right $to 10Mb 3ms DropTail
    set at [$starts uniform 0 0.5]
    if {$i < 6} {
        set kind Agent/TCP
        if {$given(tcp) ne "Tahoe"} {append kind /$given(tcp)}
        set tcp($i) [new $kind]
        set sink [new Agent/TCPSink]
        $tcp($i) set window_ 25
        $tcp($i) set packetSize_ 1460
        $ns attach-agent $from $tcp($i)
        $ns attach-agent $to $sink
        $ns connect $tcp($i) $sink
        set source [new Application/FTP]
        $source attach-agent $tcp($i)
    } else {
        set udp [new Agent/UDP]
        set heard($i) [new Agent/LossMonitor]
        $udp set packetSize_ 1000
        $ns attach-agent $from $udp
        $ns attach-agent $to $heard($i)
        $ns connect $udp $heard($i)
        set source [new Application/Traffic/CBR]
        $source set packetSize_ 1000
        $source set rate_ $given(rate)Mb
        $source attach-agent $udp
    }
    $ns at $at "$source start"
}
set queue [$ns monitor-queue $left $right ""]
set waiting [$queue get-pkts-integrator]

proc report {} {
    global ns given tcp heard queue waiting
    $waiting newpoint [$ns now] [$waiting set lasty_]
    set acked 0
    for {set i 0} {$i < 6} {incr i} {incr acked [expr {max(0, [$tcp($i) set ack_])}]}
    set bytes [expr {[$heard(6) set bytes_] + [$heard(7) set bytes_]}]
    set time [expr {double($given(duration))}]
    puts "links.bottleneck.utilization [expr {8 * [$queue set bdepartures_] / 1.5e6 / $time}]"
    puts "links.bottleneck.queueing_delay_mean_s [expr {[$waiting set sum_] / [$queue set pdepartures_]}]"
    puts "links.bottleneck.loss_ratio [expr {double([$queue set pdrops_]) / [$queue set parrivals_]}]"
    puts "groups.tcp.goodput_bps [expr {8.0 * 1460 * $acked / $time}]"
    puts "groups.cbr.goodput_bps [expr {8.0 * $bytes / $time}]"
    exit 0
}
$ns at $given(duration) report
$ns run
