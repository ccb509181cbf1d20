// What a thread of the host decides as a dispatcher, held against the simulator's on the same graph: without a GPU and without threads.
// Where dispatching takes no time, the simulator's completions are told to the thread in their order, and each task must have been handed
// over, to the same cores, by the moment at which the simulator did it.
#include "gpu/host_dispatcher/host_rounds.hpp"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "models/base/random.hpp"
#include "models/cost/body_cost.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin::gpu {
namespace {

constexpr int kCores = 5;

/// Every constant zero.
Machine plain_machine() {
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kSm, kCores}};
  machine.control_cores.count = 1;
  return machine;
}

/// A block on a core.
struct Run {
  TaskId task;
  CoreId core;
  TimePoint started;
  TimePoint published;
};

std::vector<Run> runs_of(const TaskGraph& graph, const Timeline& timeline) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskTimes& times = timeline.tasks[i];
    if (graph.traits(task_id(i)).blocks == 1) runs.push_back({task_id(i), times.core, times.started, times.published});
  }
  for (const BlockTimes& block : timeline.blocks) runs.push_back({block.task, block.core, block.started, block.published});
  std::ranges::sort(runs, {}, [](const Run& run) { return std::pair(run.published, run.core); });
  return runs;
}

/// The one thread of the host, whose workers end their tasks when they are told to.
class HostTwin {
 public:
  HostTwin(const TaskGraph& graph, const Design& design, std::span<const Duration> durations)
      : entries_(std::size_t{kCores} * kHostMailboxEntries),
        completions_(kHostCompletionWords),
        rounds_(graph, design, {}, kCores, 1, durations, {entries_.data(), completions_.data()}),
        read_(kCores),
        blocks_(graph.size()),
        handed_over_(graph.size(), kAbsent) {
    rounds_.reset();
    rounds_.note(HostNotes::kRounds);
    thread_ = rounds_.make_thread(0);
  }

  /// Rounds until there is nothing left to do.
  void run(TimePoint now) {
    while (rounds_.run(thread_)) {
    }
    for (std::size_t core = 0; core < kCores; ++core) {
      for (; entry(core, read_[core]) >> 32 == read_[core] + 1; ++read_[core]) {
        const auto task = static_cast<std::uint32_t>(entry(core, read_[core]));
        tasks_[core].push_back(task_id(task));
        if (blocks_[task]++ == 0) handed_over_[task] = now;
      }
    }
  }

  /// The first that the core has and has not ended; nothing if there is none.
  std::optional<TaskId> running(CoreId core) const {
    const std::uint32_t ended = completions_[host_completion_word(static_cast<std::uint32_t>(index(core)))];
    const auto tasks = tasks_.find(index(core));
    return tasks != tasks_.end() && ended < tasks->second.size() ? std::optional(tasks->second[ended]) : std::nullopt;
  }
  void end_first(CoreId core) { ++completions_[host_completion_word(static_cast<std::uint32_t>(index(core)))]; }

  int claims() const {
    int claims = 0;
    for (const HostRound& round : thread_.rounds) claims += round.claims;
    return claims;
  }
  int blocks(TaskId task) const { return blocks_[index(task)]; }
  /// The first block of it, as of all tasks whose blocks start apart.
  TimePoint handed_over(TaskId task) const { return handed_over_[index(task)]; }

 private:
  std::uint64_t entry(std::size_t core, std::uint32_t n) const { return entries_[core * kHostMailboxEntries + n % kHostMailboxEntries]; }

  std::vector<std::uint64_t> entries_;
  std::vector<std::uint32_t> completions_;
  HostRounds rounds_;
  HostRounds::Thread thread_;
  std::vector<std::uint32_t> read_;  ///< by core: entries
  std::map<std::size_t, std::vector<TaskId>> tasks_;
  std::vector<int> blocks_;
  std::vector<TimePoint> handed_over_;
};

/// The first difference; nothing if both decide alike.
std::string difference(const TaskGraph& graph, const Design& design) {
  const Machine machine = plain_machine();
  const Timeline simulated = sim::simulate(graph, machine, design).timeline;
  const std::vector<Duration> durations = expected_durations(graph, machine);
  HostTwin host(graph, design, durations);
  host.run(TimePoint{});
  const std::vector<Run> runs = runs_of(graph, simulated);
  for (std::size_t i = 0; i < runs.size();) {
    const TimePoint now = runs[i].published;
    for (; i < runs.size() && runs[i].published == now; ++i) {
      const std::string name(graph.name(runs[i].task));
      if (host.running(runs[i].core) != runs[i].task)
        return name + " is not what core " + std::to_string(index(runs[i].core)) + " runs until " + std::to_string(to_ns(now));
      host.end_first(runs[i].core);
    }
    host.run(now);
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const std::string name(graph.name(task_id(i)));
    if (host.blocks(task_id(i)) != graph.traits(task_id(i)).blocks)
      return name + ": " + std::to_string(host.blocks(task_id(i))) + " blocks";
    if (host.handed_over(task_id(i)) != simulated.tasks[i].dispatched)
      return name + ": handed over at " + std::to_string(to_ns(host.handed_over(task_id(i)))) + ", simulated at " +
             std::to_string(to_ns(simulated.tasks[i].dispatched));
  }
  return "";
}

