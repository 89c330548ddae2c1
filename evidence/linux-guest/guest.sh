#!/bin/bash
# What the guest of run.sh does: builds the network, runs the flows, turns itself off.
#
# Four hosts in a row, each a network namespace; an interface bears the name of the host that it leads
# to. The router holds the bottleneck; the wire delays each way.
set -euo pipefail
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
trap 'echo o > /proc/sysrq-trigger; sleep 10' EXIT
mount -t tmpfs run /run

cable() { # ONE OTHER NUMBER: between two hosts; addresses 10.0.NUMBER.1 and 10.0.NUMBER.2
    ip link add "$2" netns "$1" address "02:00:00:00:0$3:01" \
        type veth peer name "$1" netns "$2" address "02:00:00:00:0$3:02"
    end "$1" "$2" "$3" 1 2
    end "$2" "$1" "$3" 2 1
}

end() { # HOST INTERFACE NUMBER OWN OTHER: every segment is a packet of its own, and nobody asks who is who
    ip netns exec "$1" ethtool -K "$2" tso off gso off gro off tx off rx off sg off > /dev/null
    ip -n "$1" address add "10.0.$3.$4/24" dev "$2"
    ip -n "$1" link set "$2" up
    ip -n "$1" neighbour add "10.0.$3.$5" lladdr "02:00:00:00:0$3:0$5" dev "$2" nud permanent
}

for host in sender router wire receiver; do
    ip netns add "$host"
    # The buffers that a machine with more memory has; they grow, and never limit a flow.
    ip netns exec "$host" sysctl -qw net.ipv4.ip_forward=1 net.ipv4.tcp_ecn="$ECN" \
        net.ipv4.tcp_wmem="4096 16384 4194304" net.ipv4.tcp_rmem="4096 131072 6291456"
done
cable sender router 1
cable router wire 2
cable wire receiver 3
ip -n sender route add default via 10.0.1.2
ip -n router route add 10.0.3.0/24 via 10.0.2.2
ip -n wire route add 10.0.1.0/24 via 10.0.2.1
ip -n receiver route add default via 10.0.3.1

# The settings of linux-dumbbell, as `tc` takes them: the leaf of a shaper.
red="limit 302800 min 30280 max 90840 avpkt 1514 burst 33 probability 0.1 bandwidth ${RATE%%,*}mbit"
declare -A leaves=(
    [pfifo]="pfifo limit 100"
    [bfifo]="bfifo limit 151400"
    [red]="red $red"
    [ared]="red $red adaptive"
    [codel]="codel limit 200 target 5ms interval 100ms noecn"
    [fq_codel]="fq_codel limit 1000 flows 1024 quantum 1514 target 5ms interval 100ms noecn"
    [pie]="pie limit 200 target 15ms tupdate 15ms noecn"
    [fq_pie]="fq_pie limit 1000 flows 1024 target 15ms tupdate 15ms noecn"
    [sfq]="sfq limit 127 quantum 1514"
    [choke]="choke limit 200 min 20 max 60 avpkt 1514 burst 33 probability 0.1 bandwidth ${RATE%%,*}mbit"
    [sfb]="sfb limit 200 max 25 target 20"
    [codel-step]="codel limit 200 target 100ms interval 1s noecn ce_threshold 5ms"
    [fq_codel-step]="fq_codel limit 1000 flows 1024 quantum 1514 target 100ms interval 1s noecn ce_threshold 5ms"
)
# What shapes by itself. netem counts the packet that it sends.
declare -A roots=(
    [fifo]="netem rate ${RATE}mbit limit $((LIMIT + 1))"
    [cake]="cake bandwidth ${RATE}mbit"
    [cake-metro]="cake bandwidth ${RATE}mbit metro"
    [cake-satellite]="cake bandwidth ${RATE}mbit satellite"
    [cake-flowblind]="cake bandwidth ${RATE}mbit besteffort flowblind"
    [cake-atm]="cake bandwidth ${RATE}mbit overhead 32 atm"
)
if [[ $ECN == 1 ]]; then
    # CAKE and SFB always mark what is capable of it.
    for queue in red ared choke; do leaves[$queue]+=" ecn"; done
    for queue in "${!leaves[@]}"; do leaves[$queue]=${leaves[$queue]/noecn/ecn}; done
