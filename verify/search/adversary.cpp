#include "verify/search/adversary.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/load/assemble.hpp"
#include "verify/output/text/json.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/predict/run_bounds.hpp"
#include "verify/predict/run_statistics.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::int64_t kShortest = 500;
constexpr std::int64_t kLongest = 50'000;
constexpr std::int64_t kStep = 100;  ///< times are multiples of it
constexpr std::size_t kParents = 8;
constexpr std::size_t kChildren = 48;

std::int64_t rounded(double ns) {
  return std::clamp(static_cast<std::int64_t>(std::llround(ns / static_cast<double>(kStep))) * kStep, kShortest, kLongest);
}

std::size_t drawn(Random& random, std::size_t below) {
  return static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(below) - 1));
}

/// Uniform on a logarithmic scale.
std::int64_t drawn_time(Random& random, double low, double high) { return rounded(low * std::pow(high / low, random.uniform())); }

void tidy(DrawnGraph& graph) {
  std::ranges::sort(graph.edges);
  graph.edges.erase(std::unique(graph.edges.begin(), graph.edges.end()), graph.edges.end());
}

/// Some tasks of a stretch, or all of them, stream, and no longer do so.
void change_streaming(DrawnGraph& graph, Random& random) {
  const std::size_t first = drawn(random, graph.tasks.size());
  const std::size_t count = random.uniform() < 0.3 ? 1 : 1 + drawn(random, graph.tasks.size() - first);
  const bool streams = random.uniform() < 0.5;
  const double share = random.uniform() < 0.5 ? 1 : 0.5;
  for (std::size_t i = first; i < first + count; ++i) {
    if (random.uniform() < share) graph.tasks[i].streams = streams;
  }
}

/// Layers of equal width, each task after some of the layer before, or after all of it. Width 1 is a chain, layers as wide as the graph
/// have no edges.
DrawnGraph layers(Random& random, std::size_t most) {
  DrawnGraph graph;
  const std::size_t tasks = std::max<std::size_t>(8, drawn(random, most) + 1);
  const std::size_t width = random.uniform() < 0.15 ? tasks : 1 + drawn(random, std::max<std::size_t>(1, tasks / 2));
  const std::size_t predecessors = 1 + drawn(random, std::min<std::size_t>(width, 6));
  const bool all = random.uniform() < 0.2;
  const double low = static_cast<double>(drawn_time(random, kShortest, 8000));
  const double high = std::min<double>(kLongest, low * (1 + 9 * random.uniform()));
  for (std::uint32_t task = 0; task < tasks; ++task) {
    graph.tasks.push_back({drawn_time(random, low, high)});
    const std::size_t layer = task / width;
    for (std::size_t i = 0; layer > 0 && i < (all ? width : predecessors); ++i)
      graph.edges.emplace_back(static_cast<std::uint32_t>((layer - 1) * width + (all ? i : drawn(random, width))), task);
  }
  tidy(graph);
  return graph;
}

/// Tasks that fork into chains, which join: long and short ones.
DrawnGraph forks(Random& random, std::size_t most) {
  DrawnGraph graph;
  const std::size_t length = 1 + drawn(random, 4);
  const std::size_t width = 2 + drawn(random, std::max<std::size_t>(1, most / length / 2));
  const std::int64_t body = drawn_time(random, kShortest, 10'000);
  const auto add = [&graph](std::int64_t time) {
    graph.tasks.push_back({time});
    return static_cast<std::uint32_t>(graph.tasks.size() - 1);
  };
  std::uint32_t joint = add(kShortest);
  while (graph.tasks.size() + width * length + 1 <= most) {
    std::vector<std::uint32_t> ends;
    for (std::size_t chain = 0; chain < width; ++chain) {
      std::uint32_t before = joint;
      for (std::size_t link = 0; link < length; ++link) {
        const std::uint32_t task = add(random.uniform() < 0.2 ? rounded(3.0 * static_cast<double>(body)) : body);
        graph.edges.emplace_back(before, task);
        before = task;
      }
      ends.push_back(before);
    }
    joint = add(kShortest);
    for (const std::uint32_t end : ends) graph.edges.emplace_back(end, joint);
  }
  tidy(graph);
  return graph;
}

DrawnGraph drawn_graph(Random& random, const AdversarySettings& settings, bool may_stream) {
  DrawnGraph graph = random.uniform() < 0.5 ? layers(random, settings.most_tasks) : forks(random, settings.most_tasks);
  if (may_stream && random.uniform() < 0.5) change_streaming(graph, random);
  return graph;
}

/// Contract: a graph of two tasks at least.
void edit_times(DrawnGraph& graph, Random& random) {
  const std::size_t first = drawn(random, graph.tasks.size());
  const std::size_t count = random.uniform() < 0.5 ? 1 : 1 + drawn(random, graph.tasks.size() - first);
  const double factor = std::exp(1.4 * random.normal());
  for (std::size_t i = first; i < first + count; ++i)
    graph.tasks[i].time_ns = rounded(factor * static_cast<double>(graph.tasks[i].time_ns));
}

void add_edge(DrawnGraph& graph, Random& random) {
  const std::size_t to = 1 + drawn(random, graph.tasks.size() - 1);
  graph.edges.emplace_back(static_cast<std::uint32_t>(drawn(random, to)), static_cast<std::uint32_t>(to));
}

void remove_edges(DrawnGraph& graph, Random& random) {
  const double share = random.uniform() < 0.7 ? 0.02 : 0.3;
  std::erase_if(graph.edges, [&](const auto&) { return random.uniform() < share; });
}

/// A copy of a task, with the same predecessors and successors.
void add_task(DrawnGraph& graph, Random& random) {
  const auto like = static_cast<std::uint32_t>(drawn(random, graph.tasks.size()));
  graph.tasks.insert(graph.tasks.begin() + like, DrawnTask(graph.tasks[like]));
  const auto moved = [like](std::uint32_t task) { return task >= like ? task + 1 : task; };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const auto& [from, to] : graph.edges) {
    edges.emplace_back(moved(from), moved(to));
    if (from == like) edges.emplace_back(like, moved(to));
    if (to == like) edges.emplace_back(moved(from), like);
  }
  graph.edges = std::move(edges);
}

