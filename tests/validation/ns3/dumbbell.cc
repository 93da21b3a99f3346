// Flows that share one bottleneck, in ns-3, and what they did.
//
//   dumbbell --folder=/tmp/out --congestion=TcpNewReno --duration=10 ...
//
// sender --access--> router --bottleneck--> receiver, point to point, no queueing discipline but the device's FIFO.
// The folder gets sent.csv (time_s,sequence,bytes of the first flow's segments; the SYN is sequence 0) and
// timeouts.csv (time_s); the standard output one "flow in_order_bytes ..." per line.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <list>
#include <sstream>

using namespace ns3;

namespace
{

std::ofstream g_sent;
std::ofstream g_timeouts;
uint64_t g_segments = 0;
uint64_t g_resent = 0;
SequenceNumber32 g_sentEnd(0);

void
OnSent(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
{
    const bool isSyn = header.GetFlags() & TcpHeader::SYN;
    if (packet->GetSize() == 0 && !isSyn)
    {
        return;
    }
    const SequenceNumber32 end = header.GetSequenceNumber() + packet->GetSize();
    g_segments++;
    g_resent += !isSyn && end <= g_sentEnd;
    g_sentEnd = std::max(g_sentEnd, end);
    g_sent << Simulator::Now().GetSeconds() << "," << header.GetSequenceNumber() << "," << packet->GetSize() << "\n";
}

// The timeout is the only thing that makes the RTO twice what it was, or keeps it at its bound.
void
OnRto(Time before, Time after)
{
    if (after == std::min(before + before, Seconds(60)))
    {
        g_timeouts << Simulator::Now().GetSeconds() << "\n";
    }
}

void
Watch(Ptr<BulkSendApplication> application)
{
    const auto socket = DynamicCast<TcpSocketBase>(application->GetSocket());
    socket->TraceConnectWithoutContext("Tx", MakeCallback(&OnSent));
    socket->TraceConnectWithoutContext("RTO", MakeCallback(&OnRto));
}

std::vector<double>
Numbers(std::string text)
{
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream words(text);
    std::vector<double> numbers;
    for (double number; words >> number;)
    {
        numbers.push_back(number);
    }
    return numbers;
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string folder = ".", congestion = "TcpNewReno", recovery = "TcpPrrRecovery", accessMs = "1", startsS = "0", drops;
    double duration = 10, rateBps = 10e6, delayMs = 10, accessBps = 1e11;
    uint32_t limit = 1000, segment = 1000, delayedAck = 1, initialWindow = 10, buffer = 4000000;
    bool sack = true, timestamps = true;
    double minRtoS = 1.0;
    CommandLine line;
    line.AddValue("folder", "where tables go", folder);
    line.AddValue("congestion", "ns-3's class", congestion);
    line.AddValue("recovery", "ns-3's class", recovery);
    line.AddValue("access_ms", "one-way delay of each access link", accessMs);
    line.AddValue("starts_s", "when each flow starts", startsS);
    line.AddValue("drops", "frames lost on the first access link, from 0", drops);
    line.AddValue("duration", "seconds", duration);
    line.AddValue("rate_bps", "of the bottleneck", rateBps);
    line.AddValue("delay_ms", "of the bottleneck", delayMs);
    line.AddValue("access_bps", "of the access links", accessBps);
    line.AddValue("limit", "packets that may wait", limit);
    line.AddValue("segment", "bytes of payload", segment);
    line.AddValue("delayed_ack", "segments for an ACK", delayedAck);
    line.AddValue("initial_window", "segments", initialWindow);
    line.AddValue("buffer", "of sockets, bytes", buffer);
    line.AddValue("sack", "", sack);
    line.AddValue("timestamps", "", timestamps);
    line.AddValue("min_rto_s", "", minRtoS);
    line.Parse(argc, argv);

    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName("ns3::" + congestion)));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TypeId::LookupByName("ns3::" + recovery)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(delayedAck));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(initialWindow));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(100));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(sack));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(timestamps));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(minRtoS)));

    NodeContainer middle(2);
    InternetStackHelper internet;
    internet.Install(middle);
    PointToPointHelper bottleneck;
    bottleneck.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rateBps))));
    bottleneck.SetChannelAttribute("Delay", TimeValue(MicroSeconds(std::llround(delayMs * 1000))));
    bottleneck.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue(std::to_string(limit) + "p"));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    TrafficControlHelper control;
    const NetDeviceContainer shared = bottleneck.Install(middle);
    const Ipv4InterfaceContainer ends = addresses.Assign(shared);
    control.Uninstall(shared);

    const std::vector<double> starts = Numbers(startsS), access = Numbers(accessMs);
    std::vector<Ptr<PacketSink>> sinks;
    g_sent.open(folder + "/sent.csv");
    g_timeouts.open(folder + "/timeouts.csv");
    g_sent.precision(12);
    g_timeouts.precision(12);
    for (size_t flow = 0; flow < starts.size(); flow++)
    {
        NodeContainer node(1);
        internet.Install(node);
        PointToPointHelper wire;
        wire.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(accessBps))));
        wire.SetChannelAttribute("Delay", TimeValue(NanoSeconds(std::llround(access.at(flow) * 1e6))));
        wire.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", StringValue("100000p"));
        const NetDeviceContainer devices = wire.Install(node.Get(0), middle.Get(0));
        addresses.NewNetwork();
        addresses.Assign(devices);
        control.Uninstall(devices);
        if (flow == 0 && !drops.empty())
        {
            std::list<uint32_t> numbers;
            for (const double number : Numbers(drops))
            {
                numbers.push_back(static_cast<uint32_t>(number));
            }
            const auto losses = CreateObject<ReceiveListErrorModel>();
            losses->SetList(numbers);
            devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(losses));
        }
        const uint16_t port = 5000 + flow;
        BulkSendHelper sending("ns3::TcpSocketFactory", InetSocketAddress(ends.GetAddress(1), port));
        const auto application = DynamicCast<BulkSendApplication>(sending.Install(node).Get(0));
        application->SetStartTime(Seconds(starts[flow]));
        PacketSinkHelper receiving("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.push_back(DynamicCast<PacketSink>(receiving.Install(middle.Get(1)).Get(0)));
        if (flow == 0)
        {
            Simulator::Schedule(Seconds(starts[flow]) + NanoSeconds(1), &Watch, application);
        }
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    Simulator::Stop(Seconds(duration));
    Simulator::Run();
    for (const auto& sink : sinks)
    {
        std::cout << "flow in_order_bytes " << sink->GetTotalRx() << " sent " << g_segments << " retransmissions " << g_resent
                  << "\n";
    }
    Simulator::Destroy();
    return 0;
}