fi
if [[ -n $OPTIONS ]]; then
    if [[ -v roots[$QUEUE] ]]; then roots[$QUEUE]+=" ${OPTIONS//+/ }"; else leaves[$QUEUE]="$QUEUE ${OPTIONS//+/ }"; fi
fi
IFS=, read -ra rates <<< "$RATE"
IFS=, read -ra rtts <<< "$RTT"
lossy=() lossy_back=() slow=()
if [[ $LOSS != 0 ]]; then lossy=(loss "$LOSS%"); fi
if [[ $BURSTS != 0 ]]; then lossy=(loss gemodel "${BURSTS%,*}%" "${BURSTS#*,}%"); fi
if [[ $BACKLOSS != 0 ]]; then lossy_back=(loss "$BACKLOSS%"); fi
# HTB hands a packet over whole, and early. Where its rate changes, or if asked for, the wire takes the
# time; then after a pause no more than one may come to it, or all that follow would wait there.
burst=1600
if [[ $RATE == *,* ]]; then WIRE=1; fi
if [[ $WIRE == 1 ]]; then burst=20; fi
class() { # VERB MBIT: what the shaper sends at
    echo tc -n router class "$1" dev wire parent 1: classid 1:1 htb rate "$2mbit" burst $burst cburst $burst
}
wire() { # VERB TOWARDS RTT LONGER [WORDS]: the delay, and evenly up to so much more, for netem to both sides
    local middle=$(($3 * 500 + $4 / 2))us reach=$(($4 / 2))us
    echo tc -n wire qdisc "$1" dev "$2" root netem delay "$middle" "$reach" limit 100000 "${@:5}"
}
link() { # VERB STEP: commands that give the link what it has then
    local rate=${rates[$2 % ${#rates[@]}]} rtt=${rtts[$2 % ${#rtts[@]}]}
    if [[ $WIRE == 1 ]]; then slow=(rate "${rate}mbit"); fi
    if [[ ! -v roots[$QUEUE] ]]; then echo -n "$(class "$1" "$rate") && "; fi
    echo "$(wire "$1" receiver "$rtt" "$JITTER" "${slow[@]}" "${lossy[@]}") && \
        $(wire "$1" router "$rtt" "$BACK" "${lossy_back[@]}")"
}
if [[ -v roots[$QUEUE] ]]; then
    # netem would keep for each packet the rate that it came at.
    [[ $RATE != *,* ]] || { echo "$QUEUE has one rate; found $RATE" && exit 1; }
    [[ $QUEUE != fifo || $WIRE != 1 ]] || { echo "fifo takes the time itself; found --wire=1" && exit 1; }
    # shellcheck disable=SC2086
    tc -n router qdisc add dev wire root ${roots[$QUEUE]}
else
    tc -n router qdisc add dev wire root handle 1: htb default 1
fi
eval "$(link add 0)"
if [[ ! -v roots[$QUEUE] ]]; then
    # shellcheck disable=SC2086
    tc -n router qdisc add dev wire parent 1:1 ${leaves[$QUEUE]}
fi
changes=()
if [[ $STEP != 0 ]]; then
    changes=("$STEP")
    for ((step = 0; step < ${#rates[@]} * ${#rtts[@]}; step++)); do
        changes+=("$(link change "$step")")
    done
fi
"$BUILD/flows" "$CONTROL" "$FLOWS" "$SEED" "$BYTES" "$LOAD" "$SHORT" "${changes[@]}"
echo done
