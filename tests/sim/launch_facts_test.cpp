// What launching was measured to cost by programs of others (tests/data/launches), against what is predicted of the same work: nothing was
// fitted to these.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/graph/graph_copy.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/scenario.hpp"
#include "sim/simulator.hpp"

namespace tasktwin::sim {
namespace {

/// The rows behind the header; names of columns are in the files.
std::vector<std::vector<std::string>> rows_of(const std::string& name) {
  std::ifstream file("tests/data/launches/" + name);
  EXPECT_TRUE(file) << name;
  std::vector<std::vector<std::string>> rows;
  std::string line;
  for (std::getline(file, line); std::getline(file, line);) {
    std::vector<std::string>& row = rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(cell);
  }
  return rows;
}

double us(Duration time) { return static_cast<double>(to_ns(time)) / 1e3; }

/// Signed relative errors, and what is said of them.
class Errors {
 public:
  void add(double predicted, double measured) { errors_.push_back(predicted / measured - 1); }
  double median() const {
    std::vector<double> sizes = magnitudes();
    std::ranges::sort(sizes);
    return sizes[sizes.size() / 2];
  }
  double worst() const { return std::ranges::max(magnitudes()); }

 private:
  std::vector<double> magnitudes() const {
    std::vector<double> sizes;
    for (const double error : errors_) sizes.push_back(std::abs(error));
    return sizes;
  }
  std::vector<double> errors_;
};

Timeline timeline_of(const TaskGraph& graph, const Machine& machine, const Design& design) {
  return simulate(graph, machine, design).timeline;
}

// Programmatic launch: a chain of kernels with little and with so much shared memory that two do not fit.

struct ProgrammaticCase {
  std::int64_t prologue_ns;
  std::int64_t kib;
  std::string launch;
  double measured_us;
  bool graph;
};

std::vector<ProgrammaticCase> programmatic_cases(const std::string& file) {
  std::vector<ProgrammaticCase> cases;
  for (const auto& row : rows_of(file))
    cases.push_back({std::stol(row[0]), std::stol(row[1]), row[2], std::stod(row[3]), row[4] == "graph"});
  return cases;
}

Design design_of(const ProgrammaticCase& of) {
  Design design = named_design(of.graph ? "cuda-graph" : "cuda-streams");
  if (!of.graph) design.streams = 1;
  if (of.launch == "plain") return design;
  design.programmatic_launch = ProgrammaticLaunch::kOn;
  if (of.launch == "end") design.programmatic_trigger = ProgrammaticTrigger::kEnd;
  return design;
}

/// The whole chain, the first one's prologue with it, by kernel.
double kernel_us(const TaskGraph& chain, const Machine& machine, const ProgrammaticCase& of) {
  TaskGraphBuilder builder;
  copy_tasks(builder, chain, [&of](TaskId, Task&, TaskTraits& traits) {
    traits.prologue = Duration{of.prologue_ns};
    traits.shared_memory = of.kib * 1024;
  });
  copy_edges(builder, chain);
  const Timeline timeline = timeline_of(std::move(builder).build(), machine, design_of(of));
  return us(timeline.tasks.back().ended - timeline.tasks.front().received) / static_cast<double>(chain.size());
}

void expect_near(const std::string& file, const std::string& machine, std::size_t rows, double worst, double median) {
  const TaskGraph chain = scenarios::load_scenario("programmatic-prologue").graph;
  const Machine predicted_on = scenarios::load_machine(machine);
  const std::vector<ProgrammaticCase> cases = programmatic_cases(file);
  ASSERT_EQ(cases.size(), rows);
  Errors errors;
  for (const ProgrammaticCase& of : cases) {
    const double predicted = kernel_us(chain, predicted_on, of);
    errors.add(predicted, of.measured_us);
    EXPECT_NEAR(predicted / of.measured_us, 1, worst)
        << of.prologue_ns << " ns, " << of.kib << " KiB, " << of.launch << (of.graph ? ", in a graph" : ", in a stream");
  }
  EXPECT_LT(errors.median(), median);
}

TEST(LaunchFacts, ProloguesUnderProgrammaticLaunchTakeWhatAnH100Takes) {
  expect_near("programmatic-h100.csv", "nvidia-h100", 54, 0.03, 0.02);
}

TEST(LaunchFacts, ProloguesUnderProgrammaticLaunchTakeWhatAnH200Takes) {
  expect_near("programmatic-h200.csv", "nvidia-h200", 96, 0.03, 0.02);
}

// Chains of 240 empty kernels, by the gaps of such kernels and the time a block that another H200 had.

/// In ns.
double chained_ns(const Machine& machine, const char* named, int blocks) {
  constexpr int kLength = 240;
  TaskGraphBuilder builder;
  for (int i = 0; i < kLength; ++i) {
    Task task{.kernel = Kernel::kEmpty};
    task.traits = builder.add_traits({.blocks = blocks, .threads = 128});
    builder.add_task("k" + std::to_string(i), task);
    if (i > 0) builder.add_edge(task_id(static_cast<std::size_t>(i) - 1), task_id(static_cast<std::size_t>(i)));
  }
  Design design = named_design(named);
  if (design.driver == Driver::kStreams) design.streams = 1;
  const Timeline timeline = timeline_of(std::move(builder).build(), machine, design);
  return 1e3 * us(timeline.tasks.back().ended - timeline.tasks[kLength / 2].ended) / (kLength / 2 - 1);
}

TEST(LaunchFacts, EmptyKernelsTakeByBlocksWhatAnH200Takes) {
  Machine machine = scenarios::load_machine("nvidia-h200");
  machine.kernels[static_cast<std::size_t>(Kernel::kEmpty)] = {};
  machine.launched_kernels->body = Nanoseconds{0};
  machine.launched_kernels->per_block = Nanoseconds{0.601};
  machine.graph_launch->gap = Nanoseconds{496};
  machine.streams->gap = Nanoseconds{1416};
  machine.host_calls->launch = Nanoseconds{0};
  Errors graphs;
  Errors streams;
  for (const auto& row : rows_of("kernel-gaps-h200.csv")) {
    if (row.back() == "0") continue;  // it does something
    const int blocks = std::stoi(row[1]);
    graphs.add(chained_ns(machine, "cuda-graph", blocks), 1e3 * std::stod(row[2]));
    streams.add(chained_ns(machine, "cuda-streams", blocks), 1e3 * std::stod(row[3]));
  }
  EXPECT_LT(streams.worst(), 0.05);
  EXPECT_LT(graphs.median(), 0.05);
  EXPECT_LT(graphs.worst(), 0.11) << "of one block with 1024 threads; this card has 0.51 to 0.53 us where the other had 0.50";
}

// Graphs of groups: some roots, nodes behind all or one of them, and as many leaves behind all or one of those.

struct Groups {
  int count;
  int roots;
  int width;
  bool one_first;
  bool all;
  bool by_layer;
};

class GroupGraph {
 public:
  explicit GroupGraph(const Groups& of) : of_(of), roots_(of.count), middles_(of.count), leaves_(of.count) {
    if (of.one_first) first_.push_back(add(1000, {}));
    for (std::size_t group = 0; group < roots_.size(); ++group) {
      add_roots(group);
      if (!of.by_layer) add_rest(group);
    }
    for (std::size_t group = 0; of.by_layer && group < roots_.size(); ++group) add_rest(group);
    graph = std::move(builder_).build();
  }

