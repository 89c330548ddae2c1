// One run of a network of network.toml on ns-3.37; prints metrics under our names.
//
//   ./run --discipline=Red --ns3::RedQueueDisc::MaxSize=100p --control=Cubic --flows=4
//         --rate=10 --delay=18 --step=5 --udp=2 --loss=0.005 --ns3::TcpSocket::DelAckCount=1 --seed=1
//
// Rates in Mbit/s, times in ms. What has two colons is an attribute of ns-3. Built as README.md says.
#include "../ns3.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr double WARMUP_S = 5;
constexpr double DURATION_S = 25;
constexpr double ACCESS_DELAY_MS = 1;
constexpr double FASTER = 10; // than the bottleneck: the other links
constexpr uint16_t PORT = 9;
constexpr uint32_t DATAGRAM = 1000;

bool
Measuring()
{
    return Simulator::Now().GetSeconds() >= WARMUP_S;
}

// What the bottleneck does with packets.
struct Bottleneck
{
    double waited = 0, sentBits = 0;
    uint64_t left = 0, marked = 0, dropped = 0, lost = 0;
    std::deque<Time> below; // when what is in the device queue came there

    void Account(Time wait, int packets)
    {
        waited += Measuring() ? packets * wait.GetSeconds() : 0;
        left += Measuring() ? packets : 0;
    }

    void OnDequeue(Ptr<const QueueDiscItem> item)
    {
        Account(Simulator::Now() - item->GetTimeStamp(), 1);
    }

    void OnDrop(Ptr<const QueueDiscItem>, const char*)
    {
        dropped += Measuring();
    }

    void OnDropOfDequeued(Ptr<const QueueDiscItem> item, const char*)
    {
        Account(Simulator::Now() - item->GetTimeStamp(), -1); // CoDel's: ns-3 calls it dequeued too
        dropped += Measuring();
    }

    void OnMark(Ptr<const QueueDiscItem>, const char*)
    {
        marked += Measuring();
    }

    void OnHandedDown(Ptr<const Packet>)
    {
        below.push_back(Simulator::Now());
    }

    void OnTaken(Ptr<const Packet>)
    {
        waited += Measuring() ? (Simulator::Now() - below.front()).GetSeconds() : 0;
        below.pop_front();
    }

    void OnSend(Ptr<const Packet> packet)
    {
        sentBits += Measuring() ? packet->GetSize() * 8 : 0;
    }

    void OnLoss(Ptr<const Packet>)
    {
        lost += Measuring();
    }
};

// A sender over TCP, and its receiver.
struct Flow
{
    Ptr<PacketSink> sink;
    Ptr<BulkSendApplication> source;
    uint64_t before = 0, retransmits = 0;
    SequenceNumber32 next{0};
    double window = 0, windows = 0; // bytes; times seconds
    Time since;

    // Follows the connection once it is there.
    void Watch()
    {
        auto socket = source->GetSocket();
        socket->TraceConnectWithoutContext("Tx", MakeCallback(&Flow::OnSend, this));
        socket->TraceConnectWithoutContext("CongestionWindow", MakeCallback(&Flow::OnWindow, this));
    }

    void OnSend(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
    {
        if (packet->GetSize() > 0)
        {
            const auto first = header.GetSequenceNumber();
            retransmits += Measuring() && first < next;
            next = std::max(next, first + SequenceNumber32(packet->GetSize()));
        }
    }

    void OnWindow(uint32_t, uint32_t now)
    {
        const Time from = std::max(since, Seconds(WARMUP_S));
        windows += window * std::max(0.0, (Simulator::Now() - from).GetSeconds());
        since = Simulator::Now();
        window = now;
    }
};

} // namespace

