#include "tests/oracles/graph_front_end.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tasktwin::oracles {

namespace {

struct Node {
  std::vector<std::size_t> before;
  std::vector<std::size_t> after;
  std::set<std::size_t> roots;  ///< that lead to it; of a root itself
  std::int64_t body = 0;
  std::int64_t start = -1;
  std::size_t told = 0;  ///< of how many ends before it
};

/// In the device's line: a node to be started, a root that has started, or the device's own node that tells those behind `node`.
struct Waiting {
  enum class What { kNode, kRoot, kOwn };
  std::int64_t ready = 0;
  std::size_t node = 0;
  What what{};
};

/// Something that `node` tells others at `at`, from the one at place `first` on, up to the one before `end`.
struct Telling {
  std::int64_t at = 0;
  std::size_t node = 0;
  std::size_t first = 0;
  std::size_t end = 0;
};

class FrontEnd {
 public:
  FrontEnd(const TaskGraph& graph, const mechanism::GraphLaunch& times) : times_(times), place_(graph.size()), nodes_(graph.size()) {
    for (std::size_t i = 0; i < graph.size(); ++i) place_[index(graph.topological_order()[i])] = i;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const TaskId task = graph.topological_order()[i];
      Node& node = nodes_[i];
      node.body = graph[task].cost.time.count();
      for (const TaskId before : graph.predecessors(task)) {
        const std::size_t from = place_[index(before)];
        node.before.push_back(from);
        nodes_[from].after.push_back(i);
        node.roots.insert(nodes_[from].roots.begin(), nodes_[from].roots.end());
      }
      if (node.before.empty()) node.roots = {i};
    }
  }

  std::vector<std::int64_t> starts() {
    std::size_t started = 0;
    for (std::int64_t now = 0; started < nodes_.size(); ++now) {
      for (const std::size_t node : std::vector(order_)) {
        if (nodes_[node].start + nodes_[node].body == now) ended(node, now);
      }
      for (std::size_t i = 0; i < tellings_.size(); ++i) {
        if (tellings_[i].at == now) tell(Telling(tellings_[i]));
      }
      started += start_roots(now);
      if (free_ <= now) started += serve(now);
    }
    std::vector<std::int64_t> all;
    for (const std::size_t place : place_) all.push_back(nodes_[place].start);
    return all;
  }

 private:
  static std::int64_t ns(Nanoseconds time) { return std::llround(time.count()); }

  bool meets(std::size_t node) const {
    std::set<std::size_t> last;
    for (const std::size_t before : nodes_[node].before) last.insert(*nodes_[before].roots.rbegin());
    return last.size() > 1;
  }

  bool many(std::size_t node) const { return nodes_[node].after.size() > static_cast<std::size_t>(times_.node_successors); }

  void ended(std::size_t node, std::int64_t now) {
    const std::vector<std::size_t>& after = nodes_[node].after;
    if (many(node) || std::ranges::any_of(after, [this](std::size_t follower) { return meets(follower); })) {
      waiting_.push_back({now + ns(times_.gap), node, Waiting::What::kOwn});
    } else if (after.size() < 3) {
      tell({now, node, 0, after.size()});
    } else {
      tell({now, node, 0, 1});
    }
  }

  void tell(const Telling& telling) {
    const std::vector<std::size_t>& after = nodes_[telling.node].after;
    const bool backwards = many(telling.node);
    for (std::size_t i = telling.first; i < telling.end; ++i) {
      const std::size_t follower = backwards ? after[after.size() - 1 - i] : after[i];
      if (++nodes_[follower].told == nodes_[follower].before.size())
        waiting_.push_back({telling.at + ns(times_.gap), follower, Waiting::What::kNode});
    }
    if (telling.end == after.size()) return;
    const std::int64_t step = std::max(telling.at, step_);
    step_ = step + ns(times_.pass_service);
    const bool last = telling.end + 2 == after.size();
    tellings_.push_back({step + ns(times_.pass), telling.node, telling.end, telling.end + (last ? 2 : 1)});
  }

  std::size_t start_roots(std::int64_t now) {
    std::size_t started = 0;
    std::int64_t at = 0;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (!nodes_[node].before.empty()) continue;
      if (at == now) {
        start(node, now);
        waiting_.push_back({now, node, Waiting::What::kRoot});
        ++started;
      }
      at += ns(times_.per_root);
    }
    return started;
  }

  /// The first that is ready, and of those the first that was told so.
  std::size_t serve(std::int64_t now) {
    const auto next = std::ranges::min_element(waiting_, {}, &Waiting::ready);
    if (next == waiting_.end() || next->ready > now) return 0;
    const Waiting first = *next;
    waiting_.erase(next);
    free_ = now + ns(times_.service);
    if (first.what == Waiting::What::kOwn) {
      tellings_.push_back({now + ns(times_.fetch) - ns(times_.gap), first.node, 0, nodes_[first.node].after.size()});
    } else if (first.what == Waiting::What::kNode) {
      start(first.node, now);
    }
    return first.what == Waiting::What::kNode ? 1 : 0;
  }

  void start(std::size_t node, std::int64_t now) {
    nodes_[node].start = now;
    order_.push_back(node);
  }

  mechanism::GraphLaunch times_;
  std::vector<std::size_t> place_;  ///< by TaskId: among the nodes
  std::vector<Node> nodes_;
  std::vector<std::size_t> order_;  ///< in which nodes have started
  std::vector<Waiting> waiting_;    ///< in the order in which they were told
  std::vector<Telling> tellings_;
  std::int64_t free_ = 0;
  std::int64_t step_ = 0;
};

}  // namespace

std::vector<std::int64_t> graph_starts(const TaskGraph& graph, const Machine& machine) {
  return FrontEnd(graph, *machine.graph_launch).starts();
}

}  // namespace tasktwin::oracles
