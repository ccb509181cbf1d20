#include "verify/advise/advice.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <ranges>
#include <string_view>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/cost/body_cost.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/importers/parts/imported.hpp"
#include "scenarios/load/assemble.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/explain/needed_order.hpp"
#include "verify/explain/phrases.hpp"
#include "verify/explain/what_if.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/admission.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::array kStreamCounts{2, 4, 8, 16};
constexpr std::size_t kMostSingleWaits = 5;  ///< that are tried alone
constexpr double kAsGood = 0.02;             ///< so much slower is no slower

/// Tries changes of one program.
class Adviser {
 public:
  Adviser(const scenarios::Scenario& scenario, const Design& captured, std::uint64_t seed, Progress& progress)
      : scenario_(scenario), captured_(captured), seed_(seed), progress_(progress) {
    const CapturedBase base = captured_base(scenario, captured);
    advice_.design = captured.name;
    advice_.makespan = base.makespan;
    advice_.host = base.host;
    allocations_ = base.allocations;
    syncs_ = base.syncs;
    advice_.knows_memory = scenario.needs != nullptr;
  }

  Advice advise() {
    judge();
    graphs();
    streams();
    waits();
    moved_waits();
    copies();
    host_calls();
    pinned();
    small_kernels();
    bounds();
    std::erase_if(advice_.proposals, [this](const Proposal& one) { return gain(one) < kWorthwhile; });
    leave_out_what_adds_nothing();
    std::ranges::stable_sort(advice_.proposals, {}, &Proposal::makespan);
    return std::move(advice_);
  }

 private:
  double gain(const Proposal& one) const { return share(advice_.makespan - one.makespan, advice_.makespan); }

  /// Simulates it, and keeps it where it can run.
  void propose(Proposal proposal, const scenarios::Scenario& changed, const Design& design) {
    progress_.show(fmt::format("trying {}", proposal.what));
    try {
      scenarios::check_runnable(changed.graph, changed.machine, design);
      check_admission(changed, design);
      proposal.makespan = predict_makespan(changed, design, seed_);
    } catch (const InputError& refused) {
      advice_.remarks.push_back(fmt::format("{} could not be tried: {}", proposal.what, refused.what()));
      return;
    } catch (const RunError& stands) {
      advice_.remarks.push_back(fmt::format("{} could not be tried: {}", proposal.what, stands.what()));
      return;
    }
    ++advice_.tried;
    advice_.proposals.push_back(std::move(proposal));
  }

  /// Of two graphs of the same work the one that asks for less, where the other is hardly better.
  void leave_out_what_adds_nothing() {
    const auto graph = std::ranges::find(advice_.proposals, "graph", &Proposal::kind);
    if (graph == advice_.proposals.end()) return;
    const Duration takes = graph->makespan;
    std::erase_if(advice_.proposals, [takes](const Proposal& one) {
      return (one.kind == "needed_graph" || one.kind == "own_memory" || one.kind == "programmatic") &&
             share(takes - one.makespan, takes) < kWorthwhile;
    });
  }

  void judge() {
    const HostProgram& program = *scenario_.program;
    for (const auto& [call, name] : waiting_calls(program)) names_[call] = name;
    if (names_.empty() && !scenario_.needs) return;
    TaskAccesses accesses;
    if (scenario_.needs) {
      accesses = scenario_.needs->accesses;
    } else {  // what is implied by other waits can be said even so
      accesses.of.resize(scenario_.graph.size());
      accesses.unknown.assign(scenario_.graph.size(), true);
      accesses.with_host.assign(scenario_.graph.size(), true);
    }
    const std::vector<Dependence> dependences = scenario_.needs ? scenario_.needs->dependences : true_dependences(accesses);
    try {
      advice_.order = judge_order(program, accesses, dependences, scenario_.needs ? scenario_.needs->frees : std::vector<FreedMemory>{});
    } catch (const InputError& too_many) {
      advice_.remarks.push_back(fmt::format("waits were not judged: the program {}", too_many.what()));
      return;
    }
    for (const JudgedWait& wait : advice_.order->waits) advice_.waits.push_back(names_[wait.call]);
    if (!scenario_.needs) {
      advice_.remarks.push_back(
          "the file does not say which memory its work uses, as 'tasktwin capture' does: of waits only those can be told that others "
          "imply, and the order of streams is taken to be needed");
    } else if (const scenarios::ProgramNeeds& needs = *scenario_.needs; needs.unknown + needs.by_pointer > 0) {
      advice_.remarks.push_back(
          fmt::format("of {} tasks {} are taken to write all that they point to, since their names do not say what their parameters are, "
                      "and {} to touch "
                      "anything: --effects of 'scenario import' can say it",
                      scenario_.graph.size(), needs.by_pointer, needs.unknown));
    }
  }

