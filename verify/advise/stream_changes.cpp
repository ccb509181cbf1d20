#include <algorithm>
#include <array>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/cost/body_cost.hpp"
#include "models/graph/critical_path.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/advise/trials.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::array kStreamCounts{2, 4, 8, 16};
constexpr double kAsGood = 0.02;  ///< slower by this is no slower

/// With as many hardware queues as the program was seen to have.
Design in_streams(const Trials& trials, StreamGranularity granularity, int streams) {
  Design design = named_design("cuda-streams");
  design.hardware_queues = trials.captured.hardware_queues;
  design.stream_granularity = granularity;
  design.streams = streams;
  return design;
}

/// What the work takes in one stream: what is gained over it is the streams'; the rest is that of calls and waits which designs of streams
/// do not make.
Duration in_one_stream(const Trials& trials, const scenarios::Scenario& needed) {
  Design design = named_design("cuda-streams");
  design.stream_granularity = StreamGranularity::kSingle;
  return predict_makespan(needed, design, trials.seed);
}

/// The same streams, the longest path in those of higher priority; kept where it is worth a row beside those without.
void try_priorities(Trials& trials, const scenarios::Scenario& needed, Proposal urgent, Design design) {
  const Duration without = urgent.makespan;
  design.stream_priorities = StreamPriorities::kCriticalPath;
  urgent.kind = "priorities";
  urgent.what += ", the longest path in streams of higher priority";
  urgent.how = {"CUDA: cudaStreamCreateWithPriority; PyTorch: torch.cuda.Stream(priority=-1)"};
  urgent.plan = {};
  if (trials.propose_schedule(std::move(urgent), needed, design) && gain(without, trials.advice.proposals.back().makespan) < kWorthwhile)
    trials.advice.proposals.pop_back();
}

/// How many are of use: the fewest that are as good as the best.
void try_more_streams(Trials& trials, const scenarios::Scenario& needed, Duration in_one) {
  std::vector<Proposal>& proposals = trials.advice.proposals;
  const auto before = static_cast<std::ptrdiff_t>(proposals.size());
  std::vector<Design> tried;
  for (const int count : kStreamCounts) {
    const Design design = in_streams(trials, StreamGranularity::kListScheduled, count);
    Proposal proposal{.kind = "streams",
                      .what = fmt::format("{} streams, list-scheduled by what tasks need", count),
                      .why = {"events order tasks of different streams that share memory that one of them writes",
                              "assumes that what is made in one stream has memory of its own, as PyTorch gives each stream's tensors",
                              trials.unordered(), trials.uncertain()},
                      .how = {fmt::format("tasktwin rerun --designs streams:{} -o OUT -- PROGRAM", count),
                              "PyTorch: s.wait_stream(torch.cuda.current_stream()); with torch.cuda.stream(s): …; and back",
                              "CUDA: cudaEventRecord on the one stream, cudaStreamWaitEvent on the other"}};
    if (trials.propose_schedule(std::move(proposal), needed, design)) tried.push_back(design);
  }
  if (tried.empty()) return;
  const auto first = proposals.begin() + before;
  const Duration best = std::ranges::min_element(first, proposals.end(), {}, &Proposal::makespan)->makespan;
  const auto fewest = std::find_if(first, proposals.end(), [best](const Proposal& one) {
    return static_cast<double>(to_ns(one.makespan)) <= (1 + kAsGood) * static_cast<double>(to_ns(best));
  });
  const Design design = tried[static_cast<std::size_t>(fewest - first)];
  Proposal kept = std::move(*fewest);
  proposals.erase(first, proposals.end());
  if (gain(in_one, best) < kWorthwhile) return;
  kept.why.push_back(fmt::format("more streams bring no more than {} further", format_percent(kAsGood)));
  proposals.push_back(kept);
  try_priorities(trials, needed, std::move(kept), design);
}

