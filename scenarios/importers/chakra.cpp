#include "scenarios/importers/chakra.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "scenarios/files/byte_source.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/importers/trace/trace.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr double kNsPerUs = 1e3;
constexpr std::int64_t kMostRanks = 65'536;
enum Source : std::uint16_t { kCtrl, kData, kStream };

/// The first of several spellings that there is.
std::optional<JsonPlace> find_any(const JsonPlace& place, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (auto found = place.find(key)) return found;
  }
  return std::nullopt;
}

void take_ids(const JsonPlace& node, std::initializer_list<const char*> keys, std::vector<std::uint64_t>& ids) {
  const auto list = find_any(node, keys);
  if (!list) return;
  for (std::size_t i = 0; i < list->list().size(); ++i) ids.push_back((*list)[i].id());
}

ChakraNode node_from(const JsonPlace& place) {
  ChakraNode node;
  const auto needed = [&place](std::initializer_list<const char*> keys) {
    auto found = find_any(place, keys);
    if (!found) place.refuse("has no '" + std::string(*keys.begin()) + "'");
    return *std::move(found);
  };
  node.id = needed({"Id", "id"}).id();
  node.name = needed({"Name", "name"}).text();
  node.type = static_cast<std::uint64_t>(needed({"NodeType", "type"}).whole(0, 255));
  take_ids(place, {"ctrlDeps", "ctrl_deps"}, node.ctrl_deps);
  take_ids(place, {"data_deps", "dataDeps"}, node.data_deps);
  if (const auto host = find_any(place, {"is_cpu_op"})) {
    if (!host->value().is_boolean() && !host->value().is_number()) host->refuse("must be true or false");
    node.on_host = host->value().is_boolean() ? host->value().get<bool>() : host->whole(0, 1) != 0;
  }
  const auto take_number = [&place](std::initializer_list<const char*> keys, double& into) {
    if (const auto value = find_any(place, keys); value && !value->value().is_null()) into = value->number();
  };
  take_number({"runtime", "duration_micros"}, node.duration_us);
  take_number({"start_time_micros"}, node.start_us);
  take_number({"num_ops"}, node.operations);
  take_number({"tensor_size", "comm_size"}, node.bytes);
  if (const auto stream = find_any(place, {"stream"})) node.stream = stream->whole(-1, 1'000'000);
  constexpr std::int64_t kMost = 1'000'000'000'000'000;
  if (const auto type = find_any(place, {"comm_type"})) node.collective = type->whole(0, 255);
  if (const auto group = find_any(place, {"pg_name"})) node.group = group->value().is_string() ? group->text() : group->value().dump();
  if (const auto source = find_any(place, {"comm_src"})) node.source = source->whole(-1, kMost);
  if (const auto target = find_any(place, {"comm_dst"})) node.target = target->whole(-1, kMost);
  if (const auto tag = find_any(place, {"comm_tag"})) node.tag = tag->whole(-kMost, kMost);
  return node;
}

}  // namespace

ChakraGraph::ChakraGraph() { graph_.sources = {"ctrl_deps", "data_deps", "stream"}; }

void ChakraGraph::add(ChakraNode node, const Refuse& refuse) {
  if (node.type == kInvalid || node.type >= kNodeTypes) {
    refuse("node " + std::to_string(node.id) + " is of type " + std::to_string(node.type) +
           "; 1 to 7 are read: metadata, memory, computation, communication");
  }
  const auto position = static_cast<std::uint32_t>(graph_.nodes.size());
  if (!by_id_.emplace(node.id, position).second) refuse("the id " + std::to_string(node.id) + " stands twice");
  Task task;
  TaskTraits traits;
  const bool communicates = !ranks_.empty() && !node.on_host && node.type >= kCommSend;
  add_cost(node, task, refuse, communicates);
  traits.kind = short_kernel_name(node.name);
  if (!ranks_.empty()) {
    task.device = ranks_.back().number;
    if (communicates)
      communications_.push_back(
          {position, task.device, node.type, node.collective, node.group, node.source, node.target, node.tag, node.start_us});
    node.name += '@' + std::to_string(task.device);
  }
  if (node.stream >= 0) traits.stream = static_cast<int>(std::min<std::int64_t>(node.stream, 1'000'000));
  graph_.add(std::move(node.name), task, traits);
  for (const std::uint64_t id : node.ctrl_deps) ctrl_.emplace_back(position, id);
  for (const std::uint64_t id : node.data_deps) data_.emplace_back(position, id);
  if (!node.on_host && node.stream >= 0 && node.type != kMetadata) placed_.push_back({node.stream, node.start_us, position});
}

void ChakraGraph::add_cost(const ChakraNode& node, Task& task, const Refuse& refuse, bool communicates) {
  const auto amount = [&](double value, double per_unit, std::int64_t most, const char* what) {
    const auto whole = whole_amount(value, per_unit, most);
    if (!whole) refuse("node " + std::to_string(node.id) + ": " + what + " is out of range");
    return *whole;
  };
  const Duration time{amount(node.duration_us, kNsPerUs, kMostImportedNs, "its duration in us")};
  task.kernel = Kernel::kEmpty;
  if (node.type == kMetadata) return;
  if (communicates) {
    task.cost = {.time = time, .bytes = {amount(node.bytes, 1, kMostImportedAmount / kMostRanks, "comm_size")}};
    return;
  }
  (node.on_host ? on_host_ : on_device_) += 1;
  if (node.on_host) {
    task.operation = Operation::kHost;
    task.cost.time = time;
  } else if (time > Duration{}) {
    task.kernel = Kernel::kSpin;
    task.cost.time = time;
  } else if (node.type == kComp && node.operations > 0) {
    task.kernel = Kernel::kFma;
    task.cost.flops = {amount(node.operations, 1, kMostImportedAmount, "num_ops")};
  } else if ((node.type == kMemLoad || node.type == kMemStore) && node.bytes > 0) {
    task.kernel = Kernel::kStream;
    task.cost.bytes = {amount(node.bytes, 1, kMostImportedAmount, "tensor_size")};
  } else {
    (node.type >= kCommSend ? collectives_ : without_time_) += 1;
  }
}

