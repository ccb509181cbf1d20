#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "models/base/error.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/importers/trace/kernel_room.hpp"
#include "scenarios/importers/trace/selected_run.hpp"
#include "scenarios/importers/trace/trace_memory.hpp"
#include "scenarios/importers/trace/trace_remarks.hpp"
#include "scenarios/importers/trace/unseen_work.hpp"

namespace tasktwin::scenarios {

namespace {

/// Blocks of all kernels together, beyond which each kernel is one: a run keeps some 60 bytes for each.
constexpr std::int64_t kMostBlocks = 4'000'000;
constexpr std::int64_t kLongestNs = std::int64_t{1} << 50;

class Graph {
 public:
  Graph(const TraceRun& run, const Widths& widths) : run_(run), widths_(widths), device_(device_of(run)) {
    for (const TraceOp& op : run.ops) {
      if (op.operation == Operation::kKernel) blocks_ += traits_of(run.trace->shapes[op.shape], device_).blocks;
    }
  }

  TaskGraph build(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
    TaskGraphBuilder builder;
    for (std::uint32_t i = 0; i < run_.ops.size(); ++i) {
      const TraceOp& op = run_.ops[i];
      Task task;
      task.operation = op.operation;
      task.kernel = op.operation == Operation::kKernel ? Kernel::kSpin : Kernel::kEmpty;
      task.cost.time = Duration{op.end - op.start};
      if (is_transfer(op.operation)) task.cost.bytes = {op.bytes};
      TaskTraits traits = op.operation == Operation::kKernel && !narrow() ? traits_of(run_.trace->shapes[op.shape], device_) : TaskTraits{};
      const int had = widths_.of(i, traits.blocks);
      if (had < traits.blocks) ++beside_;
      traits.blocks = had;
      traits.stream = static_cast<int>(run_.streams[i]);
      traits.kind = name(op.name);
      const TraceRun::Call& call = run_.calls[run_.call_of[i]];
      traits.cooperative = call.call.cooperative && op.operation == Operation::kKernel;
      traits.pageable = call.tasks == 1 && host_knows_end(run_, call);
      task.traits = builder.add_traits(traits);
      builder.add_task(name(op.name) + '#' + std::to_string(i), task);
    }
    for (const auto& [from, to] : edges) builder.add_edge(task_id(from), task_id(to));
    return std::move(builder).build();
  }

  /// By task, where grids are known and not too wide.
  std::vector<CapturedLaunch> launches() const {
    std::vector<CapturedLaunch> launches;
    for (const TraceOp& op : run_.ops) {
      const TraceShape& shape = run_.trace->shapes[op.shape];
      const bool known = op.operation == Operation::kKernel && shape.threads > 0 && !narrow();
      launches.push_back(known ? CapturedLaunch{shape.blocks, shape.threads, shape.registers, shape.shared_memory} : CapturedLaunch{});
    }
    return launches;
  }

  /// Kernels of the graph that was built which had fewer multiprocessors than they could use.
  std::int64_t beside() const { return beside_; }
  bool narrow() const { return blocks_ > kMostBlocks; }
  bool knows_device() const { return device_ != nullptr; }

 private:
  const std::string& name(std::uint32_t number) {
    if (names_.size() <= number) names_.resize(number + 1);
    if (names_[number].empty()) names_[number] = short_kernel_name(run_.trace->texts[number]);
    return names_[number];
  }

