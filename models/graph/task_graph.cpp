#include "models/graph/task_graph.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>

#include "models/graph/cycle.hpp"

namespace tasktwin {

namespace {

/// Row i holds what `entries` give for it, ascending, each once. `entries(visit)` calls visit(row, target) for each entry, twice the same.
template <class Entries>
EdgeRows rows_of(std::size_t rows, Entries entries) {
  EdgeRows all;
  all.offsets.assign(rows + 1, 0);
  entries([&all](std::uint32_t row, std::uint32_t) { ++all.offsets[row + 1]; });
  std::partial_sum(all.offsets.begin(), all.offsets.end(), all.offsets.begin());
  all.targets.resize(all.offsets.back());
  std::vector<std::uint32_t> next(all.offsets.begin(), all.offsets.end() - 1);
  entries([&](std::uint32_t row, std::uint32_t target) { all.targets[next[row]++] = target; });
  std::uint32_t kept = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto begin = all.targets.begin() + all.offsets[row];
    const auto end = all.targets.begin() + all.offsets[row + 1];
    if (!std::is_sorted(begin, end)) std::sort(begin, end);
    all.offsets[row] = kept;
    const auto last = std::unique(begin, end);
    for (auto target = begin; target != last; ++target) all.targets[kept++] = *target;
  }
  all.offsets[rows] = kept;
  all.targets.resize(kept);
  return all;
}

/// Whether every edge goes to a higher id: the lowest of the ready is then always the next.
bool follow_ids(const TaskGraph& graph) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto before = graph.predecessors(task_id(i));
    if (!before.empty() && before.back() >= task_id(i)) return false;
  }
  return true;
}

/// Kahn's algorithm; shorter than the graph if there is a cycle.
std::vector<TaskId> kahn_order(const TaskGraph& graph) {
  std::vector<TaskId> order;
  order.reserve(graph.size());
  if (follow_ids(graph)) {
    for (std::size_t i = 0; i < graph.size(); ++i) order.push_back(task_id(i));
    return order;
  }
  std::vector<std::uint32_t> waiting(graph.size());
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    waiting[i] = static_cast<std::uint32_t>(graph.in_degree(task_id(i)));
    if (waiting[i] == 0) ready.push(static_cast<std::uint32_t>(i));
  }
  while (!ready.empty()) {
    const TaskId task{ready.top()};
    ready.pop();
    order.push_back(task);
    for (const TaskId successor : graph.successors(task)) {
      if (--waiting[index(successor)] == 0) ready.push(static_cast<std::uint32_t>(successor));
    }
  }
  return order;
}

constexpr std::size_t kMostCycleNames = 20;
constexpr std::uint32_t kNoSpawner = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kNoDraw = std::numeric_limits<std::uint32_t>::max();

/// Some cycle of a graph that has one, each task after the one that it waits for: the first back edge of a depth-first search closes it,
/// and the search tree leads up from that edge's source to its target.
std::vector<TaskId> cycle_of(std::span<const std::pair<std::uint32_t, std::uint32_t>> edges, std::size_t tasks) {
  struct BackEdge {
    std::size_t source;
    std::size_t target;
  };
  using Adjacency = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  const Adjacency graph(edges.begin(), edges.end(), tasks);
  std::vector<std::size_t> parent(tasks);
  struct Visitor : boost::default_dfs_visitor {
    explicit Visitor(std::vector<std::size_t>& tree) : parents(tree) {}
    void tree_edge(Adjacency::edge_descriptor edge, const Adjacency&) { parents[edge.m_target] = edge.m_source; }
    void back_edge(Adjacency::edge_descriptor edge, const Adjacency&) { throw BackEdge{edge.m_source, edge.m_target}; }
    std::vector<std::size_t>& parents;
  };
  std::vector<TaskId> path;
  try {
    boost::depth_first_search(graph, boost::visitor(Visitor(parent)));
  } catch (const BackEdge& found) {
    for (std::size_t at = found.source; at != found.target; at = parent[at]) path.push_back(task_id(at));
    path.push_back(task_id(found.target));
    std::ranges::reverse(path);
  }
  return path;
}

