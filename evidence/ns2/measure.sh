#!/bin/sh
# Measures the network of udp.tcl on ns-2 and writes cbr.csv and exp.csv beside this script.
# Needs `ns` (Debian: apt install ns2). Takes some minutes; PARALLEL runs at once (default 2).
set -eu
cd "$(dirname "$0")"

seeds=${SEEDS:-20}
disciplines="DropTail RED REM SFQ"

# measure TRAFFIC WARMUP DURATION RATE...: one line a run, then a line for each discipline and rate
measure() {
    traffic=$1 warmup=$2 duration=$3
    shift 3
    for discipline in $disciplines; do
        for rate in "$@"; do
            for seed in $(seq "$seeds"); do
                echo "$discipline $traffic $rate $seed $warmup $duration"
            done
        done
    done |
        xargs -P "${PARALLEL:-2}" -L 1 sh -c 'echo "$1 $3 $(ns udp.tcl "$@")"' sh |
        LC_ALL=C sort |
        awk -v OFS=, -v warmup="$warmup" -v duration="$duration" '
            function sd(sum, squares, n,   v) {
                v = n > 1 ? (squares - sum * sum / n) / (n - 1) : 0
                return sqrt(v > 0 ? v : 0)
            }
            { key = tolower($1) OFS $2; n[key]++
              arrivals[key] += $4
              queue[key] += $3; queue2[key] += $3 * $3
              drops[key] += $5; drops2[key] += $5 * $5 }
            END {
                for (key in n)
                    print key, warmup, duration, n[key], \
                        sprintf("%.6f", queue[key] / n[key]), \
                        sprintf("%.6f", sd(queue[key], queue2[key], n[key])), \
                        sprintf("%.3f", drops[key] / n[key]), \
                        sprintf("%.3f", sd(drops[key], drops2[key], n[key])), \
                        sprintf("%.3f", arrivals[key] / n[key])
            }' | LC_ALL=C sort -t, -k1,1 -k2,2g
}

head="discipline,rate_mbps,warmup_s,duration_s,n,queue_mean,queue_sd,drops_mean,drops_sd,arrivals_mean"

{
    echo "$head"
    measure cbr 5 60 0.62 1.23 1.77 2.17 2.52 2.7 2.77 2.85 2.93 3.0
} > cbr.csv.new
mv cbr.csv.new cbr.csv

{
    echo "$head"
    measure exp 5 100 1.5 2.8 3.0
} > exp.csv.new
mv exp.csv.new exp.csv
