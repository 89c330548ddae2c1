# One run of the networks of this folder on ns-2 2.35; prints metrics under our names.
#
#   ns run.tcl discipline=RED tcp=Newreno flows=16 delay=75 window=1000 paths=ladder by=10 seed=1 ...
#
# discipline, tcp and seed as ns-2 calls them; delay of the bottleneck in ms; paths: equal; ladder (sender i is
# i times `by` ms away); halves (every second one `by` ms); drawn (uniform up to `by` ms).
# Measured are the `duration` seconds after `warmup`. CLASS.NAME=VALUE sets a default of ns-2.
array set given {
    discipline DropTail tcp Newreno flows 8 delay 80 window 20 limit 50 paths equal by 0
    warmup 0 duration 100 seed 1
}
Queue/RED set mean_pktsize_ 1040
foreach argument $argv {
    lassign [split $argument =] name value
    if {[string match *.* $name]} {
        lassign [split $name .] class variable
        $class set $variable $value
    } else {
        set given($name) $value
    }
}
ns-random $given(seed)
set draws [new RNG]
$draws seed [expr {7919 * $given(seed) + 13}]

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
    $ns at [$draws uniform 0 0.1] "$source start"
}
set queue [$ns monitor-queue $left $right ""]
set waiting [$queue get-pkts-integrator]

# What has been counted so far, by name; acknowledged packets by connection.
proc counted {} {
    global ns given tcp queue waiting
    $waiting newpoint [$ns now] [$waiting set lasty_]
    set counts [list waited [$waiting set sum_] drops [$queue set pdrops_] arrivals [$queue set parrivals_]]
    for {set i 0} {$i < $given(flows)} {incr i} {
        lappend counts $i [expr {max(0, [$tcp($i) set ack_])}]
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
    set sum 0.0
    set squares 0.0
    for {set i 0} {$i < $given(flows)} {incr i} {
        set rate [expr {8000.0 * $during($i) / $given(duration)}]
        set sum [expr {$sum + $rate}]
        set squares [expr {$squares + $rate * $rate}]
    }
    puts "total.acknowledged_bps $sum"
    puts "total.jain_index [expr {$sum * $sum / ($given(flows) * $squares)}]"
    puts "links.bottleneck.queue_mean_packets [expr {$during(waited) / $given(duration)}]"
    puts "links.bottleneck.loss_ratio [expr {$during(drops) / $during(arrivals)}]"
    exit 0
}
$ns at $given(warmup) begin
$ns at [expr {$given(warmup) + $given(duration)}] report
$ns run