[[noreturn]] void refuse_cycle(const TaskGraph& graph, std::vector<TaskId> cycle) {
  std::string text;
  for (std::size_t i = 0; i <= cycle.size(); ++i) {
    if (i == kMostCycleNames && cycle.size() > kMostCycleNames + 1) {
      text += " -> … (" + std::to_string(cycle.size() - kMostCycleNames) + " more)";
      i = cycle.size();
    }
    text += (i > 0 ? " -> " : "") + std::string(graph.name(cycle[i % cycle.size()]));
  }
  throw CycleError("the tasks wait for each other in a cycle: " + text, std::move(cycle));
}

}  // namespace

std::string_view TaskGraph::buffer_name(std::int32_t number) const {
  const auto place = static_cast<std::size_t>(number - 1);
  return number > 0 && place < buffer_names_.size() ? std::string_view(buffer_names_[place]) : std::string_view();
}

std::string_view TaskGraph::name(TaskId id) const {
  const std::size_t first = index(id) == 0 ? 0 : name_ends_[index(id) - 1];
  return std::string_view(name_pool_).substr(first, name_ends_[index(id)] - first);
}

std::string_view TaskGraph::kernel_name(TaskId id) const {
  const Task& task = tasks_[index(id)];
  if (!traits(id).kind.empty()) return traits(id).kind;
  if (is_collective(task.operation)) return to_word(task.operation);
  return is_own(task.kernel) ? std::string_view(std::get<OwnKernels>(problem_).kernels[own_index(task.kernel)].name) : to_word(task.kernel);
}

std::optional<TaskId> TaskGraph::spawner(TaskId id) const {
  if (spawners_.empty() || spawners_[index(id)] == kNoSpawner) return std::nullopt;
  return TaskId{spawners_[index(id)]};
}

std::span<const std::int64_t> TaskGraph::input_bytes(TaskId id) const {
  if (input_bytes_.empty()) return {};
  const std::size_t first = predecessors_.offsets[index(id)];
  return std::span(input_bytes_).subspan(first, in_degree(id));
}

bool TaskGraph::has_one_core_type() const {
  return std::ranges::all_of(
      tasks_, [this](const Task& task) { return task.core_type == tasks_.front().core_type && !traits_[task.traits].other_type; });
}

bool TaskGraph::has_prologues() const {
  return std::ranges::any_of(traits_, [](const TaskTraits& traits) { return traits.prologue > Duration{0} || traits.prologue_bytes > 0; });
}

TaskGraph TaskGraph::with_priorities(std::span<const std::int32_t> priorities) const {
  TaskGraph graph = *this;
  for (std::size_t i = 0; i < graph.tasks_.size(); ++i) graph.tasks_[i].priority = priorities[i];
  return graph;
}

TaskGraph TaskGraph::with_devices(std::span<const std::int32_t> devices) const {
  TaskGraph graph = *this;
  graph.devices_ = 1;
  for (std::size_t i = 0; i < graph.tasks_.size(); ++i) {
    graph.tasks_[i].device = devices[i];
    graph.devices_ = std::max(graph.devices_, devices[i] + 1);
  }
  return graph;
}

std::size_t TaskGraph::memory_bytes() const {
  const auto row_bytes = [](const EdgeRows& rows) { return (rows.offsets.capacity() + rows.targets.capacity()) * sizeof(std::uint32_t); };
  return tasks_.capacity() * sizeof(Task) + name_pool_.capacity() + name_ends_.capacity() * sizeof(std::uint32_t) + row_bytes(successors_) +
         row_bytes(predecessors_) + topological_order_.capacity() * sizeof(TaskId) + spawners_.capacity() * sizeof(std::uint32_t) +
         draws_.capacity() * sizeof(std::uint32_t) + input_bytes_.capacity() * sizeof(std::int64_t);
}

TaskId TaskGraphBuilder::add_task(std::string_view name, const Task& task) {
  graph_.name_pool_ += name;
  graph_.name_ends_.push_back(static_cast<std::uint32_t>(graph_.name_pool_.size()));
  graph_.tasks_.push_back(task);
  return task_id(graph_.size() - 1);
}

