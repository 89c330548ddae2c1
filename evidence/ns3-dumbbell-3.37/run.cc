// One run of the dumbbell of network.toml on ns-3.37; prints metrics under our names.
//
//   ./run --discipline=Red --flows=16 --rate=20 --rtt=50 --limit=334 --seed=1
//
// Rates in Mbit/s, times in ms, the limit in packets. Built as README.md says.
#include "../ns3.h"

#include <cstdio>
#include <string>

using namespace ns3;

namespace
{

constexpr double ACCESS_DELAY_MS = 1;
constexpr double WARMUP_S = 10;
constexpr uint32_t SEGMENT = 1448;
constexpr uint32_t PACKET = 1500; // IP, as the discipline counts it
constexpr uint32_t FRAME = 1502;  // with PPP, as the link sends it

} // namespace

int
main(int argc, char** argv)
{
    std::string discipline = "Fifo", control = "NewReno";
    uint32_t flows = 4, limit = 67, seed = 1;
    double rate = 10, rtt = 20, duration = 60, minTh = 5;
    CommandLine command;
    command.AddValue("discipline", "Fifo, Red or CoDel", discipline);
    command.AddValue("control", "NewReno or Cubic", control);
    command.AddValue("flows", "bulk senders", flows);
    command.AddValue("limit", "of the queue, packets", limit);
    command.AddValue("rate", "of the bottleneck, Mbit/s", rate);
    command.AddValue("rtt", "without queueing, ms", rtt);
    command.AddValue("duration", "s", duration);
    command.AddValue("min_th", "RED's, packets; max_th is three times that", minTh);
    command.AddValue("seed", "", seed);
    command.Parse(argc, argv);
    RngSeedManager::SetRun(seed);

    SetTcp(SEGMENT, control);
    SetLargeBuffers();

    auto queue = Discipline(discipline, std::to_string(limit) + "p", rate,
                            "MinTh", DoubleValue(minTh),
                            "MaxTh", DoubleValue(3 * minTh),
                            "LInterm", DoubleValue(10),
                            "MeanPktSize", UintegerValue(PACKET),
                            "UseEcn", BooleanValue(false));
    Dumbbell dumbbell(Link(rate, rtt / 2 - 2 * ACCESS_DELAY_MS, "1p"),
                      Link(10 * rate, ACCESS_DELAY_MS, "1000000p"),
                      queue, flows, WARMUP_S);
    const double measured = dumbbell.Run(duration);
    const auto dequeued = dumbbell.dequeued, dropped = dumbbell.dropped;
    const double utilization = dumbbell.sentBytes * 8 / (rate * 1e6) / measured;
    // The device queue of one packet is part of our delay, as it is of our link.
    const double device = utilization * FRAME * 8 / (rate * 1e6);
    std::printf("links.bottleneck.utilization %.6f\n", utilization);
    std::printf("links.bottleneck.queueing_delay_mean_s %.8f\n", dumbbell.waited / dequeued + device);
    std::printf("links.bottleneck.loss_ratio %.8f\n", double(dropped) / (dropped + dequeued));
    std::printf("groups.tcp.goodput_bps %.1f\n", dumbbell.Gained() * 8 / measured);
    Simulator::Destroy();
}