  /// The waits behind the last predecessor of middles (0) or leaves (1), ascending; in us.
  std::vector<double> waits(const Timeline& timeline, int layer) const {
    const auto& nodes = layer == 0 ? middles_ : leaves_;
    std::vector<double> waits;
    for (const auto& group : nodes) {
      for (const TaskId node : group) {
        TimePoint ended{};
        for (const TaskId before : graph.predecessors(node)) ended = std::max(ended, timeline.tasks[index(before)].ended);
        waits.push_back(us(timeline.tasks[index(node)].started - ended));
      }
    }
    std::ranges::sort(waits);
    return waits;
  }

  /// From the first root's start on.
  double span(const Timeline& timeline) const {
    TimePoint begin = TimePoint::max();
    for (const auto& group : roots_) {
      for (const TaskId root : group) begin = std::min(begin, timeline.tasks[index(root)].started);
    }
    return us(TimePoint{timeline.makespan()} - begin);
  }

  TaskGraph graph;

 private:
  TaskId add(std::int64_t ns, const std::vector<TaskId>& after) {
    const TaskId task = builder_.add_task("t" + std::to_string(builder_.size()), {.cost = {.time = Duration{ns}}});
    for (const TaskId before : after) builder_.add_edge(before, task);
    return task;
  }
  void add_roots(std::size_t group) {
    for (int i = 0; i < of_.roots; ++i) roots_[group].push_back(add(6600, first_));
  }
  void add_layer(const std::vector<TaskId>& before, std::vector<TaskId>& nodes, std::int64_t ns) {
    for (int i = 0; i < of_.width; ++i) {
      nodes.push_back(add(ns, of_.all ? before : std::vector{before[static_cast<std::size_t>(i) % before.size()]}));
    }
  }
  void add_rest(std::size_t group) {
    add_layer(roots_[group], middles_[group], 19000);
    add_layer(middles_[group], leaves_[group], 6500);
  }

