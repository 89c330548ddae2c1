// The flows of one run; prints metrics under our names.
//
//   flows CONTROL COUNT SEED BYTES LOAD SHORT [STEP COMMAND...]
//
// TCP senders of so many bytes each, 0 for without end, a UDP packet every 20 ms that measures the
// delay, and full UDP packets of LOAD Mbit/s, evenly, frames counted, from the network namespace
// "sender" to 10.0.3.2 in "receiver". 30 s, the first 5 s left out; starts uniform in 0 to 0.4 s, of
// the UDP flows 0. If SHORT is not 0, it is so many senders of BYTES each beside others without end;
// they start uniformly in 5 to 30 s, and what is not complete by then does not count. One process has
// both ends, and so one clock. At 0 and every STEP seconds it runs a command, one after the other, and
// again from the first.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 512, WARMUP = 250, TICKS = 1500 }; // flows; ticks of 20 ms
enum { DATA = 5000, PINGS = 6000, LOADS = 7000, SENDERS = 20000 }; // ports; that of sender i is SENDERS + i
enum { FULL = 1472, HEADERS = 42 }; // bytes of a full UDP packet, and before it in its frame
static const char *RECEIVER = "10.0.3.2";
static const double TICK_S = 0.02, STARTS_S = 0.4, WARMUP_S = WARMUP * TICK_S, END_S = TICKS * TICK_S;

static struct flow {
    double start_s;
    int out, in; // its sockets, -1 before it has them
    int has_room;
    double to_send, to_come, took_s; // bytes, and when the last had come
    double bytes, cwnds; // since the warm-up
    unsigned retransmits_before;
} flows[MOST];
static int count; // with the short ones, which are the last
static char block[1 << 20];

static void need(int fine, const char *what)
{
    if (!fine) {
        perror(what);
        exit(1);
    }
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

// Sockets belong to the namespace that was entered last.
static void enter(const char *host)
{
    char path[64];
    snprintf(path, sizeof path, "/run/netns/%s", host);
    int file = open(path, O_RDONLY);
    need(file >= 0 && !setns(file, CLONE_NEWNET), path);
    close(file);
}

static struct sockaddr_in at(const char *host, int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, host, &address.sin_addr);
    return address;
}

static int opened(int kind, struct sockaddr_in address)
{
    int made = socket(AF_INET, kind | SOCK_NONBLOCK, 0);
    need(made >= 0 && !bind(made, (void *)&address, sizeof address), "bind");
    return made;
}

static void take(const char *control, int socket)
{
    need(!setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, control, strlen(control)), control);
}

static void begin(struct flow *flow, const char *control)
{
    struct sockaddr_in to = at(RECEIVER, DATA);
    flow->out = opened(SOCK_STREAM, at("0.0.0.0", SENDERS + (flow - flows)));
    take(control, flow->out);
    need(!connect(flow->out, (void *)&to, sizeof to) || errno == EINPROGRESS, "connect");
}

static struct tcp_info info(const struct flow *flow)
{
    struct tcp_info told = {0};
    socklen_t size = sizeof told;
    need(!getsockopt(flow->out, IPPROTO_TCP, TCP_INFO, &told, &size), "TCP_INFO");
    return told;
}

// A packet to a port, with the time at its head.
static void send_packet(int from, int port, size_t size)
{
    struct sockaddr_in to = at(RECEIVER, port);
    char packet[FULL] = {0};
    double sent_s = now_s();
    memcpy(packet, &sent_s, sizeof sent_s);
    sendto(from, packet, size, 0, (void *)&to, sizeof to);
}