void remove_task(DrawnGraph& graph, Random& random) {
  const auto gone = static_cast<std::uint32_t>(drawn(random, graph.tasks.size()));
  graph.tasks.erase(graph.tasks.begin() + gone);
  std::erase_if(graph.edges, [gone](const auto& edge) { return edge.first == gone || edge.second == gone; });
  for (auto& [from, to] : graph.edges) {
    from -= from > gone;
    to -= to > gone;
  }
}

/// One task before all of a stretch, or after it.
void gather(DrawnGraph& graph, Random& random) {
  const std::size_t tasks = graph.tasks.size();
  const std::size_t first = drawn(random, tasks - 1);
  const std::size_t last = first + 1 + drawn(random, tasks - 1 - first);
  const bool forks_out = random.uniform() < 0.5;
  for (std::size_t i = first; i <= last; ++i) {
    const std::size_t joint = forks_out ? first : last;
    if (i != joint)
      graph.edges.emplace_back(static_cast<std::uint32_t>(std::min(i, joint)), static_cast<std::uint32_t>(std::max(i, joint)));
  }
}

DrawnGraph edited(DrawnGraph graph, Random& random, const AdversarySettings& settings, bool may_stream) {
  for (std::size_t edits = 1 + drawn(random, 4); edits > 0; --edits) {
    switch (drawn(random, may_stream ? 9 : 8)) {
      case 0:
      case 1:
      case 2:
        edit_times(graph, random);
        break;
      case 3:
        add_edge(graph, random);
        break;
      case 4:
        remove_edges(graph, random);
        break;
      case 5:
        if (graph.tasks.size() < settings.most_tasks) add_task(graph, random);
        break;
      case 6:
        if (graph.tasks.size() > 2) remove_task(graph, random);
        break;
      case 7:
        gather(graph, random);
        break;
      default:
        change_streaming(graph, random);
    }
  }
  tidy(graph);
  return graph;
}

struct Individual {
  DrawnGraph graph;
  double loss = 0;
};

}  // namespace

std::int64_t DrawnTask::bytes(double bytes_per_ns) const {
  constexpr std::int64_t kPiece = 4096;
  const auto pieces = static_cast<std::int64_t>(std::llround(static_cast<double>(time_ns) * bytes_per_ns / static_cast<double>(kPiece)));
  return streams ? std::max<std::int64_t>(1, pieces) * kPiece : 0;
}

TaskGraph DrawnGraph::build(double bytes_per_ns) const {
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Task task;
    if (tasks[i].streams) {
      task.kernel = Kernel::kStream;
      task.cost.bytes = Bytes{tasks[i].bytes(bytes_per_ns)};
    } else {
      task.cost.time = Duration{tasks[i].time_ns};
    }
    builder.add_task(fmt::format("t{}", i), task);
  }
  for (const auto& [from, to] : edges) builder.add_edge(TaskId{from}, TaskId{to});
  return std::move(builder).build();
}

