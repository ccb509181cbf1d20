#include "verify/explain/what_if.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/name_pattern.hpp"
#include "models/program/program_edits.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/assemble.hpp"
#include "verify/explain/explanation.hpp"
#include "verify/explain/kept_streams.hpp"
#include "verify/explain/needed_order.hpp"
#include "verify/explain/phrases.hpp"
#include "verify/explain/replicas.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/admission.hpp"

namespace tasktwin::verify {

namespace {

/// A way to launch: from what, and what is changed of it.
struct Way {
  std::string_view word;
  std::string_view meaning;
  std::string_view design;  ///< named
  void (*change)(Design& design);
};

constexpr std::string_view kGraph = "cuda-graph";

constexpr std::array kWays{
    Way{"graph", "one launch of a CUDA graph", kGraph, [](Design&) {}},
    Way{"streams", "streams, by driver 'streams' as design cuda-streams has it", "cuda-streams", [](Design&) {}},
    Way{"events", "streams that wait for events; the host goes on", "cuda-streams",
        [](Design& design) { design.stream_wait = StreamWait::kEvents; }},
    Way{"syncs", "streams; the host blocks for other streams before each launch that waits for them", "cuda-streams",
        [](Design& design) { design.stream_wait = StreamWait::kStreamSync; }},
    Way{"ptds", "streams, stream 0 being the thread's own default stream", "cuda-streams",
        [](Design& design) { design.default_stream = DefaultStream::kPerThread; }},
};

constexpr std::string_view kAnotherWay = "as ";  ///< so begins a change that is another way of launching

std::size_t iterations(const scenarios::Scenario& scenario) { return scenario.imported ? scenario.imported->iterations : 1; }

/// Whether each task comes after all before it.
bool is_chain(const TaskGraph& graph) {
  const std::vector<TaskId>& order = graph.topological_order();
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto behind = graph.successors(order[i - 1]);
    if (std::ranges::find(behind, order[i]) == behind.end()) return false;
  }
  return true;
}

int highest_stream(const TaskGraph& graph) {
  int highest = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) highest = std::max(highest, graph.traits(task_id(i)).stream);
  return highest;
}

/// Takes what the graph asks for, where it asks: `one_stream` says that stream 0 alone is what it asks for too.
void follow_hints(Design& design, const TaskGraph& graph, bool one_stream = false) {
  const int highest = highest_stream(graph);
  if ((highest == 0 && !one_stream) || !runtime_of(design).streams()) return;
  design.stream_granularity = StreamGranularity::kHinted;
  design.streams = std::clamp(highest + 1, 1, kMaxStreams);
}

/// The call itself, as cudaFree, which waits, and those before it that order nothing.
std::size_t allocating_calls(const HostProgram& program, const HostCall& call) {
  std::size_t calls = allocates(program.names[call.name]) ? 1 : 0;
  for (const NamedTime& within : call.within) calls += allocates(program.names[within.name]) ? within.calls : 0;
  return calls;
}

class Changing {
 public:
  Changing(const Selection& original, const WhatIf& wanted) : made_(original), wanted_(wanted) {}

  Selection change() {
    leave_waits_out();
    move_waits();
    if (wanted_.dependences) take_dependences();
    edit_graph();
    if (wanted_.replicas) replicate(*wanted_.replicas);
    leave_designs_out();
    change_designs();
    if (wanted_.unprofiled)
      made_.changes.push_back(fmt::format("with the host's time scaled so that {} takes {}",
                                          iterations(made_.scenario) > 1 ? "an iteration" : "the program", format_us(*wanted_.unprofiled)));
    if (wanted_.host) slow_host(*wanted_.host);
    made_.scenario.name += kWhatIfSuffix;
    made_.scenario.description = fmt::format("What if {}: {}", made_.argument, fmt::join(made_.changes, "; "));
    made_.scenario.capture.reset();
    check();
    return std::move(made_);
  }

 private:
  const HostProgram& program(std::string_view option) const {
    if (!made_.scenario.program) throw InputError(fmt::format("{}: '{}' is no captured program", option, made_.scenario.name));
    return *made_.scenario.program;
  }

