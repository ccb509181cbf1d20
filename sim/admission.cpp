#include "sim/admission.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "models/base/error.hpp"
#include "models/checks/mechanisms.hpp"
#include "models/checks/meeting_stalls.hpp"
#include "models/checks/meetings.hpp"
#include "models/cost/body_cost.hpp"
#include "models/cost/workers_beside.hpp"
#include "models/design/design_parts.hpp"
#include "models/graph/events.hpp"
#include "models/machine/clusters.hpp"
#include "models/program/device_graph.hpp"
#include "models/run/fallback.hpp"
#include "models/runtimes/event_counting.hpp"
#include "models/runtimes/prologues_ahead.hpp"
#include "models/runtimes/runtimes.hpp"
#include "models/shares/task_shares.hpp"
#include "sim/control/state/core_shares.hpp"
#include "sim/streams/checks/block_check.hpp"
#include "sim/streams/checks/operation_check.hpp"

namespace tasktwin::sim {

namespace {

constexpr double kLargestConstant = 1e12;
/// Each replay is simulated as if it were a graph of its own.
constexpr std::size_t kMostReplayedTasks = 20'000'000;

/// The cores that tasks find under a design, by type; for `mix` the clusters.
struct Seats {
  Seats(const Machine& machine, const Design& design) {
    const std::vector<CoreType> cores = worker_cores(design, machine);
    for (const CoreType type : cores) ++count[static_cast<std::size_t>(type)];
    count[static_cast<std::size_t>(CoreType::kMix)] = static_cast<int>(clusters(machine.compute_cores, cores).size());
  }
  std::array<int, kCoreTypeCount> count{};

  std::string words() const {
    std::string text;
    for (const auto& [type, word] : Words<CoreType>::entries) {
      if (count[static_cast<std::size_t>(type)] > 0 && type != CoreType::kMix) text += (text.empty() ? "" : ", ") + std::string(word);
    }
    return text;
  }
};

/// That the cores which a `mix` task asks for are in every cluster, and that some dispatcher searches for them one by one.
void check_shape(const TaskGraph& graph, const Machine& machine, const Design& design, TaskId task) {
  const TaskTraits& traits = graph.traits(task);
  if (traits.aic + traits.aiv == 0) return;
  const std::string named = "task '" + std::string(graph.name(task)) + "' asks for " + std::to_string(traits.aic) +
                            " cores of type 'aic' and " + std::to_string(traits.aiv) + " of type 'aiv'";
  if (graph[task].core_type != CoreType::kMix) throw InputError(named + ", which only a task of core_type 'mix' does");
  if (!runtime_of(design).dispatched() && design.fallback == Fallback::kNone)
    throw InputError(named + "; under design '" + design.name +
                     "' a 'mix' task takes a whole cluster, since only release 'dispatcher' chooses cores of it, or a control core by "
                     "fallback 'run' or 'task'");
  for (const auto& [type, count] : {std::pair{CoreType::kAic, traits.aic}, std::pair{CoreType::kAiv, traits.aiv}}) {
    int most = 0;
    for (const CoreGroup& group : machine.compute_cores) most += group.type == type ? group.per_cluster : 0;
    if (count > most)
      throw InputError(named + "; a cluster of machine '" + machine.name + "' has " + std::to_string(most) + " of type '" +
                       std::string(to_word(type)) + "'");
  }
}

/// That a task which needs several cores at once fits some dispatcher's share, where no queue lets one place it on the cores of all.
void check_gangs(const TaskGraph& graph, const Machine& machine, const Design& design) {
  const bool one_queue = design.ready_queue == ReadyQueue::kShared || design.ready_queue == ReadyQueue::kPerCoreType;
  if (!runtime_of(design).dispatched() || !graph.has_wide_tasks() || design.gang == Gang::kApart || one_queue) return;
  const std::vector<CoreType> cores = on_all_devices(worker_cores(design, machine), machine);
  const CoreShares shares(machine, design, cores);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskId task = task_id(i);
    const int blocks = graph.traits(task).blocks;
    const CoreType type = graph[task].core_type;
    const std::size_t most = shares.most_of_one(type);
    if (blocks == 1 || static_cast<std::size_t>(blocks) <= most) continue;
    throw InputError("task '" + std::string(graph.name(task)) + "' needs " + std::to_string(blocks) + " cores of type '" +
                     std::string(to_word(type)) + "' at once; under design '" + design.name + "' a dispatcher owns at most " +
                     std::to_string(most) +
                     " (ownership 'shared' would give it all, and ready_queue 'shared' or 'per_core_type' let one dispatcher place it on "
                     "the cores of all)");
  }
}

}  // namespace