std::string DrawnGraph::to_yaml(double bytes_per_ns) const {
  std::vector<std::string> after(tasks.size());
  for (const auto& [from, to] : edges) after[to] += fmt::format("{}t{}", after[to].empty() ? "" : ", ", from);
  std::string text;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::string body = tasks[i].streams ? fmt::format("kernel: stream, bytes: {}", tasks[i].bytes(bytes_per_ns))
                                              : fmt::format("time_ns: {}", tasks[i].time_ns);
    text += fmt::format("  - {{name: t{}, {}{}}}\n", i, body, after[i].empty() ? "" : ", after: [" + after[i] + "]");
  }
  return text;
}

Adversary::Adversary(const scenarios::Scenario& scenario, Design a, Design b, const AdversarySettings& settings)
    : scenario_(scenarios::assemble("adverse", DrawnGraph{{{kShortest}}, {}}.build(0), scenario.machine, {a, b}, scenario.seed)),
      a_(std::move(a)),
      b_(std::move(b)),
      settings_(settings),
      bytes_per_ns_(scenario.machine.memory && scenario.machine.memory->bandwidth > 0 ? scenario.machine.memory->core_bandwidth : 0) {}

double Adversary::loss(const DrawnGraph& graph) const {
  scenarios::Scenario scenario = scenario_;
  scenario.graph = graph.build(bytes_per_ns_);
  const auto ns = [&](const Design& design) { return static_cast<double>(to_ns(predict_makespan(scenario, design, scenario.seed))); };
  return ns(a_) / std::max(1.0, ns(b_)) - 1;
}

std::string Adversary::serve(std::string_view request) const {
  const Json json = Json::from_cbor(request);
  DrawnGraph graph{{}, json[1].get<std::vector<std::pair<std::uint32_t, std::uint32_t>>>()};
  for (const Json& task : json[0]) graph.tasks.push_back({task[0].get<std::int64_t>(), task[1].get<bool>()});
  return to_bytes(Json(loss(graph)));
}

Adverse Adversary::run(Pool& pool, Progress& progress) const {
  std::vector<Individual> parents;
  progress.expect(settings_.budget);
  std::uint64_t spent = 0;
  const bool may_stream = bytes_per_ns_ > 0;
  for (std::uint64_t generation = 0; spent < settings_.budget; ++generation) {
    std::vector<Individual> children(std::min<std::uint64_t>(kChildren, settings_.budget - spent));
    for (std::size_t i = 0; i < children.size(); ++i) {
      Random random(mix(settings_.seed) ^ (generation * kChildren + i));
      const bool fresh = generation < 4 || i % 12 == 0;
      children[i].graph = fresh ? drawn_graph(random, settings_, may_stream)
                                : edited(parents[drawn(random, parents.size())].graph, random, settings_, may_stream);
    }
    pool.ask(
        children.size(),
        [&](std::size_t i) {
          Json tasks = Json::array();
          for (const DrawnTask& task : children[i].graph.tasks) tasks.push_back(Json::array({task.time_ns, task.streams}));
          return to_bytes(Json::array({std::move(tasks), children[i].graph.edges}));
        },
        [&](std::size_t i, const std::string& answer) {
          progress.show("looking for a graph");
          progress.advance();
          children[i].loss = Json::from_cbor(answer).get<double>();
        });
    spent += children.size();
    std::ranges::move(children, std::back_inserter(parents));
    std::ranges::stable_sort(parents, std::greater{}, &Individual::loss);
    parents.resize(std::min(parents.size(), kParents));
  }
  progress.clear();
  return judged(parents.front().graph);
}

Adverse Adversary::judged(DrawnGraph graph) const {
  scenarios::Scenario scenario = scenario_;
  scenario.graph = graph.build(bytes_per_ns_);
  const auto mean = [&](const Design& design) {
    const bool random = !random_parts(scenario.graph, scenario.machine, design).empty();
    double sum = 0;
    const std::uint64_t runs = random ? kChanceRuns : 1;
    for (std::uint64_t run = 0; run < runs; ++run)
      sum += static_cast<double>(to_ns(predict_makespan(scenario, design, scenario.seed + run)));
    return sum / static_cast<double>(runs);
  };
  Adverse found{std::move(graph), bytes_per_ns_};
  found.a_ns = mean(a_);
  found.b_ns = mean(b_);
  found.loss = found.a_ns / std::max(1.0, found.b_ns) - 1;
  found.bound_ns = static_cast<double>(to_ns(bounds_of(scenario, a_, scenario.seed).highest()));
  return found;
}

std::string adverse_scenario(const Adverse& found, const std::string& machine, const std::string& a, const std::string& b) {
  return fmt::format(
      "scenario: adverse\ndescription: a graph on which {} loses against {}\nmachine: {}\ngraph:\n  tasks:\n{}designs: [{}, {}]\n", a, b,
      machine, found.graph.to_yaml(found.bytes_per_ns), a, b);
}

}  // namespace tasktwin::verify