  /// The waits that go by the pattern: a name with its number, or without for all of that name. Throws InputError where there is none.
  std::vector<CallPlace> waits_of(std::string_view option, const std::string& pattern) const {
    const auto waits = waiting_calls(program(option));
    std::vector<CallPlace> found;
    for (const auto& [call, name] : waits) {
      if (is_called(pattern, name) || is_called(pattern, name.substr(0, name.rfind('#')))) found.push_back(call);
    }
    if (!found.empty()) return found;
    std::vector<std::string> some;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, waits.size()); ++i) some.push_back(waits[i].second);
    throw InputError(fmt::format(
        "{}: no wait of '{}' goes by '{}'; {}", option, made_.scenario.name, pattern,
        some.empty() ? "it has none"
                     : fmt::format("it has {}{} {}", waits.size(), some.size() < waits.size() ? ", such as" : ":", join_words(some))));
  }

  void leave_waits_out() {
    for (const std::string& pattern : wanted_.without_wait) {
      const std::vector<CallPlace> gone = waits_of("--without-wait", pattern);
      change_waits(without_waits(made_.scenario, gone),
                   fmt::format("without {} wait{} of '{}'", gone.size(), gone.size() == 1 ? "" : "s", pattern));
    }
  }

  void move_waits() {
    for (const auto& [pattern, tasks] : wanted_.wait_at) {
      const std::vector<CallPlace> moved = waits_of("--wait-at", pattern);
      if (moved.size() > 1) {
        throw InputError(fmt::format("--wait-at: {} waits of '{}' go by '{}': say which by its number, as '{}#2'", moved.size(),
                                     made_.scenario.name, pattern, pattern.substr(0, pattern.rfind('#'))));
      }
      const TaskId task = last_before(moved.front(), tasks);
      const std::string name(made_.scenario.graph.name(task));
      change_waits(with_wait_behind(made_.scenario, moved.front(), task), fmt::format("'{}' waits for '{}' alone", pattern, name));
    }
  }

  TaskId last_before(const CallPlace& wait, const std::string& pattern) const {
    const HostProgram& calls = *made_.scenario.program;
    std::optional<TaskId> last;
    bool any = false;
    bool ahead = true;
    for (const CallPlace& at : calls.order) {
      ahead = ahead && at != wait;
      const HostCall& call = calls.call(at);
      for (std::size_t i = 0; call.kind == HostCallKind::kLaunch && i < call.tasks; ++i) {
        const TaskId task = task_id(index(call.first) + i);
        if (!is_called(pattern, made_.scenario.graph.name(task))) continue;
        any = true;
        if (ahead) last = task;
      }
    }
    if (last) return *last;
    throw InputError(any ? fmt::format("--wait-at: what goes by '{}' is launched behind the wait", pattern)
                         : fmt::format("--wait-at: no task of '{}' goes by '{}'", made_.scenario.name, pattern));
  }

  void change_waits(scenarios::Scenario changed, std::string what) {
    const std::vector<Dependence> lost = no_longer_ordered(made_.scenario, changed);
    if (!lost.empty()) {
      const TaskGraph& graph = made_.scenario.graph;
      const bool knows = made_.scenario.needs != nullptr;
      what += fmt::format(", so that nothing orders {} {}{} any more, as of '{}' on '{}': {}", lost.size(), knows ? "dependence" : "pair",
                          lost.size() == 1 ? "" : "s", graph.name(lost.front().after), graph.name(lost.front().before),
                          knows ? "a race" : "whether they share memory is not known");
    }
    made_.scenario = std::move(changed);
    made_.changes.push_back(std::move(what));
  }

  void take_dependences() {
    program("--dependences");
    const bool own_calls = wanted_.as.empty() && std::ranges::any_of(made_.designs, [](const Design& design) {
                             return runtime_of(design).id == RuntimeId::kHostProgram;
                           });
    made_.scenario.graph = with_needed_edges(made_.scenario, {.unordered = !own_calls});
    made_.changes.emplace_back("with the dependences that the tasks' memory shows");
  }

  void replicate(int count) {
    const HostProgram& calls = program("--replicas");
    if (!wanted_.as.empty() || wanted_.streams)
      throw InputError(
          fmt::format("--replicas: is of programs that make their own calls, and excludes {}", wanted_.as.empty() ? "--streams" : "--as"));
    const std::uint32_t queues = shared_queues(made_.scenario.machine, made_.designs, calls);
    Replicas made = replicated(made_.scenario.graph, calls, static_cast<std::uint32_t>(count), queues);
    if (made.program.streams > static_cast<std::uint32_t>(kMaxStreams))
      throw InputError(fmt::format("--replicas: {} of '{}' have {} streams together; at most {} are simulated", count, made_.scenario.name,
                                   made.program.streams, kMaxStreams));
    made_.scenario.graph = std::move(made.graph);
    made_.scenario.program = std::move(made.program);
    for (Design& design : made_.designs) {
      if (runtime_of(design).id != RuntimeId::kHostProgram) continue;
      design.streams = static_cast<int>(made_.scenario.program->streams);
      design.hardware_queues = count * static_cast<int>(queues);
    }
    made_.scenario.needs.reset();
    made_.scenario.replays.clear();
    if (made_.scenario.imported) made_.scenario.imported->captured = {};
    made_.changes.push_back(fmt::format("{} of it at once, processes that share the device as under MPS", count));
  }

  /// Makes one edit; `what` says what was done to how many tasks.
  template <class Edit, class Say>
  void edit(std::string_view option, std::string_view pattern, Edit make, Say what) {
    try {
      EditedGraph edited = make(made_.scenario.graph);
      if (edited.matched == 0) throw InputError(fmt::format("no task of '{}' goes by '{}'", made_.scenario.name, pattern));
      if (made_.scenario.program) made_.scenario.program = edited_program(*made_.scenario.program, made_.scenario.graph, edited);
      made_.changes.push_back(what(edited));
      made_.scenario.graph = std::move(edited.graph);
      made_.scenario.replays.clear();
      if (made_.scenario.imported) made_.scenario.imported->captured = {};
    } catch (const InputError& wrong) {
      throw InputError(fmt::format("{}: {}", option, wrong.what()));
    }
  }

  static std::string tasks(std::size_t count) { return fmt::format("{} task{}", count, count == 1 ? "" : "s"); }

  void edit_graph() {
    for (const std::string& pattern : wanted_.drop) {
      edit(
          "--drop", pattern,
          [&](const TaskGraph& graph) {  // what launches a program's tasks knows no counters
            return drop_tasks(graph, pattern, made_.scenario.program ? DroppedJoins::kEdges : DroppedJoins::kEvents);
          },
          [&](const EditedGraph& edited) {
            const std::string joins = edited.joins == 0   ? ""
                                      : edited.joins == 1 ? ", a counter that many watch in place of one"
                                                          : fmt::format(", counters that many watch in place of {}", edited.joins);
            return fmt::format("{} of '{}' dropped{}", tasks(edited.matched), pattern, joins);
          });
    }
    for (const NewTask& task : wanted_.insert) {
      edit(
          "--insert", task.name, [&](const TaskGraph& graph) { return inserted(graph, task); },
          [&](const EditedGraph& edited) {
            const auto made = std::ranges::find(edited.from, std::vector<TaskId>{}) - edited.from.begin();
            const std::int32_t device = edited.graph[task_id(static_cast<std::size_t>(made))].device;
            return fmt::format("'{}' of {} ns inserted{}", task.name, to_ns(task.time),
                               edited.graph.devices() > 1 && device != kAnyDevice ? fmt::format(" on device {}", device) : "");
          });
    }
    for (const auto& [pattern, factor] : wanted_.scale) {
      edit(
          "--scale", pattern, [&](const TaskGraph& graph) { return scale_tasks(graph, pattern, factor); },
          [&](const EditedGraph& edited) { return fmt::format("{} of '{}' with {} × the work", tasks(edited.matched), pattern, factor); });
    }
    for (const std::string& pattern : wanted_.fuse) {
      edit(
          "--fuse", pattern, [&](const TaskGraph& graph) { return fused(graph, pattern); },
          [&, before = made_.scenario.graph.size()](const EditedGraph& edited) {
            return fmt::format("{} of '{}' fused into {}{}", tasks(edited.matched), pattern,
                               edited.matched - (before - edited.graph.size()), apart_text(edited));
          });
    }
  }

  /// Why pairs that follow each other alone were not fused; empty where all were.
  static std::string apart_text(const EditedGraph& edited) {
    if (edited.apart == 0) return {};
    return edited.apart == 1 ? fmt::format(", and 1 pair not, as {}", edited.apart_as)
                             : fmt::format(", and {} pairs not, the first as {}", edited.apart, edited.apart_as);
  }

  /// Tasks that match the pattern without being a chain are an error of their own.
  static EditedGraph fused(const TaskGraph& graph, const std::string& pattern) {
    EditedGraph edited = fuse_tasks(graph, pattern);
    const std::size_t named = edited.matched > 0 ? 0 : scale_tasks(graph, pattern, 1).matched;
    if (named == 0) return edited;
    throw InputError(
        fmt::format("no chain among {} by '{}'; it takes two bodies of one kernel with as many blocks on one device, the second of which "
                    "waits for the first alone, as nothing else does{}",
                    tasks(named), pattern, edited.apart == 0 ? "" : "; " + edited.apart_as));
  }

  /// Patterns that match nothing are distinguished.
  static EditedGraph inserted(const TaskGraph& graph, const NewTask& task) {
    for (const std::string& pattern : {task.after, task.before}) {
      if (!pattern.empty() && scale_tasks(graph, pattern, 1).matched == 0) throw InputError(fmt::format("no task goes by '{}'", pattern));
    }
    EditedGraph edited = insert_task(graph, task);
    edited.matched = std::max<std::size_t>(edited.matched, 1);
    return edited;
  }

  /// A timeline of the tasks as they were cannot be followed, and the calls of a program do not wait for a task that is new.
  void leave_designs_out() {
    leave_out("follows a timeline of the tasks as they were", !made_.changes.empty(),
              [](const Design& design) { return design.placement == Placement::kReplay; });
    leave_out("makes the program's own calls, which wait for no new task", !wanted_.insert.empty(),
              [](const Design& design) { return runtime_of(design).id == RuntimeId::kHostProgram; });
    leave_out("launches all from one process", wanted_.replicas.has_value(),
              [](const Design& design) { return runtime_of(design).id != RuntimeId::kHostProgram; });
  }

  template <class Is>
  void leave_out(std::string_view why, bool wanted, Is is) {
    if (!wanted) return;
    std::string left;
    std::erase_if(made_.designs, [&](const Design& design) {
      if (!is(design)) return false;
      left += (left.empty() ? "" : ", ") + design.name;
      return true;
    });
    if (left.empty()) return;
    if (made_.designs.empty() && wanted_.as.empty())
      throw InputError(fmt::format("what if of '{}': {} {}; choose other designs with --designs", made_.argument, left, why));
    made_.changes.push_back(fmt::format("without {}, which {}", left, why));
  }

  void change_designs() {
    if (!wanted_.as.empty()) {
      const auto way = std::ranges::find(kWays, wanted_.as, &Way::word);
      Design design = named_design(way->design);
      const bool own_streams = way->word != "streams" && way->word != "graph";
      // A program of one stream stays in it, as in the designs that an import writes, unless its dependences were asked for.
      follow_hints(design, made_.scenario.graph, own_streams && made_.scenario.program && !wanted_.dependences);
      way->change(design);
      if (way->design == kGraph && made_.scenario.graph.has_collectives())
        design.graph_source = GraphSource::kCapture;  // else they are no nodes
      if (own_streams) design.name = std::string(way->word);
      made_.changes.push_back(fmt::format("{}{}: {}", kAnotherWay, way->word, way->meaning));
      say_graphs(way->word == "graph");
      made_.designs = {design};
    }
    if (!wanted_.move.empty()) move();
    if (wanted_.streams) {
      change_each("--streams", false, [this](Design& design) {
        design.streams = *wanted_.streams;
        design.stream_granularity = StreamGranularity::kListScheduled;
      });
      made_.changes.push_back(fmt::format("{} streams, list-scheduled", *wanted_.streams));
      if (is_chain(made_.scenario.graph))
        made_.scenario.remarks.push_back(
            fmt::format("its {} tasks come one after the other, so that no streams run side by side{}", made_.scenario.graph.size(),
                        made_.scenario.program ? ": 'scenario import --independent' says which of them do not depend on each other" : ""));
    }
    if (wanted_.allocator) {
      require_allocations();
      change_each("--allocator", true, [this](Design& design) { design.allocator = *wanted_.allocator; });
      made_.changes.push_back(fmt::format("memory by allocator '{}'", to_word(*wanted_.allocator)));
    }
  }

  /// What a program that launches graphs already gains otherwise, or loses, is not all in the file.
  void say_graphs(bool as_graph) {
    const GraphLaunches graphs = made_.scenario.program ? graph_launches(*made_.scenario.program) : GraphLaunches{};
    if (graphs.launches == 0) return;
    made_.changes.push_back(
        fmt::format("{} of its {} tasks are launched as graphs already, by {} launch{}{}", graphs.tasks, made_.scenario.graph.size(),
                    graphs.launches, graphs.launches == 1 ? "" : "es",
                    as_graph ? "" : ", and what the program's own code would take to launch each by itself is not in the file"));
  }

  void require_allocations() const {
    const auto is_one = [](const Task& task) { return is_allocation(task.operation); };
    if (!made_.scenario.program || std::ranges::any_of(made_.scenario.graph.tasks(), is_one)) return;
    std::size_t calls = 0;
    for (const HostThread& thread : made_.scenario.program->threads) {
      for (const HostCall& call : thread.calls) calls += allocating_calls(*made_.scenario.program, call);
    }
    throw InputError(fmt::format(
        "--allocator: what the captured program '{}' allocates is in calls of its host (here {} that allocate or free), as they "
        "were captured, and not in tasks that an allocator of designs could serve; 'tasktwin advise' says what it would take "
        "without them",
        made_.scenario.name, calls));
  }

  /// Those that launch into streams; the others are left out, as are those that make a program's own calls unless the change is
  /// `of_programs` too.
  /// All but the tasks that are moved stay in the streams that the design gives them.
  void move() {
    keep_streams();
    for (const auto& [pattern, stream] : wanted_.move) {
      edit(
          "--move", pattern, [&](const TaskGraph& graph) { return move_tasks(graph, pattern, stream); },
          [&](const EditedGraph& edited) { return fmt::format("{} of '{}' in stream {}", tasks(edited.matched), pattern, stream); });
    }
    change_each("--move", false, [this](Design& design) { follow_hints(design, made_.scenario.graph, true); });
  }

  /// Tasks ask for the streams that the first design of streams gives them; those that give others are left out.
  void keep_streams() {
    std::optional<std::vector<int>> kept;
    std::string first;
    std::string left;
    std::erase_if(made_.designs, [&](const Design& design) {
      if (!runtime_of(design).streams() || runtime_of(design).id == RuntimeId::kHostProgram) return false;  // change_each leaves those out
      const std::vector<int> streams = streams_given(made_.scenario, design);
      if (!kept) {
        kept = streams;
        first = design.name;
      }
      if (streams == *kept) return false;
      left += (left.empty() ? "" : ", ") + design.name;
      return true;
    });
    if (kept) made_.scenario.graph = asking_for(made_.scenario.graph, *kept);
    if (!left.empty())
      made_.changes.push_back(
          fmt::format("without {}, which gives tasks other streams than {}: choose it alone with --designs", left, first));
  }

  template <class Change>
  void change_each(std::string_view option, bool of_programs, Change change) {
    std::vector<Design> kept;
    std::vector<std::string> left;
    for (Design& design : made_.designs) {
      if (!runtime_of(design).streams() || (runtime_of(design).id == RuntimeId::kHostProgram && !of_programs)) {
        left.push_back(design.name);
        continue;
      }
      change(design);
      kept.push_back(design);
    }
    if (kept.empty()) {
      throw InputError(
          fmt::format("{}: of '{}' no selected design launches into streams that it may choose; choose one of driver 'streams' with "
                      "--designs, such as cuda-streams, or add --as streams",
                      option, made_.scenario.name));
    }
    if (!left.empty()) made_.changes.push_back(fmt::format("without {}, to which {} says nothing", fmt::join(left, ", "), option));
    made_.designs = std::move(kept);
  }

  void slow_host(double factor) {
    made_.scenario.host_pace *= factor;
    if (made_.scenario.program) made_.scenario.program = scaled(*made_.scenario.program, factor);
    made_.changes.push_back(fmt::format("the host takes {} × as long", factor));
    std::vector<std::string> resident;
    for (const Design& design : made_.designs) {
      if (runtime_of(design).resident() && !runtime_of(design).host_dispatched()) resident.push_back(design.name);
    }
    if (!resident.empty()) made_.changes.back() += fmt::format(", which changes nothing under {}", fmt::join(resident, ", "));
  }

  void check() const {
    for (const Design& design : made_.designs) {
      try {
        scenarios::check_runnable(made_.scenario.graph, made_.scenario.machine, design);
        check_admission(made_.scenario, design);
      } catch (const InputError& wrong) {
        throw InputError(fmt::format("what if of '{}' under '{}': {}", made_.argument, design.name, wrong.what()));
      }
    }
  }

  Selection made_;
  const WhatIf& wanted_;
};

}  // namespace

