# What the scripts that measure on ns-2 share; each sources it from the folder above its own.

# Read NAME=VALUE of the command line into the array `given` of the script, over its defaults;
# CLASS.NAME=VALUE sets a default of ns-2. Seed ns-2's own generator with given(seed).
proc read_arguments {} {
    global argv given
    foreach argument $argv {
        set equals [string first = $argument]
        set name [string range $argument 0 [expr {$equals - 1}]]
        set value [string range $argument [expr {$equals + 1}] end]
        if {[string match *.* $name]} {
            lassign [split $name .] class variable
            $class set $variable $value
        } else {
            set given($name) $value
        }
    }
    ns-random $given(seed)
}

# A generator of its own for what must not depend on the discipline.
proc generator {seed} {
    set generator [new RNG]
    $generator seed $seed
    return $generator
}

# A TCP connection of ns-2's kind (Tahoe, Reno, Newreno, Sack ...) with a bulk transfer from `start` on,
# and a sink that is plain or delays acknowledgements (delack); returns the sender.
proc connect_tcp {kind from to window packet_size start {sinks plain}} {
    global ns
    switch $kind {
        Tahoe { set tcp [new Agent/TCP]; set name Agent/TCPSink }
        Sack { set tcp [new Agent/TCP/Sack1]; set name Agent/TCPSink/Sack1 }
        default { set tcp [new Agent/TCP/$kind]; set name Agent/TCPSink }
    }
    if {$sinks == "delack"} { append name /DelAck }
    set sink [new $name]
    $tcp set window_ $window
    $tcp set packetSize_ $packet_size
    $ns attach-agent $from $tcp
    $ns attach-agent $to $sink
    $ns connect $tcp $sink
    set source [new Application/FTP]
    $source attach-agent $tcp
    $ns at $start "$source start"
    return $tcp
}

# Packets that a sender knows to have arrived.
proc acknowledged {tcp} {
    return [expr {max(0, [$tcp set ack_])}]
}

# What each of the senders tcp(0), tcp(1) ... has brought over in `time` seconds, in bit/s, with packets
# of 1000 bytes.
proc goodputs {time} {
    global given tcp
    set rates {}
    for {set i 0} {$i < $given(flows)} {incr i} {
        lappend rates [expr {8000.0 * [acknowledged $tcp($i)] / $time}]
    }
    return $rates
}

# Watch the queue from one node to another: `queue` counts, `waited` gives packet-seconds in it.
proc watch {from to} {
    global ns queue waiting
    set queue [$ns monitor-queue $from $to ""]
    set waiting [$queue get-pkts-integrator]
}

proc waited {} {
    global ns waiting
    $waiting newpoint [$ns now] [$waiting set lasty_]
    return [$waiting set sum_]
}

# The sum of some rates, and Jain's index of them.
proc sum_and_jain {rates} {
    set sum 0.0
    set squares 0.0
    foreach rate $rates {
        set sum [expr {$sum + $rate}]
        set squares [expr {$squares + $rate * $rate}]
    }
    return [list $sum [expr {$sum * $sum / ([llength $rates] * $squares)}]]
}
