// What the programs that measure on ns-3.37 share; each includes it from the folder above its own.
#pragma once

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <string>

// Segments of so many bytes under NewReno or another control.
inline void
SetTcp(uint32_t segment, const std::string& control = "NewReno")
{
    using namespace ns3;
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                       TypeIdValue(TypeId::LookupByName("ns3::Tcp" + control)));
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