bool WhatIf::wanted() const {
  return dependences || !without_wait.empty() || !wait_at.empty() || unprofiled || !drop.empty() || !insert.empty() || !scale.empty() ||
         !fuse.empty() || !move.empty() || streams || !as.empty() || allocator || replicas || host;
}

std::vector<std::pair<std::string_view, std::string_view>> as_words() {
  std::vector<std::pair<std::string_view, std::string_view>> words;
  for (const Way& way : kWays) words.emplace_back(way.word, way.meaning);
  return words;
}

Selection what_if(const Selection& selection, const WhatIf& wanted) { return Changing(selection, wanted).change(); }

const Design* captured_design(const scenarios::Scenario& scenario) {
  if (!scenario.program) return nullptr;
  const auto found = std::ranges::find(scenario.designs, RuntimeId::kHostProgram, [](const Design& one) { return runtime_of(one).id; });
  return found == scenario.designs.end() ? nullptr : &*found;
}

bool allocates(std::string_view call) {
  constexpr std::array kParts{"Malloc", "MemAlloc", "HostAlloc", "Free"};
  return std::ranges::any_of(kParts, [call](std::string_view part) { return call.find(part) != std::string_view::npos; });
}

CapturedBase captured_base(const scenarios::Scenario& scenario, const Design& design) {
  const Timeline timeline = predict(scenario, design, scenario.seed).timeline;
  const ObservedPath path = path_of(scenario, design, timeline, scenario.seed);
  CapturedBase base{.design = design.name, .makespan = timeline.makespan(), .iterations = iterations(scenario)};
  for (const PathCause cause : {PathCause::kHostOwn, PathCause::kHostCall, PathCause::kHostSync, PathCause::kLaunch})
    base.host += path.of(cause);
  const HostProgram& program = *scenario.program;
  for (const HostThread& thread : program.threads) {
    for (const HostCall& call : thread.calls) {
      if (is_sync(call.kind) || call.blocks) ++base.syncs;
      base.allocations += allocating_calls(program, call);
    }
  }
  return base;
}

