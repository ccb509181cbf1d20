#include "scenarios/machine_files/devices_file.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "models/base/error.hpp"
#include "scenarios/document/file_limits.hpp"
#include "scenarios/document/scalar.hpp"
#include "scenarios/machine_files/machine_file.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::array<std::string_view, 2> kLaunchedIn{"stream", "graph"};

std::span<const std::string_view> collective_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> all;
    for (const auto& [operation, word] : Words<Operation>::entries) {
      if (is_collective(operation)) all.push_back(word);
    }
    return all;
  }();
  return words;
}

std::string in_brackets(const auto& numbers) {
  std::string text;
  for (const auto number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

void read_whole_numbers(const Node* list, std::vector<int>& numbers) {
  if (!list) return;
  numbers.clear();
  for (const Node& item : list->items) numbers.push_back(static_cast<int>(item.integer));
}

}  // namespace

namespace schema {

Json devices() {
  const Json ways = whole("", 1, kMostDevices);
  return map(
      "several devices, all as this machine is; without it there is one; what is left out is as in the machine it starts from",
      {{"per_node", whole("devices of one host", 1, 1024, 1)},
       {"nodes", whole("hosts; where a number is stated, they are under one switch but for a tree stated beside it", 1, kMostDevices, 1)},
       {"links", word("how the devices of a host are linked", all_words<PeerLinks>(), "switch")},
       {"multicast", truth("whether collectives use a switch that adds up and multiplies what it is sent (NVLink SHARP, NCCL's NVLS)")},
       {"nics", whole("network cards of a host; device i sends through card i modulo their number", 0, 1024, 0)},
       {"tree_down", list("fat tree over the hosts, level by level from below: what a switch has below it; [] for none", ways, 0)},
       {"tree_up", list("likewise: switches that each of those is linked to", ways, 0)},
       {"published", text("where that is published", 2000)},
       {"assumed", text("why that is assumed", 2000)}});
}

Json collective_times() {
  const Json bytes = list("ascending", whole("", 0, 1'000'000'000'000));
  Json times = map("",
                   {{"kind", word("collective", collective_words())},
                    {"ranks", whole("devices that take part", 2, kMostDevices)},
                    {"in", word("how it is launched", kLaunchedIn, "stream")},
                    {"bytes", bytes},
                    {"time_ns", list("of each of bytes: last rank there to all having ended", number("", 0, 1e12))},
                    {"method", text("how it was measured: a name of 'methods'", 200)},
                    {"published", text("where it is published", 2000)},
                    {"assumed", text("why these are assumed", 2000)},
                    {"date", text("YYYY-MM-DD", {})}},
                   {"kind", "ranks", "bytes", "time_ns"});
  return list("times of collectives as measured; linear between sizes", std::move(times), 0);
}

}  // namespace schema

Devices read_devices(const Document& document, const Node& map, const std::string& path, Devices devices) {
  const auto read = [&map](std::string_view key, int& value) {
    if (const Node* const node = map.find(key)) value = static_cast<int>(node->integer);
  };
  read("per_node", devices.per_node);
  read("nodes", devices.nodes);
  read("nics", devices.nics);
  if (map.find("nodes")) devices.tree_down = devices.tree_up = {};
  if (const Node* const links = map.find("links")) devices.links = *from_word<PeerLinks>(links->text);
  if (const Node* const multicast = map.find("multicast")) devices.multicast = multicast->boolean;
  read_whole_numbers(map.find("tree_down"), devices.tree_down);
  read_whole_numbers(map.find("tree_up"), devices.tree_up);
  const auto refuse = [&](std::string_view key, const std::string& why) {
    const Node* const node = map.find(key);
    throw InputError(node ? document.at(*node) : document.at(map), path + "." + std::string(key) + ": " + why);
  };
  if (std::int64_t{devices.per_node} * devices.nodes > kMostDevices)
    refuse("nodes", "that makes " + std::to_string(std::int64_t{devices.per_node} * devices.nodes) + " devices; at most " +
                        std::to_string(kMostDevices) + " are simulated");
  if (devices.multicast && devices.links != PeerLinks::kSwitch)
    refuse("multicast", "is of a switch, but links are 'all_to_all'; write multicast: false, or links: switch");
  if (devices.nodes > 1 && devices.nics == 0) refuse("nics", "missing; several nodes need 1 or more");
  if (devices.nodes > 1 && devices.nics > devices.per_node)
    refuse("nics", "is " + std::to_string(devices.nics) + ", more than the " + std::to_string(devices.per_node) +
                       " devices of a host, each of which sends through one card");
  if (devices.tree_down.size() != devices.tree_up.size())
    refuse("tree_up",
           "has " + std::to_string(devices.tree_up.size()) + " levels, but tree_down has " + std::to_string(devices.tree_down.size()));
  std::int64_t leaves = 1;
  for (const int down : devices.tree_down) leaves = std::min<std::int64_t>(leaves * down, kMostDevices + 1);
  if (!devices.tree_down.empty() && leaves != devices.nodes)
    refuse("tree_down", "its product is " + std::to_string(leaves) + "; it must be that of the nodes, " + std::to_string(devices.nodes));
  return devices;
}

CollectiveTimes read_collective_times(const Document& document, const Node& map, const std::string& path) {
  CollectiveTimes times{
      .kind = *from_word<Operation>(map.find("kind")->text), .ranks = static_cast<int>(map.find("ranks")->integer), .points = {}};
  const Node* const in = map.find("in");
  times.in_graph = in && in->text == "graph";
  const Node& bytes = *map.find("bytes");
  const Node& values = *map.find("time_ns");
  if (bytes.items.size() != values.items.size())
    throw InputError(document.at(values), path + ".time_ns: has " + std::to_string(values.items.size()) +
                                              " entries; must have one for each of the " + std::to_string(bytes.items.size()) +
                                              " of bytes");
  for (std::size_t i = 0; i < bytes.items.size(); ++i) {
    if (i > 0 && bytes.items[i].integer <= bytes.items[i - 1].integer)
      throw InputError(document.at(bytes.items[i]),
                       path + ".bytes: " + bytes.items[i].text + " stands behind " + bytes.items[i - 1].text + "; sizes must ascend");
    times.points.push_back({bytes.items[i].integer, values.items[i].real});
  }
  return times;
}

std::string collective_times_key(const CollectiveTimes& times) {
  return "collective_times." + std::string(to_word(times.kind)) + "." + std::to_string(times.ranks) + "." +
         std::string(kLaunchedIn[times.in_graph ? 1 : 0]);
}

std::string devices_text(const Devices& devices, const std::string& source) {
  std::string text = "# several devices, all as this machine is\ndevices: {per_node: " + std::to_string(devices.per_node);
  if (devices.nodes > 1) text += ", nodes: " + std::to_string(devices.nodes);
  text += ", links: " + std::string(to_word(devices.links));
  if (devices.multicast) text += ", multicast: true";
  if (devices.nics > 0) text += ", nics: " + std::to_string(devices.nics);
  if (!devices.tree_down.empty()) text += ", tree_down: " + in_brackets(devices.tree_down) + ", tree_up: " + in_brackets(devices.tree_up);
  return text + source + "}\n";
}

std::string collective_times_text(const CollectiveTimes& times, const std::string& source) {
  std::string bytes;
  std::string values;
  for (const CollectiveTimes::Point& point : times.points) {
    bytes += (bytes.empty() ? "" : ", ") + std::to_string(point.bytes);
    values += (values.empty() ? "" : ", ") + shortest(point.time_ns);
  }
  return "  - {kind: " + std::string(to_word(times.kind)) + ", ranks: " + std::to_string(times.ranks) +
         ", in: " + std::string(kLaunchedIn[times.in_graph ? 1 : 0]) + ",\n     bytes: [" + bytes + "],\n     time_ns: [" + values + "]" +
         source + "}\n";
}

}  // namespace tasktwin::scenarios