Design host_dispatcher(int depth) {
  Design design = named_design("host-dispatcher");
  design.dispatchers = 1;
  design.mailbox_depth = depth;
  design.gang = Gang::kApart;
  return design;
}

/// Tasks of 1 to `most_blocks` blocks, each after up to two of the eight before it; no two take the same time.
TaskGraph random_graph(std::uint64_t seed, int most_blocks) {
  Random random(seed);
  TaskGraphBuilder builder;
  const std::int64_t size = random.between(1, 60);
  for (std::int64_t i = 0; i < size; ++i) {
    Task task;
    task.cost.time = Duration{random.between(1, 100'000) * 64 + i};
    task.traits = builder.add_traits({.blocks = static_cast<int>(random.between(1, most_blocks))});
    const TaskId id = builder.add_task("t" + std::to_string(i), task);
    for (std::int64_t before = random.between(0, 2); before > 0 && i > 0; --before)
      builder.add_edge(task_id(static_cast<std::size_t>(random.between(std::max<std::int64_t>(0, i - 8), i - 1))), id);
  }
  return std::move(builder).build();
}

TEST(HostRounds, DecideAsTheSimulatorDoesWithTasksOfSeveralBlocksApartUnderNotInTail) {
  // Three tasks of five blocks on five cores: five run, five more go ahead, and the last five wait for idle cores, in both.
  TaskGraphBuilder builder;
  for (int i = 0; i < 3; ++i)
    builder.add_task("w" + std::to_string(i), {.cost = {.time = Duration{10}}, .traits = builder.add_traits({.blocks = 5})});
  const TaskGraph graph = std::move(builder).build();
  Design design = host_dispatcher(3);
  design.fill = Fill::kNotInTail;
  const Timeline simulated = sim::simulate(graph, plain_machine(), design).timeline;
  EXPECT_EQ(to_ns(simulated.tasks[1].dispatched), 0);
  EXPECT_EQ(to_ns(simulated.tasks[2].dispatched), 20);
  EXPECT_EQ(difference(graph, design), "");
}

Design random_design(std::uint64_t seed) {
  Random random(mix(seed));
  Design design = host_dispatcher(static_cast<int>(random.between(1, 4)));
  const auto any_of = [&random](const auto& entries) { return entries[static_cast<std::size_t>(random.next() % entries.size())].first; };
  design.fill = any_of(Words<Fill>::entries);
  design.claim = any_of(Words<Claim>::entries);
  if (design.claim != Claim::kAll) design.claim_size = static_cast<int>(random.between(1, 4));
  design.loop = any_of(Words<Loop>::entries);
  design.sweep = any_of(Words<Sweep>::entries);
  design.order = std::array{TaskOrder::kFifo, TaskOrder::kLifo, TaskOrder::kLongest, TaskOrder::kShortest}[random.next() % 4];
  design.placement = random.next() % 2 == 0 ? Placement::kAnyIdle : Placement::kLeastLoaded;
  return design;
}

std::string words(const Design& design) {
  const auto word = [](auto axis) { return std::string(to_word(axis)) + ", "; };
  return word(design.fill) + word(design.claim) + std::to_string(design.claim_size) + ", " + word(design.order) + word(design.loop) +
         word(design.placement) + "depth " + std::to_string(design.mailbox_depth);
}

TEST(HostRounds, DecideAsTheSimulatorDoesUnderEachFillClaimOrderAndLoop) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const TaskGraph graph = random_graph(seed, 1 + static_cast<int>(seed % 6));
    const Design design = random_design(seed);
    ASSERT_EQ(difference(graph, design), "") << "seed " << seed << ": " << words(design);
  }
}

TEST(HostRounds, ClaimWhatIsReadyAtFirstInAsManyOperationsAsTheSimulatorDoes) {
  Machine machine = plain_machine();
  machine.host_control->hand_over = Nanoseconds{1};  // so that each claim is handed over at a time of its own, before any task ends
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const TaskGraph graph = random_graph(seed, 1);
    const Design design = random_design(seed);
    const Timeline simulated = sim::simulate(graph, machine, design).timeline;
    TimePoint first_end = TimePoint::max();
    for (const TaskTimes& task : simulated.tasks) first_end = std::min(first_end, task.published);
    std::set<TimePoint> claims;
    for (const TaskTimes& task : simulated.tasks) {
      if (task.dispatched < first_end) claims.insert(task.dispatched);
    }
    HostTwin host(graph, design, expected_durations(graph, machine));
    host.run(TimePoint{});
    ASSERT_EQ(host.claims(), static_cast<int>(claims.size())) << "seed " << seed << ": " << words(design);
  }
}

}  // namespace
}  // namespace tasktwin::gpu
