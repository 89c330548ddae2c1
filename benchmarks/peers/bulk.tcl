# Bulk NewReno over one bottleneck on ns-2 2.35, tracing off; prints what was delivered, and the
# goodput after the warm-up.
#
#   ns bulk.tcl QUEUE FLOWS RATE_MBIT DELAY_MS LIMIT WARMUP_S MIN_RTO_MS DURATION_S
#
# The dumbbell of the cases beside it: access ten times as fast as the bottleneck, 1 ms away. Full
# segments of 1448 B under 52 B of headers, delayed acknowledgements, SACK.
lassign $argv queue flows rate delay limit warmup min_rto duration
Agent/TCP set tcpip_base_hdr_size_ 52
Agent/TCP set packetSize_ 1448
Agent/TCP set window_ 1000000
Agent/TCP set windowInit_ 10
Agent/TCP set minrto_ [expr {$min_rto / 1000.0}]
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set thresh_ 5
Queue/RED set maxthresh_ 15
Queue/RED set q_weight_ 0.002
Queue/RED set linterm_ 50
Queue/RED set gentle_ false
Queue/RED set wait_ false
Queue/RED set use_mark_p_ false
# Here drop-tail refuses the packet that would fill the queue.
if {$queue eq "DropTail"} { incr limit }
set ns [new Simulator]
set start [new RandomVariable/Uniform]
set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right ${rate}Mb ${delay}ms $queue
$ns simplex-link $right $left ${rate}Mb ${delay}ms DropTail
$ns queue-limit $left $right $limit
$ns queue-limit $right $left 1000
for {set i 0} {$i < $flows} {incr i} {
    set from [$ns node]
    set to [$ns node]
    $ns duplex-link $from $left [expr {10 * $rate}]Mb 1ms DropTail
    $ns duplex-link $right $to [expr {10 * $rate}]Mb 1ms DropTail
    $ns queue-limit $from $left 1000
    $ns queue-limit $right $to 1000
    set tcp($i) [new Agent/TCP/Sack1]
    set sink [new Agent/TCPSink/Sack1/DelAck]
    $ns attach-agent $from $tcp($i)
    $ns attach-agent $to $sink
    $ns connect $tcp($i) $sink
    set source [new Application/FTP]
    $source attach-agent $tcp($i)
    $ns at [$start value] "$source start"
}

proc delivered {} {
    global flows tcp
    set segments 0
    for {set i 0} {$i < $flows} {incr i} {
        incr segments [expr {max(0, [$tcp($i) set ack_])}]
    }
    return [expr {$segments * 1448.0}]
}

proc report {} {
    global warmup duration early
    set goodput [expr {([delivered] - $early) * 8 / ($duration - $warmup)}]
    puts "delivered_bytes [delivered] goodput_bps $goodput"
    exit 0
}
set early 0
$ns at $warmup {set early [delivered]}
$ns at $duration report
$ns run