  Groups of_;
  TaskGraphBuilder builder_;
  std::vector<TaskId> first_;
  std::vector<std::vector<TaskId>> roots_;
  std::vector<std::vector<TaskId>> middles_;
  std::vector<std::vector<TaskId>> leaves_;
};

/// The shipped H200 with kernels that only spin (graph_launch.gap_ns less launched_kernels.around_ns of graphs, measured apart: 584 ns), on
/// a host that hands over a root each so long and takes nothing for other nodes, as was seen of kernels with few arguments.
Machine spinning(double root_us) {
  Machine machine = scenarios::load_machine("nvidia-h200");
  machine.launched_kernels->body = Nanoseconds{0};
  mechanism::GraphLaunch& times = *machine.graph_launch;
  times.gap = Nanoseconds{584};
  times.per_root = Nanoseconds{root_us * 1e3};
  times.root_growth = times.per_inner = times.inner_growth = times.between = times.per_edge = Nanoseconds{0};
  return machine;
}

TEST(LaunchFacts, GroupsInGraphsTakeWhatAnH200Takes) {
  Errors spans;
  int waits = 0;
  int near = 0;
  for (const auto& row : rows_of("graph-groups-h200.csv")) {
    const GroupGraph made(
        {std::stoi(row[0]), std::stoi(row[1]), std::stoi(row[2]), row[3] == "one_node", row[4] == "all", row[5] == "by_layer"});
    const Timeline timeline = timeline_of(made.graph, spinning(std::stod(row[7])), named_design("cuda-graph"));
    spans.add(made.span(timeline), std::stod(row[6]));
    for (const int layer : {0, 1}) {
      const std::vector<double> seen = made.waits(timeline, layer);
      const std::array predicted{seen[seen.size() / 2], seen.back()};
      for (std::size_t i = 0; i < predicted.size(); ++i) {
        const double measured = std::stod(row[8 + 2 * static_cast<std::size_t>(layer) + i]);
        ++waits;
        near += std::abs(predicted[i] - measured) <= std::max(1.0, measured / 4) ? 1 : 0;
      }
    }
  }
  EXPECT_LT(spans.median(), 0.01);
  EXPECT_LT(spans.worst(), 0.08) << "the shipped file's service_ns is another card's: 162 ns, 180 here";
  EXPECT_EQ(waits, 120);
  EXPECT_GE(near, 111) << "within a quarter or 1 us";
}

}  // namespace
}  // namespace tasktwin::sim
