#include "models/graph/collective_kernels.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/base/error.hpp"
#include "models/base/even_share.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/graph/operation.hpp"

namespace tasktwin {

namespace {

/// Bytes of one step of a rank, of which it makes as many as the collective's algorithm has.
struct Step {
  std::int64_t from_each = 0;  ///< read from each other rank
  std::int64_t own = 0;        ///< read and written of its own device's memory
};

/// The steps of rank `rank` of `ranks`; from_each is what it reads of another rank that has something for it.
std::vector<Step> steps_of(const Task& rank, std::int64_t ranks, CollectivesBy by) {
  const std::int64_t bytes = rank.cost.bytes.count;
  const std::int64_t part = (bytes + ranks - 1) / ranks;
  switch (rank.operation) {
    case Operation::kAllReduce:
      if (by == CollectivesBy::kTwoShot) return {{part, 2 * part}, {part, bytes - part}};
      return {{bytes, 2 * bytes}};
    case Operation::kReduceScatter:
      return {{part, 2 * part}};
    default:
      break;
  }
  if (has_root(rank.operation)) return {{bytes, rank.device == rank.args[2] ? 0 : bytes}};
  return {{part, bytes}};
}

/// Puts kernels in place of the ranks of collectives.
class Rewriter {
 public:
  Rewriter(const TaskGraph& graph, const CollectiveKernels& kernels) : graph_(graph), kernels_(kernels), made_(graph.size()) {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (is_collective(graph[task_id(i)].operation)) ranks_of(task_id(i)).push_back(task_id(i));
      names_.emplace(graph.name(task_id(i)));
    }
  }

  TaskGraph rewritten() && {
    for (std::size_t i = 0; i < graph_.size(); ++i) add(task_id(i));
    for (std::size_t i = 0; i < graph_.size(); ++i) join(task_id(i));
    for (const std::vector<TaskId>& ranks : collectives_) {
      for (const TaskId reader : ranks) {
        for (const TaskId other : ranks) read(reader, other);
      }
    }
    copy_buffer_names(builder_, graph_);
    builder_.set_problem(graph_.problem());
    return std::move(builder_).build();
  }

 private:
  using Pieces = std::vector<TaskId>;
  /// What a task has become: itself, or the pieces of each step, the first of which waits, and the last of which is waited for.
  using Made = std::vector<Pieces>;

  std::vector<TaskId>& ranks_of(TaskId rank) {
    const auto number = static_cast<std::size_t>(graph_[rank].args[1]);
    if (collectives_.size() <= number) collectives_.resize(number + 1);
    return collectives_[number];
  }

  void add(TaskId id) {
    if (!is_collective(graph_[id].operation)) {
      made_[index(id)] = {{copy_task(builder_, graph_, id)}};
      return;
    }
    const std::vector<Step> steps = steps_of(graph_[id], static_cast<std::int64_t>(ranks_of(id).size()), kernels_.by);
    for (std::size_t s = 0; s < steps.size(); ++s) made_[index(id)].push_back(add_pieces(id, steps[s], s == 0, s + 1 < steps.size()));
  }

  /// What no other task is called.
  std::string named(TaskId rank, const std::string& suffix) {
    std::string name = std::string(graph_.name(rank)) + suffix;
    while (!suffix.empty() && !names_.insert(name).second) name += '\'';
    return name;
  }

  Pieces add_pieces(TaskId id, const Step& step, bool is_first, bool is_part) {
    const Task& rank = graph_[id];
    TaskTraits traits = graph_.traits(id);
    traits.blocks = kernels_.blocks;
    if (is_first && kernels_.pieces > 1) traits.split_of = kernels_.pieces;  // each reads its part of the same tasks' bytes
    Pieces pieces;
    const auto count = static_cast<std::size_t>(kernels_.pieces);
    for (std::size_t k = 0; k < count; ++k) {
      Task piece{.cost = {.bytes = {std::max<std::int64_t>(1, even_share(step.own, k, count) / kernels_.blocks)}},
                 .priority = rank.priority,
                 .layer = rank.layer,
                 .kernel = Kernel::kStream,
                 .device = rank.device};
      piece.traits = builder_.add_traits(traits);
      const std::string number = is_part || count > 1 ? "." + std::to_string(k) : "";
      pieces.push_back(builder_.add_task(named(id, (is_part ? ".part" : "") + number), piece));
    }
    return pieces;
  }

