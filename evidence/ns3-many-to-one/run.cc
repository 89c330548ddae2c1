// One run of the network of network.toml on ns-3.37; prints metrics under our names.
//
//   ./run --discipline=Red --clients=8 --limit=1000 --rate=1.5 --seed=1
//
// The rate in Mbit/s, the limit in packets. Built as README.md says.
#include "../ns3.h"

#include "ns3/flow-monitor-module.h"

#include <cstdio>
#include <string>

using namespace ns3;

namespace
{

constexpr double DURATION_S = 20;
constexpr uint16_t PORT = 9;
constexpr uint32_t SEGMENT = 512;
constexpr uint32_t PACKET = 564; // IP, as the discipline counts it
constexpr double LINK_MBPS = 1.5;
constexpr int LINK_DELAY_MS = 20;

} // namespace

int
main(int argc, char** argv)
{
    std::string discipline = "Fifo";
    uint32_t clients = 8, limit = 1000, seed = 1;
    double rate = 1.5;
    CommandLine command;
    command.AddValue("discipline", "Fifo, PfifoFast, Red, Ared or CoDel", discipline);
    command.AddValue("clients", "on/off senders", clients);
    command.AddValue("limit", "of every queue, packets", limit);
    command.AddValue("rate", "that a client writes at while it is on, Mbit/s", rate);
    command.AddValue("seed", "", seed);
    command.Parse(argc, argv);
    RngSeedManager::SetRun(seed);

    SetTcp(SEGMENT);

    NodeContainer senders(clients), path(3); // router, switch, server
    InternetStackHelper().InstallAll();
    auto link = Link(LINK_MBPS, LINK_DELAY_MS, "1p");
    auto queues = Discipline(discipline, std::to_string(limit) + "p", LINK_MBPS,
                             "MinTh", DoubleValue(20),
                             "MaxTh", DoubleValue(80),
                             "QW", DoubleValue(0.002),
                             "LInterm", DoubleValue(50),
                             "MeanPktSize", UintegerValue(PACKET),
                             "LinkDelay", TimeValue(MilliSeconds(LINK_DELAY_MS)));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    const auto connect = [&](Ptr<Node> from, Ptr<Node> to) {
        auto ends = link.Install(from, to);
        queues.Install(ends);
        addresses.NewNetwork();
        return addresses.Assign(ends).GetAddress(1);
    };
    for (uint32_t i = 0; i < clients; ++i)
    {
        connect(senders.Get(i), path.Get(0));
    }
    connect(path.Get(0), path.Get(1));
    const InetSocketAddress server(connect(path.Get(1), path.Get(2)), PORT);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    auto sink = Sink("Tcp", path.Get(2), PORT);
    OnOffHelper source("ns3::TcpSocketFactory", server);
    source.SetAttribute("PacketSize", UintegerValue(SEGMENT));
    source.SetAttribute("DataRate", Mbps(rate));
    source.SetAttribute("OnTime", StringValue("ns3::ConstantRandomVariable[Constant=1]"));
    source.SetAttribute("OffTime", StringValue("ns3::ConstantRandomVariable[Constant=1]"));
    auto starts = CreateObject<UniformRandomVariable>();
    for (uint32_t i = 0; i < clients; ++i)
    {
        source.Install(senders.Get(i)).Start(Seconds(starts->GetValue(0, 0.1)));
    }

    FlowMonitorHelper helper;
    auto monitor = helper.InstallAll();
    Simulator::Stop(Seconds(DURATION_S));
    Simulator::Run();

    auto classifier = DynamicCast<Ipv4FlowClassifier>(helper.GetClassifier());
    uint64_t sent = 0, received = 0, lost = 0;
    double delays = 0;
    monitor->CheckForLostPackets();
    for (const auto& [id, flow] : monitor->GetFlowStats())
    {
        if (classifier->FindFlow(id).destinationPort == PORT)
        {
            sent += flow.txPackets;
            received += flow.rxPackets;
            lost += flow.lostPackets;
            delays += flow.delaySum.GetSeconds();
        }
    }
    std::printf("groups.tcp.goodput_bps %.1f\n", sink->GetTotalRx() * 8 / DURATION_S);
    std::printf("groups.tcp.delay_mean_s %.8f\n", delays / received);
    std::printf("groups.tcp.loss_ratio %.8f\n", double(lost) / sent);
    Simulator::Destroy();
}
