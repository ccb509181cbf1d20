#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scenarios/importers/trace/trace.hpp"

namespace tasktwin::scenarios {

/// The part of a trace that becomes a program: one device, one range, calls in the order in which they began, and the tasks that each
/// launched. Tasks are numbered in that order, those of a graph in the order of their starts.
struct TraceRun {
  struct Call {
    TraceCall call;
    std::uint32_t first = 0;            ///< task
    std::uint32_t tasks = 0;            ///< 0 for what launches none
    std::int32_t instance = -1;         ///< of a range whose work is independent of that of others
    std::int64_t own_undisturbed = -1;  ///< TraceCall::own_undisturbed with all calls of its thread since the one before it here
    std::int64_t loading = 0;  ///< ns of a long launching call before it launched, as where the driver loads a module: the host's own

    std::int64_t launched() const { return call.begin + loading; }
  };

  const Trace* trace = nullptr;
  std::vector<Call> calls;                        ///< that launch or order something
  std::vector<TraceOp> ops;                       ///< by task
  std::vector<std::uint32_t> call_of;             ///< by task
  std::vector<std::uint32_t> streams;             ///< by task, numbered densely
  std::map<std::int32_t, std::uint32_t> numbers;  ///< of streams as the trace has them
  std::uint32_t stream_count = 0;
  std::uint32_t queues = 0;                    ///< hardware queues that streams share; 0 where they do not, or it is not known
  std::vector<std::uint32_t> before_in_queue;  ///< by task, the kernel before it in its queue, or the task itself; empty without `queues`
  std::int64_t begin = 0;                      ///< ns: of the range, or of the first call
  std::int64_t end = 0;                        ///< of the range, or of the last call
  bool has_range = false;
  std::uint32_t instances = 0;  ///< of independent ranges
  // What cannot be known.
  std::int64_t without_call = 0;  ///< tasks whose launching call is not in the trace
  std::int64_t without_task = 0;  ///< launching calls whose task is not
  std::int64_t waits = 0;
  std::int64_t unknown_waits = 0;         ///< of them, for records that the trace does not name
  std::int64_t waits_without_stream = 0;  ///< of them, whose own stream it does not name either
  std::int64_t unknown_event_syncs = 0;
  std::int64_t loading_calls = 0;    ///< with Call::loading
  std::int64_t early_tasks = 0;      ///< that began before the call that launched them
  std::int64_t early_syncs = 0;      ///< that returned before what they wait for had ended
  std::int64_t nodes = 0;            ///< of graphs
  std::int64_t unordered_nodes = 0;  ///< of them, of graphs whose edges are not in the trace

  std::uint32_t stream(std::int32_t as_traced);
  /// Whether the kernel before it in its hardware queue started after it was launched.
  bool held_in_queue(std::uint32_t task) const {
    return queues > 0 && before_in_queue[task] != task && ops[before_in_queue[task]].start >= calls[call_of[task]].launched();
  }
};

/// Of ImportOptions::range; all times where there is none. A range's whole name counts before its number among those of a name. Throws as
/// program_of does.
TraceWindow trace_window(const Trace& trace, const std::string& path, const ImportOptions& options);

/// Throws as program_of does.
TraceRun select_run(const Trace& trace, const std::string& path, const ImportOptions& options);

/// Whether the call is a copy that returned when it was over, as those of pageable memory do and those without "Async".
bool host_knows_end(const TraceRun& run, const TraceRun::Call& call);

/// Puts nodes of graphs that ran side by side into streams of their own, as many as it takes; the first branch stays in the launch's.
void branch_graphs(TraceRun& run);

/// Where streams share hardware queues, as the kernels' say: numbers the streams so that stream s is in queue s modulo `queues`, as under
/// Design::hardware_queues. Not of a program that launches graphs, whose nodes go other ways.
void share_queues(TraceRun& run);

/// Edges of the tasks: stream order, waits, what the host has waited for before it launched, edges of graphs; without those between
/// independent ranges where `apart`, or there, where edges of streams are dropped, without those that only the order of a stream makes.
std::vector<std::pair<std::uint32_t, std::uint32_t>> trace_edges(TraceRun& run, const ImportOptions& options, bool apart);

/// The host's part; with the times of a run without device records where `undisturbed` and the trace has them. Fills what cannot be known
/// of waits.
HostProgram trace_program(TraceRun& run, const ImportOptions& options, bool undisturbed = false);

/// Sets HostCall::latency where nothing that a launch's first task follows by `edges` ended later than the call began, nor held its
/// hardware queue.
void set_latencies(const TraceRun& run, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges, HostProgram& program);

/// The run with nodes of graphs as they would have been without records of each, which make a graph take up to twice as long. It is known
/// of launches that found the device idle and whose end the host waited for, also in the run without device records: by what part the time
/// between launch and return is longer, nodes and the gaps between them are taken to be.
TraceRun with_undisturbed_nodes(const TraceRun& run);

/// What part of their time copies between host and device take without device records: with them, copies of several streams proceed more
/// slowly (on an H100 those of four at 20 GB/s in place of 53). All that a host that waits for the device took longer than without records
/// is taken to be theirs; 1 where that is little, where they are all in one stream, or where it is unknown.
double undisturbed_share_of_copies(const TraceRun& run);

/// Lets them end after `share` of their time.
void shorten_copies(TraceRun& run, double share);

/// What trace_constants found, and what it did not take, as remarks.
struct TraceConstants {
  std::vector<MeasuredConstant> measured;
  std::vector<std::string> remarks;
};

/// Latencies and gaps that the run shows, as means of the middle nine tenths over at least that many occasions that each counts for little.
/// Of the calls that launch a kernel and do nothing else, the median. Not taken where occasions take what none does by itself, or where
/// most gaps are far above the shortest quarter.
TraceConstants trace_constants(const TraceRun& run, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges,
                               const HostProgram& program);

/// The number of the record that each wait and event sync is about, by call of `run`; kNoRecord for one that is unknown. Records have
/// numbers in the order of their calls; one whose stream is not known has none.
struct RecordNumbers {
  std::vector<std::uint32_t> of_call;  ///< of a record its own number
  std::uint32_t count = 0;
};
RecordNumbers record_numbers(const TraceRun& run);

}  // namespace tasktwin::scenarios
