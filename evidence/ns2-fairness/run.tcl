# One run of the networks of this folder on ns-2 2.35; prints metrics under our names.
#
#   ns run.tcl discipline=RED tcp=Newreno flows=16 delay=75 window=1000 paths=ladder by=10 seed=1 ...
#
# discipline, tcp and seed as ns-2 calls them; delay of the bottleneck in ms; paths: equal; ladder (sender i is
# i times `by` ms away); halves (every second one `by` ms); drawn (uniform up to `by` ms).
# Measured are the `duration` seconds after `warmup`. CLASS.NAME=VALUE sets a default of ns-2.
source [file join [file dirname [info script]] .. ns2.tcl]
array set given {
    discipline DropTail tcp Newreno flows 8 delay 80 window 20 limit 50 paths equal by 0
    warmup 0 duration 100 seed 1
}
Queue/RED set mean_pktsize_ 1040
read_arguments
set draws [generator [expr {7919 * $given(seed) + 13}]]

proc distance {i} {
    global given draws
    switch $given(paths) {
        equal { return 0.0 }
        ladder { return [expr {$i * $given(by)}] }
        halves { return [expr {$i % 2 * $given(by)}] }
        drawn { return [$draws uniform 0 $given(by)] }
    }
}

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right 45Mb $given(delay)ms $given(discipline)
$ns queue-limit $left $right $given(limit)
$ns queue-limit $right $left $given(limit)
for {set i 0} {$i < $given(flows)} {incr i} {
    set away [expr {0.001 * [distance $i]}]
    set from [$ns node]
    set to [$ns node]
    $ns duplex-link $from $left 100Mb $away DropTail
    $ns duplex-link $right $to 100Mb 0 DropTail
    $ns queue-limit $from $left 10000
    $ns queue-limit $right $to 10000
    set tcp($i) [connect_tcp $given(tcp) $from $to $given(window) 1000 [$draws uniform 0 0.1]]
}
watch $left $right

# What has been counted so far, by name; acknowledged packets by connection.
proc counted {} {
    global given tcp queue
    set counts [list waited [waited] drops [$queue set pdrops_] arrivals [$queue set parrivals_]]
    for {set i 0} {$i < $given(flows)} {incr i} {
        lappend counts $i [acknowledged $tcp($i)]
    }
    return $counts
}

proc begin {} {
    global before
    array set before [counted]
}

proc report {} {
    global given before
    array set after [counted]
    foreach {name value} [array get before] {
        set during($name) [expr {double($after($name) - $value)}]
    }
    set rates {}
    for {set i 0} {$i < $given(flows)} {incr i} {
        lappend rates [expr {8000.0 * $during($i) / $given(duration)}]
    }
    lassign [sum_and_jain $rates] sum jain
    puts "total.acknowledged_bps $sum"
    puts "total.jain_index $jain"
    puts "links.bottleneck.queue_mean_packets [expr {$during(waited) / $given(duration)}]"
    puts "links.bottleneck.loss_ratio [expr {$during(drops) / $during(arrivals)}]"
    exit 0
}
$ns at $given(warmup) begin
$ns at [expr {$given(warmup) + $given(duration)}] report
$ns run