  void add_edge(TaskId from, TaskId to, std::int64_t bytes) {
    if (++edges_ > kMostCollectiveEdges)
      throw InputError("collectives: their kernels would have more than " + std::to_string(kMostCollectiveEdges) +
                       " edges; fewer pieces, or a task of kernel 'empty' on each device before a collective, save most");
    builder_.add_edge(from, to, Bytes{bytes});
  }

  void join(TaskId id) {
    for_each_input(graph_, id, [&](TaskId before, std::int64_t bytes) {
      const Pieces& from = made_[index(before)].back();
      for (std::size_t k = 0; k < from.size(); ++k) {
        for (const TaskId to : made_[index(id)].front()) add_edge(from[k], to, even_share(bytes, k, from.size()));
      }
    });
    if (const auto spawner = graph_.spawner(id)) {
      for (const TaskId child : made_[index(id)].front()) builder_.set_spawner(child, made_[index(*spawner)].back().front());
    }
    const Made& steps = made_[index(id)];
    for (std::size_t s = 1; s < steps.size(); ++s) {
      for (std::size_t k = 0; k < steps[s].size(); ++k) add_edge(steps[s - 1][k], steps[s][k], 0);
    }
  }

  /// What `reader` reads of `other`: in the first step all pieces share what came before it, in a further one each reads the piece of its
  /// number.
  void read(TaskId reader, TaskId other) {
    const Task& task = graph_[reader];
    if (other == reader || (has_root(task.operation) && graph_[other].device != task.args[2])) return;
    const std::vector<Step> steps = steps_of(task, static_cast<std::int64_t>(ranks_of(reader).size()), kernels_.by);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const Pieces& pieces = made_[index(reader)][s];
      for (std::size_t k = 0; k < pieces.size(); ++k) {
        const std::int64_t bytes = s == 0 ? steps[s].from_each : even_share(steps[s].from_each, k, pieces.size());
        const Pieces sources = s == 0 ? before(other) : Pieces{made_[index(other)][s - 1][k]};
        for (std::size_t from = 0; from < sources.size(); ++from)
          add_edge(sources[from], pieces[k], even_share(bytes, from, sources.size()));
      }
    }
  }

  /// The tasks that make what a rank brings; an empty one where there are none.
  const Pieces& before(TaskId rank) {
    Pieces& found = sources_[rank];
    if (!found.empty()) return found;
    for (const TaskId predecessor : graph_.predecessors(rank)) {
      const Pieces& pieces = made_[index(predecessor)].back();
      found.insert(found.end(), pieces.begin(), pieces.end());
    }
    if (found.empty()) {
      Task begin = graph_[rank];
      begin = {.layer = begin.layer, .kernel = Kernel::kEmpty, .device = begin.device};
      found.push_back(builder_.add_task(named(rank, ".begin"), begin));
      for (const TaskId piece : made_[index(rank)].front()) add_edge(found.front(), piece, 0);
    }
    return found;
  }

  TaskGraphBuilder builder_;
  const TaskGraph& graph_;
  CollectiveKernels kernels_;
  std::vector<Made> made_;                        ///< by TaskId of `graph_`
  std::vector<std::vector<TaskId>> collectives_;  ///< their ranks, by number
  std::map<TaskId, Pieces> sources_;              ///< by rank
  std::set<std::string, std::less<>> names_;
  std::size_t edges_ = 0;
};

}  // namespace

TaskGraph with_kernels_for_collectives(const TaskGraph& graph, const CollectiveKernels& kernels) {
  const auto ranks = static_cast<std::size_t>(std::ranges::count_if(graph.tasks(), is_collective, &Task::operation));
  const std::size_t pieces = ranks * static_cast<std::size_t>(kernels.pieces);
  if (pieces > kMostCollectivePieces)
    throw InputError("collectives: " + std::to_string(ranks) + " ranks of " + std::to_string(kernels.pieces) + " pieces are more than " +
                     std::to_string(kMostCollectivePieces) + " tasks; fewer pieces need fewer");
  return Rewriter(graph, kernels).rewritten();
}

}  // namespace tasktwin
