#include "verify/capture/graph_definitions.hpp"

#include <array>
#include <map>
#include <set>
#include <unordered_map>

namespace tasktwin::verify {

namespace {

using Edge = std::pair<std::uint64_t, std::uint64_t>;

constexpr std::string_view kChildGraph = "graph";
constexpr std::string_view kEmpty = "empty";

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
  std::uint64_t original = 0;  ///< it is a copy of that
  std::uint32_t type = 0;
};

/// Follows what is done to graphs, and takes an executable one as it stands when it comes to be.
class Graphs {
 public:
  explicit Graphs(const CaptureIndex& index) {
    for (const CapturedCall& call : index.calls) {
      if (call.record->node != 0) calls_[call.record->node] = call.record;
    }
    index.file.visit([this](const spool::RecordHead& record, std::uint32_t) {
      if (record.kind == spool::RecordKind::kKernelRun) ran_.try_emplace(as<spool::KernelRun>(record).node, "kernel");
      if (record.kind == spool::RecordKind::kCopyRun) ran_.try_emplace(as<spool::CopyRun>(record).node, "memcpy");
      if (record.kind == spool::RecordKind::kMemsetRun) ran_.try_emplace(as<spool::MemsetRun>(record).node, "memset");
    });
  }

  void step(const spool::RecordHead& record) {
    switch (record.kind) {
      case spool::RecordKind::kGraphNode: {
        const auto& made = as<spool::GraphNodeRecord>(record);
        members_[made.graph].insert(made.node);
        nodes_[made.node].type = made.type;
        break;
      }
      case spool::RecordKind::kNodeClone: {
        const auto& clone = as<spool::NodeCloneRecord>(record);
        members_[clone.graph].insert(clone.node);
        nodes_[clone.node] = {clone.original, clone.type};
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
  /// An executable graph is a graph by the same id: a copy, into which the driver puts child graphs node by node, without a word on where
  /// these nodes come from. What a child graph's own node then still has are no edges.
  void instantiated(const spool::GraphExecRecord& record) {
    CapturedGraph graph{.exec = record.exec, .graph = record.graph, .nodes = {}, .edges = {}};
    const std::set<Edge>& edges = edges_[record.exec];
    std::set<std::uint64_t> connected;
    for (const auto& [from, to] : edges) connected.insert({from, to});
    std::set<std::uint64_t> members = members_[record.exec];
    members.insert(connected.begin(), connected.end());
    for (const std::uint64_t id : members) {
      const CapturedNode node = described(id);
      if (node.type != kChildGraph || connected.contains(id)) graph.nodes.push_back(node);
    }
    graph.edges.assign(edges.begin(), edges.end());
    graphs_.push_back(std::move(graph));
  }

  CapturedNode described(std::uint64_t id) const {
    CapturedNode node{.node = id, .definition = 0, .type = kEmpty, .call = nullptr};
    for (auto known = nodes_.find(id); known != nodes_.end(); known = nodes_.find(known->second.original)) {
      node.definition = known->second.original == 0 && known->first == id ? 0 : known->first;
      node.type = type_word(known->second.type);
      if (const auto call = calls_.find(known->first); call != calls_.end()) node.call = call->second;
    }
    if (node.definition == 0) node.type = kEmpty;  // the driver's own, which CUPTI calls a kernel whatever it is
    if (const auto ran = ran_.find(id); ran != ran_.end()) node.type = ran->second;
    return node;
  }

  std::unordered_map<std::uint64_t, const spool::CallRecord*> calls_;  ///< by the node that they added
  std::unordered_map<std::uint64_t, std::string_view> ran_;            ///< what the device says a node is
  std::unordered_map<std::uint64_t, Node> nodes_;
  std::map<std::uint32_t, std::set<std::uint64_t>> members_;
  std::map<std::uint32_t, std::set<Edge>> edges_;
  std::vector<CapturedGraph> graphs_;
};

}  // namespace

std::vector<CapturedGraph> captured_graphs(const CaptureIndex& index) {
  Graphs graphs(index);
  for (const GraphStep& step : index.graph_steps) graphs.step(*step.record);
  return graphs.take();
}

bool leaves_device_record(std::string_view type) { return type == "kernel" || type == "memcpy" || type == "memset"; }

}  // namespace tasktwin::verify