  std::string uncertain() const {
    return fmt::format("of the run's path {} is the host's, a profiler's part included, which 'simulate --unprofiled' can take out",
                       format_us(advice_.host));
  }

  void graphs() {
    const Design design = named_design("cuda-graph");
    const std::size_t tasks = scenario_.graph.size();
    Proposal graph{
        .kind = "graph",
        .what = fmt::format("one launch of a CUDA graph for its {} tasks", format_count(static_cast<std::int64_t>(tasks))),
        .why = {"it keeps the order of streams, events and waits",
                fmt::format("assumes the same shapes and addresses each time, and nothing inside that allocates or blocks; here {} "
                            "calls allocate or free and {} block",
                            allocations_, syncs_),
                uncertain()},
        .how = {"tasktwin rerun --designs graph -o OUT -- PROGRAM",
                "PyTorch: g = torch.cuda.CUDAGraph(); with torch.cuda.graph(g): step(); then g.replay()",
                "CUDA: cudaStreamBeginCapture, the step, cudaStreamEndCapture, cudaGraphInstantiate; then cudaGraphLaunch"}};
    propose(graph, scenario_, design);
    Design programmatic = design;
    programmatic.programmatic_launch = ProgrammaticLaunch::kOn;
    graph.kind = "programmatic";
    graph.what = "a CUDA graph with programmatic launches, each kernel coming onto the device while the one before ends";
    graph.why.emplace_back("assumes kernels that call cudaGridDependencySynchronize before they read; not every kernel does");
    graph.how = {"CUDA: cudaLaunchAttributeProgrammaticStreamSerialization on each launch"};
    const bool kernels_alone = std::ranges::all_of(std::views::iota(std::size_t{0}, tasks), [this](std::size_t i) {
      return scenario_.graph[task_id(i)].operation == Operation::kKernel;
    });
    if (kernels_alone) propose(graph, scenario_, programmatic);
    if (!has_needed_graph()) return;
    const std::vector<std::string> how{"CUDA: cudaGraphAddNode with these edges; 'scenario import --dependences needed' writes the graph",
                                       "PyTorch: streams inside of torch.cuda.graph, joined by wait_stream where data pass"};
    const scenarios::Scenario needed = with({.unordered = true});
    propose({.kind = "needed_graph",
             .what = "a CUDA graph with the order that tasks need by their memory",
             .why = {fmt::format("{} dependences in place of {}: two tasks are ordered where they share memory that one of them writes",
                                 needed.graph.edge_count(), scenario_.graph.edge_count()),
                     unordered(), uncertain()},
             .how = how},
            needed, design);
    const std::size_t reused = reuses();
    if (reused == 0) return;
    propose(
        {.kind = "own_memory",
         .what = "a CUDA graph as tasks need it, if each tensor had memory of its own",
         .why = {fmt::format("{} of the dependences are there only because memory is given out again", reused), unordered(), uncertain()},
         .how = {"PyTorch: results that are written into tensors made before (out=), or streams, whose tensors have memory of their own",
                 how.front()}},
        with({.unordered = true, .reuse = false}), design);
  }

  scenarios::Scenario with(const NeededEdges& wanted) const {
    scenarios::Scenario needed = scenario_;
    needed.graph = with_needed_edges(scenario_, wanted);
    return needed;
  }

  std::size_t reuses() const {
    return static_cast<std::size_t>(
        std::ranges::count(scenario_.needs->dependences, DependenceKind::kReuse, [](const Dependence& one) { return one.kind; }));
  }

