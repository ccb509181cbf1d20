#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scenarios/formats/json_file.hpp"
#include "scenarios/importers/parts/imported_graph.hpp"

namespace tasktwin::scenarios {

/// et_def.proto's NodeType.
enum ChakraType : std::uint8_t { kInvalid, kMetadata, kMemLoad, kMemStore, kComp, kCommSend, kCommRecv, kCommColl, kNodeTypes };

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
  // Of communication; the file of a rank says what that rank does.
  std::int64_t collective = -1;  ///< comm_type: et_def.proto's CollectiveCommType; -1 where the node does not say
  std::string group;             ///< pg_name, the communicator
  std::int64_t source = -1;      ///< comm_src, comm_dst: ranks; -1 where the node does not say
  std::int64_t target = -1;
  std::int64_t tag = 0;  ///< comm_tag
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
  /// From here on nodes are of this rank, on the device of that number: ids are its own, and communications are kept for joined().
  void begin_rank(std::int32_t rank, const std::string& file);
  /// Contract: all nodes are there. Throws InputError for a data dependency on a node that the file does not have; such a control
  /// dependency is left out, which a remark counts: converters drop the nodes of host scopes.
  ImportedGraph finish(const std::string& file);
  /// Likewise of several ranks: collectives of one communicator are those of the same place in the order of its ranks, a send belongs to
  /// the receive of the same ranks and tag. Throws InputError that names the communicator or the node for what does not fit together.
  ImportedGraph joined();

 private:
  /// What a rank does for a communication.
  struct Communication {
    std::uint32_t task = 0;
    std::int32_t rank = 0;
    std::uint64_t type = 0;
    std::int64_t collective = -1;
    std::string group;
    std::int64_t source = -1;
    std::int64_t target = -1;
    std::int64_t tag = 0;
    double start_us = 0;
  };
  struct Rank {
    std::int32_t number = 0;
    std::string file;
    std::uint32_t first = 0;  ///< task
  };

  struct Placed {
    std::int64_t stream;
    double start_us;
    std::uint32_t task;
  };
  void add_cost(const ChakraNode& node, Task& task, const Refuse& refuse, bool communicates);
  /// Edges of the nodes since the last that it was called for.
  void join_nodes(const std::string& file);
  void remark();
  void join_collectives();
  void join_messages();
  void set_parts(const std::vector<const Communication*>& parts, Operation operation, std::int64_t root);
  std::string called(const Communication& one) const;

  ImportedGraph graph_;
  std::vector<Rank> ranks_;
  std::vector<Communication> communications_;
  std::int32_t joined_ = 0;  ///< collectives and messages, which are numbered
  std::size_t timed_ = 0;    ///< of them, by the files' times
  std::size_t by_bytes_ = 0;
  std::size_t uneven_ = 0;
  std::size_t beyond_ = 0;
  std::size_t ordered_ = 0;
  std::size_t by_position_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> by_id_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> ctrl_;  ///< task, id that it waits for
  std::vector<std::pair<std::uint32_t, std::uint64_t>> data_;
  std::vector<Placed> placed_;
  std::size_t on_host_ = 0;
  std::size_t on_device_ = 0;
  std::size_t without_time_ = 0;
  std::size_t collectives_ = 0;
};

/// The files of ranks 0, 1, …: in the order of the last number in their names, "trace.12.et", which must be all from 0 on; where none has
/// one, as they are given. Throws InputError that names the rank that is missing or there twice.
std::vector<std::string> files_by_rank(const std::string& first, std::span<const std::string> others);

/// The JSON of Chakra's feeder: {"workload_graph": [{Id, Name, NodeType, data_deps, runtime, is_cpu_op, …}]}; keys may also be spelt as
/// in the protobuf. Throws InputError with the field's path.
ImportedGraph read_chakra_json(const std::string& file, const JsonPlace& root);
/// The same into a graph that may have others already.
void read_chakra_json(const JsonPlace& root, ChakraGraph& graph);

/// Takes pieces of the file one after the other: as many bytes as asked for, fewer at its end.
using TakeBytes = std::function<std::string(std::size_t count)>;

/// The protobuf form: records after their lengths, first GlobalMetadata, then nodes. Reads record by record. Throws InputError with the
/// byte for a record that is cut off or is no such message.
ImportedGraph read_chakra_protobuf(const std::string& file, const TakeBytes& take);
void read_chakra_protobuf(const std::string& file, const TakeBytes& take, ChakraGraph& graph);

/// Whether `head` begins as the protobuf form does: a GlobalMetadata whose first field is its version.
bool begins_as_chakra(std::string_view head);

}  // namespace tasktwin::scenarios