void check_constants(const Machine& machine) {
  for (const ConstantField* field : constants_of(machine)) {
    const double value = field->get(machine);
    const int least = static_cast<int>(field->min);
    if (value >= least && value <= kLargestConstant) continue;
    throw InputError("machine '" + machine.name + "': " + field->key + " is " + std::to_string(value) + "; it must be " +
                     std::to_string(least) + " to 1e12");
  }
}

void check_tasks(const TaskGraph& graph, const Machine& machine, const Design& stated) {
  const Design design = design_of_run(graph, machine, stated);
  const Seats seats(machine, design);
  check_parts(graph, design);
  check_prologues(graph, design);
  if (const auto fault = sets_fault(graph, machine, design)) throw InputError(*fault);
  if (static_cast<std::size_t>(design.replays) * graph.size() > kMostReplayedTasks)
    throw InputError("design '" + design.name + "': " + std::to_string(design.replays) + " replays of " + std::to_string(graph.size()) +
                     " tasks are " + std::to_string(static_cast<std::size_t>(design.replays) * graph.size()) + " tasks; at most " +
                     std::to_string(kMostReplayedTasks) + " are simulated");
  if (const auto why = why_not_beside(graph, machine, design)) throw InputError("design '" + design.name + "': " + *why);
  if (const auto fault = meeting_fault(graph, machine, design)) throw InputError(*fault);
  if (const auto stall = crossed_order({graph, machine, design, {}})) throw InputError(stall->text());
  const Runtime& runtime = runtime_of(design);
  const bool streams = !runtime.resident();  // kernels on a device
  if (streams) check_blocks(graph, machine);
  check_operations(graph, machine, design);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskId task = task_id(i);
    if (graph[task].operation != Operation::kKernel) continue;
    const CoreType type = graph[task].core_type;
    const auto named = [&] { return "task '" + std::string(graph.name(task)) + "'"; };
    const int found = seats.count[static_cast<std::size_t>(type)];
    if (found == 0 && type == CoreType::kMix) {
      throw InputError(named() + " needs a whole cluster ('mix'); machine '" + machine.name + "' has none for tasks under design '" +
                       design.name + "'");
    }
    if (found == 0) {
      throw InputError(named() + " needs a core of type '" + std::string(to_word(type)) + "'; machine '" + machine.name +
                       "' has none for tasks under design '" + design.name + "' (it has: " + seats.words() + ")");
    }
    const int blocks = graph.traits(task).blocks;
    if (runtime.simulated.one_core_type &&
        (type != graph[task_id(0)].core_type || type == CoreType::kMix || graph.traits(task).other_type)) {
      throw InputError(named() + " asks for cores of another type than other tasks, or of several; under driver '" +
                       std::string(to_word(design.driver)) + "' all tasks run on cores of one type");
    }
    if (runtime.simulated.one_block && blocks > 1) {
      throw InputError(named() + " has " + std::to_string(blocks) +
                       " blocks; under driver 'device_graph_launch' a graph's kernel has a block a task");
    }
    check_shape(graph, machine, design, task);
    // Also a `mix` task that asks for one core of its cluster: it is its dispatcher that chooses which.
    const bool wide = width(graph, machine, task) > 1 || type == CoreType::kMix;
    const std::string or_split = blocks > 1 ? ", or 'split: true' of the task" : "";
    const char* const occupies = width(graph, machine, task) > 1 ? " occupies several cores" : " is 'mix'";
    if (runtime.simulated.known_beforehand && (wide || graph.spawner(task))) {
      throw InputError(named() + (graph.spawner(task) ? " is spawned during the run" : occupies) +
                       ", but a slot of ready_queue 'group_queue' holds a task that is known beforehand, for one core; design '" +
                       design.name + "' needs ready_queue 'per_core_type'" + or_split);
    }
    if (type == CoreType::kMix && blocks > 1)
      throw InputError(named() + " is 'mix' and has " + std::to_string(blocks) + " blocks; a 'mix' task has one");
    if (blocks > 1 && graph.traits(task).other_type) {
      throw InputError(named() + " has " + std::to_string(blocks) + " blocks and another core type; a task of several blocks has one type");
    }
    if (wide && has_lists(design)) {
      throw InputError(named() + occupies + ", which placement '" + std::string(to_word(design.placement)) + "' cannot freeze; design '" +
                       design.name + "' needs any_idle, least_loaded or locality" + or_split);
    }
    if (wide && runtime.dispatched() && design.ready_queue == ReadyQueue::kPerWorker) {
      throw InputError(named() + occupies + ", which the queue of one worker cannot hold; design '" + design.name +
                       "' needs ready_queue shared, per_core_type, per_dispatcher or sharded" + or_split);
    }
    if (!streams && wide && !runtime.dispatched() && design.fallback == Fallback::kNone &&
        (type == CoreType::kMix || design.gang != Gang::kApart)) {
      throw InputError(named() + " occupies several cores that start together, which workers cannot arrange among themselves; design '" +
                       design.name +
                       "' needs release 'dispatcher', fallback 'run' or 'task', or gang 'apart' for a task that is not 'mix'" + or_split);
    }
    if (!streams && wide && design.gang != Gang::kApart && blocks > found) {
      throw InputError(named() + " needs " + std::to_string(blocks) + " cores of type '" + std::string(to_word(type)) +
                       "' at once; machine '" + machine.name + "' has " + std::to_string(found) + " for tasks under design '" +
                       design.name + "'" + (blocks > 1 ? "; 'split: true' makes a task of each block" : ""));
    }
    if (graph.spawner(task) && has_lists(design) && design.ready_queue == ReadyQueue::kPerWorker) {
      throw InputError(named() + " is spawned during the run, so placement '" + std::string(to_word(design.placement)) +
                       "' cannot freeze it; design '" + design.name + "' needs a dynamic placement or ready_queue 'per_worker_and_shared'");
    }
  }
  check_gangs(graph, machine, design);
}

