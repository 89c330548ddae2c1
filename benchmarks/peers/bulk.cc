// Bulk NewReno over one bottleneck on ns-3, tracing off; prints what was delivered.
//
//   bulk FLOWS RATE_MBIT DELAY_MS LIMIT DURATION_S
//
// The dumbbell of the cases beside it: access ten times as fast as the bottleneck, 1 ms away. Segments
// of 1448 B, delayed acknowledgements, SACK; drop-tail queues in the devices, no queue disciplines.

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

PointToPointHelper Link(double mbit, double ms, const std::string& limit)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(std::uint64_t(mbit * 1e6))));
    link.SetChannelAttribute("Delay", TimeValue(MicroSeconds(std::int64_t(ms * 1e3))));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(limit + "p"));
    return link;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 6)
    {
        std::cerr << "usage: bulk FLOWS RATE_MBIT DELAY_MS LIMIT DURATION_S\n";
        return 2;
    }
    const int flows = std::atoi(argv[1]);
    const double rate = std::atof(argv[2]);
    const double delay = std::atof(argv[3]);
    const Time end = Seconds(std::atof(argv[5]));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 23));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 23));

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
    join(routers.Get(0), routers.Get(1), Link(rate, delay, argv[4]));
    ApplicationContainer sinks;
    for (int i = 0; i < flows; ++i)
    {
        join(senders.Get(i), routers.Get(0), Link(10 * rate, 1, "1000"));
        const Ipv4Address to =
            join(routers.Get(1), receivers.Get(i), Link(10 * rate, 1, "1000"));
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(to, 9));
        source.SetAttribute("SendSize", UintegerValue(1448));
        ApplicationContainer sending = source.Install(senders.Get(i));
        sending.Start(Seconds(double(i) / flows));
        PacketSinkHelper sink("ns3::TcpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), 9));
        sinks.Add(sink.Install(receivers.Get(i)));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    Simulator::Stop(end);
    Simulator::Run();
    double delivered = 0;
    for (std::uint32_t i = 0; i < sinks.GetN(); ++i)
    {
        delivered += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx();
    }
    std::cout << "delivered_bytes " << delivered << "\n";
    Simulator::Destroy();
    return 0;
}
