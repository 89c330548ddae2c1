// One run of the network of network.toml on ns-3.37; prints metrics under our names.
//
//   ./run --discipline=Fifo --limit=8000B --udp=0.6 --tcp=0.6 --seed=1
//
// Rates in Mbit/s; the limit as ns-3 writes it. Built as README.md says.
#include "../ns3.h"

#include <cstdio>
#include <deque>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr double DURATION_S = 120;
constexpr double SECOND_MBPS = 1;
constexpr uint16_t PORT = 9;
constexpr uint32_t SEGMENT = 512;
constexpr uint32_t PACKET = 564; // IP, as the discipline counts it

double waited = 0;
uint64_t sent = 0, dropped = 0;
std::deque<Time> inDevice; // when what is in the device queue came to the discipline

void
OnDequeue(Ptr<const QueueDiscItem> item)
{
    inDevice.push_back(item->GetTimeStamp());
}

void
OnDrop(Ptr<const QueueDiscItem>, const char*)
{
    ++dropped;
}

void
OnDropOfDequeued(Ptr<const QueueDiscItem>, const char*)
{
    inDevice.pop_back(); // CoDel's: ns-3 calls it dequeued too
    ++dropped;
}

void
OnSend(Ptr<const Packet>)
{
    waited += (Simulator::Now() - inDevice.front()).GetSeconds();
    inDevice.pop_front();
    ++sent;
}

TrafficControlHelper
AtBottleneck(const std::string& discipline, const std::string& limit, double mbps)
{
    return Discipline(discipline, limit, mbps,
                      "MinTh", DoubleValue(5),
                      "MaxTh", DoubleValue(90),
                      "LInterm", DoubleValue(20),
                      "QW", DoubleValue(1.0 / 128),
                      "Gentle", BooleanValue(false),
                      "MeanPktSize", UintegerValue(PACKET));
}

} // namespace

int
main(int argc, char** argv)
{
    std::string discipline = "Fifo", limit = "8000B";
    uint32_t seed = 1;
    double udp = 0.6, tcp = 0.6;
    CommandLine command;
    command.AddValue("discipline", "Fifo, Red or CoDel, of both bottlenecks", discipline);
    command.AddValue("limit", "of both queues, such as 8000B or 480p", limit);
    command.AddValue("udp", "that the UDP source sends at while it is on, Mbit/s", udp);
    command.AddValue("tcp", "that each TCP source writes at while it is on, Mbit/s", tcp);
    command.AddValue("seed", "", seed);
    command.Parse(argc, argv);
    RngSeedManager::SetRun(seed);

    SetTcp(SEGMENT);

    NodeContainer senders(3), path(3), receivers(3);
    InternetStackHelper().InstallAll();
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    TrafficControlHelper none;
    const auto assign = [&](const NetDeviceContainer& ends, uint32_t firstPlain) {
        const auto given = addresses.Assign(ends);
        addresses.NewNetwork();
        for (uint32_t end = firstPlain; end < 2; ++end)
        {
            none.Uninstall(ends.Get(end)); // ns-3 puts FQ-CoDel on every device with an address
        }
        return given.GetAddress(1);
    };
    auto first = Link(10, 5, "1p").Install(path.Get(0), path.Get(1));
    auto second = Link(SECOND_MBPS, 10, "1p").Install(path.Get(1), path.Get(2));
    AtBottleneck(discipline, limit, 10).Install(first.Get(0));
    auto queue = AtBottleneck(discipline, limit, SECOND_MBPS).Install(second.Get(0)).Get(0);
    for (const auto& link : {first, second})
    {
        DynamicCast<PointToPointNetDevice>(link.Get(1))
            ->GetQueue()
            ->SetAttribute("MaxSize", StringValue("1000000p"));
        assign(link, 1);
    }
    std::vector<Ipv4Address> targets;
    for (uint32_t i = 0; i < 3; ++i)
    {
        assign(Link(15, 5, "1000000p").Install(senders.Get(i), path.Get(0)), 0);
        const auto last = Link(10, 1, "1000000p").Install(path.Get(2), receivers.Get(i));
        targets.push_back(assign(last, 0));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < 3; ++i)
    {
        const std::string protocol = i == 0 ? "Udp" : "Tcp";
        sinks.push_back(Sink(protocol, receivers.Get(i), PORT));
        OnOffHelper source("ns3::" + protocol + "SocketFactory",
                           InetSocketAddress(targets[i], PORT));
        const std::string period = "ns3::ExponentialRandomVariable[Mean=0.5]";
        source.SetAttribute("PacketSize", UintegerValue(SEGMENT));
        source.SetAttribute("DataRate", Mbps(i == 0 ? udp : tcp));
        source.SetAttribute("OnTime", StringValue(period));
        source.SetAttribute("OffTime", StringValue(period));
        source.Install(senders.Get(i));
    }

    queue->TraceConnectWithoutContext("Dequeue", MakeCallback(&OnDequeue));
    queue->TraceConnectWithoutContext("DropBeforeEnqueue", MakeCallback(&OnDrop));
    queue->TraceConnectWithoutContext("DropAfterDequeue", MakeCallback(&OnDropOfDequeued));
    second.Get(0)->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&OnSend));
    Simulator::Stop(Seconds(DURATION_S));
    Simulator::Run();

    const auto goodput = [&](uint32_t i) { return sinks[i]->GetTotalRx() * 8 / DURATION_S; };
    std::printf("groups.udp.goodput_bps %.1f\n", goodput(0));
    std::printf("groups.tcp.goodput_bps %.1f\n", goodput(1) + goodput(2));
    std::printf("links.second.queueing_delay_mean_s %.8f\n", waited / sent);
    std::printf("links.second.loss_ratio %.8f\n", double(dropped) / (dropped + sent));
    Simulator::Destroy();
}
