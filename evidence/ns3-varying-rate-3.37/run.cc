// One run of network.toml on ns-3.37; prints metrics under our names.
//
//   ./run --discipline=CoDel --flows=4 --rates=10,2 --step=5 --limit=67 --seed=1
//
// The bottleneck has each of the rates in Mbit/s for `step` seconds, one after the other, and again from
// the first; the limit is in packets. Built as README.md says.
#include "../ns3.h"

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t SEGMENT = 1448;
constexpr uint32_t PACKET = 1500; // IP, as the discipline counts it
constexpr double WARMUP_S = 10;

// The rates of a list such as "10,2".
std::vector<double>
RatesOf(const std::string& list)
{
    std::vector<double> rates;
    std::istringstream in(list);
    for (std::string one; std::getline(in, one, ',');)
    {
        rates.push_back(std::stod(one));
    }
    return rates;
}

} // namespace

int
main(int argc, char** argv)
{
    std::string discipline = "Fifo", list = "10,2";
    uint32_t flows = 4, limit = 67, seed = 1;
    double step = 5, duration = 130;
    CommandLine command;
    command.AddValue("discipline", "Fifo, Red, CoDel or Pie", discipline);
    command.AddValue("flows", "bulk senders", flows);
    command.AddValue("limit", "of the queue, packets", limit);
    command.AddValue("rates", "of the bottleneck, Mbit/s", list);
    command.AddValue("step", "how long each holds, s", step);
    command.AddValue("duration", "s", duration);
    command.AddValue("seed", "", seed);
    command.Parse(argc, argv);
    RngSeedManager::SetRun(seed);
    const auto rates = RatesOf(list);

    SetTcp(SEGMENT);
    SetLargeBuffers();

    auto queue = Discipline(discipline, std::to_string(limit) + "p", rates[0],
                            "MinTh", DoubleValue(5),
                            "MaxTh", DoubleValue(15),
                            "LInterm", DoubleValue(10),
                            "MeanPktSize", UintegerValue(PACKET),
                            "UseEcn", BooleanValue(false));
    Dumbbell dumbbell(Link(rates[0], 18, "1p"), Link(200, 1, "1000000p"), queue, flows, WARMUP_S);
    dumbbell.back->SetAttribute("DataRate", Mbps(100));
    for (uint32_t k = 1; k * step < duration; ++k)
    {
        const double rate = rates[k % rates.size()];
        Simulator::Schedule(Seconds(k * step), [&dumbbell, rate] {
            dumbbell.device->SetAttribute("DataRate", Mbps(rate));
        });
    }
    const double measured = dumbbell.Run(duration);
    const auto dequeued = dumbbell.dequeued, dropped = dumbbell.dropped;
    // Without the two bytes of PPP, which our link counts as framing.
    const auto sentBytes = dumbbell.sentBytes - 2 * dumbbell.sentPackets;
    const double waited = dumbbell.waited + dumbbell.waitedBelow;
    std::printf("links.bottleneck.throughput_bps %.1f\n", sentBytes * 8 / measured);
    std::printf("links.bottleneck.queueing_delay_mean_s %.8f\n", waited / dequeued);
    std::printf("links.bottleneck.loss_ratio %.8f\n", double(dropped) / (dropped + dequeued));
    std::printf("groups.tcp.goodput_bps %.1f\n", dumbbell.Gained() * 8 / measured);
    Simulator::Destroy();
}