// Waits for the next of a packet, room to send, and an instant. Who has room is noted: the kernel says so when a
// third of the buffer is free, as it wakes a writer that waits. What is written in smaller pieces has PSH on nearly
// every segment, and each of these is acknowledged at once.
static void wait_until(double then_s, int listener, int pings, int loads)
{
    struct pollfd all[3 + 2 * MOST] = {{listener, POLLIN, 0}, {pings, POLLIN, 0}, {loads, POLLIN, 0}};
    struct pollfd *of_flows = all + 3;
    for (int i = 0; i < count; i++) {
        of_flows[2 * i] = (struct pollfd){flows[i].to_send > 0 ? flows[i].out : -1, POLLOUT, 0};
        of_flows[2 * i + 1] = (struct pollfd){flows[i].to_come > 0 ? flows[i].in : -1, POLLIN, 0};
    }
    double left = then_s - now_s();
    left = left > 0 ? left : 0;
    struct timespec wait = {(time_t)left, (long)((left - (time_t)left) * 1e9)};
    ppoll(all, 3 + 2 * count, &wait, NULL);
    for (int i = 0; i < count; i++)
        flows[i].has_room = of_flows[2 * i].revents & POLLOUT;
}

static int earlier(const void *one, const void *other)
{
    double first_s = *(const double *)one, second_s = *(const double *)other;
    return (first_s > second_s) - (first_s < second_s);
}

// Completion times: their mean, and if asked for their 95th percentile and number; of none both are nan.
static void tell_completions(const char *group, const struct flow *of, const struct flow *end, int with_p95)
{
    double took_s[MOST], sum_s = 0;
    int complete = 0;
    for (; of < end; of++)
        if (of->to_come == 0)
            sum_s += took_s[complete++] = of->took_s;
    printf("groups.%s.fct_s %.8f\n", group, sum_s / complete);
    if (!with_p95)
        return;
    qsort(took_s, complete, sizeof *took_s, earlier);
    printf("groups.%s.fct_p95_s %.8f\n", group, complete > 0 ? took_s[(int)ceil(0.95 * complete) - 1] : NAN);
    printf("groups.%s.transfers %d\n", group, complete);
}

