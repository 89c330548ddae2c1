// One run of the network of network.toml on ns-3.37; prints metrics under our names.
//
//   ./run --discipline=Fifo --limit=8000B --udp=0.6 --tcp=0.6 --seed=1
//
// Rates in Mbit/s; the limit as ns-3 writes it. Built as README.md says.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

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

NetDeviceContainer
Connect(Ptr<Node> from, Ptr<Node> to, double mbps, int ms, const std::string& deviceQueue)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(uint64_t(mbps * 1e6))));
    link.SetChannelAttribute("Delay", TimeValue(MilliSeconds(ms)));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(deviceQueue));
    return link.Install(from, to);
}

TrafficControlHelper
Discipline(const std::string& name, const std::string& limit, double mbps)
{
    TrafficControlHelper helper;
    const QueueSizeValue size{QueueSize(limit)};
    if (name == "Red")
    {
        helper.SetRootQueueDisc("ns3::RedQueueDisc",
                                "MaxSize", size,
                                "MinTh", DoubleValue(5),
                                "MaxTh", DoubleValue(90),
                                "LInterm", DoubleValue(20),
                                "QW", DoubleValue(1.0 / 128),
                                "Gentle", BooleanValue(false),
                                "MeanPktSize", UintegerValue(PACKET),
                                "LinkBandwidth", DataRateValue(DataRate(uint64_t(mbps * 1e6))));
    }
    else
    {
        helper.SetRootQueueDisc("ns3::" + name + "QueueDisc", "MaxSize", size);
    }
    return helper;
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

    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(SEGMENT));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                       TypeIdValue(TypeId::LookupByName("ns3::TcpNewReno")));

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
    auto first = Connect(path.Get(0), path.Get(1), 10, 5, "1p");
    auto second = Connect(path.Get(1), path.Get(2), SECOND_MBPS, 10, "1p");
    Discipline(discipline, limit, 10).Install(first.Get(0));
    auto queue = Discipline(discipline, limit, SECOND_MBPS).Install(second.Get(0)).Get(0);
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
        assign(Connect(senders.Get(i), path.Get(0), 15, 5, "1000000p"), 0);
        targets.push_back(
            assign(Connect(path.Get(2), receivers.Get(i), 10, 1, "1000000p"), 0));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < 3; ++i)
    {
        const std::string protocol = i == 0 ? "ns3::UdpSocketFactory" : "ns3::TcpSocketFactory";
        PacketSinkHelper sink(protocol, InetSocketAddress(Ipv4Address::GetAny(), PORT));
        sinks.push_back(DynamicCast<PacketSink>(sink.Install(receivers.Get(i)).Get(0)));
        OnOffHelper source(protocol, InetSocketAddress(targets[i], PORT));
        const std::string period = "ns3::ExponentialRandomVariable[Mean=0.5]";
        source.SetAttribute("PacketSize", UintegerValue(SEGMENT));
        source.SetAttribute("DataRate",
                            DataRateValue(DataRate(uint64_t((i == 0 ? udp : tcp) * 1e6))));
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
