#include "scenarios/importers/chakra.hpp"

#include <memory>

#include <gmock/gmock.h>

#include "tests/scenarios/imports/reading.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::HasSubstr;

/// Encodes what the tests need of the protobuf form, as protobuf.dev says.
std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  return bytes + static_cast<char>(value);
}
std::string number(int field, std::uint64_t value) { return varint(static_cast<std::uint64_t>(field) << 3) + varint(value); }
std::string text(int field, const std::string& value) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(value.size()) + value;
}
std::string record(const std::string& message) { return varint(message.size()) + message; }
std::string attribute(const std::string& name, int field, std::uint64_t value) { return text(10, text(1, name) + number(field, value)); }
const std::string kHead = record(text(1, "0.0.4"));

std::string node(std::uint64_t id, const std::string& name, std::uint64_t type, const std::string& rest) {
  return record(number(1, id) + text(2, name) + number(3, type) + rest);
}

TEST(ChakraProtobuf, ReadsNodesWithTheirAttributes) {
  const std::string file =
      kHead + node(1, "aten::mm", 4, attribute("is_cpu_op", 27, 1) + number(7, 30)) +
      node(2, "gemm", 4, text(5, varint(1)) + number(6, 50) + number(7, 12) + attribute("stream", 7, 7) + attribute("is_cpu_op", 27, 0)) +
      node(3, "relu", 4, number(5, 1) + number(6, 40) + number(7, 3) + attribute("stream", 9, 7)) +
      node(4, "symbolic", 4, number(4, 2) + attribute("num_ops", 13, 1000)) +
      node(5, "allreduce", 7, number(5, 2) + attribute("comm_size", 13, 4096)) + node(6, "load", 2, attribute("tensor_size", 13, 512)) +
      node(8, "about", 1, text(8, text(1, "[]")));
  const Imported read = read_as("chakra", file);
  EXPECT_EQ(edges_of(read.graph),
            (std::set<std::string>{"aten::mm>gemm", "aten::mm>relu", "relu>gemm", "gemm>symbolic", "gemm>allreduce"}));
  EXPECT_EQ(read.graph[task_called(read.graph, "aten::mm")].operation, Operation::kHost);
  EXPECT_EQ(time_of(read.graph, "gemm"), 12'000);
  EXPECT_EQ(read.graph.traits(task_called(read.graph, "gemm")).stream, 7);
  EXPECT_EQ(read.graph[task_called(read.graph, "symbolic")].cost.flops.count, 1000);
  EXPECT_EQ(read.graph[task_called(read.graph, "load")].cost.bytes.count, 512);
  EXPECT_TRUE(has_remark(read, "1 edge of the order within streams"));
  EXPECT_TRUE(has_remark(read, "1 communication without a duration: no time"));
}

TEST(ChakraProtobuf, NodesOfAStreamWithoutStartsAreTakenInTheFilesOrder) {
  const auto kernel = [](std::uint64_t id, const std::string& rest) {
    return node(id, "k" + std::to_string(id), 4, number(7, 10) + attribute("stream", 7, 7) + attribute("is_cpu_op", 27, 0) + rest);
  };
  const Imported read = read_as("chakra", kHead + kernel(1, "") + kernel(2, "") + kernel(3, number(6, 50)));
  EXPECT_EQ(edges_of(read.graph), (std::set<std::string>{"k1>k2", "k2>k3"}));
  EXPECT_TRUE(has_remark(read, "1 node with no start of its own"));
  const Imported between = read_as("chakra", kHead + kernel(1, number(6, 100)) + kernel(2, "") + kernel(3, number(6, 200)));
  EXPECT_EQ(edges_of(between.graph), (std::set<std::string>{"k1>k2", "k2>k3"}));
  EXPECT_TRUE(has_remark(between, "1 node with no start of its own"));
}

TEST(ChakraProtobuf, FaultsHaveTheByte) {
  const std::string good = kHead + node(1, "a", 4, number(7, 3));
  EXPECT_THAT(refused_as("chakra", good.substr(0, good.size() - 2)),
              HasSubstr("byte 8: the file ends within a record of 9 bytes, of which it has 7"));
  EXPECT_THAT(refused_as("chakra", good + node(1, "a", 4, "")), HasSubstr("byte 18: the id 1 stands twice"));
  EXPECT_THAT(refused_as("chakra", good + node(2, "b", 0, "")), HasSubstr("node 2 is of type 0"));
  EXPECT_THAT(refused_as("chakra", good + node(2, "b", 4, number(5, 9))), HasSubstr("node 'b' has a data dependency on 9"));
  EXPECT_THAT(refused_as("chakra", good + record(number(12, 1))), HasSubstr("field 12 is none of a Chakra node"));
  EXPECT_THAT(refused_as("chakra", good + record(text(1, "x"))), HasSubstr("field 1 must be a number"));
  EXPECT_THAT(refused_as("chakra", record(number(7, 1))), HasSubstr("the first record must be Chakra's GlobalMetadata"));
  EXPECT_THAT(refused_as("chakra", good + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), HasSubstr("is beyond 64 bits"));
  EXPECT_THAT(refused_as("chakra", kHead), HasSubstr("has no tasks"));
}

TEST(ChakraProtobuf, EveryTruncationIsRefused) {
  const std::string whole = kHead + node(1, "a", 4, number(7, 3) + attribute("is_cpu_op", 27, 1)) + node(2, "b", 4, text(5, varint(1)));
  for (std::size_t length = kHead.size() + 1; length < whole.size(); ++length) {
    const std::string told = refused_as("chakra", whole.substr(0, length));
    const bool at_a_record = length == kHead.size() + node(1, "a", 4, number(7, 3) + attribute("is_cpu_op", 27, 1)).size();
    EXPECT_EQ(told.empty(), at_a_record) << length;
  }
}

TEST(ChakraJson, ReadsTheFeedersForm) {
  const Imported read = read_as("chakra", R"json({"workload_graph": [
    {"Id": 216, "Name": "aten::cat(0)", "NodeType": 4, "ctrlDeps": [3], "data_deps": [], "runtime": 318, "is_cpu_op": true},
    {"Id": 430, "Name": "cat", "NodeType": 4, "ctrlDeps": [], "data_deps": [216], "runtime": 4.5, "is_cpu_op": false},
    {"Id": 435, "Name": "cat", "NodeType": 7, "data_deps": [216, 430], "is_cpu_op": false}]})json");
  EXPECT_EQ(edges_of(read.graph), (std::set<std::string>{"aten::cat(0)>cat#0", "aten::cat(0)>cat#1", "cat#0>cat#1"}));
  EXPECT_EQ(time_of(read.graph, "cat#0"), 4500);
  EXPECT_TRUE(has_remark(read, "1 control dependency on nodes that the file does not have: left out"));
}