  const TraceRun& run_;
  const Widths& widths_;
  const TraceDevice* device_;
  std::int64_t blocks_ = 0;
  std::int64_t beside_ = 0;
  std::vector<std::string> names_;
};

Timeline captured(const TraceRun& run) {
  Timeline timeline;
  timeline.tasks.resize(run.ops.size());
  timeline.cores.assign(run.stream_count, CoreType::kSm);
  for (std::size_t i = 0; i < run.ops.size(); ++i) {
    TaskTimes& times = timeline.tasks[i];
    const TraceRun::Call& call = run.calls[run.call_of[i]];
    times.dispatched = at_ns(call.call.end - run.begin);
    times.started = at_ns(run.ops[i].start - run.begin);
    times.ended = at_ns(run.ops[i].end - run.begin);
    times.core = core_id(run.streams[i]);
  }
  return timeline;
}

/// That the program has; those of migrations of pages are none of its.
std::int64_t streams_of(const TraceRun& run) {
  std::set<std::int32_t> own;
  for (const TraceOp& op : run.ops) {
    if (op.migration) own.insert(op.stream);
  }
  return static_cast<std::int64_t>(run.numbers.size() - own.size());
}

void count(const TraceRun& run, const HostProgram& program, Imported& imported) {
  std::int64_t copies = 0;
  std::int64_t memsets = 0;
  std::int64_t within_host = 0;
  for (const TraceOp& op : run.ops) {
    copies += is_copy(op.operation) ? 1 : 0;
    memsets += op.operation == Operation::kMemset ? 1 : 0;
    within_host += op.operation == Operation::kHost ? 1 : 0;
  }
  std::int64_t syncs = 0;
  std::int64_t records = 0;
  std::int64_t graphs = 0;
  std::int64_t calls = 0;
  for (const auto& at : program.order) {
    const HostCall& call = program.call(at);
    ++calls;
    syncs += is_sync(call.kind) ? 1 : 0;
    records += call.kind == HostCallKind::kRecord ? 1 : 0;
    graphs += call.graph ? 1 : 0;
  }
  const auto add = [&](std::int64_t number, const char* what, bool always = false) {
    if (number > 0 || always) imported.counts.emplace_back(what, number);
  };
  add(static_cast<std::int64_t>(run.ops.size()) - copies - memsets - within_host, "kernels", true);
  add(copies, "copies");
  add(within_host, "copies within the host's memory");
  add(memsets, "memsets");
  add(streams_of(run), "streams");
  const bool moved = std::ranges::any_of(run.ops, &TraceOp::migration);
  add(static_cast<std::int64_t>(program.threads.size()) - (moved ? 1 : 0), "host threads");
  add(calls, "calls");
  add(records, "event records");
  add(run.waits, "stream waits");
  add(syncs, "host syncs");
  add(graphs, "graph launches");
}

/// Kernels that began before what their stream had ahead of them had ended.
std::int64_t overlapping_in_stream(const TraceRun& run) {
  constexpr std::int64_t kResolutionNs = 1000;  // of many profilers
  std::vector<std::int64_t> ends(run.stream_count, INT64_MIN);
  std::int64_t count = 0;
  std::vector<std::uint32_t> by_start(run.ops.size());
  std::iota(by_start.begin(), by_start.end(), 0U);
  std::ranges::stable_sort(by_start, {}, [&run](std::uint32_t task) { return run.ops[task].start; });
  for (const std::uint32_t task : by_start) {
    const TraceOp& op = run.ops[task];
    std::int64_t& end = ends[run.streams[task]];
    if (op.operation == Operation::kKernel && op.start + kResolutionNs < end) ++count;
    end = std::max(end, op.end);
  }
  return count;
}

/// What cannot be known, with what was taken in its place.
void remark(const TraceRun& run, const ImportOptions& options, Imported& imported) {
  const auto add = [&](std::int64_t number, const std::string& one, const std::string& several) {
    if (number > 0) imported.remarks.push_back(std::to_string(number) + " " + (number == 1 ? one : several));
  };
  const char* const choice =
      observes_unknown_waits(options)
          ? "what comes behind each is taken to need all that was launched before it and had ended when it began, which "
            "holds what it waited for, and more where the host was slow: graphs, streams and bounds are of that order; "
            "as captured the host's pace alone keeps it"
      : options.unknown_waits == kWaitForAll ? "each is taken to wait for all that was launched before it (unknown_waits 'all')"
                                             : "each is taken to wait for nothing, so that graphs and streams may run ahead of it";
  const std::string of_waits = "of " + std::to_string(run.waits) + (run.waits == 1 ? " stream wait " : " stream waits ");
  const std::string no_record = " whose record the file does not name (CUDA 12.9 and later do not say where an event was recorded): ";
  add(run.unknown_waits, of_waits + "is for an event" + no_record + choice, of_waits + "are for events" + no_record + choice);
  add(run.waits_without_stream, "stream wait does not say which stream waits: profile with enable_cuda_sync_events=True",
      "stream waits do not say which stream waits: profile with enable_cuda_sync_events=True");
  add(run.unknown_event_syncs, "event synchronisation does not say what it waits for: it keeps the host for as long as it did",
      "event synchronisations do not say what they wait for: each keeps the host for as long as it did");
  add(run.without_call, "task has no launching call in the file: it is launched in time, by a thread of its own",
      "tasks have no launching call in the file: they are launched in time, by a thread of their own");
  add(run.without_task, "launching call has no task in the file: its time counts as the host's own",
      "launching calls have no task in the file: their time counts as the host's own");
  const std::string before = "took before a usual latency ahead of that, as to load a module, is the host's own time";
  add(run.loading_calls, "launching call of 100 us and more in or behind which its kernel, copy or graph starts: what it " + before,
      "launching calls of 100 us and more in or behind which their kernel, copy or graph starts: what they " + before);
  const std::string in_stream = ", without link or core: taken as";
  const auto within_host = std::ranges::count(run.ops, Operation::kHost, &TraceOp::operation);
  add(within_host, "copy is within the host's memory" + in_stream + " a function of the host in its stream",
      "copies are within the host's memory" + in_stream + " functions of the host in their streams");
  const std::string clocks = ": the file's clocks of host and device differ";
  add(run.early_tasks, "task begins before the call that launches it" + clocks, "tasks begin before the call that launches them" + clocks);
  add(run.early_syncs, "synchronisation returned before what it waits for had ended, by the file's clocks: waiting takes no time in it",
      "synchronisations returned before what they wait for had ended, by the file's clocks: waiting takes no time in them");
  const std::string in_turn = ", as of programmatic launches: taken one after the other";
  add(overlapping_in_stream(run), "kernel begins before what its stream has ahead of it has ended" + in_turn,
      "kernels begin before what their streams have ahead of them has ended" + in_turn);
  const std::string of_nodes = "of " + std::to_string(run.nodes) + (run.nodes == 1 ? " node " : " nodes ") + "of graphs ";
  const std::string unordered = "whose edges the file does not have: taken one after the other in each stream";
  add(run.unordered_nodes, of_nodes + "is of a graph " + unordered, of_nodes + "are of graphs " + unordered);
}

void remark_on_migrations(const TraceRun& run, Imported& imported) {
  struct Moved {
    Operation operation;
    const char* where;
    std::int64_t times = 0;
    std::int64_t bytes = 0;
  };
  std::array moved{Moved{Operation::kCopyH2d, "to the device"}, Moved{Operation::kCopyD2h, "to the host"},
                   Moved{Operation::kCopyP2p, "between devices"}};
  std::int64_t all = 0;
  bool host = false;
  for (const TraceOp& op : run.ops) {
    const auto kind = std::ranges::find(moved, op.operation, &Moved::operation);
    if (!op.migration || kind == moved.end()) continue;
    ++all;
    host = host || kind->operation != Operation::kCopyP2p;
    ++kind->times;
    kind->bytes += op.bytes;
  }
  if (all == 0) return;
  std::string text;
  for (const Moved& one : moved) {
    if (one.times > 0)
      text += (text.empty() ? "" : ", ") + std::to_string(one.times) + " " + one.where + " (" + std::to_string(one.bytes) + " bytes)";
  }
  const bool peers = moved.back().times > 0;
  const std::string link = !peers ? "the host's link" : host ? "the host's link and those between devices" : "the links between devices";
  imported.remarks.push_back(std::to_string(all) + (all == 1 ? " migration" : " migrations") + " of pages of unified memory, " + text +
                             ": copies over " + link +
                             " that no call launched, each after what had ended before it and before what was launched after it");
}

/// Memory that a caching allocator gives out again makes work of other streams wait, or hides that it does not.
void remark_on_allocations(const TraceRun& run, Imported& imported) {
  if (streams_of(run) < 2) return;
  imported.remarks.push_back(
      "dependencies are those of streams, events and synchronisations: which work shares memory is not in the file, so what a caching "
      "allocator reuses is not checked");
}

/// Whether dependences are those of the tasks' memory, in place of the program's order.
bool by_memory(const ImportOptions& options) { return options.dependences == "needed" || options.dependences == "own_memory"; }

/// What is known of the memory that the program uses, where the file says anything of it.
void add_needs(const TraceRun& run, const std::string& path, const ImportOptions& options, Imported& imported) {
  static constexpr std::array<std::string_view, 3> kWords{"ordered", "needed", "own_memory"};
  if (!options.dependences.empty() && std::ranges::find(kWords, options.dependences) == kWords.end())
    throw InputError("dependences: " + in_quotes(options.dependences) + suggest(options.dependences, kWords));
  if (run.trace->uses.empty()) {
    if (by_memory(options) || !options.effects.empty())
      throw InputError({path}, (options.effects.empty() ? "dependences " + in_quotes(options.dependences) : "effects") +
                                   ": the file does not say which memory its work uses; that of 'tasktwin capture' does");
    return;
  }
  imported.needs = program_needs(run, *imported.program, options.effects);
}

/// What tasks need, or would if each tensor had memory of its own, and edges at launches of several tasks, as of graphs, which are as the
/// program has them.
std::vector<std::pair<std::uint32_t, std::uint32_t>> needed_edges(const TraceRun& run,
                                                                  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ordered,
                                                                  bool own_memory, Imported& imported) {
  const ProgramNeeds& needs = *imported.needs;
  const JudgedOrder judged =
      judge_order(*imported.program, needs.accesses, own_memory ? true_dependences(needs.accesses, true) : needs.dependences, needs.frees);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const auto& edge : ordered) {
    if (run.calls[run.call_of[edge.first]].tasks > 1 || run.calls[run.call_of[edge.second]].tasks > 1) edges.push_back(edge);
  }
  for (const Dependence& one : judged.ordered)
    edges.emplace_back(static_cast<std::uint32_t>(index(one.before)), static_cast<std::uint32_t>(index(one.after)));
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  imported.remarks.push_back(
      "dependencies are what tasks need by the memory that they use" + std::string(own_memory ? ", if none were given out again, " : ", ") +
      std::to_string(edges.size()) + " in place of " + std::to_string(ordered.size()) + " by order: of " + std::to_string(run.ops.size()) +
      " tasks " + std::to_string(needs.exact) + " copies and memsets are known exactly, " + std::to_string(needs.stated) +
      " kernels by --effects, " + std::to_string(needs.typed) + " by the types of their parameters; " + std::to_string(needs.by_pointer) +
      " are taken to write all that they point to, and " + std::to_string(needs.unknown) + " to touch anything");
  if (!judged.unordered.empty())
    imported.remarks.push_back(std::to_string(judged.unordered.size()) +
                               " dependences that nothing in the program's calls orders, as in a race, are left out");
  return edges;
}

/// A program of one stream, or of streams that nothing joins, has no work that others could do at the same time, as far as it says.
void remark_on_order(const TraceRun& run, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges, Imported& imported) {
  constexpr std::size_t kFewestEdges = 3;
  const auto in_stream = static_cast<std::size_t>(std::ranges::count_if(edges, [&run](const auto& edge) {
    return run.call_of[edge.first] != run.call_of[edge.second] && run.streams[edge.first] == run.streams[edge.second];
  }));
  if (in_stream < kFewestEdges || in_stream < edges.size()) return;
  imported.remarks.push_back(std::to_string(in_stream) + " of " + std::to_string(edges.size()) + " dependencies are the order of " +
                             (streams_of(run) == 1 ? "one stream" : "a stream") +
                             ": more streams cannot help unless --independent says what does not depend on each other");
}

void check_unknown_waits(const ImportOptions& options) {
  constexpr std::array kValid{kWaitAsObserved, kWaitForNothing, kWaitForAll};
  if (!options.unknown_waits.empty() && std::ranges::find(kValid, options.unknown_waits) == kValid.end())
    throw InputError("unknown_waits: " + in_quotes(options.unknown_waits) + suggest(options.unknown_waits, kValid));
  if (options.unknown_waits == kWaitAsObserved && !options.drop_edges.empty())
    throw InputError("unknown_waits: 'observed' goes by the order of streams, which drop_edges leaves out");
}

/// Of a trace's edges only those that the order of a stream makes may be no dependencies.
void check_dropped(const ImportOptions& options) {
  for (const std::string& word : options.drop_edges) {
    if (word != "stream")
      throw InputError("drop_edges: " + in_quotes(word) + suggest(word, std::array<std::string_view, 1>{"stream"}) +
                       ": of a trace the edges that only the order of a stream makes can be left out, or those between what --independent "
                       "(graph.independent) names");
  }
  if (!options.drop_edges.empty() && !options.independent.empty())
    throw InputError(
        "drop_edges: 'stream' leaves out the order of all work in streams, so that 'independent' has nothing to say; give one of them");
}

void remark_on_dropped(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges,
                       const std::vector<std::pair<std::uint32_t, std::uint32_t>>& kept, Imported& imported) {
  const auto left_out = std::ranges::count_if(edges, [&kept](const auto& edge) { return !std::ranges::binary_search(kept, edge); });
  imported.remarks.push_back(std::to_string(left_out) + " of " + std::to_string(edges.size()) +
                             " dependencies, which only the order of a stream makes, left out by drop_edges: what is left are events, "
                             "synchronisations and edges of graphs, though the work may well need that order");
}

void check_times(const TraceRun& run, const std::string& path) {
  for (const TraceOp& op : run.ops) {
    if (op.start >= run.begin - kLongestNs && op.end <= run.begin + kLongestNs) continue;
    throw InputError({path}, in_quotes(short_kernel_name(run.trace->texts[op.name])) +
                                 " lies more than 2^50 ns (13 days) from the first call: times of one file must be of one run");
  }
}

}  // namespace