int main(int argc, char **argv)
{
    int lasting = argc == 7 || argc > 8 ? atoi(argv[2]) : 0, brief = lasting > 0 ? atoi(argv[6]) : 0;
    double bytes_each = lasting > 0 ? atof(argv[4]) : 0, each = brief > 0 ? 0 : bytes_each;
    count = lasting + brief;
    if (lasting < 1 || brief < 0 || count > MOST || (brief > 0 && bytes_each < 1)) {
        fprintf(stderr, "usage: flows CONTROL COUNT SEED BYTES LOAD SHORT [STEP COMMAND...], "
                        "with 1 to %d flows, short ones of 1 byte or more\n", MOST);
        return 2;
    }
    srandom(atoi(argv[3]));
    double gap_s = (FULL + HEADERS) * 8 / (atof(argv[5]) * 1e6); // without a load endless
    for (int i = 0; i < count; i++) {
        double share = (double)random() / RAND_MAX;
        flows[i] = (struct flow){.start_s = STARTS_S * share, .out = -1, .in = -1};
        flows[i].to_send = flows[i].to_come = each > 0 ? each : INFINITY;
        if (i >= lasting) {
            flows[i].start_s = WARMUP_S + (END_S - WARMUP_S) * share;
            flows[i].to_send = flows[i].to_come = bytes_each;
        }
    }
    prctl(PR_SET_TIMERSLACK, 1);
    enter("receiver");
    int listener = opened(SOCK_STREAM, at(RECEIVER, DATA));
    take(argv[1], listener); // DCTCP's receiver tells of marks in another way
    need(!listen(listener, MOST), "listen");
    int pings = opened(SOCK_DGRAM, at(RECEIVER, PINGS));
    int loads = opened(SOCK_DGRAM, at(RECEIVER, LOADS));
    enter("sender");
    int pinger = opened(SOCK_DGRAM, at("0.0.0.0", PINGS)), loader = opened(SOCK_DGRAM, at("0.0.0.0", LOADS));
    double zero_s = (time_t)now_s() + 1; // a whole second, so that the kernel's ticks lie the same

    double delays_s = 0, load_s = isinf(gap_s) ? INFINITY : 0, load_bytes = 0; // its next packet, what came
    double step_s = argc > 7 ? atof(argv[7]) : INFINITY, change_s = argc > 7 ? 0 : INFINITY;
    int tick = 0, heard = 0, changes = 0;
    for (;;) {
        double next_s = zero_s + tick * TICK_S;
        for (int i = 0; i < count; i++)
            if (flows[i].out < 0 && zero_s + flows[i].start_s < next_s)
                next_s = zero_s + flows[i].start_s;
        next_s = fmin(next_s, zero_s + fmin(load_s, change_s));
        wait_until(next_s, listener, pings, loads);
        double time_s = now_s() - zero_s, sent_s;
        int measuring = tick > WARMUP;
        for (; time_s >= change_s; change_s += step_s) {
            const char *command = argv[8 + changes++ % (argc - 8)];
            need(!system(command), command);
        }

        struct sockaddr_in from;
        socklen_t size = sizeof from;
        int accepted = accept4(listener, (void *)&from, &size, SOCK_NONBLOCK);
        if (accepted >= 0)
            flows[ntohs(from.sin_port) - SENDERS].in = accepted;
        while (recv(pings, block, sizeof block, 0) > 0) {
            memcpy(&sent_s, block, sizeof sent_s);
            delays_s += measuring ? time_s - (sent_s - zero_s) : 0;
            heard += measuring;
        }
        ssize_t got;
        while ((got = recv(loads, block, sizeof block, 0)) > 0)
            load_bytes += measuring ? got : 0;
        for (; time_s >= load_s; load_s += gap_s)
            send_packet(loader, LOADS, FULL);
        for (struct flow *flow = flows; flow < flows + count; flow++) {
            while (flow->in >= 0 && flow->to_come > 0 && (got = read(flow->in, block, sizeof block)) > 0) {
                flow->bytes += measuring ? got : 0;
                flow->to_come -= got;
                if (flow->to_come == 0)
                    flow->took_s = time_s - flow->start_s;
            }
            if (flow->out < 0 && time_s >= flow->start_s)
                begin(flow, argv[1]);
            while (flow->has_room && flow->to_send > 0) {
                got = write(flow->out, block, fmin(sizeof block, flow->to_send));
                if (got <= 0)
                    break;
                flow->to_send -= got;
            }
        }

        if (time_s < tick * TICK_S)
            continue;
        if (tick == TICKS)
            break;
        send_packet(pinger, PINGS, 64);
        for (struct flow *flow = flows; tick >= WARMUP && flow < flows + lasting; flow++) {
            struct tcp_info told = info(flow);
            flow->cwnds += told.tcpi_snd_cwnd;
            if (tick == WARMUP)
                flow->retransmits_before = told.tcpi_total_retrans;
        }
        tick++;
    }

    double bytes = 0, squares = 0, cwnds = 0;
    unsigned retransmits = 0;
    for (struct flow *flow = flows; flow < flows + lasting; flow++) {
        bytes += flow->bytes;
        squares += flow->bytes * flow->bytes;
        cwnds += flow->cwnds;
        if (each > 0 && flow->to_come != 0) {
            fprintf(stderr, "a transfer did not end: %.0f bytes are left\n", flow->to_come);
            return 1;
        }
        retransmits += info(flow).tcpi_total_retrans - flow->retransmits_before;
    }
    if (each > 0) {
        tell_completions("tcp", flows, flows + lasting, 0);
        return 0;
    }
    printf("groups.tcp.goodput_bps %.1f\n", bytes * 8 / ((TICKS - WARMUP) * TICK_S));
    if (lasting > 1)
        printf("groups.tcp.jain_index %.6f\n", bytes * bytes / (lasting * squares));
    printf("groups.tcp.cwnd_mean_packets %.4f\n", cwnds / (TICKS - WARMUP) / lasting);
    printf("groups.tcp.retransmits %u\n", retransmits);
    if (brief > 0)
        tell_completions("short", flows + lasting, flows + count, 1);
    printf("flows.ping.delay_mean_s %.8f\n", delays_s / heard);
    if (!isinf(gap_s))
        printf("flows.load.goodput_bps %.1f\n", load_bytes * 8 / ((TICKS - WARMUP) * TICK_S));
    return 0;
}