void TaskGraphBuilder::add_edge(TaskId from, TaskId to, Bytes bytes) {
  edges_.emplace_back(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
  if (bytes.count > 0) edge_bytes_.push_back({static_cast<std::uint32_t>(to), static_cast<std::uint32_t>(from), bytes.count});
}

std::uint32_t TaskGraphBuilder::add_traits(const TaskTraits& traits) {
  const auto [found, is_new] = traits_index_.try_emplace(traits, static_cast<std::uint32_t>(graph_.traits_.size()));
  if (is_new) graph_.traits_.push_back(traits);
  return found->second;
}

void TaskGraphBuilder::set_draw(TaskId id, std::uint32_t draw) {
  graph_.draws_.resize(graph_.size(), kNoDraw);
  graph_.draws_[index(id)] = draw;
}

void TaskGraphBuilder::set_draws() {
  std::vector<std::uint32_t>& draws = graph_.draws_;
  if (draws.empty()) return;
  draws.resize(graph_.size(), kNoDraw);
  std::uint32_t next = 0;
  bool moved = false;
  for (std::uint32_t i = 0; i < draws.size(); ++i) {
    if (draws[i] != kNoDraw) next = std::max(next, draws[i] + 1);
    moved |= draws[i] != i;
  }
  if (!moved) draws.clear();
  for (std::uint32_t& draw : draws) {
    if (draw == kNoDraw) draw = next++;
  }
}

void TaskGraphBuilder::set_spawner(TaskId child, TaskId parent) {
  add_edge(parent, child);
  spawners_.emplace_back(static_cast<std::uint32_t>(child), static_cast<std::uint32_t>(parent));
}

TaskGraph TaskGraphBuilder::build() && {
  if (graph_.name_pool_.size() > std::numeric_limits<std::uint32_t>::max()) throw InputError("the task names together exceed 4 GiB");
  set_rows();
  set_kinds();
  set_draws();
  set_input_bytes();
  graph_.topological_order_ = kahn_order(graph_);
  if (graph_.topological_order_.size() != graph_.size()) refuse_cycle(graph_, cycle_of(edges_, graph_.size()));
  return std::move(graph_);
}

void TaskGraphBuilder::set_rows() {
  const std::size_t tasks = graph_.size();
  graph_.predecessors_ = rows_of(tasks, [this](auto visit) {
    for (const auto& [from, to] : edges_) visit(to, from);
  });
  graph_.successors_ = rows_of(tasks, [this, tasks](auto visit) {
    for (std::uint32_t to = 0; to < tasks; ++to) {
      for (const std::uint32_t from : graph_.predecessors_[TaskId{to}]) visit(from, to);
    }
  });
}

void TaskGraphBuilder::set_kinds() {
  for (const Task& task : graph_.tasks_) {
    graph_.wide_ |= task.core_type == CoreType::kMix || graph_.traits_[task.traits].blocks > 1;
    graph_.operations_ |= task.operation != Operation::kKernel;
    graph_.predicates_ |= graph_.traits_[task.traits].probability < 1 || graph_.traits_[task.traits].spawn_count;
    graph_.collectives_ |= is_collective(task.operation);
    graph_.devices_ = std::max(graph_.devices_, task.device + 1);
  }
  if (spawners_.empty()) return;
  graph_.spawners_.assign(graph_.size(), kNoSpawner);
  for (const auto& [child, parent] : spawners_) graph_.spawners_[child] = parent;
}

void TaskGraphBuilder::set_input_bytes() {
  if (edge_bytes_.empty()) return;
  graph_.input_bytes_.assign(graph_.predecessors_.targets.size(), 0);
  for (const EdgeBytes& edge : edge_bytes_) {
    const std::span<const std::uint32_t> row = graph_.predecessors_[TaskId{edge.to}];
    const auto at = graph_.predecessors_.offsets[edge.to] + (std::ranges::lower_bound(row, edge.from) - row.begin());
    std::int64_t& bytes = graph_.input_bytes_[static_cast<std::size_t>(at)];
    bytes = std::max(bytes, edge.bytes);
  }
}

}  // namespace tasktwin
