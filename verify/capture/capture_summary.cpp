#include <algorithm>
#include <unordered_set>

#include "verify/capture/capture_writer.hpp"
#include "verify/capture/spool/call_state.hpp"
#include "verify/capture/spool/device_runs.hpp"

namespace tasktwin::verify {

namespace {

using spool::Op;

/// Whether calls of this kind say what they do by their arguments.
bool needs_arguments(const spool::CallRecord& call) {
  switch (call.op) {
    case Op::kStreamDestroy:
    case Op::kGraphDestroy:
    case Op::kGraphExecDestroy:
    case Op::kDeviceSync:
    case Op::kOther:
      return false;
    default:
      return call.result == 0;
  }
}

void count_call(const spool::CallRecord& call, const ResolvedCall& resolved, CaptureSummary& sum) {
  CaptureCounts& counts = sum.counts;
  ++counts.calls;
  if (needs_arguments(call) && !has(call, spool::kHasArguments)) ++sum.losses.calls_without_arguments;
  if (call.has_kernel != 0) sum.losses.pointers_left_out += kernel_of(call).pointers_left_out;
  if (resolved.capturing) return;
  switch (call.op) {
    case Op::kHostFunction:
      ++counts.host_functions;
      break;
    case Op::kEventRecord:
      ++counts.event_records;
      break;
    case Op::kStreamWaitEvent:
      ++counts.waits;
      if (call.result == 0 && resolved.record == -1) ++sum.losses.waits_without_record;
      break;
    case Op::kEventSync:
      if (call.result == 0 && resolved.record == -1) ++sum.losses.waits_without_record;
      [[fallthrough]];
    case Op::kStreamSync:
    case Op::kDeviceSync:
      ++counts.syncs;
      break;
    case Op::kGraphLaunch:
      ++counts.graph_launches;
      break;
    case Op::kMalloc:
    case Op::kMallocAsync:
    case Op::kMallocHost:
    case Op::kMallocManaged:
    case Op::kMemMap:
      ++counts.allocations;
      break;
    default:
      break;
  }
}

/// Executable graphs with a node that the device records.
std::unordered_set<std::uint64_t> recorded_graphs(const std::vector<CapturedGraph>& graphs) {
  std::unordered_set<std::uint64_t> execs;
  for (const CapturedGraph& graph : graphs) {
    if (std::ranges::any_of(graph.nodes, [](const CapturedNode& node) { return leaves_device_record(node.type); }))
      execs.insert(graph.exec);
  }
  return execs;
}

/// Whether the device must have a record of what this call queued.
bool leaves_run(const spool::CallRecord& call, const ResolvedCall& resolved, const std::unordered_set<std::uint64_t>& graphs) {
  if (call.result != 0 || resolved.capturing) return false;
  if (call.op == Op::kKernel) return true;
  return call.op == Op::kGraphLaunch && graphs.contains(arguments_of(call).object);
}

struct RunCounter {
  CaptureSummary& sum;
  const std::unordered_set<std::uint64_t>& nodes;
  std::vector<bool>& seen;

  void operator()(const auto& run) const {
    note(run.correlation, run.node, run.begin_ns, run.end_ns);
    count(run);
  }
  void count(const spool::KernelRun&) const { ++sum.counts.kernels; }
  void count(const spool::CopyRun&) const { ++sum.counts.copies; }
  void count(const spool::MemsetRun&) const { ++sum.counts.memsets; }
  void note(std::uint32_t correlation, std::uint64_t node, std::uint64_t begin_ns, std::uint64_t end_ns) const {
    if (seen.size() <= correlation) seen.resize(correlation + 1);
    seen[correlation] = true;
    sum.begin_ns = std::min(sum.begin_ns, begin_ns);
    sum.end_ns = std::max(sum.end_ns, end_ns);
    if (node != 0 && !nodes.contains(node)) ++sum.losses.nodes_without_definition;
  }
};

}  // namespace

CaptureSummary summarize(const CaptureIndex& index, const std::vector<CapturedGraph>& graphs, const CaptureFacts& facts) {
  CaptureSummary sum;
  sum.begin_ns = ~std::uint64_t{0};
  sum.races = captured_races(index, graphs);
  const spool::SpoolHead& head = index.file.head();
  sum.losses.records_dropped = head.records_dropped;
  sum.losses.buffers_refused = head.buffers_refused;
  sum.losses.calls_dropped = head.calls_dropped;
  sum.losses.runs_dropped = head.runs_dropped;
  sum.losses.capture_errors = head.cupti_errors;

  std::unordered_set<std::uint64_t> nodes;
  for (const CapturedGraph& graph : graphs) {
    for (const CapturedNode& node : graph.nodes) nodes.insert(node.node);
  }
  std::vector<bool> seen;
  visit_wanted_runs(index, !facts.range.empty(), RunCounter{sum, nodes, seen});

  const auto with_runs = recorded_graphs(graphs);
  CallState state;
  for (const CapturedCall& call : index.calls) {
    const ResolvedCall resolved = state.resolve(*call.record);
    if (!is_wanted(call)) continue;
    count_call(*call.record, resolved, sum);
    sum.begin_ns = std::min(sum.begin_ns, call.record->begin_ns);
    sum.end_ns = std::max(sum.end_ns, call.record->end_ns);
    const std::uint32_t correlation = call.record->correlation;
    const bool timed = correlation < seen.size() && seen[correlation];
    if (facts.pass != CapturePass::kHost && !timed && leaves_run(*call.record, resolved, with_runs)) ++sum.losses.launches_without_times;
  }
  for (const CapturedRange& range : index.ranges) sum.begin_ns = std::min(sum.begin_ns, range.begin_ns);
  if (sum.end_ns == 0) sum.begin_ns = 0;  // nothing happened
  return sum;
}

}  // namespace tasktwin::verify
