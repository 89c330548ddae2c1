// Bulk NewReno over one bottleneck on ns-3, tracing off; prints what was delivered, and the goodput
// after the warm-up.
//
//   bulk QUEUE FLOWS RATE_MBIT DELAY_MS LIMIT WARMUP_S MIN_RTO_MS DURATION_S
//
// The dumbbell of the cases beside it: access ten times as fast as the bottleneck, 1 ms away.
// Segments of 1448 B, delayed acknowledgements, SACK. Drop-tail queues in the devices; a queue
// discipline stands above the bottleneck's device, whose own queue then holds one packet: the
// least that ns-3 allows.

#include <cstdlib>
#include <iostream>
#include <string>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

using namespace ns3;

namespace
{

DataRate Mbit(double rate)
{
    return DataRate(std::uint64_t(rate * 1e6));
}

PointToPointHelper Link(double rate, double ms, const std::string& limit)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(Mbit(rate)));
    link.SetChannelAttribute("Delay", TimeValue(MicroSeconds(std::int64_t(ms * 1e3))));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(limit + "p"));
    return link;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 9)
    {
        std::cerr << "usage: bulk QUEUE FLOWS RATE_MBIT DELAY_MS LIMIT WARMUP_S MIN_RTO_MS DURATION_S\n";
        return 2;
    }
    const std::string queue = argv[1];
    const bool droptail = queue == "ns3::DropTailQueue";
    const int flows = std::atoi(argv[2]);
    const double rate = std::atof(argv[3]);
    const double delay = std::atof(argv[4]);
    const std::string limit = argv[5];
    const Time warmup = Seconds(std::atof(argv[6]));
    const Time least = MilliSeconds(std::atoi(argv[7]));
    const Time end = Seconds(std::atof(argv[8]));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(least));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 23));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 23));
    Config::SetDefault("ns3::RedQueueDisc::Gentle", BooleanValue(false));
    Config::SetDefault("ns3::RedQueueDisc::Wait", BooleanValue(false));
    Config::SetDefault("ns3::RedQueueDisc::LinkBandwidth", DataRateValue(Mbit(rate)));

    NodeContainer routers(2);
    NodeContainer senders(flows);
    NodeContainer receivers(flows);
    InternetStackHelper internet;
    internet.InstallAll();
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    TrafficControlHelper control;
    auto join = [&](Ptr<Node> a, Ptr<Node> b, PointToPointHelper link) {
        NetDeviceContainer devices = link.Install(a, b);
        Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
        addresses.NewNetwork();
        control.Uninstall(devices);
        return interfaces.GetAddress(1);
    };
    join(routers.Get(0), routers.Get(1), Link(rate, delay, droptail ? limit : "1"));
    if (!droptail)
    {
        const std::uint32_t bottleneck = 1; // device 0 is the loopback
        control.SetRootQueueDisc(queue, "MaxSize", StringValue(limit + "p"));
        control.Install(routers.Get(0)->GetDevice(bottleneck));
    }
    ApplicationContainer sinks;
    Ptr<UniformRandomVariable> start = CreateObject<UniformRandomVariable>();
    for (int i = 0; i < flows; ++i)
    {
        join(senders.Get(i), routers.Get(0), Link(10 * rate, 1, "1000"));
        const Ipv4Address to =
            join(routers.Get(1), receivers.Get(i), Link(10 * rate, 1, "1000"));
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(to, 9));
        source.SetAttribute("SendSize", UintegerValue(1448));
        ApplicationContainer sending = source.Install(senders.Get(i));
        sending.Start(Seconds(start->GetValue()));
        PacketSinkHelper sink("ns3::TcpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), 9));
        sinks.Add(sink.Install(receivers.Get(i)));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    auto delivered = [&] {
        double bytes = 0;
        for (std::uint32_t i = 0; i < sinks.GetN(); ++i)
        {
            bytes += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx();
        }
        return bytes;
    };
    double early = 0;
    Simulator::Schedule(warmup, [&] { early = delivered(); });
    Simulator::Stop(end);
    Simulator::Run();
    std::cout << std::fixed << "delivered_bytes " << delivered() << " goodput_bps "
              << (delivered() - early) * 8 / (end - warmup).GetSeconds() << "\n";
    Simulator::Destroy();
    return 0;
}
