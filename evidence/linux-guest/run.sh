#!/bin/bash
# One run on Linux; prints metrics under our names.
#
#   run.sh --queue=fifo --options= --rate=10 --limit=100 --control=cubic --flows=4 --rtt=20 --bytes=0 \
#          --load=0 --short=0 --wire=0 --loss=0 --bursts=0 --backloss=0 --jitter=0 --back=0 --ecn=0 \
#          --step=0 --seed=1
#
# The queue at the bottleneck, one of guest.sh's; with options, as `tc` takes them, any qdisc of the
# kernel with these alone, or CAKE and "fifo" with these too; its rate in Mbit/s and, of "fifo", the
# packets that may wait; the round trip without queueing in ms; bytes that each flow sends, 0 for
# without end; a constant load of UDP beside them in Mbit/s; how many transfers of those bytes come
# beside them, which then have no end; whether the wire takes the time that a packet needs at that
# rate, 0 or 1, where the shaper hands it over whole; what percentage is lost behind the bottleneck,
# or in bursts, "1,30": after what percentage of its packets a good wire turns bad, and a bad one,
# which loses all, good; what percentage of what comes back is lost; how many microseconds a packet
# takes longer behind the bottleneck at most, evenly, so that packets overtake each other, and how
# many what comes back; whether the ends ask for ECN and the queue marks, 0 or 1. "10,2" as rate or
# round trip, with --step, changes it every so many seconds, and again from the first. Takes what
# build.sh made from $UML_BUILD (./build).
set -euo pipefail
queue=fifo options='' rate=10 limit=100 control=cubic flows=4 rtt=20 bytes=0 load=0 short=0 wire=0 loss=0 bursts=0
backloss=0 jitter=0 back=0 ecn=0 step=0 seed=1
for given; do
    case $given in
    --queue=* | --options=* | --rate=* | --limit=* | --control=* | --flows=* | --rtt=* | --bytes=* | --load=* | --short=* | --wire=* | --loss=* | --bursts=* | --backloss=* | --jitter=* | --back=* | --ecn=* | --step=* | --seed=*)
        declare "${given#--}"
        ;;
    *)
        echo "found $given; allowed: --queue, --options, --rate, --limit, --control, --flows, --rtt, --bytes," \
            "--load, --short, --wire, --loss, --bursts, --backloss, --jitter, --back, --ecn, --step, --seed, each with =" >&2
        exit 2
        ;;
    esac
done
here=$(dirname "$(realpath "$0")")
build=$(realpath "${UML_BUILD:-$here/build}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Our disk is the guest's, read only; its console is our output. Words that the kernel does not know
# are variables of guest.sh; they have no blanks.
timeout --kill-after=5 300 "$build/linux" mem=2G time-travel=inf-cpu quiet \
    rootfstype=hostfs rootflags=/ ro init="$here/guest.sh" con=null con0=null,fd:1 \
    uml_dir="$scratch" BUILD="$build" QUEUE="$queue" OPTIONS="${options// /+}" RATE="$rate" LIMIT="$limit" CONTROL="$control" \
    FLOWS="$flows" RTT="$rtt" BYTES="$bytes" LOAD="$load" SHORT="$short" WIRE="$wire" LOSS="$loss" BURSTS="$bursts" \
    BACKLOSS="$backloss" JITTER="$jitter" BACK="$back" ECN="$ecn" STEP="$step" SEED="$seed" \
    < /dev/null > "$scratch/console" 2>&1 || true
tr -d '\r' < "$scratch/console" > "$scratch/said"
grep -qx done "$scratch/said" || { cat "$scratch/said" >&2; exit 1; }
grep -E '^(groups|flows)\.' "$scratch/said"