TEST(Importers, AnExecutionTraceOfPyTorchIsNamedAsSuch) {
  const std::string text = R"({"schema": "1.1.1-chakra.0.0.4", "pid": 7, "time": "2026-01-01", "start_ts": 1, "nodes": [
    {"id": 1, "name": "[pytorch|profiler|execution_trace|process]", "ctrl_deps": 1, "inputs": {"values": []}}]})";
  for (const char* const format : {"", "chakra"})
    EXPECT_THAT(refused_as(format, text), HasSubstr("is an execution trace of PyTorch (ExecutionTraceObserver), which has no times of the "
                                                    "device: it needs a converter and a Kineto trace"));
}

TEST(ChakraJson, FaultsNameTheField) {
  const auto nodes = [](const std::string& text) { return refused_as("chakra", R"({"workload_graph": [)" + text + "]}"); };
  EXPECT_EQ(nodes(R"({"Id": 1, "Name": "a"})"), " workload_graph[0]: has no 'NodeType'");
  EXPECT_THAT(nodes(R"({"Id": -1, "Name": "a", "NodeType": 4})"), HasSubstr("workload_graph[0].Id: is '-1'; must be an id of 64 bits"));
  EXPECT_THAT(nodes(R"({"Id": 1, "Name": "a", "NodeType": 4, "runtime": -3})"),
              HasSubstr("workload_graph[0]: node 1: its duration in us is out of range"));
  EXPECT_THAT(nodes(R"({"Id": 1, "Name": "a", "NodeType": 4, "data_deps": [2]}, {"Id": 2, "Name": "b", "NodeType": 4, "data_deps": [1]})"),
              HasSubstr("the edges make a cycle: b -> a -> b; the edge"));
}