  bool has_needed_graph() const { return advice_.knows_memory && advice_.order.has_value(); }

  std::string unordered() const {
    const std::size_t races = advice_.order->unordered.size();
    return races == 0 ? "every dependence is ordered by the program too"
                      : fmt::format("{} dependences that the program's calls do not order, as in a race, are kept in its order", races);
  }

  /// How many are of use: the fewest that are as good as the best.
  void streams() {
    if (!has_needed_graph()) return;
    const scenarios::Scenario needed = with({.unordered = true, .reuse = false});
    const auto before = advice_.proposals.size();
    std::vector<Design> tried;
    for (const int count : kStreamCounts) {
      Design design = named_design("cuda-streams");
      design.stream_granularity = StreamGranularity::kListScheduled;
      design.streams = count;
      propose({.kind = "streams",
               .what = fmt::format("{} streams, list-scheduled by what tasks need", count),
               .why = {"events order tasks of different streams that share memory that one of them writes",
                       "assumes that what is made in one stream has memory of its own, as PyTorch gives each stream's tensors", unordered(),
                       uncertain()},
               .how = {fmt::format("tasktwin rerun --designs streams:{} -o OUT -- PROGRAM", count),
                       "PyTorch: s.wait_stream(torch.cuda.current_stream()); with torch.cuda.stream(s): …; and back",
                       "CUDA: cudaEventRecord on the one stream, cudaStreamWaitEvent on the other"}},
              needed, design);
      if (advice_.proposals.size() == before + tried.size() + 1) tried.push_back(design);
    }
    const auto first = advice_.proposals.begin() + static_cast<std::ptrdiff_t>(before);
    if (first == advice_.proposals.end()) return;
    const Duration best = std::ranges::min_element(first, advice_.proposals.end(), {}, &Proposal::makespan)->makespan;
    if (!beats_one_stream(needed, best)) {
      advice_.proposals.erase(first, advice_.proposals.end());
      return;
    }
    const auto fewest = std::find_if(first, advice_.proposals.end(), [best](const Proposal& one) {
      return static_cast<double>(to_ns(one.makespan)) <= (1 + kAsGood) * static_cast<double>(to_ns(best));
    });
    Proposal kept = *fewest;
    const auto count = static_cast<std::size_t>(fewest - first);
    kept.why.push_back(fmt::format("more streams bring no more than {} further", format_percent(kAsGood)));
    advice_.proposals.erase(first, advice_.proposals.end());
    Proposal urgent = kept;
    advice_.proposals.push_back(std::move(kept));
    priorities(needed, std::move(urgent), tried.at(count));
  }

  /// What is gained over one stream is the streams'; the rest is that of calls and waits which designs of streams do not make.
  bool beats_one_stream(const scenarios::Scenario& needed, Duration makespan) {
    Design design = named_design("cuda-streams");
    design.stream_granularity = StreamGranularity::kSingle;
    if (!one_stream_) one_stream_ = predict_makespan(needed, design, seed_);
    return share(*one_stream_ - makespan, *one_stream_) >= kWorthwhile;
  }

  /// Kept where it is worth a row beside the same streams without.
  void priorities(const scenarios::Scenario& needed, Proposal urgent, Design design) {
    const Duration without = urgent.makespan;
    design.stream_priorities = StreamPriorities::kCriticalPath;
    urgent.kind = "priorities";
    urgent.what += ", the longest path in streams of higher priority";
    urgent.how.emplace_back("CUDA: cudaStreamCreateWithPriority; PyTorch: torch.cuda.Stream(priority=-1)");
    const auto before = advice_.proposals.size();
    propose(std::move(urgent), needed, design);
    if (advice_.proposals.size() > before && share(without - advice_.proposals.back().makespan, without) < kWorthwhile)
      advice_.proposals.pop_back();
  }