std::string short_kernel_name(const std::string& name) {
  constexpr std::size_t kLongestName = 96;
  std::string text;
  int depth = 0;
  for (const char c : name) {
    if (c == '<') ++depth;
    if (c == '(' && depth == 0 && !text.empty() && !text.ends_with("::")) break;
    if (depth == 0) text += c >= ' ' && c < '\x7f' ? c : '?';
    if (c == '>' && depth > 0) --depth;
  }
  if (text.starts_with("void ")) text.erase(0, 5);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  if (text.size() > kLongestName) text = text.substr(0, kLongestName - 3) + "...";
  return text.empty() ? "kernel" : text;
}

bool observes_unknown_waits(const ImportOptions& options) {
  return options.drop_edges.empty() && (options.unknown_waits.empty() || options.unknown_waits == kWaitAsObserved);
}

Imported program_of(Trace trace, const std::string& path, const ImportOptions& options) {
  check_unknown_waits(options);
  check_dropped(options);
  add_unseen_work(trace, trace_window(trace, path, options));
  TraceRun run = select_run(trace, path, options);
  check_times(run, path);
  ImportOptions as_it_went = options;  // what the run shows of latencies and gaps goes by what is known to have made work wait
  if (observes_unknown_waits(options)) as_it_went.unknown_waits = kWaitForNothing;
  const auto edges = trace_edges(run, as_it_went, false);
  HostProgram program = trace_program(run, options);
  set_latencies(run, edges, program);
  Imported imported;
  const Widths widths(run);
  Graph graph(run, widths);
  imported.program = program;
  add_needs(run, path, options, imported);
  const bool observed = run.unknown_waits > 0 && observes_unknown_waits(options);
  const bool same = options.independent.empty() && options.drop_edges.empty() && !observed;
  auto kept = same ? edges : trace_edges(run, options, true);
  if (by_memory(options)) kept = needed_edges(run, kept, options.dependences == "own_memory", imported);
  imported.hardware_queues = static_cast<int>(run.queues);
  imported.graph = graph.build(kept);
  imported.launches = graph.launches();
  imported.captured = captured(run);
  TraceConstants constants = trace_constants(run, edges, program);
  imported.constants = std::move(constants.measured);
  imported.counts = trace.counts;
  imported.ranges = trace.annotations;
  if (options.range.empty()) imported.iterations = iterations_of(trace);
  const auto device = std::ranges::find(trace.devices, run.ops.front().device, &TraceDevice::id);
  if (device != trace.devices.end()) imported.device = device->name;
  count(run, program, imported);
  imported.remarks.insert(imported.remarks.begin(), trace.remarks.begin(), trace.remarks.end());
  remark(run, options, imported);
  remark_on_migrations(run, imported);
  remark_on_begin(run, imported);
  remark_on_ranks(run, imported);
  if (options.drop_edges.empty()) {
    if (options.independent.empty()) remark_on_order(run, kept, imported);
  } else {
    remark_on_dropped(edges, kept, imported);
  }
  if (!imported.needs) remark_on_allocations(run, imported);
  if (graph.beside() > 0)
    imported.remarks.push_back(
        std::to_string(graph.beside()) + (graph.beside() == 1 ? " kernel" : " kernels") +
        " ran beside others that held multiprocessors: each keeps the number that it had, and its time, under every design");
  if (graph.narrow())
    imported.remarks.push_back("the kernels have more than 4 000 000 blocks together: each takes one core, whatever its grid");
  if (run.queues > 0)
    imported.remarks.push_back("the streams went through " + std::to_string(run.queues) +
                               " hardware queues, in each of which a kernel starts after the one before it, whatever their streams "
                               "(CUDA_DEVICE_MAX_CONNECTIONS says how many there are)");
  if (!graph.knows_device())
    imported.remarks.push_back("the file does not say what the device has: each kernel takes one core, whatever its grid");
  if (std::ranges::any_of(run.calls, [](const TraceRun::Call& call) { return call.own_undisturbed >= 0; })) {
    imported.slowed = SlowedRun{std::move(imported.graph), std::move(program), std::move(imported.constants)};
    TraceRun undisturbed = with_undisturbed_nodes(run);
    program = trace_program(run, options, true);
    set_latencies(run, edges, program);
    constants = trace_constants(undisturbed, edges, program);
    imported.constants = std::move(constants.measured);
    if (const double share = undisturbed_share_of_copies(run); share < 1) {
      shorten_copies(undisturbed, share);
      imported.remarks.push_back("copies took longer with device records than without, as the host's waits show: the scenario has them " +
                                 std::to_string(std::lround(100 * (1 - share))) + " % shorter than captured");
    }
    imported.graph = Graph(undisturbed, widths).build(kept);
  }
  imported.remarks.insert(imported.remarks.end(), constants.remarks.begin(), constants.remarks.end());
  imported.program = std::move(program);
  return imported;
}

}  // namespace tasktwin::scenarios
