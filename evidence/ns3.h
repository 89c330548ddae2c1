// What the programs that measure on ns-3.37 share; each includes it from the folder above its own.
#pragma once

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <string>
#include <vector>

// Segments of so many bytes under NewReno or another control.
inline void
SetTcp(uint32_t segment, const std::string& control = "NewReno")
{
    using namespace ns3;
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                       TypeIdValue(TypeId::LookupByName("ns3::Tcp" + control)));
}

// Buffers of both ends that never limit.
inline void
SetLargeBuffers()
{
    using namespace ns3;
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(16'000'000));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(16'000'000));
}

inline ns3::DataRateValue
Mbps(double rate)
{
    return ns3::DataRateValue(ns3::DataRate(uint64_t(rate * 1e6)));
}

// A link over a device queue such as "1p".
inline ns3::PointToPointHelper
Link(double mbps, double ms, const std::string& deviceQueue)
{
    using namespace ns3;
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", Mbps(mbps));
    link.SetChannelAttribute("Delay", TimeValue(MicroSeconds(uint64_t(ms * 1000))));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(deviceQueue));
    return link;
}

// A discipline by its name in ns-3, with room such as "67p"; `red` are RED's attributes, and "Ared" is
// RED that adapts.
template <class... Attributes>
ns3::TrafficControlHelper
Discipline(const std::string& name, const std::string& limit, double mbps, Attributes&&... red)
{
    using namespace ns3;
    TrafficControlHelper helper;
    const QueueSizeValue size{QueueSize(limit)};
    if (name == "Red" || name == "Ared")
    {
        helper.SetRootQueueDisc("ns3::RedQueueDisc",
                                "MaxSize", size,
                                "LinkBandwidth", Mbps(mbps),
                                "ARED", BooleanValue(name == "Ared"),
                                red...);
    }
    else
    {
        helper.SetRootQueueDisc("ns3::" + name + "QueueDisc", "MaxSize", size);
    }
    return helper;
}

// What receives at a node over "Tcp" or "Udp".
inline ns3::Ptr<ns3::PacketSink>
Sink(const std::string& protocol, ns3::Ptr<ns3::Node> node, uint16_t port)
{
    using namespace ns3;
    PacketSinkHelper sink("ns3::" + protocol + "SocketFactory",
                          InetSocketAddress(Ipv4Address::GetAny(), port));
    return DynamicCast<PacketSink>(sink.Install(node).Get(0));
}

// Bulk senders at the left of a bottleneck, receivers at its right; and what its discipline does with
// their packets once `warmup` seconds are over.
class Dumbbell
{
  public:
    double waited = 0;      // in the discipline, s
    double waitedBelow = 0; // in the device queue of one packet below it, s
    uint64_t dequeued = 0, dropped = 0, sentPackets = 0, sentBytes = 0;
    ns3::Ptr<ns3::PointToPointNetDevice> device, back; // at the bottleneck, there and back

    Dumbbell(ns3::PointToPointHelper bottleneck,
             ns3::PointToPointHelper access,
             ns3::TrafficControlHelper discipline,
             uint32_t flows,
             double warmup)
        : m_warmup(warmup)
    {
        using namespace ns3;
        NodeContainer senders(flows), receivers(flows), routers(2);
        InternetStackHelper().InstallAll();
        auto devices = bottleneck.Install(routers);
        device = DynamicCast<PointToPointNetDevice>(devices.Get(0));
        back = DynamicCast<PointToPointNetDevice>(devices.Get(1));
        back->GetQueue()->SetAttribute("MaxSize", StringValue("1000000p"));
        auto queue = discipline.Install(device).Get(0);

        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        addresses.Assign(devices);
        std::vector<Ipv4Address> targets;
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
        none.Uninstall(back);
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        auto starts = CreateObject<UniformRandomVariable>();
        for (uint32_t i = 0; i < flows; ++i)
        {
            m_sinks.push_back(Sink("Tcp", receivers.Get(i), 9));
            BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(targets[i], 9));
            bulk.SetAttribute("MaxBytes", UintegerValue(0));
            bulk.Install(senders.Get(i)).Start(Seconds(starts->GetValue(0, 1)));
        }

        const auto on = [this](auto object, const char* what, auto method) {
            object->TraceConnectWithoutContext(what, MakeCallback(method, this));
        };
        on(queue, "Dequeue", &Dumbbell::OnDequeue);
        on(queue, "DropBeforeEnqueue", &Dumbbell::OnDrop);
        on(queue, "DropAfterDequeue", &Dumbbell::OnDrop);
        on(device->GetQueue(), "Enqueue", &Dumbbell::OnHandedDown);
        on(device->GetQueue(), "Dequeue", &Dumbbell::OnTaken);
        on(device, "PhyTxBegin", &Dumbbell::OnSend);
        Simulator::Schedule(Seconds(warmup), [this] { m_before = Received(); });
    }

    // Runs; returns the time measured, in seconds.
    double Run(double duration)
    {
        ns3::Simulator::Stop(ns3::Seconds(duration));
        ns3::Simulator::Run();
        return duration - m_warmup;
    }

    // Bytes that the receivers got since the warm-up.
    uint64_t Gained() const
    {
        return Received() - m_before;
    }

  private:
    const double m_warmup;
    ns3::Time m_handedDown;
    uint64_t m_before = 0;
    std::vector<ns3::Ptr<ns3::PacketSink>> m_sinks;

    uint64_t Received() const
    {
        uint64_t sum = 0;
        for (const auto& sink : m_sinks)
        {
            sum += sink->GetTotalRx();
        }
        return sum;
    }

    bool Measuring() const
    {
        return ns3::Simulator::Now().GetSeconds() >= m_warmup;
    }

    void OnDequeue(ns3::Ptr<const ns3::QueueDiscItem> item)
    {
        if (Measuring())
        {
            waited += (ns3::Simulator::Now() - item->GetTimeStamp()).GetSeconds();
            ++dequeued;
        }
    }

    void OnDrop(ns3::Ptr<const ns3::QueueDiscItem>, const char*)
    {
        dropped += Measuring();
    }

    void OnHandedDown(ns3::Ptr<const ns3::Packet>)
    {
        m_handedDown = ns3::Simulator::Now();
    }

    void OnTaken(ns3::Ptr<const ns3::Packet>)
    {
        waitedBelow += Measuring() ? (ns3::Simulator::Now() - m_handedDown).GetSeconds() : 0;
    }

    void OnSend(ns3::Ptr<const ns3::Packet> packet)
    {
        if (Measuring())
        {
            ++sentPackets;
            sentBytes += packet->GetSize();
        }
    }
};
