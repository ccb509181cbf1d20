#include "scenarios/importers/trace/long_calls.hpp"

#include <algorithm>
#include <utility>

namespace tasktwin::scenarios {

namespace {

/// Launching calls that only enqueue are shorter.
constexpr std::int64_t kLongCallNs = 100'000;
/// What a node adds to the launch of its graph, at most: twice what it takes in graphs of 10 000 nodes.
constexpr std::int64_t kNodeNs = 100;

}  // namespace

LongCalls::LongCalls(const Trace& trace, std::int32_t device, std::int64_t latency) : trace_(trace), latency_(latency) {
  for (const TraceOp& op : trace.ops) {
    if (op.device == device) all_ends_.push_back(op.end);
  }
  std::ranges::sort(all_ends_);
}

void LongCalls::add_graph(const TraceCall& call, std::span<const std::uint32_t> nodes) {
  const TraceOp& first = trace_.ops[nodes.front()];
  const std::int64_t delay = first.start - free_since(call, first);
  Graphs& graphs = graphs_[nodes.size()];
  graphs.least_delay = graphs.launches++ == 0 ? delay : std::min(graphs.least_delay, delay);
}

std::int64_t LongCalls::before_launch(const TraceCall& call, std::span<const std::uint32_t> ops, bool waits) {
  const TraceOp& first = trace_.ops[ops.front()];
  const std::int64_t before = end_in_stream(first);
  for (const std::uint32_t op : ops.subspan(1)) end_in_stream(trace_.ops[op]);
  if (call.end - call.begin < kLongCallNs || first.start > call.end + latency_) return 0;
  const bool graph = call.kind == TraceCallKind::kGraphLaunch;
  const std::int64_t latency = graph ? usual_latency(ops.size()) : latency_;
  if ((graph || waits) && waited(call, ops, latency)) return 0;
  if (!graph && !waits && first.operation != Operation::kKernel && before >= first.start - latency) return 0;
  return std::clamp<std::int64_t>(first.start - latency - call.begin, 0, call.end - call.begin);
}

/// When nothing that had ended before the task kept it from starting any more: such a task may be what the call, or the device, waited for.
std::int64_t LongCalls::free_since(const TraceCall& call, const TraceOp& first) const {
  const auto behind = first.end > first.start ? std::ranges::upper_bound(all_ends_, first.start)
                                              : std::ranges::lower_bound(all_ends_, first.start);  // its own end is none before it
  return behind == all_ends_.begin() ? call.begin : std::max(call.begin, *std::prev(behind));
}

/// When what was launched before into the op's stream has ended; that counts with it from then on.
std::int64_t LongCalls::end_in_stream(const TraceOp& op) {
  std::int64_t& end = ends_.try_emplace(op.stream, INT64_MIN).first->second;
  return std::exchange(end, std::max(end, op.end));
}

/// Of a graph: the least of other launches of that many nodes.
std::int64_t LongCalls::usual_latency(std::size_t nodes) const {
  const auto known = graphs_.find(nodes);
  return known == graphs_.end() || known->second.launches < 2 ? latency_ : std::max(latency_, known->second.least_delay);
}

/// Whether most of the time to the first task's start, or all but a little, may have been waiting for other tasks.
bool LongCalls::waited(const TraceCall& call, std::span<const std::uint32_t> ops, std::int64_t latency) const {
  const TraceOp& first = trace_.ops[ops.front()];
  const std::int64_t free = free_since(call, first);
  const std::int64_t own = first.start - latency - free;
  const bool graph = call.kind == TraceCallKind::kGraphLaunch;
  const std::int64_t least = graph ? kLongCallNs + kNodeNs * static_cast<std::int64_t>(ops.size()) : kLongCallNs;
  return own < least || own < free - call.begin;
}

}  // namespace tasktwin::scenarios
