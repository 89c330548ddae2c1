# Bulk NewReno over one bottleneck on ns-2 2.35, tracing off; prints what was delivered.
#
#   ns bulk.tcl FLOWS RATE_MBIT DELAY_MS LIMIT DURATION_S
#
# The dumbbell of the cases beside it: access ten times as fast as the bottleneck, 1 ms away. Full
# segments of 1448 B under 52 B of headers, delayed acknowledgements, SACK.
lassign $argv flows rate delay limit duration
Agent/TCP set tcpip_base_hdr_size_ 52
Agent/TCP set packetSize_ 1448
Agent/TCP set window_ 1000000
Agent/TCP set windowInit_ 10
set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right ${rate}Mb ${delay}ms DropTail
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
    $ns at [expr {double($i) / $flows}] "$source start"
}

proc report {} {
    global flows tcp
    set segments 0
    for {set i 0} {$i < $flows} {incr i} {
        incr segments [expr {max(0, [$tcp($i) set ack_])}]
    }
    puts "delivered_bytes [expr {$segments * 1448.0}]"
    exit 0
}
$ns at $duration report
$ns run