GraphPart edges_for_events(const TaskGraph& graph, const Design& design) {
  if (graph.has_predicates() || !design.parts.empty()) {
    throw InputError("design '" + design.name + "' takes events as the edges that they stand for, which is not simulated " +
                     (design.parts.empty() ? "of tasks that may not come to be (probability)" : "under parts of a design") +
                     "; state the edges, or choose release 'counters'");
  }
  try {
    return with_edges_for_events(graph);
  } catch (const InputError& wrong) {
    throw InputError("design '" + design.name + "': " + wrong.what());
  }
}

void check_graph(const TaskGraph& graph, const Machine& machine, const Design& stated, const HostProgram* program) {
  const Design design = design_of_run(graph, machine, stated);
  const auto check = [&](const TaskGraph& tasks) {
    check_tasks(tasks, machine, design);
    check_program(tasks, machine, design, program);
  };
  const auto check_placed = [&](const TaskGraph& tasks) {
    if (machine.devices.count() > 1) return check(on_devices(tasks, machine, design).graph);
    if (tasks.devices() > 1 || tasks.has_collectives()) check_devices(tasks, machine);
    check(tasks);
  };
  if (event_count(graph) > 0 && !counts_events(design)) return check_placed(edges_for_events(graph, design).graph);
  check_placed(graph);
}

void check_program(const TaskGraph& graph, const Machine& machine, const Design& design, const HostProgram* program) {
  const bool replays = runtime_of(design).id == RuntimeId::kHostProgram;
  const std::string named = "design '" + design.name + "'";
  if (program == nullptr) {
    if (replays)
      throw InputError(named +
                       ": stream_wait 'program' makes the calls of a host program, but the graph has none; import one from a trace (in "
                       "Python its scenario.simulate(design) has it along), "
                       "or use another stream_wait");
    return;
  }
  std::size_t tasks = 0;
  bool graphs = false;
  for (const HostThread& thread : program->threads) {
    for (const HostCall& call : thread.calls) {
      tasks += call.tasks;
      graphs |= call.graph;
    }
  }
  if (tasks != graph.size() || graph.has_predicates() || graph.has_spawns())
    throw InputError("the host program launches " + std::to_string(tasks) + " tasks, but the graph has " + std::to_string(graph.size()) +
                     (graph.has_predicates() || graph.has_spawns() ? ", some of which may not come to be" : ""));
  if (!replays) return;
  if (static_cast<std::uint32_t>(design.streams) < program->streams)
    throw InputError(named + ": streams is " + std::to_string(design.streams) + ", but the host program uses " +
                     std::to_string(program->streams));
  if (graphs) check_section(machine, "graph_launch", named, " for graphs that the host program launches");
}

}  // namespace tasktwin::sim