  std::string place_of(const CallPlace& at) const {
    const HostProgram& program = *scenario_.program;
    const HostCall& call = program.call(at);
    const std::vector<HostCall>& calls = program.threads[at.first].calls;
    for (std::size_t i = at.second + 1; i < calls.size(); ++i) {
      if (calls[i].kind != HostCallKind::kLaunch || calls[i].tasks == 0) continue;
      if (call.kind == HostCallKind::kWait && calls[i].stream != call.stream) continue;
      return fmt::format("{} before {}", names_.at(at), scenario_.graph.name(calls[i].first));
    }
    return names_.at(at);
  }

  void waits() {
    if (!advice_.order || advice_.order->removable.empty()) return;
    const std::vector<CallPlace>& removable = advice_.order->removable;
    std::vector<Proposal> single;
    const auto before = advice_.proposals.size();
    const std::size_t alone = removable.size() > kMostSingleWaits ? 0 : removable.size();
    for (std::size_t i = 0; i < alone; ++i) {
      const auto wait = std::ranges::find(advice_.order->waits, removable[i], &JudgedWait::call);
      propose({.kind = "wait",
               .what = fmt::format("without {}", names_.at(removable[i])),
               .where = place_of(removable[i]),
               .why = {wait->verdict == OrderVerdict::kImplied ? "others order all that it orders"
                                                               : "it orders no two tasks that share memory that one of them writes"},
               .how = {fmt::format("tasktwin simulate SCENARIO --without-wait '{}'", names_.at(removable[i]))}},
              without_waits(scenario_, std::array{removable[i]}), captured_);
    }
    std::string places;
    for (std::size_t i = 0; i < std::min<std::size_t>(removable.size(), kMostSingleWaits); ++i)
      places += (i == 0 ? "" : "; ") + place_of(removable[i]);
    if (removable.size() > kMostSingleWaits) places += fmt::format("; and {} more", removable.size() - kMostSingleWaits);
    if (removable.size() == 1 && advice_.proposals.size() > before) return;
    propose({.kind = "waits",
             .what = fmt::format("without {} waits that nothing needs", removable.size()),
             .where = places,
             .why = {"without all of them every two tasks that share memory that one of them writes are still ordered, and the host still "
                     "waits where it may read or write memory itself",
                     unordered()},
             .how = {"tasktwin advise lists them; leave out the calls"}},
            without_waits(scenario_, removable), captured_);
  }

  /// Waits that are needed, but for less than they wait for: events behind the last that must have ended, before the first that needs it.
  void moved_waits() {
    if (!advice_.order || !advice_.knows_memory) return;
    std::vector<ReplacedWait> all;
    for (const JudgedWait& wait : advice_.order->waits) {
      if (wait.verdict == OrderVerdict::kNeeded && !wait.needs.empty()) all.push_back({wait.call, wait.needs});
    }
    const auto before = advice_.proposals.size();
    for (std::size_t i = 0; all.size() <= kMostSingleWaits && i < all.size(); ++i) {
      const NeededOrder& needs = all[i].orders.front();
      propose_moved("wait_moved", fmt::format("{} replaced by what it is needed for", names_.at(all[i].call)), place_of(all[i].call),
                    fmt::format("{} needs {} to have ended{}", scenario_.graph.name(needs.after), scenario_.graph.name(needs.before),
                                all[i].orders.size() > 1 ? fmt::format(", and so on for {} more", all[i].orders.size() - 1) : ""),
                    std::span(all).subspan(i, 1));
    }
    if (all.empty() || (all.size() == 1 && advice_.proposals.size() > before)) return;
    propose_moved("waits_moved", fmt::format("{} waits replaced by what they are needed for", all.size()), "",
                  "each waits for the last task whose memory the next ones use", all);
  }

  void propose_moved(std::string_view kind, std::string what, std::string where, std::string needs, std::span<const ReplacedWait> waits) {
    const scenarios::Scenario changed = with_orders(scenario_, waits);
    if (!no_longer_ordered(scenario_, changed).empty()) return;  // one was kept by another that goes too
    propose({.kind = std::string(kind),
             .what = std::move(what),
             .where = std::move(where),
             .why = {std::move(needs), "every two tasks that share memory that one of them writes are still ordered", unordered()},
             .how = {"CUDA: cudaEventRecord right behind the launch of the first, cudaStreamWaitEvent right before that of the second",
                     "PyTorch: event.record() behind the one, stream.wait_event(event) before the other",
                     "tasktwin simulate SCENARIO --wait-at 'CALL=TASK'"}},
            changed, captured_);
  }