int
main(int argc, char** argv)
{
    std::string discipline = "Fifo", control = "NewReno", device = "1p";
    uint32_t flows = 1, segment = 1448, seed = 1;
    double rate = 10, delay = 18, step = 0, udp = 1, loss = 0;
    CommandLine command;
    command.AddValue("discipline", "as ns-3 calls it", discipline);
    command.AddValue("device", "the queue below the discipline", device);
    command.AddValue("control", "as ns-3 calls it", control);
    command.AddValue("flows", "bulk senders", flows);
    command.AddValue("segment", "bytes", segment);
    command.AddValue("rate", "of the bottleneck, Mbit/s", rate);
    command.AddValue("delay", "of the bottleneck, ms", delay);
    command.AddValue("step", "by how much a sender is further away than the one before, ms", step);
    command.AddValue("udp", "what one more sender sends at an even pace, Mbit/s", udp);
    command.AddValue("loss", "share of packets lost on the wire", loss);
    command.AddValue("seed", "", seed);
    command.Parse(argc, argv);
    RngSeedManager::SetRun(seed);
    SetTcp(segment, control);

    NodeContainer senders(flows + 1), receivers(flows + 1), routers(2);
    InternetStackHelper().InstallAll();
    auto ends = Link(rate, delay, device).Install(routers);
    auto out = DynamicCast<PointToPointNetDevice>(ends.Get(0));
    auto in = DynamicCast<PointToPointNetDevice>(ends.Get(1));
    in->GetQueue()->SetAttribute("MaxSize", StringValue("1000000p"));
    auto errors = CreateObject<RateErrorModel>();
    errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    errors->SetRate(loss);
    in->SetReceiveErrorModel(errors);
    TrafficControlHelper helper, none;
    helper.SetRootQueueDisc("ns3::" + discipline + "QueueDisc");
    auto queue = helper.Install(out).Get(0);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    addresses.Assign(ends);
    none.Uninstall(in);
    std::vector<Ipv4Address> targets;
    for (uint32_t i = 0; i <= flows; ++i)
    {
        const double away = ACCESS_DELAY_MS + (i < flows ? i * step : 0);
        auto up = Link(FASTER * rate, away, "1000000p").Install(senders.Get(i), routers.Get(0));
        auto down = Link(FASTER * rate, ACCESS_DELAY_MS, "1000000p")
                        .Install(routers.Get(1), receivers.Get(i));
        addresses.NewNetwork();
        addresses.Assign(up);
        addresses.NewNetwork();
        targets.push_back(addresses.Assign(down).GetAddress(1));
        for (const auto& link : {up, down})
        {
            none.Uninstall(link); // ns-3 puts FQ-CoDel on every device with an address
        }
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    auto starts = CreateObject<UniformRandomVariable>();
    std::vector<Flow> tcp(flows);
    for (uint32_t i = 0; i < flows; ++i)
    {
        auto& flow = tcp[i];
        flow.sink = Sink("Tcp", receivers.Get(i), PORT);
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(targets[i], PORT));
        bulk.SetAttribute("MaxBytes", UintegerValue(0));
        auto application = bulk.Install(senders.Get(i));
        const Time start = Seconds(starts->GetValue(0, 1));
        application.Start(start);
        flow.source = DynamicCast<BulkSendApplication>(application.Get(0));
        Simulator::Schedule(start + NanoSeconds(1), &Flow::Watch, &flow);
    }
    auto datagrams = Sink("Udp", receivers.Get(flows), PORT);
    OnOffHelper even("ns3::UdpSocketFactory", InetSocketAddress(targets[flows], PORT));
    even.SetConstantRate(DataRate(uint64_t(udp * 1e6)), DATAGRAM);
    even.Install(senders.Get(flows)).Start(Seconds(starts->GetValue(0, 1)));
    uint64_t before = 0;
    Simulator::Schedule(Seconds(WARMUP_S), [&] {
        before = datagrams->GetTotalRx();
        for (auto& flow : tcp)
        {
            flow.before = flow.sink->GetTotalRx();
        }
    });

    Bottleneck bottleneck;
    const auto on = [&bottleneck](auto object, const char* what, auto method) {
        object->TraceConnectWithoutContext(what, MakeCallback(method, &bottleneck));
    };
    on(queue, "Dequeue", &Bottleneck::OnDequeue);
    on(queue, "DropBeforeEnqueue", &Bottleneck::OnDrop);
    on(queue, "DropAfterDequeue", &Bottleneck::OnDropOfDequeued);
    on(queue, "Mark", &Bottleneck::OnMark);
    on(out->GetQueue(), "Enqueue", &Bottleneck::OnHandedDown);
    on(out->GetQueue(), "Dequeue", &Bottleneck::OnTaken);
    on(out, "PhyTxBegin", &Bottleneck::OnSend);
    on(in, "PhyRxDrop", &Bottleneck::OnLoss);
    Simulator::Stop(Seconds(DURATION_S));
    Simulator::Run();

    const double measured = DURATION_S - WARMUP_S;
    double sum = 0, squares = 0, windows = 0;
    uint64_t retransmits = 0;
    for (auto& flow : tcp)
    {
        flow.OnWindow(0, 0);
        const double goodput = (flow.sink->GetTotalRx() - flow.before) * 8 / measured;
        sum += goodput;
        squares += goodput * goodput;
        windows += flow.windows / measured / segment / flows;
        retransmits += flow.retransmits;
    }
    const double gone = bottleneck.dropped + bottleneck.lost;
    const double came = bottleneck.left + bottleneck.dropped;
    std::printf("links.bottleneck.utilization %.6f\n", bottleneck.sentBits / rate / 1e6 / measured);
    std::printf("links.bottleneck.queueing_delay_mean_s %.8f\n", bottleneck.waited / bottleneck.left);
    std::printf("links.bottleneck.loss_ratio %.8f\n", gone / came);
    std::printf("links.bottleneck.marks_packets %lu\n", bottleneck.marked);
    std::printf("groups.udp.goodput_bps %.1f\n", (datagrams->GetTotalRx() - before) * 8 / measured);
    std::printf("groups.tcp.goodput_bps %.1f\n", sum);
    std::printf("groups.tcp.jain_index %.6f\n", sum * sum / squares / flows);
    std::printf("groups.tcp.cwnd_mean_packets %.6f\n", windows);
    std::printf("groups.tcp.retransmits %lu\n", retransmits);
    Simulator::Destroy();
}
