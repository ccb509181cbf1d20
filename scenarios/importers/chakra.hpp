#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scenarios/formats/json_file.hpp"
#include "scenarios/importers/parts/imported_graph.hpp"

namespace tasktwin::scenarios {

/// A node of a Chakra execution trace (mlcommons/chakra, et_def.proto), as either of its forms has it.
struct ChakraNode {
  std::uint64_t id = 0;
  std::string name;
  std::uint64_t type = 0;
  std::vector<std::uint64_t> ctrl_deps;
  std::vector<std::uint64_t> data_deps;
  double start_us = 0;
  double duration_us = 0;
  bool on_host = false;      ///< is_cpu_op
  std::int64_t stream = -1;  ///< of the device; -1 where the node does not say
  double operations = 0;     ///< num_ops
  double bytes = 0;          ///< tensor_size or comm_size
};

/// Makes a task graph of nodes that come one by one. Nodes of the host are host functions of their duration; those of the device are bodies
/// of theirs on one core, for the file has no grids. A computation without a duration has its num_ops as arithmetic; a collective without
/// one takes no time. Between nodes of one stream of a device, the order of their starts is added, which the file leaves out.
class ChakraGraph {
 public:
  using Refuse = std::function<void(const std::string& why)>;

  ChakraGraph();
  /// Throws by `refuse` for a type that there is not, an id that occurs twice, and what is out of range.
  void add(ChakraNode node, const Refuse& refuse);
  /// Contract: all nodes are there. Throws InputError for a data dependency on a node that the file does not have; such a control
  /// dependency is left out, which a remark counts: converters drop the nodes of host scopes.
  ImportedGraph finish(const std::string& file);

 private:
  struct Placed {
    std::int64_t stream;
    double start_us;
    std::uint32_t task;
  };
  void add_cost(const ChakraNode& node, Task& task, const Refuse& refuse);

  ImportedGraph graph_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_id_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> ctrl_;  ///< task, id that it waits for
  std::vector<std::pair<std::uint32_t, std::uint64_t>> data_;
  std::vector<Placed> placed_;
  std::size_t on_host_ = 0;
  std::size_t on_device_ = 0;
  std::size_t without_time_ = 0;
  std::size_t collectives_ = 0;
};

/// The JSON of Chakra's feeder: {"workload_graph": [{Id, Name, NodeType, data_deps, runtime, is_cpu_op, …}]}; keys may also be spelt as
/// in the protobuf. Throws InputError with the field's path.
ImportedGraph read_chakra_json(const std::string& file, const JsonPlace& root);

/// Takes pieces of the file one after the other: as many bytes as asked for, fewer at its end.
using TakeBytes = std::function<std::string(std::size_t count)>;

/// The protobuf form: records after their lengths, first GlobalMetadata, then nodes. Reads record by record. Throws InputError with the
/// byte for a record that is cut off or is no such message.
ImportedGraph read_chakra_protobuf(const std::string& file, const TakeBytes& take);

/// Whether `head` begins as the protobuf form does: a GlobalMetadata whose first field is its version.
bool begins_as_chakra(std::string_view head);

}  // namespace tasktwin::scenarios
