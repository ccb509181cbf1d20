#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"

namespace tasktwin::verify {

using mechanism::Collectives;
using mechanism::Peers;

namespace {

std::string size_of(std::int64_t bytes) { return bytes < 1024 ? fmt::format("{} B", bytes) : fmt::format("{} KiB", bytes / 1024); }

std::string pair_of(gpu::DevicePair pair) { return fmt::format("device {} to {}", pair.from, pair.to); }

/// Of the values that `measured` has, where `counts` says so.
template <class Values, class Counts, class Value>
Estimate mean_of(const Values& measured, Counts counts, Value value) {
  std::vector<double> values;
  for (const auto& one : measured) {
    if (counts(one)) values.push_back(value(one));
  }
  return mean_or_zero(values);
}

constexpr auto across = [](const auto& one) { return one.pair.from != one.pair.to; };
constexpr auto within = [](const auto& one) { return one.pair.from == one.pair.to; };

/// A worker releases by a fence at system scope and a decrement in the other's memory, of a counter that is decremented once or few times.
bool is_release_of_workers(const gpu::PeerFlagHop& hop) { return hop.fresh && hop.release.starts_with("fence.release.sys"); }

/// The host's time as the machine's others are, which were measured while HostCalls::reference_launch was what the machine says.
double at_known_pace(double ns, double pace_ns, const Machine& machine) {
  const double known = machine.host_calls->reference_launch.count();
  return pace_ns > 0 && known > 0 ? ns * known / pace_ns : ns;
}

/// The largest of all, and the bytes for one as the smallest all_reduce of several has them.
void calibrate_blocks(Probes& probes, const gpu::Collectives& measured, Calibrated<Collectives>& found) {
  int most = 0;
  std::int64_t bytes = 0;
  for (const gpu::CollectiveTime& one : measured.times) {
    if (one.kind != Operation::kAllReduce || one.blocks == 0) continue;
    probes.keep_sample(&Machine::collectives, &Collectives::blocks, "all_reduce of " + size_of(one.bytes), one.blocks);
    most = std::max(most, one.blocks);
    if (one.blocks > 1 && bytes == 0) bytes = one.bytes / one.blocks;
  }
  if (most == 0) {
    const std::string why = "not measured: no kernel of NCCL's was found in a graph";
    found.assume(&Collectives::blocks, why);
    return found.assume(&Collectives::block_bytes, why);
  }
  const std::string method = "blocks of the kernels that NCCL puts into a graph for an all_reduce of 8 B to 128 MiB";
  found.set(&Collectives::blocks, most, method + ", the most");
  found.set(&Collectives::block_bytes, static_cast<int>(bytes), method + ", bytes for each where there are first several");
}

/// What passes between two collectives that follow each other, which the simulator adds to the time of each.
struct Gaps {
  double stream = 0;
  double graph = 0;
};

void calibrate_flags(Probes& probes, const gpu::PeerTimes& times, Nanoseconds counter_hop, Calibrated<Peers>& peers) {
  for (const gpu::PeerFlagHop& hop : times.flags) {
    if (!is_release_of_workers(hop)) continue;
    probes.keep_sample(&Machine::peers, across(hop) ? &Peers::flag_hop : &Peers::system_release,
                       fmt::format("{}, {}; {}", pair_of(hop.pair), hop.release, hop.wait), hop.ns);
  }
  const auto ns = [](const auto& one) { return one.ns; };
  const auto on_two = [](const auto& hop) { return across(hop) && is_release_of_workers(hop); };
  peers.set(&Peers::flag_hop, mean_of(times.flags, on_two, ns),
            "half a round trip of words raised once, by a system-scope release fence and a decrement in the memory of who polls");
  const auto on_one = [](const auto& hop) { return within(hop) && is_release_of_workers(hop); };
  peers.set(&Peers::system_release, mean_of(times.flags, on_one, ns) - counter_hop.count(),
            "the same between two multiprocessors of one device, less resident_cores.counter_hop_ns");
}

void calibrate_reach(Probes& probes, const gpu::PeerTimes& times, Calibrated<Peers>& peers) {
  const auto ns = [](const auto& one) { return one.ns; };
  for (const gpu::PeerLoad& load : times.loads) {
    if (across(load))
      probes.keep_sample(&Machine::peers, &Peers::read_latency, pair_of(load.pair) + ", loads that need each other", load.ns);
  }
  const Estimate read = mean_of(times.loads, across, ns);
  peers.set(&Peers::read_latency, read, "loads of another device's memory, each needing the one before");
  peers.set(&Peers::link_latency, read.value / 2, "half of read_latency_ns");
  const auto rate = [](const gpu::PeerReads& reads) { return reads.bytes_per_ns; };
  int most = 0;
  for (const gpu::PeerReads& reads : times.reads) most = std::max(most, reads.blocks);
  peers.set(&Peers::core_read_bandwidth,
            mean_of(
                times.reads, [](const auto& one) { return one.blocks == 1 && !one.duplex; }, rate),
            "a kernel of one block that reads the other's memory");
  peers.set(&Peers::read_bandwidth,
            mean_of(
                times.reads, [most](const auto& one) { return one.blocks == most && !one.duplex; }, rate),
            fmt::format("a kernel of {} blocks that reads the other's memory", most));
}

/// The kernels of a chain are the same on one device, where their gap is known.
void calibrate_hops(Probes& probes, const gpu::PeerTimes& times, const Machine& machine, Calibrated<Peers>& peers) {
  const auto events = [](const gpu::PeerChain& chain) { return chain.by_events_ns; };
  const auto nodes = [](const gpu::PeerChain& chain) { return chain.in_graph_ns; };
  for (const gpu::PeerChain& chain : times.chains) {
    probes.keep_sample(&Machine::peers, &Peers::event_hop, pair_of(chain.pair) + ", chain by events", chain.by_events_ns);
    probes.keep_sample(&Machine::peers, &Peers::graph_hop, pair_of(chain.pair) + ", chain in a graph", chain.in_graph_ns);
  }
  const double kernel =  // of the chains
      mean_of(times.chains, within, events).value - (machine.streams->event_gap + machine.streams->waiting_queue).count();
  peers.set(&Peers::event_hop, mean_of(times.chains, across, events).value - kernel,
            "chain of kernels of two devices by events, less one of two streams of one device, plus streams.event_gap_ns and "
            "streams.waiting_queue_ns");
  const gpu::PeerCopies::Chained& one = times.copies.chained.front();
  peers.set(&Peers::copy_hop, one.ns - (peers.copy_setup + peers.link_latency).count() - machine.copies->engine_gap.count() - kernel,
            fmt::format("kernel and copy of {} by turns, there and back, less copy_setup_ns, link_latency_ns, copies.engine_gap_ns and the "
                        "kernel, which is the chain of two streams of one device less streams.event_gap_ns and streams.waiting_queue_ns",
                        size_of(one.bytes)));
  peers.set(&Peers::graph_hop,
            mean_of(times.chains, across, nodes).value - mean_of(times.chains, within, nodes).value + machine.graph_launch->gap.count(),
            "chain of nodes of two devices in one graph, less one of one device, plus graph_launch.gap_ns");
  probes.keep_sample(&Machine::peers, &Peers::set_device, "launches into two devices by turns", times.calls.launch_by_turns_ns);
  probes.keep_sample(&Machine::peers, &Peers::set_device, "launches into one", times.calls.launch_ns);
  probes.keep_sample(&Machine::peers, &Peers::set_device, "host_calls.reference_launch_ns meanwhile", times.calls.pace_ns);
  peers.set(&Peers::set_device, at_known_pace(times.calls.launch_by_turns_ns - times.calls.launch_ns, times.calls.pace_ns, machine),
            "launches into two devices by turns, less launches into one, at the pace of host_calls.reference_launch_ns");
  for (const gpu::PeerCalls::GraphLaunch& graph : times.calls.graphs) {
    const std::string what = fmt::format("chain of {} nodes of {} devices in one graph, ", graph.nodes, graph.devices);
    probes.keep_sample(&Machine::peers, &Peers::graph_hop, what + "launch call", graph.launch_ns);
    probes.keep_sample(&Machine::peers, &Peers::graph_hop, what + "call to end", graph.makespan_ns);
  }
}

/// What a graph over several devices takes longer than one of one device, as chains of no nodes would: by the two shortest.
void calibrate_graph_begin(const gpu::PeerCalls& calls, Calibrated<Peers>& peers) {
  std::map<int, Fit<Line>> lines;
  constexpr int kShort = 16;
  for (const gpu::PeerCalls::GraphLaunch& graph : calls.graphs) {
    if (graph.nodes <= kShort)
      lines[graph.devices].observe({.intercept = 1, .slope = static_cast<double>(graph.nodes - 1)}, graph.makespan_ns);
  }
  peers.set(&Peers::graph_begin, lines[2].solve().intercept.value - lines[1].solve().intercept.value,
            fmt::format("launch to end of chains of 2 to {} nodes by turns of two devices, less such of one device, at one node", kShort));
}

void calibrate_copies(Probes& probes, const gpu::PeerTimes& times, const Machine& machine, Calibrated<Peers>& peers) {
  Fit<Line> copies;
  for (const gpu::PeerCopy& copy : times.copies.queued) {
    if (copy.ns <= 0) continue;
    probes.keep_sample(&Machine::peers, &Peers::copy_setup,
                       fmt::format("{}, {}, {}, streams {}{}", pair_of(copy.pair), size_of(copy.bytes), to_word(copy.way), copy.streams,
                                   copy.duplex ? ", as many the other way" : ""),
                       copy.ns);
    if (copy.way == gpu::CopyWay::kSource && copy.streams == 1 && !copy.duplex)
      copies.observe_relative({.intercept = 1, .slope = static_cast<double>(copy.bytes)}, copy.ns);
  }
  const std::string method = "copies of 8 B to 128 MiB queued in a stream of their source, least relative squares";
  const Line<Estimate> fitted = copies.solve();
  peers.set(&Peers::link_bandwidth, fitted.slope > 0 ? 1 / fitted.slope : 0, method + ", slope");
  peers.set(&Peers::copy_setup, fitted.intercept.value - peers.link_latency.count(), method + ", intercept less link_latency_ns");
  probes.keep_sample(&Machine::peers, &Peers::copy_setup, "64 KiB, host's call into a busy stream", times.copies.call_ns);
  for (const gpu::PeerCopies::Chained& one : times.copies.chained)
    probes.keep_sample(&Machine::peers, &Peers::copy_setup, "kernel and copy of " + size_of(one.bytes) + " by turns, there and back",
                       one.ns);
  peers.assume(&Peers::copy_latency, machine.copies->latency, "as copies between host and device (copies.latency_ns)");
}

/// By kind, as tables: in streams, and in graphs where they were measured there.
std::vector<CollectiveTimes> tables(const gpu::Collectives& measured, Gaps gaps) {
  std::map<std::tuple<Operation, int, bool>, CollectiveTimes> by_kind;
  const auto add = [&](const gpu::CollectiveTime& one, bool in_graph, double ns) {
    if (ns <= 0) return;
    CollectiveTimes& table = by_kind[{one.kind, one.ranks, in_graph}];
    table.kind = one.kind;
    table.ranks = one.ranks;
    table.in_graph = in_graph;
    table.points.push_back({one.bytes, tidy(ns)});
  };
  for (const gpu::CollectiveTime& one : measured.times) {
    add(one, false, one.stream_ns - gaps.stream);
    add(one, true, one.graph_ns - gaps.graph);
  }
  std::vector<CollectiveTimes> all;
  for (auto& [kind, table] : by_kind) {
    std::ranges::sort(table.points, {}, &CollectiveTimes::Point::bytes);
    all.push_back(std::move(table));
  }
  return all;
}

/// The steps and the bytes of a ring (collective_flows.hpp): an all_reduce takes twice those of an all_gather.
void calibrate_ring(Probes& probes, const gpu::Collectives& measured, Gaps gaps, const Peers& peers, Calibrated<Collectives>& found) {
  Fit<Line> bytes;
  std::vector<double> savings;
  std::map<Operation, double> smallest;
  constexpr std::int64_t kSmall = 64 << 10;
  constexpr std::int64_t kLarge = 4 << 20;
  for (const gpu::CollectiveTime& one : measured.times) {
    const std::string what = fmt::format("{} of {}, {} ranks", to_word(one.kind), size_of(one.bytes), one.ranks);
    probes.keep_sample(&Machine::collectives, &Collectives::latency, what + ", in streams", one.stream_ns);
    if (one.graph_ns > 0) probes.keep_sample(&Machine::collectives, &Collectives::graph_saving, what + ", in a graph", one.graph_ns);
    const double alone = one.stream_ns - gaps.stream;
    if (one.graph_ns > 0 && one.bytes <= kSmall) savings.push_back(alone - (one.graph_ns - gaps.graph));
    if (!smallest.contains(one.kind)) smallest[one.kind] = alone;
    if (one.kind != Operation::kAllReduce || one.bytes < kLarge) continue;
    const double share = 2.0 * (one.ranks - 1) / one.ranks;
    bytes.observe_relative({.intercept = 1, .slope = share * static_cast<double>(one.bytes)}, alone);
  }
  const int ranks = measured.times.front().ranks;
  const double slope = bytes.solve().slope;
  found.set(&Collectives::efficiency, slope > 0 && peers.link_bandwidth > 0 ? std::min(1.0, 1 / slope / peers.link_bandwidth) : 1,
            "all_reduce of 4 to 128 MiB, slope, over link_bandwidth_gb_per_s");
  // 2 (n - 1) steps, or n - 1, each with the latency of its link.
  const double all_reduce = smallest[Operation::kAllReduce];
  const double step = (all_reduce - smallest[Operation::kAllGather]) / (ranks - 1);
  found.set(&Collectives::step, step - peers.link_latency.count(), "all_reduce less all_gather of 8 B, a step, less link_latency_ns");
  found.set(&Collectives::latency, all_reduce - 2 * (ranks - 1) * (found.step.count() + peers.link_latency.count()),
            "all_reduce of 8 B in streams, less its steps and streams.gap_ns");
  found.set(&Collectives::graph_saving, mean_or_zero(savings),
            "collectives of up to 64 KiB in streams, less the same in a graph, each less the gap there");
  const gpu::Collectives::Beside& beside = measured.beside;
  const std::string pair = fmt::format("kernel and all_reduce of {} by turns, ", size_of(gpu::Collectives::kBesideBytes));
  if (beside.graph_ns == 0)
    return found.assume(&Collectives::graph_leave, Nanoseconds{0}, "not measured, as NCCL was not captured: " + measured.why_no_graph);
  probes.keep_sample(&Machine::collectives, &Collectives::graph_leave, pair + "in a graph", beside.graph_ns);
  probes.keep_sample(&Machine::collectives, &Collectives::graph_leave, "such kernels alone, in a graph", beside.kernel_graph_ns);
  probes.keep_sample(&Machine::collectives, &Collectives::graph_leave, "such all_reduces alone, in a graph", beside.alone_graph_ns);
  found.set(
      &Collectives::graph_leave, beside.graph_ns - beside.kernel_graph_ns - beside.alone_graph_ns,
      fmt::format("kernel of 2 us and all_reduce of {} by turns in a graph, less both alone", size_of(gpu::Collectives::kBesideBytes)));
}

void calibrate_calls(Probes& probes, const gpu::Collectives& measured, const Machine& machine, Calibrated<Collectives>& found) {
  std::vector<double> calls;
  for (const gpu::CollectiveTime& one : measured.times) {
    if (one.bytes > 1 << 20 || one.kind == Operation::kAllToAll) continue;  // which is a call for each pair
    probes.keep_sample(&Machine::collectives, &Collectives::group,
                       fmt::format("{} of {}, {} ranks, host", to_word(one.kind), size_of(one.bytes), one.ranks), one.call_ns);
    probes.keep_sample(&Machine::collectives, &Collectives::group, "host_calls.reference_launch_ns before it", one.pace_ns);
    calls.push_back(at_known_pace(one.call_ns, one.pace_ns, machine));
  }
  const double whole = mean_or_zero(calls).value;
  const int ranks = measured.times.front().ranks;
  // One rank's call alone opens and closes a group of its own: group + call; all ranks' in one group: group + ranks * call.
  const double rank_call = at_known_pace(measured.rank_call_ns, measured.rank_pace_ns, machine);
  const double call = (whole - rank_call) / (ranks - 1);
  probes.keep_sample(&Machine::collectives, &Collectives::call, "all_reduce of 8 KiB, one rank's call by a thread of its own",
                     measured.rank_call_ns);
  probes.keep_sample(&Machine::collectives, &Collectives::call, "host_calls.reference_launch_ns before it", measured.rank_pace_ns);
  const std::string pace = ", at the pace of host_calls.reference_launch_ns";
  found.set(&Collectives::call, call, "a group of all ranks' calls, less one rank's call by a thread of its own, a rank" + pace);
  found.set(&Collectives::group, rank_call - found.call.count(), "one rank's call by a thread of its own, less call_ns" + pace);
}

}  // namespace

void BetweenDevices::into(Machine& machine) const {
  if (!machine.peers) machine.peers.emplace();
  if (!machine.collectives) machine.collectives.emplace();
  peers.into(machine);
  collectives.into(machine);
  machine.collective_times = times;
}

BetweenDevices calibrate_between_devices(Probes& probes, const Machine& machine) {
  if (machine.devices.nodes > 1)
    throw InputError("machine '" + machine.name + "' has " + std::to_string(machine.devices.nodes) +
                     " nodes; one host is measured at a time");
  BetweenDevices found;
  const gpu::PeerTimes times = probes.ask("what lies between the devices", &CalibrationBackend::peers, machine.devices.count());
  calibrate_flags(probes, times, machine.resident_cores->counter_hop, found.peers);
  calibrate_reach(probes, times, found.peers);
  calibrate_copies(probes, times, machine, found.peers);
  calibrate_hops(probes, times, machine, found.peers);
  calibrate_graph_begin(times.calls, found.peers);
  if (times.collectives.times.empty()) throw RunError("no collective was measured");
  const Gaps gaps{machine.streams->gap.count(), machine.graph_launch->gap.count()};
  calibrate_ring(probes, times.collectives, gaps, found.peers, found.collectives);
  calibrate_calls(probes, times.collectives, machine, found.collectives);
  calibrate_blocks(probes, times.collectives, found.collectives);
  found.times = tables(times.collectives, gaps);
  return found;
}

}  // namespace tasktwin::verify
