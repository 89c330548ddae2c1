# One run of a network of network.toml on ns-2 2.35; prints metrics under our names.
#
#   ns run.tcl discipline=RED limit=50 tcp=Newreno flows=4 rate=10 delay=20 seed=1 ...
#
# discipline, tcp and seed as ns-2 calls them; limit in packets; rate of the bottleneck and load, which
# is what `cross` sends, in bursts twice as much as in the mean, in Mbit/s; delay of the bottleneck in
# ms; sender i is `step` ms times i further away; sink: plain or delack; cross: cbr, random, onoff or
# pareto. CLASS.NAME=VALUE sets a default of ns-2.
source [file join [file dirname [info script]] .. ns2.tcl]
array set given {
    discipline DropTail limit 50 rate 10 delay 10 loss 0 step 0 tcp Newreno flows 4 window 20 size 1000
    sink plain cross cbr load 1 payload 500 warmup 5 duration 30 seed 1
}
read_arguments
# Of seeds that follow one another ns-2's generator makes streams that are multiples of one another.
ns-random [expr {1 + ($given(seed) ** 5 * 1103515245 + 12345) % 2147483398}]
set draws [generator [expr {7919 * $given(seed) + 13}]]

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right $given(rate)Mb $given(delay)ms $given(discipline)
$ns simplex-link $right $left 1000Mb $given(delay)ms DropTail
$ns queue-limit $left $right $given(limit)
$ns queue-limit $right $left 10000
if {$given(loss) > 0} {
    set errors [new ErrorModel]
    $errors set rate_ $given(loss)
    $errors unit pkt
    $errors ranvar [new RandomVariable/Uniform]
    $ns link-lossmodel $errors $left $right
    # What the wire loses is no drop of the queue.
    $errors drop-target [new Agent/Null]
}

# The links of a sender and of its receiver, which is the nearer by `away` ms.
proc attach {from to away} {
    global ns left right
    $ns duplex-link $from $left 200Mb [expr {1 + $away}]ms DropTail
    $ns duplex-link $right $to 200Mb 1ms DropTail
    foreach {a b} [list $from $left $left $from $right $to $to $right] {
        $ns queue-limit $a $b 10000
    }
}

# Addresses as in network.toml: SFQ and DRR hash them.
for {set i 0} {$i < $given(flows)} {incr i} { set from($i) [$ns node] }
for {set i 0} {$i < $given(flows)} {incr i} { set to($i) [$ns node] }
set u [$ns node]
set v [$ns node]
for {set i 0} {$i < $given(flows)} {incr i} {
    attach $from($i) $to($i) [expr {$i * $given(step)}]
    # A packet of ns-2's Vegas has no header besides.
    set size [expr {$given(size) + ($given(tcp) == "Vegas" ? 40 : 0)}]
    set start [$draws uniform 0 1]
    set tcp($i) [connect_tcp $given(tcp) $from($i) $to($i) $given(window) $size $start $given(sink)]
}
attach $u $v 0
set udp [new Agent/UDP]
set heard [new Agent/LossMonitor]
$udp set packetSize_ $given(payload)
$ns attach-agent $u $udp
$ns attach-agent $v $heard
$ns connect $udp $heard
set kinds {cbr CBR random CBR onoff Exponential pareto Pareto}
set source [new Application/Traffic/[dict get $kinds $given(cross)]]
$source set rate_ $given(load)Mb
$source set packetSize_ $given(payload)
switch $given(cross) {
    random { $source set random_ 1 }
    onoff { $source set burst_time_ 500ms; $source set idle_time_ 500ms }
    pareto { $source set burst_time_ 500ms; $source set idle_time_ 500ms; $source set shape_ 3 }
}
$source attach-agent $udp
$ns at [$draws uniform 0 1] "$source start"
watch $left $right

# The windows, looked at every 20 ms.
set windows 0.0
set samples 0
proc sample {} {
    global ns given tcp windows samples
    for {set i 0} {$i < $given(flows)} {incr i} {
        set windows [expr {$windows + [$tcp($i) set cwnd_]}]
        incr samples
    }
    $ns at [expr {[$ns now] + 0.02}] sample
}

# What has been counted so far, by name; acknowledged packets by connection.
proc counted {} {
    global given tcp queue heard
    set counts [list waited [waited] heard [$heard set bytes_]]
    foreach name {pdrops_ parrivals_ bdepartures_} { lappend counts $name [$queue set $name] }
    set resent 0
    for {set i 0} {$i < $given(flows)} {incr i} {
        lappend counts $i [acknowledged $tcp($i)]
        incr resent [$tcp($i) set nrexmitpack_]
    }
    return [concat $counts resent $resent]
}

proc begin {} {
    global before
    array set before [counted]
    sample
}

proc report {} {
    global given before windows samples
    array set after [counted]
    foreach {name value} [array get before] {
        set during($name) [expr {double($after($name) - $value)}]
    }
    set rates {}
    for {set i 0} {$i < $given(flows)} {incr i} {
        lappend rates [expr {8.0 * $given(size) * $during($i) / $given(duration)}]
    }
    lassign [sum_and_jain $rates] sum jain
    set bits [expr {8 * $during(bdepartures_)}]
    puts "groups.tcp.acknowledged_bps $sum"
    puts "groups.tcp.jain_index $jain"
    puts "groups.tcp.retransmits $during(resent)"
    puts "groups.tcp.cwnd_mean_packets [expr {$windows / $samples}]"
    puts "groups.cross.goodput_bps [expr {8 * $during(heard) / $given(duration)}]"
    puts "links.bottleneck.utilization [expr {$bits / ($given(rate) * 1e6) / $given(duration)}]"
    puts "links.bottleneck.queue_mean_packets [expr {$during(waited) / $given(duration)}]"
    if {$given(loss) == 0} {
        puts "links.bottleneck.loss_ratio [expr {$during(pdrops_) / $during(parrivals_)}]"
    }
    exit 0
}
$ns at $given(warmup) begin
$ns at [expr {$given(warmup) + $given(duration)}] report
$ns run