namespace {

/// How many times as long its host would take where the program, all iterations, takes `wanted`. 0 where its device alone takes up to 5 %
/// more: `wanted` is by the host's clock and another run, the device's work by the profiler's, whose times of a kernel are longer.
double host_pace(const scenarios::Scenario& scenario, const Design& design, Duration wanted) {
  const auto takes = [&](double pace) {
    scenarios::Scenario paced = scenario;
    paced.program = scaled(*scenario.program, pace);
    return predict_makespan(paced, design, scenario.seed);
  };
  constexpr double kMost = 100;
  double low = 0;
  double high = 1;
  constexpr double kClose = 1.05;
  const Duration least = takes(low);
  const auto each = static_cast<std::int64_t>(iterations(scenario));
  const std::string on_device = fmt::format("--unprofiled: {} of '{}' takes {} on the device", each > 1 ? "an iteration" : "the work",
                                            scenario.name, format_us(least / each));
  if (least > wanted && static_cast<double>(to_ns(least)) <= kClose * static_cast<double>(to_ns(wanted))) {
    remark(wrap(fmt::format("{}, {:.1f} % more than that: its host is taken to take no time", on_device, 100 * (share(least, wanted) - 1)),
                text_columns() - 6));
    return 0;
  }
  if (least > wanted) {
    throw InputError(on_device + " even where its host takes no time");
  }
  if (const Duration captured = takes(1); captured < wanted) {
    remark(wrap(fmt::format("--unprofiled: {} of '{}' took {} as it was captured, which is less: its host is taken to be slower",
                            each > 1 ? "an iteration" : "the work", scenario.name, format_us(captured / each)),
                text_columns() - 6));
  }
  while (takes(high) < wanted && high < kMost) high *= 2;
  if (takes(high) < wanted) throw InputError(fmt::format("--unprofiled: is far longer than '{}' as it was captured", scenario.name));
  constexpr int kSteps = 30;
  for (int i = 0; i < kSteps; ++i) {
    const double middle = (low + high) / 2;
    (takes(middle) < wanted ? low : high) = middle;
  }
  return high;
}

}  // namespace