  /// Copies that share streams with kernels, in streams of their own by direction, as early as memory allows.
  void copies() {
    if (!has_needed_graph()) return;
    const TaskGraph& graph = scenario_.graph;
    std::vector<bool> computes(scenario_.program->streams, false);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (graph[task_id(i)].operation == Operation::kKernel) computes[static_cast<std::size_t>(graph.traits(task_id(i)).stream)] = true;
    }
    scenarios::Scenario needed = with({.unordered = true, .reuse = false});
    std::size_t moved = 0;
    int streams = static_cast<int>(scenario_.program->streams);
    TaskGraphBuilder builder;
    copy_tasks(builder, needed.graph, [&](TaskId, Task& task, TaskTraits& traits) {
      if (!touches_host_memory(task.operation) || !computes[static_cast<std::size_t>(traits.stream)]) return;
      traits.stream = streams + (task.operation == Operation::kCopyH2d ? 0 : 1);
      ++moved;
    });
    if (moved == 0) return;
    copy_edges(builder, needed.graph);
    needed.graph = std::move(builder).build();
    Design design = named_design("cuda-streams");
    design.stream_granularity = StreamGranularity::kHinted;
    design.streams = streams + 2;
    if (design.streams > kMaxStreams) return;
    const auto before = advice_.proposals.size();
    propose(
        {.kind = "copies",
         .what = fmt::format("{} copies in streams of their own, one a direction, ahead of their use", moved),
         .why = {"events order a copy and the kernels that use its memory", "assumes that what is copied next has memory of its own",
                 unordered(), uncertain()},
         .how = {"CUDA: cudaMemcpyAsync in a stream for copies, cudaEventRecord there, cudaStreamWaitEvent before the kernel; two buffers "
                 "in turn",
                 "PyTorch: with torch.cuda.stream(copies): next = batch.to('cuda', non_blocking=True)"}},
        needed, design);
    if (advice_.proposals.size() > before && !beats_one_stream(needed, advice_.proposals.back().makespan)) advice_.proposals.pop_back();
  }

  struct Remedy {
    std::string_view part;
    std::string_view how;
  };
  static constexpr std::array kRemedies{
      Remedy{"module loading", "load code before the loop: run the step once, or set CUDA_MODULE_LOADING=EAGER"},
      Remedy{"Malloc", "allocate before the loop, or from a pool: cudaMallocAsync with a release threshold"},
      Remedy{"Free", "keep memory until the loop is over, or cudaFreeAsync: cudaFree waits for the whole device"},
      Remedy{"MemAlloc", "allocate before the loop, or from a pool"},
      Remedy{"Synchronize", "wait later, or for an event of what is needed alone"},
      Remedy{"Launch", "launch fewer and larger pieces of work: a CUDA graph, or fused kernels"},
      Remedy{"Memcpy", "pinned memory and cudaMemcpyAsync"},
  };

  void host_calls() {
    const DesignAccount account = account_with_costs(scenario_, captured_, seed_);
    const HostProgram& program = *scenario_.program;
    scenarios::Scenario changed = scenario_;
    std::size_t allocating = 0;
    for (std::uint32_t name = 0; name < program.names.size(); ++name) {
      if (!allocates(program.names[name])) continue;
      changed.program = tasktwin::without(tasktwin::without(*changed.program, HostPart::kCall, name), HostPart::kSync, name);
      ++allocating;
    }
    if (allocating > 0)
      propose({.kind = "allocations",
               .what = fmt::format("no call that allocates or frees: here are {}", allocations_),
               .why = {"the same memory each time, taken before", "frees wait for the device: what they waited for, later calls wait for"},
               .how = {"PyTorch: its caching allocator, warmed up; CUDA: cudaMallocAsync from a pool, or buffers allocated once"}},
              changed, captured_);
    for (const HostCallCost& call : account.calls) {
      if (allocates(call.name)) continue;
      std::vector<std::string> how;
      const auto remedy = std::ranges::find_if(kRemedies, [&](const Remedy& one) { return call.name.find(one.part) != std::string::npos; });
      if (remedy != kRemedies.end()) how.emplace_back(remedy->how);
      ++advice_.tried;
      advice_.proposals.push_back({.kind = "host_call",
                                   .what = fmt::format("{} takes no time", call.name),
                                   .where = fmt::format("{} of the run's path", format_us(call.on_path)),
                                   .why = {"an upper bound: what they wait for the device is then waited for elsewhere"},
                                   .how = std::move(how),
                                   .makespan = advice_.makespan - call.gain});
    }
    changed.program = tasktwin::without(program, HostPart::kOwn);
    propose({.kind = "host_own",
             .what = "the host's own time between its calls takes nothing",
             .why = {"an upper bound of what quicker code of the host would bring"},
             .how = {"a CUDA graph; torch.compile; launching from another thread"}},
            changed, captured_);
  }

  /// Copies of pageable memory at the pace of pinned memory; who waits for them stays.
  void pinned() {
    std::size_t copies = 0;
    TaskGraphBuilder builder;
    copy_tasks(builder, scenario_.graph, [&](TaskId, Task& task, TaskTraits& traits) {
      if (!touches_host_memory(task.operation) || !traits.pageable || task.cost.bytes.count <= 0) return;
      const double rate = transfer_rate(scenario_.machine, task.operation, false);
      if (rate <= 0) return;
      const Duration time{static_cast<std::int64_t>(static_cast<double>(task.cost.bytes.count) / rate)};
      if (time >= task.cost.time) return;
      task.cost.time = time;
      ++copies;
    });
    if (copies == 0) return;
    copy_edges(builder, scenario_.graph);
    scenarios::Scenario changed = scenario_;
    changed.graph = std::move(builder).build();
    propose({.kind = "pinned",
             .what = fmt::format("pinned memory in place of pageable for {} copies", copies),
             .why = {fmt::format("each takes its bytes at the machine's {:.1f} GB/s; calls that return when the copy is over still do",
                                 transfer_rate(scenario_.machine, Operation::kCopyH2d, false))},
             .how = {"PyTorch: tensor.pin_memory(), DataLoader(pin_memory=True); CUDA: cudaMallocHost or cudaHostRegister"}},
            changed, captured_);
  }

  void small_kernels() {
    constexpr Duration kSmall{5'000};
    std::size_t kernels = 0;
    std::size_t small = 0;
    Duration together{};
    for (std::size_t i = 0; i < scenario_.graph.size(); ++i) {
      const Task& task = scenario_.graph[task_id(i)];
      if (task.operation != Operation::kKernel) continue;
      ++kernels;
      if (task.cost.time >= kSmall) continue;
      ++small;
      together += task.cost.time;
    }
    if (kernels == 0 || 2 * small < kernels) return;
    advice_.remarks.push_back(
        fmt::format("{} of {} kernels take less than {} each, {} together: launching them costs as much as they do; fused "
                    "kernels would help whatever launches them",
                    small, kernels, format_us(kSmall), format_us(together)));
  }

  void bounds() {
    const scenarios::Scenario needed = has_needed_graph() ? with({.unordered = true, .reuse = false}) : scenario_;
    advice_.bounds = run_bounds(needed.graph, needed.machine, captured_, seed_);
  }

  const scenarios::Scenario& scenario_;
  const Design& captured_;
  std::uint64_t seed_;
  Progress& progress_;
  std::map<CallPlace, std::string> names_;
  std::optional<Duration> one_stream_;  ///< what the work takes in one stream
  std::size_t allocations_ = 0;
  std::size_t syncs_ = 0;
  Advice advice_;
};

}  // namespace

Advice advise(const scenarios::Scenario& scenario, std::uint64_t seed, Progress& progress) {
  const Design* const captured = captured_design(scenario);
  if (captured == nullptr)
    throw InputError(
        fmt::format("'{}' is no captured program with a design that makes its calls again: 'scenario import' makes one of a capture "
                    "or a profiler's trace",
                    scenario.name));
  return Adviser(scenario, *captured, seed, progress).advise();
}

}  // namespace tasktwin::verify
