#include "models/task_graph.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>

#include "models/error.hpp"

namespace tasktwin {

namespace {

using EdgeList = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

EdgeRows compress(const EdgeList& sorted_edges, std::size_t vertices) {
  EdgeRows rows;
  rows.offsets.assign(vertices + 1, 0);
  rows.targets.reserve(sorted_edges.size());
  for (const auto& [from, to] : sorted_edges) {
    ++rows.offsets[from + 1];
    rows.targets.push_back(to);
  }
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  return rows;
}

/// Kahn's algorithm; shorter than the graph if there is a cycle.
std::vector<TaskId> kahn_order(const TaskGraph& graph) {
  std::vector<std::uint32_t> waiting(graph.size());
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    waiting[i] = static_cast<std::uint32_t>(graph.in_degree(task_id(i)));
    if (waiting[i] == 0) ready.push(static_cast<std::uint32_t>(i));
  }
  std::vector<TaskId> order;
  order.reserve(graph.size());
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

}  // namespace

std::string_view TaskGraph::buffer_name(std::int32_t number) const {
  const auto place = static_cast<std::size_t>(number - 1);
  return number > 0 && place < buffer_names_.size() ? std::string_view(buffer_names_[place]) : std::string_view();
}

std::string_view TaskGraph::name(TaskId id) const {
  const std::size_t first = index(id) == 0 ? 0 : name_ends_[index(id) - 1];
  return std::string_view(name_pool_).substr(first, name_ends_[index(id)] - first);
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

TaskGraph TaskGraph::with_priorities(std::span<const std::int32_t> priorities) const {
  TaskGraph graph = *this;
  for (std::size_t i = 0; i < graph.tasks_.size(); ++i) graph.tasks_[i].priority = priorities[i];
  return graph;
}

std::size_t TaskGraph::memory_bytes() const {
  const auto row_bytes = [](const EdgeRows& rows) { return (rows.offsets.capacity() + rows.targets.capacity()) * sizeof(std::uint32_t); };
  return tasks_.capacity() * sizeof(Task) + name_pool_.capacity() + name_ends_.capacity() * sizeof(std::uint32_t) + row_bytes(successors_) +
         row_bytes(predecessors_) + topological_order_.capacity() * sizeof(TaskId) + spawners_.capacity() * sizeof(std::uint32_t) +
         input_bytes_.capacity() * sizeof(std::int64_t);
}

TaskId TaskGraphBuilder::add_task(std::string name, const Task& task) {
  vertices_.push_back({std::move(name), task});
  return task_id(vertices_.size() - 1);
}

void TaskGraphBuilder::add_edge(TaskId from, TaskId to, Bytes bytes) {
  edges_.emplace_back(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
  if (bytes.count > 0) edge_bytes_.push_back({static_cast<std::uint32_t>(to), static_cast<std::uint32_t>(from), bytes.count});
}

std::uint32_t TaskGraphBuilder::add_traits(const TaskTraits& traits) {
  const auto [found, is_new] = traits_index_.try_emplace(traits, static_cast<std::uint32_t>(traits_.size()));
  if (is_new) traits_.push_back(traits);
  return found->second;
}

void TaskGraphBuilder::set_spawner(TaskId child, TaskId parent) {
  add_edge(parent, child);
  spawners_.emplace_back(static_cast<std::uint32_t>(child), static_cast<std::uint32_t>(parent));
}

TaskGraph TaskGraphBuilder::build() && {
  TaskGraph graph;
  graph.problem_ = problem_;
  graph.buffer_names_ = std::move(buffer_names_);
  const std::size_t vertices = vertices_.size();

  EdgeList edges = edges_;
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  graph.successors_ = compress(edges, vertices);
  for (auto& [from, to] : edges) std::swap(from, to);
  std::sort(edges.begin(), edges.end());
  graph.predecessors_ = compress(edges, vertices);

  std::size_t name_bytes = 0;
  for (std::size_t i = 0; i < vertices; ++i) name_bytes += vertices_[i].name.size();
  if (name_bytes > std::numeric_limits<std::uint32_t>::max()) throw InputError("the task names together exceed 4 GiB");
  graph.name_pool_.reserve(name_bytes);
  graph.name_ends_.reserve(vertices);
  graph.tasks_.reserve(vertices);
  for (std::size_t i = 0; i < vertices; ++i) {
    graph.name_pool_ += vertices_[i].name;
    graph.name_ends_.push_back(static_cast<std::uint32_t>(graph.name_pool_.size()));
    graph.tasks_.push_back(vertices_[i].task);
  }

  graph.traits_ = std::move(traits_);
  for (const Task& task : graph.tasks_) {
    graph.wide_ |= task.core_type == CoreType::kMix || graph.traits_[task.traits].blocks > 1;
    graph.operations_ |= task.operation != Operation::kKernel;
    graph.predicates_ |= graph.traits_[task.traits].probability < 1;
  }
  if (!spawners_.empty()) {
    graph.spawners_.assign(vertices, kNoSpawner);
    for (const auto& [child, parent] : spawners_) graph.spawners_[child] = parent;
  }
  if (!edge_bytes_.empty()) {
    graph.input_bytes_.assign(edges.size(), 0);
    for (const EdgeBytes& edge : edge_bytes_) {
      const auto at = std::ranges::lower_bound(edges, std::pair{edge.to, edge.from});  // by successor, then predecessor
      std::int64_t& bytes = graph.input_bytes_[static_cast<std::size_t>(at - edges.begin())];
      bytes = std::max(bytes, edge.bytes);
    }
  }

  graph.topological_order_ = kahn_order(graph);
  if (graph.topological_order_.size() != vertices) throw InputError("the tasks wait for each other in a cycle: " + cycle_as_path());
  return graph;
}

std::string TaskGraphBuilder::cycle_as_path() const {
  // The first back edge of a depth-first search closes a cycle: walk the search tree up from its source to its target.
  struct BackEdge {
    std::size_t source;
    std::size_t target;
  };
  using Adjacency = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  const Adjacency graph(edges_.begin(), edges_.end(), vertices_.size());
  std::vector<std::size_t> parent(vertices_.size());
  struct Visitor : boost::default_dfs_visitor {
    explicit Visitor(std::vector<std::size_t>& tree) : parents(tree) {}
    void tree_edge(Adjacency::edge_descriptor edge, const Adjacency&) { parents[edge.m_target] = edge.m_source; }
    void back_edge(Adjacency::edge_descriptor edge, const Adjacency&) { throw BackEdge{edge.m_source, edge.m_target}; }
    std::vector<std::size_t>& parents;
  };
  try {
    boost::depth_first_search(graph, boost::visitor(Visitor(parent)));
  } catch (const BackEdge& found) {
    std::vector<std::size_t> path{found.target};
    for (std::size_t at = found.source; at != found.target; at = parent[at]) path.push_back(at);
    path.push_back(found.target);
    std::reverse(path.begin(), path.end());
    std::string text;
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (i == kMostCycleNames && path.size() > kMostCycleNames + 2) {
        text += " -> … (" + std::to_string(path.size() - 1 - kMostCycleNames) + " more)";
        i = path.size() - 1;
      }
      text += (i > 0 ? " -> " : "") + vertices_[path[i]].name;
    }
    return text;
  }
  return "(none)";
}

}  // namespace tasktwin