void make_unprofiled(scenarios::Scenario& scenario, Duration wanted) {
  const Design* const captured = captured_design(scenario);
  if (captured == nullptr) {
    throw InputError(fmt::format("--unprofiled: '{}' is no captured program with a design that makes its calls again", scenario.name));
  }
  const double pace = host_pace(scenario, *captured, static_cast<std::int64_t>(iterations(scenario)) * wanted);
  scenario.program = scaled(*scenario.program, pace);
  scenario.host_pace *= pace;
}

namespace {

/// Where the gain over a captured program comes from, and what has to hold for it.
std::string gain_text(const CapturedBase& base, const DesignMakespan& made, bool graph) {
  const Duration gain = base.makespan - made.makespan;
  if (gain <= Duration{} || made.design == base.design) return "";
  const std::string each = base.iterations > 1 ? fmt::format("each of the {} iterations", base.iterations) : "the program";
  std::string text = fmt::format("Of {}'s gain of {} at most {} is time of the host between launches that was on the path", made.design,
                                 format_us(gain), format_us(std::min(gain, base.host)));
  text += base.unprofiled ? "." : fmt::format(", a profiler's included: --unprofiled TIME says what {} takes without it.", each);
  if (!graph && base.syncs > 1)
    text += fmt::format(
        " It does not block where the program does, here in {} calls: what the host reads then must not decide what it does next.",
        base.syncs);
  if (!graph) return text;
  const auto calls = [](std::size_t n, const char* does, const char* do_so) {
    return n == 1 ? fmt::format("1 call that {}", does) : fmt::format("{} calls that {}", n == 0 ? "no" : std::to_string(n), do_so);
  };
  return text + fmt::format(
                    " A graph is an upper bound: it needs the same shapes and addresses each time, and nothing inside that allocates "
                    "or blocks; here {} {} and {}.",
                    base.allocations == 1 ? "is" : "are", calls(base.allocations, "allocates or frees", "allocate or free"),
                    calls(base.syncs, "blocks", "block"));
}

}  // namespace