/// Copies that share streams with kernels, in streams of their own by direction, as early as memory allows.
void try_copies(Trials& trials, scenarios::Scenario needed, Duration in_one) {
  std::vector<bool> computes(trials.scenario.program->streams, false);
  for (std::size_t i = 0; i < needed.graph.size(); ++i) {
    if (needed.graph[task_id(i)].operation == Operation::kKernel)
      computes[static_cast<std::size_t>(needed.graph.traits(task_id(i)).stream)] = true;
  }
  std::size_t moved = 0;
  const int streams = static_cast<int>(trials.scenario.program->streams);
  if (streams + 2 > kMaxStreams) return;
  TaskGraphBuilder builder;
  copy_tasks(builder, needed.graph, [&](TaskId, Task& task, TaskTraits& traits) {
    if (!touches_host_memory(task.operation) || !computes[static_cast<std::size_t>(traits.stream)]) return;
    traits.stream = streams + (task.operation == Operation::kCopyH2d ? 0 : 1);
    ++moved;
  });
  if (moved == 0) return;
  copy_edges(builder, needed.graph);
  needed.graph = std::move(builder).build();
  const bool could = trials.propose_schedule(
      {.kind = "copies",
       .what = fmt::format("{} copies in streams of their own, one a direction, ahead of their use", moved),
       .why = {"events order a copy and the kernels that use its memory", "assumes that what is copied next has memory of its own",
               trials.unordered(), trials.uncertain()},
       .how = {"CUDA: cudaMemcpyAsync in a stream for copies, cudaEventRecord there, cudaStreamWaitEvent before the kernel; two buffers "
               "in turn",
               "PyTorch: with torch.cuda.stream(copies): next = batch.to('cuda', non_blocking=True)"}},
      std::move(needed), in_streams(trials, StreamGranularity::kHinted, streams + 2));
  if (could && gain(in_one, trials.advice.proposals.back().makespan) < kWorthwhile) trials.advice.proposals.pop_back();
}

/// Of what may be launched next always that from which the longest way is left.
std::vector<TaskId> longest_first(const scenarios::Scenario& scenario) {
  const TaskGraph& graph = scenario.graph;
  const std::vector<Duration> left = bottom_levels(graph, planned_durations(graph, scenario.machine));
  const auto later = [&left](TaskId a, TaskId b) {
    return left[index(a)] != left[index(b)] ? left[index(a)] < left[index(b)] : index(a) > index(b);
  };
  std::priority_queue<TaskId, std::vector<TaskId>, decltype(later)> ready(later);
  std::vector<std::size_t> awaited(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    awaited[i] = graph.predecessors(task_id(i)).size();
    if (awaited[i] == 0) ready.push(task_id(i));
  }
  std::vector<TaskId> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const TaskId after : graph.successors(order.back())) {
      if (--awaited[index(after)] == 0) ready.push(after);
    }
  }
  return order;
}

/// The program's own streams, with its calls in another order.
void try_order(Trials& trials) {
  const int streams = static_cast<int>(trials.scenario.program->streams);
  if (streams < 2 || streams > kMaxStreams) return;  // in one stream the first launched is the first to run
  const scenarios::Scenario needed = trials.needed();
  PlanFile as_launched;
  try {
    as_launched = plan_file_of(needed, in_streams(trials, StreamGranularity::kHinted, streams));
  } catch (const InputError&) {
    return;  // some task is no launch
  }
  PlanFile reordered = as_launched;
  reordered.from = fmt::format("{}, the longest way first", needed.name);
  std::vector<gpu::rerun::PlannedOperation> by_task(needed.graph.size());
  for (const auto& one : as_launched.plan.operations) by_task[static_cast<std::size_t>(one.operation)] = one;
  reordered.plan.operations.clear();
  for (const TaskId task : longest_first(needed)) reordered.plan.operations.push_back(by_task[index(task)]);
  const auto launched = [&needed](const PlanFile& file) {
    scenarios::Scenario changed = needed;
    changed.graph = planned_graph(needed.graph, file.plan);
    return changed;
  };
  Design design = planned_design(as_launched.plan);
  design.hardware_queues = trials.captured.hardware_queues;
  const bool could = trials.propose_schedule(
      {.kind = "order",
       .what = "the same streams, what most comes behind launched first",
       .why = {"events order tasks of different streams that share memory that one of them writes", trials.unordered(), trials.uncertain()},
       .how = {"launch in the order of the plan's operations"},
       .plan = [reordered] { return reordered; }},
      launched(reordered), design);
  if (!could) return;
  const Duration as_before = predict_makespan(launched(as_launched), design, trials.seed);
  if (gain(as_before, trials.advice.proposals.back().makespan) < kWorthwhile) trials.advice.proposals.pop_back();
}

}  // namespace

void try_streams(Trials& trials) {
  if (!trials.knows_needs() || !trials.host_waits.empty()) return;
  const scenarios::Scenario needed = trials.needed(false);
  const Duration in_one = in_one_stream(trials, needed);
  try_more_streams(trials, needed, in_one);
  try_order(trials);
  try_copies(trials, needed, in_one);
}

}  // namespace tasktwin::verify