TEST(ChakraJson, FalseDependenciesOfStreamsCanBeLeftOut) {
  const std::string text = R"({"workload_graph": [
    {"Id": 1, "Name": "a", "NodeType": 4, "data_deps": [2], "runtime": 1, "stream": 7, "start_time_micros": 5},
    {"Id": 2, "Name": "b", "NodeType": 4, "runtime": 1, "stream": 7, "start_time_micros": 9}]})";
  EXPECT_THAT(refused_as("chakra", text), HasSubstr("--drop-edges"));
  EXPECT_EQ(edges_of(read_as("chakra", text, {.drop_edges = {"stream"}}).graph), (std::set<std::string>{"b>a"}));
}

/// Files of ranks 0, 1, … of a run, "trace.0.et" and so on.
class Ranks {
 public:
  explicit Ranks(const std::vector<std::string>& nodes) {
    for (std::size_t rank = 0; rank < nodes.size(); ++rank)
      files_.push_back(
          std::make_unique<TemporaryFile>(R"({"workload_graph": [)" + nodes[rank] + "]}", "trace." + std::to_string(rank) + ".et"));
  }

  Imported read() const {
    ImportOptions options;
    for (std::size_t rank = 1; rank < files_.size(); ++rank) options.ranks.push_back(files_[rank]->path());
    return import_file(files_.front()->path(), "chakra", options);
  }
  std::string refused() const {
    try {
      read();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

 private:
  std::vector<std::unique_ptr<TemporaryFile>> files_;
};

std::string kernel_of(int id, double us, const std::string& more = "") {
  return R"({"Id": )" + std::to_string(id) + R"(, "Name": "gemm", "NodeType": 4, "runtime": )" + std::to_string(us) + more + "}";
}
std::string collective_of(int id, int type, const std::string& group, int bytes, double us, const std::string& more = "") {
  return R"({"Id": )" + std::to_string(id) + R"(, "Name": "nccl", "NodeType": 7, "comm_type": )" + std::to_string(type) +
         R"(, "pg_name": ")" + group + R"(", "comm_size": )" + std::to_string(bytes) + R"(, "runtime": )" + std::to_string(us) + more + "}";
}

TEST(ChakraRanks, BecomeDevicesWhoseCollectivesAreMatchedInTheirOrder) {
  const std::string behind = R"(, "data_deps": [1])";
  const Imported read =
      Ranks({kernel_of(1, 10) + "," + collective_of(2, 0, "tp", 4096, 30, behind) + "," + collective_of(3, 2, "tp", 512, 0),
             kernel_of(1, 20) + "," + collective_of(7, 0, "tp", 4096, 12, behind) + "," + collective_of(8, 2, "tp", 512, 0)})
          .read();
  ASSERT_EQ(read.graph.devices(), 2);
  const TaskId gemm = task_called(read.graph, "gemm@1");
  EXPECT_EQ(read.graph[gemm].device, 1);
  EXPECT_EQ(read.graph.kernel_name(gemm), "gemm");
  const Task& first = read.graph[task_called(read.graph, "nccl@0#0")];
  const Task& other = read.graph[task_called(read.graph, "nccl@1#0")];
  EXPECT_EQ(first.operation, Operation::kAllReduce);
  EXPECT_EQ(first.args[1], other.args[1]);
  EXPECT_EQ(first.cost.bytes.count, 4096);
  EXPECT_EQ(to_ns(first.cost.time), 12'000) << "rank 1 came last and waited for none";
  const Task& gathered = read.graph[task_called(read.graph, "nccl@0#1")];
  EXPECT_EQ(gathered.operation, Operation::kAllGather);
  EXPECT_EQ(gathered.cost.bytes.count, 1024) << "what a rank has in the end";
  EXPECT_NE(gathered.args[1], first.args[1]);
  EXPECT_EQ(edges_of(read.graph), (std::set<std::string>{"gemm@0>nccl@0#0", "gemm@1>nccl@1#0"}));
  EXPECT_TRUE(has_remark(read, "2 ranks, each on the device of its number, with 2 collectives"));
}

TEST(ChakraRanks, PairMessagesByRanksAndTag) {
  const auto message = [](int id, int type, const std::string& other, int tag) {
    return R"({"Id": )" + std::to_string(id) + R"(, "Name": "p2p", "NodeType": )" + std::to_string(type) + R"(, "comm_size": 64, )" +
           other + R"(, "comm_tag": )" + std::to_string(tag) + "}";
  };
  const std::string to_one = R"("comm_dst": 1)";
  const std::string from_zero = R"("comm_src": 0)";
  const Imported read =
      Ranks({message(1, 5, to_one, 4) + "," + message(2, 5, to_one, 9), message(1, 6, from_zero, 9) + "," + message(2, 6, from_zero, 4)})
          .read();
  const Task& sent = read.graph[task_called(read.graph, "p2p@0#0")];
  const Task& got = read.graph[task_called(read.graph, "p2p@1#1")];
  EXPECT_EQ(sent.operation, Operation::kSendRecv);
  EXPECT_EQ(sent.args[1], got.args[1]);
  EXPECT_EQ(got.args[2], 0) << "where it comes from";
  EXPECT_THAT(Ranks({message(1, 5, to_one, 4), message(1, 6, from_zero, 5)}).refused(),
              HasSubstr("node 'p2p@1' receives from rank 0 with tag 5, and that rank sends nothing more of that tag to it"));
  EXPECT_THAT(Ranks({message(1, 5, to_one, 4), kernel_of(1, 5)}).refused(),
              HasSubstr("node 'p2p@0' sends to rank 1 with tag 4, and that rank"));
  EXPECT_THAT(Ranks({message(1, 5, R"("comm_dst": 2)", 4), kernel_of(1, 5)}).refused(),
              HasSubstr("has the comm_dst 2; the file of that rank lacks"));
}

TEST(ChakraRanks, RefuseByNameWhatDoesNotFitTogether) {
  EXPECT_THAT(Ranks({collective_of(1, 0, "tp", 64, 1), kernel_of(1, 5)}).refused(),
              HasSubstr("node 'nccl@0' is of communicator 'tp', in which only rank 0 takes part: the files of its other ranks lack"));
  EXPECT_THAT(
      Ranks({collective_of(1, 0, "tp", 64, 1) + "," + collective_of(2, 0, "tp", 64, 1), collective_of(1, 0, "tp", 64, 1)}).refused(),
      HasSubstr("communicator 'tp' has 1 collective in rank 1 and 2 in rank 0"));
  EXPECT_THAT(Ranks({collective_of(1, 0, "tp", 64, 1), collective_of(1, 2, "tp", 64, 1)}).refused(),
              HasSubstr("is collective 1 of communicator 'tp', as node 'nccl@0' is, but one is all_gather and the other all_reduce"));
  EXPECT_THAT(Ranks({collective_of(1, 0, "tp", 64, 1), collective_of(1, 0, "tp", 32, 1)}).refused(),
              HasSubstr("but one has 32 bytes and the other 64"));
  EXPECT_THAT(Ranks({collective_of(1, 1, "tp", 64, 1), collective_of(1, 1, "tp", 64, 1)}).refused(),
              HasSubstr("is a reduce, which is not"));
  EXPECT_THAT(Ranks({collective_of(1, 0, "tp", 0, 0), collective_of(1, 0, "tp", 0, 0)}).refused(),
              HasSubstr("is a collective with neither a comm_size nor a duration"));
}

TEST(ChakraRanks, GoByTheNumberInTheFilesName) {
  EXPECT_EQ(files_by_rank("run/t.2.et", std::vector<std::string>{"run/t.0.et", "run/t.1.et"}),
            (std::vector<std::string>{"run/t.0.et", "run/t.1.et", "run/t.2.et"}));
  EXPECT_EQ(files_by_rank("b.et", std::vector<std::string>{"a.et"}), (std::vector<std::string>{"b.et", "a.et"})) << "as they are given";
  const auto refused = [](const std::string& first, const std::string& second) -> std::string {
    try {
      files_by_rank(first, std::vector<std::string>{second});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refused("t.0.et", "t.2.et"), HasSubstr("the file of rank 1 lacks"));
  EXPECT_THAT(refused("t.0.et", "u.0.et"), HasSubstr("is of rank 0 by its name, as 't.0.et' is"));
  EXPECT_THAT(refused("t.0.et", "u.et"), HasSubstr("all must have one, or none"));
}

}  // namespace
}  // namespace tasktwin::scenarios