std::string WhatIfOutcome::text() const {
  if (selection_.changes.empty()) return {};
  std::string text = wrap(fmt::format("what if: {}", fmt::join(selection_.changes, "; "))) + '\n';
  if (selection_.base) return text + against_captured(*selection_.base);
  if (before_.empty()) return text;
  TextTable table({"design", "what if", "as it is", "under", "change"});
  for (const DesignMakespan& made : makespans_) {
    auto same = std::ranges::find(before_, made.design, &DesignMakespan::design);
    const auto streams = std::ranges::find(before_, "cuda-streams", &DesignMakespan::design);
    const auto is_way = [](const std::string& change) { return change.starts_with(kAnotherWay); };
    if (std::ranges::any_of(selection_.changes, is_way) && streams != before_.end())
      same = streams;  // what a way of launching is held against
    if (same == before_.end()) same = std::ranges::min_element(before_, {}, &DesignMakespan::makespan);
    const auto was = static_cast<double>(to_ns(same->makespan));
    const double change = was > 0 ? static_cast<double>(to_ns(made.makespan)) / was - 1 : 0;
    table.add_row({made.design, format_us(made.makespan), format_us(same->makespan), same->design, fmt::format("{:+.1f} %", 100 * change)});
  }
  return text + table.to_string();
}

