#include "verify/capture/spool/graph_definitions.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace tasktwin::verify {

namespace {

using Edge = std::pair<std::uint64_t, std::uint64_t>;

constexpr std::string_view kChildGraph = "graph";

std::string_view type_word(std::uint32_t type) {
  // CUgraphNodeType's order.
  static constexpr std::array<std::string_view, 14> kWords{"kernel",
                                                           "memcpy",
                                                           "memset",
                                                           "host",
                                                           "graph",
                                                           "empty",
                                                           "event_wait",
                                                           "event_record",
                                                           "external_semaphore_signal",
                                                           "external_semaphore_wait",
                                                           "mem_alloc",
                                                           "mem_free",
                                                           "batch_mem_op",
                                                           "conditional"};
  return type < kWords.size() ? kWords[type] : "unknown";
}

struct Node {
  std::uint64_t original = 0;  ///< it is a copy of that; 0: of none
  std::uint32_t type = 0;
  std::uint32_t content = 0;  ///< of a child-graph node: the graph that it holds
};

/// Follows what is done to graphs, and takes an executable one as defined at its instantiation. CUPTI also reports how the driver then
/// rewrites it: child graphs are taken in, copies and memsets become nodes of the driver's own. That is left aside but for this: the nodes
/// of child graphs get ids after those of the graph's own, in order, by which the device names them.
class Graphs {
 public:
  explicit Graphs(const CaptureIndex& index) {
    for (const CapturedCall& call : index.calls) {
      if (call.record->node != 0) calls_[call.record->node] = call.record;
    }
  }

  void step(const spool::RecordHead& record) {
    switch (record.kind) {
      case spool::RecordKind::kGraphNode: {
        const auto& made = as<spool::GraphNodeRecord>(record);
        members_[made.graph].insert(made.node);
        nodes_[made.node] = {0, made.type, 0};
        // What a child-graph node holds is copied right before the node is made.
        if (type_word(made.type) == kChildGraph && last_copy_ != made.graph) nodes_[made.node].content = std::exchange(last_copy_, 0);
        break;
      }
      case spool::RecordKind::kNodeClone: {
        const auto& clone = as<spool::NodeCloneRecord>(record);
        members_[clone.graph].insert(clone.node);
        nodes_[clone.node].original = clone.original;
        last_copy_ = clone.graph;
        break;
      }
      case spool::RecordKind::kEdge: {
        const auto& edge = as<spool::EdgeRecord>(record);
        if (edge.removed != 0) {
          edges_[edge.graph].erase({edge.from, edge.to});
        } else {
          edges_[edge.graph].emplace(edge.from, edge.to);
        }
        break;
      }
      case spool::RecordKind::kGraphExec:
        instantiated(as<spool::GraphExecRecord>(record));
        break;
      default:
        break;
    }
  }

  std::vector<CapturedGraph> take() { return std::move(graphs_); }

 private:
  /// An executable graph is a graph by the same id, a copy of what it was made of.
  void instantiated(const spool::GraphExecRecord& record) {
    CapturedGraph graph{.exec = record.exec, .graph = record.graph, .nodes = {}, .edges = {}};
    std::uint64_t last = 0;
    for (const std::uint64_t id : members_[record.exec]) {
      if (nodes_[id].original != 0) last = std::max(last, id);
    }
    next_ = last + 1;
    ids_.clear();
    std::unordered_map<std::uint64_t, std::uint64_t> copies;  // by what they are of
    for (const std::uint64_t id : members_[record.exec]) {
      if (nodes_[id].original != 0) copies[nodes_[id].original] = id;
    }
    put(record.exec, false, graph);
    for (const auto& [from, to] : edges_[record.graph]) {
      const auto first = copies.find(from);
      const auto second = copies.find(to);
      if (first != copies.end() && second != copies.end()) connect(first->second, second->second, graph);
    }
    graphs_.push_back(std::move(graph));
  }

  /// Puts what is copied in graph `id` into `graph`; nodes of child graphs under ids of their own.
  void put(std::uint32_t id, bool child, CapturedGraph& graph) {
    for (const std::uint64_t node : members_[id]) {
      const Node& known = nodes_[node];
      if (known.original == 0) continue;
      if (known.content != 0) {
        children_.push_back(node);
      } else {
        ids_[node] = child ? next_++ : node;
        graph.nodes.push_back(described(node, ids_[node]));
      }
    }
    const std::vector<std::uint64_t> children = std::exchange(children_, {});
    for (const std::uint64_t node : children) {
      const std::uint32_t content = nodes_[node].content;
      put(content, true, graph);
      for (const auto& [from, to] : edges_[content]) connect(from, to, graph);
    }
  }

  /// Adds the edge between two nodes, or all ends of the child graphs that they are.
  void connect(std::uint64_t from, std::uint64_t to, CapturedGraph& graph) {
    for (const std::uint64_t first : ends(from, true)) {
      for (const std::uint64_t second : ends(to, false)) graph.edges.emplace_back(first, second);
    }
  }

  /// `node` by the id that the device knows, or the last (else the first) nodes of the child graph that it is.
  std::vector<std::uint64_t> ends(std::uint64_t node, bool last) {
    const std::uint32_t content = nodes_[node].content;
    if (content == 0) return {ids_.contains(node) ? ids_[node] : node};
    std::vector<std::uint64_t> all;
    for (const std::uint64_t member : members_[content]) {
      const auto goes_on = [&](const Edge& edge) { return (last ? edge.first : edge.second) == member; };
      if (nodes_[member].original == 0 || std::ranges::any_of(edges_[content], goes_on)) continue;
      const std::vector<std::uint64_t> own = ends(member, last);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  CapturedNode described(std::uint64_t node, std::uint64_t id) const {
    CapturedNode described{.node = id, .definition = 0, .type = "unknown", .call = nullptr};
    for (auto known = nodes_.find(node); known != nodes_.end(); known = nodes_.find(known->second.original)) {
      described.definition = known->first;
      described.type = type_word(known->second.type);
      if (const auto call = calls_.find(known->first); call != calls_.end()) described.call = call->second;
    }
    return described;
  }

  std::unordered_map<std::uint64_t, const spool::CallRecord*> calls_;  ///< by the node that they added
  std::unordered_map<std::uint64_t, Node> nodes_;
  std::map<std::uint32_t, std::set<std::uint64_t>> members_;
  std::map<std::uint32_t, std::set<Edge>> edges_;
  std::uint32_t last_copy_ = 0;  ///< the graph of the last copied node
  std::vector<CapturedGraph> graphs_;

  // Of the executable graph that is being taken.
  std::uint64_t next_ = 0;                                ///< id for the next node of a child graph
  std::unordered_map<std::uint64_t, std::uint64_t> ids_;  ///< by copied node
  std::vector<std::uint64_t> children_;
};

}  // namespace

std::vector<CapturedGraph> captured_graphs(const CaptureIndex& index) {
  Graphs graphs(index);
  for (const GraphStep& step : index.graph_steps) graphs.step(*step.record);
  return graphs.take();
}

bool leaves_device_record(std::string_view type) { return type == "kernel" || type == "memcpy" || type == "memset"; }

}  // namespace tasktwin::verify