void ChakraGraph::begin_rank(std::int32_t rank, const std::string& file) {
  if (!ranks_.empty()) join_nodes(ranks_.back().file);
  ranks_.push_back({rank, file, static_cast<std::uint32_t>(graph_.nodes.size())});
}

void ChakraGraph::join_nodes(const std::string& file) {
  for (const auto& [task, id] : ctrl_) {
    if (const auto found = by_id_.find(id); found != by_id_.end())
      graph_.edges.push_back({found->second, task, 0, 0, kCtrl});
    else
      ++beyond_;
  }
  for (const auto& [task, id] : data_) {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) {
      throw InputError({file}, "node " + in_quotes(graph_.nodes[task].name) + " has a data dependency on " + std::to_string(id) +
                                   ", which no node has as its id");
    }
    graph_.edges.push_back({found->second, task, 0, 0, kData});
  }
  std::unordered_map<std::int64_t, double> latest;  // by stream, the start of the node before
  for (Placed& one : placed_) {
    const auto [before, is_first] = latest.emplace(one.stream, one.start_us);
    if (!is_first && (one.start_us == 0 || one.start_us == before->second)) ++by_position_;
    if (one.start_us == 0) one.start_us = before->second;
    before->second = one.start_us;
  }
  std::ranges::sort(placed_, {}, [](const Placed& one) { return std::tuple(one.stream, one.start_us, one.task); });
  for (std::size_t i = 1; i < placed_.size(); ++i) {
    if (placed_[i].stream != placed_[i - 1].stream) continue;
    graph_.edges.push_back({placed_[i - 1].task, placed_[i].task, 0, 0, kStream});
    ++ordered_;
  }
  by_id_.clear();
  ctrl_.clear();
  data_.clear();
  placed_.clear();
}

void ChakraGraph::remark() {
  auto& remarks = graph_.remarks;
  if (on_host_ > 0) remarks.push_back(counted(on_host_, "node") + " of the host: host functions, which streams and graphs alone can run");
  if (on_device_ > 0) remarks.push_back(counted(on_device_, "node") + " of the device, whose grids the file does not have: one core each");
  if (without_time_ > 0)
    remarks.push_back(counted(without_time_, "node") + " of the device without a duration or an amount of work: empty bodies");
  if (collectives_ > 0) remarks.push_back(counted(collectives_, "communication") + " without a duration: no time");
  if (beyond_ > 0) remarks.push_back(counted(beyond_, "control dependency") + " on nodes that the file does not have: left out");
  if (ordered_ > 0) remarks.push_back(counted(ordered_, "edge") + " of the order within streams, by start, added as source 'stream'");
  if (by_position_ > 0)
    remarks.push_back(counted(by_position_, "node") +
                      " with no start of its own, or the one of the node before in its stream: in the order of the file");
}

ImportedGraph ChakraGraph::finish(const std::string& file) {
  join_nodes(file);
  remark();
  return std::move(graph_);
}

void read_chakra_json(const JsonPlace& root, ChakraGraph& graph) {
  const JsonPlace nodes = root.at("workload_graph").list();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const JsonPlace place = nodes[i].object();
    graph.add(node_from(place), [&place](const std::string& why) { place.refuse(why); });
  }
}

ImportedGraph read_chakra_json(const std::string& file, const JsonPlace& root) {
  ChakraGraph graph;
  read_chakra_json(root, graph);
  return graph.finish(file);
}

namespace {

bool is_chakra(const FileHead& head) {
  return is_json_with(head, {"workload_graph"}) || begins_as_chakra(head.text) || (head.extension == ".et" && !is_json_with(head, {}));
}

void read_file(const std::string& path, const ImportOptions& options, ChakraGraph& graph) {
  ByteSource source(path);
  const std::string head = source.head(1);
  if (head.empty()) throw InputError({path}, "is empty");
  if (head.front() == '{' || head.front() == '[') {
    const JsonValue json = read_packed_json(path);
    return read_chakra_json(JsonPlace(path, json), graph);
  }
  const TakeBytes take = [&](std::size_t count) {
    std::string bytes;
    for (std::uint64_t before = source.position(); bytes.size() < count; before = source.position()) {
      const char byte = source.take();
      if (source.position() == before) break;
      bytes += byte;
    }
    if (options.progress) options.progress(source.read_of_file(), source.file_size());
    return bytes;
  };
  read_chakra_protobuf(path, take, graph);
}

Imported import_chakra(const std::string& path, const ImportOptions& options) {
  ChakraGraph graph;
  if (options.ranks.empty()) {
    read_file(path, options, graph);
    return imported(path, graph.finish(path), options);
  }
  const std::vector<std::string> files = files_by_rank(path, options.ranks);
  for (std::size_t rank = 0; rank < files.size(); ++rank) {
    graph.begin_rank(static_cast<std::int32_t>(rank), files[rank]);
    read_file(files[rank], options, graph);
  }
  return imported(path, graph.joined(), options);
}

constexpr std::array<std::string_view, 3> kChakraOptions{"drop_edges", "core_type", "ranks"};

}  // namespace

Importer chakra_importer() { return {"chakra", "a Chakra execution trace, protobuf or JSON", is_chakra, import_chakra, kChakraOptions}; }

}  // namespace tasktwin::scenarios
