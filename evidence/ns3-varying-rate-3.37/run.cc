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

double waited = 0; // in the discipline and in the device queue of one packet below it
Time handedDown;
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
OnHandedDown(Ptr<const Packet>)
{
    handedDown = Simulator::Now();
}

void
OnTaken(Ptr<const Packet>)
{
    waited += Measuring() ? (Simulator::Now() - handedDown).GetSeconds() : 0;
}

void
OnDrop(Ptr<const QueueDiscItem>, const char*)
{
    dropped += Measuring();
}

void
OnSend(Ptr<const Packet> packet)
{
    // Without the two bytes of PPP, which our link counts as framing.
    sentBytes += Measuring() ? packet->GetSize() - 2 : 0;
}

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
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(16'000'000));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(16'000'000));

    NodeContainer senders(flows), receivers(flows), routers(2);
    InternetStackHelper().InstallAll();
    auto bottleneck = Link(rates[0], 18, "1p").Install(routers);
    auto back = DynamicCast<PointToPointNetDevice>(bottleneck.Get(1));
    back->GetQueue()->SetAttribute("MaxSize", StringValue("1000000p"));
    back->SetAttribute("DataRate", Mbps(100));
    auto queue = Discipline(discipline, std::to_string(limit) + "p", rates[0],
                            "MinTh", DoubleValue(5),
                            "MaxTh", DoubleValue(15),
                            "LInterm", DoubleValue(10),
                            "MeanPktSize", UintegerValue(PACKET),
                            "UseEcn", BooleanValue(false))
                     .Install(bottleneck.Get(0))
                     .Get(0);

    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    addresses.Assign(bottleneck);
    std::vector<Ptr<PacketSink>> sinks;
    std::vector<Ipv4Address> targets;
    auto access = Link(200, 1, "1000000p");
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
    for (uint32_t k = 1; k * step < duration; ++k)
    {
        const double rate = rates[k % rates.size()];
        Simulator::Schedule(Seconds(k * step), [&bottleneck, rate] {
            bottleneck.Get(0)->SetAttribute("DataRate", Mbps(rate));
        });
    }

    queue->TraceConnectWithoutContext("Dequeue", MakeCallback(&OnDequeue));
    queue->TraceConnectWithoutContext("DropBeforeEnqueue", MakeCallback(&OnDrop));
    queue->TraceConnectWithoutContext("DropAfterDequeue", MakeCallback(&OnDrop));
    auto device = DynamicCast<PointToPointNetDevice>(bottleneck.Get(0))->GetQueue();
    device->TraceConnectWithoutContext("Enqueue", MakeCallback(&OnHandedDown));
    device->TraceConnectWithoutContext("Dequeue", MakeCallback(&OnTaken));
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
    std::printf("links.bottleneck.throughput_bps %.1f\n", sentBytes * 8 / measured);
    std::printf("links.bottleneck.queueing_delay_mean_s %.8f\n", waited / dequeued);
    std::printf("links.bottleneck.loss_ratio %.8f\n", double(dropped) / (dropped + dequeued));
    std::printf("groups.tcp.goodput_bps %.1f\n", (received() - before) * 8 / measured);
    Simulator::Destroy();
}