Json base_to_json(const CapturedBase& base) {
  return {{"design", base.design},         {"makespan_ns", to_ns(base.makespan)}, {"host_ns", to_ns(base.host)},
          {"iterations", base.iterations}, {"allocations", base.allocations},     {"synchronisations", base.syncs}};
}

std::string WhatIfOutcome::against_captured(const CapturedBase& base) const {
  TextTable table({"design", "takes", "change"});
  table.add_row({base.design, format_us(base.makespan), "as it is"});
  for (const DesignMakespan& made : makespans_)
    table.add_row({made.design, format_us(made.makespan), fmt::format("{:+.1f} %", 100 * (share(made.makespan, base.makespan) - 1))});
  std::string text = table.to_string();
  for (const std::string& sentence : gains(base)) text += wrap(sentence) + '\n';
  return text;
}

std::vector<std::string> WhatIfOutcome::gains(const CapturedBase& base) const {
  std::vector<std::string> sentences;
  for (const DesignMakespan& made : makespans_) {
    const Design* const design = design_called(made.design);
    std::string sentence = gain_text(base, made, design != nullptr && runtime_of(*design).graph());
    if (base.replicas > 1)
      sentence =
          fmt::format("{} take {:.2f} × the time of one, in which {:.2f} × as much is done; what MPS's server adds to a call is not in it.",
                      base.replicas, share(made.makespan, base.makespan), base.replicas / share(made.makespan, base.makespan));
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

const Design* WhatIfOutcome::design_called(const std::string& name) const {
  const auto design = std::ranges::find(selection_.designs, name, &Design::name);
  return design == selection_.designs.end() ? nullptr : &*design;
}

std::string WhatIfOutcome::graph_text() const {
  const Design* const captured = captured_design(selection_.scenario);
  if (captured == nullptr || !selection_.changes.empty()) return {};
  const auto graph = std::ranges::find_if(makespans_, [this](const DesignMakespan& made) {
    const Design* const design = design_called(made.design);
    return design != nullptr && runtime_of(*design).graph();
  });
  const bool shown = std::ranges::find(makespans_, captured->name, &DesignMakespan::design) != makespans_.end();
  if (graph == makespans_.end() || !shown) return {};
  const std::string sentence = gain_text(captured_base(selection_.scenario, *captured), *graph, true);
  return sentence.empty() ? "" : wrap(sentence) + '\n';
}

Json WhatIfOutcome::for_page() const {
  if (selection_.changes.empty()) return nullptr;
  if (!selection_.base) return {{"changes", selection_.changes}, {"baseline", nullptr}, {"sentences", Json::array()}};
  return {{"changes", selection_.changes}, {"baseline", base_to_json(*selection_.base)}, {"sentences", gains(*selection_.base)}};
}

std::vector<Selection> with_what_if(std::vector<Selection> selections, const WhatIf& wanted) {
  if (!wanted.wanted()) return selections;
  std::vector<Selection> both;
  for (Selection& selection : selections) {
    if (wanted.unprofiled) make_unprofiled(selection.scenario, *wanted.unprofiled);
    Selection changed = what_if(selection, wanted);
    if (const Design* const captured = captured_design(selection.scenario)) {
      changed.base = captured_base(selection.scenario, *captured);
      changed.base->unprofiled = wanted.unprofiled.has_value();
      changed.base->replicas = wanted.replicas.value_or(1);
    }
    both.push_back(std::move(selection));
    both.push_back(std::move(changed));
  }
  return both;
}

}  // namespace tasktwin::verify
