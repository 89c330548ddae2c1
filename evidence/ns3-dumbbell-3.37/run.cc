// One run of the dumbbell of network.toml on ns-3.37; prints metrics under our names.
//
//   ./run --discipline=Red --flows=16 --rate=20 --rtt=50 --limit=334 --seed=1
//
// Rates in Mbit/s, times in ms, the limit in packets. Built as README.md says.
#include "../ns3.h"

#include <cstdio>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr double ACCESS_DELAY_MS = 1;
constexpr double WARMUP_S = 10;
constexpr uint32_t SEGMENT = 1448;
constexpr uint32_t PACKET = 1500; // IP, as the discipline counts it
constexpr uint32_t FRAME = 1502;  // with PPP, as the link sends it

double waited = 0;
uint64_t dequeued = 0, dropped = 0, sentBytes = 0;

bool
Measuring()
{
    return Simulator::Now().GetSeconds() >= WARMUP_S;
}

void
OnDequeue(Ptr<const QueueDiscItem> item)
{
    if (Measuring())
    {
        waited += (Simulator::Now() - item->GetTimeStamp()).GetSeconds();
        ++dequeued;
    }
}

void
OnDrop(Ptr<const QueueDiscItem>, const char*)
{
    dropped += Measuring();
}

void
OnSend(Ptr<const Packet> packet)
{
    sentBytes += Measuring() ? packet->GetSize() : 0;
}

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
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(16'000'000));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(16'000'000));

    NodeContainer senders(flows), receivers(flows), routers(2);
    InternetStackHelper().InstallAll();
    auto bottleneck = Link(rate, rtt / 2 - 2 * ACCESS_DELAY_MS, "1p").Install(routers);
    DynamicCast<PointToPointNetDevice>(bottleneck.Get(1))
        ->GetQueue()
        ->SetAttribute("MaxSize", StringValue("1000000p"));
    auto queue = Discipline(discipline, std::to_string(limit) + "p", rate,
                            "MinTh", DoubleValue(minTh),
                            "MaxTh", DoubleValue(3 * minTh),
                            "LInterm", DoubleValue(10),
                            "MeanPktSize", UintegerValue(PACKET),
                            "UseEcn", BooleanValue(false))
                     .Install(bottleneck.Get(0))
                     .Get(0);

    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    addresses.Assign(bottleneck);
    std::vector<Ptr<PacketSink>> sinks;
    std::vector<Ipv4Address> targets;
    auto access = Link(10 * rate, ACCESS_DELAY_MS, "1000000p");
    TrafficControlHelper none;
    for (uint32_t i = 0; i < flows; ++i)
    {
        auto up = access.Install(senders.Get(i), routers.Get(0));
        auto down = access.Install(routers.Get(1), receivers.Get(i));
        addresses.NewNetwork();
        addresses.Assign(up);
        addresses.NewNetwork();
        targets.push_back(addresses.Assign(down).GetAddress(1));
        for (const auto& ends : {up, down})
        {
            none.Uninstall(ends); // ns-3 puts FQ-CoDel on every device with an address
        }
    }
    none.Uninstall(bottleneck.Get(1));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    auto starts = CreateObject<UniformRandomVariable>();
    for (uint32_t i = 0; i < flows; ++i)
    {
        sinks.push_back(Sink("Tcp", receivers.Get(i), 9));
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(targets[i], 9));
        bulk.SetAttribute("MaxBytes", UintegerValue(0));
        bulk.Install(senders.Get(i)).Start(Seconds(starts->GetValue(0, 1)));
    }

    queue->TraceConnectWithoutContext("Dequeue", MakeCallback(&OnDequeue));
    queue->TraceConnectWithoutContext("DropBeforeEnqueue", MakeCallback(&OnDrop));
    queue->TraceConnectWithoutContext("DropAfterDequeue", MakeCallback(&OnDrop));
    bottleneck.Get(0)->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&OnSend));
    uint64_t before = 0;
    const auto received = [&] {
        uint64_t sum = 0;
        for (const auto& sink : sinks)
        {
            sum += sink->GetTotalRx();
        }
        return sum;
    };
    Simulator::Schedule(Seconds(WARMUP_S), [&] { before = received(); });
    Simulator::Stop(Seconds(duration));
    Simulator::Run();
    const double measured = duration - WARMUP_S;
    const double utilization = sentBytes * 8 / (rate * 1e6) / measured;
    // The device queue of one packet is part of our delay, as it is of our link.
    const double device = utilization * FRAME * 8 / (rate * 1e6);
    std::printf("links.bottleneck.utilization %.6f\n", utilization);
    std::printf("links.bottleneck.queueing_delay_mean_s %.8f\n", waited / dequeued + device);
    std::printf("links.bottleneck.loss_ratio %.8f\n", double(dropped) / (dropped + dequeued));
    std::printf("groups.tcp.goodput_bps %.1f\n", (received() - before) * 8 / measured);
    Simulator::Destroy();
}
