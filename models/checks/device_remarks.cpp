#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "models/base/units.hpp"
#include "models/checks/remarks.hpp"
#include "models/cost/collective_times.hpp"
#include "models/runtimes/runtimes.hpp"
#include "models/shares/task_shares.hpp"

namespace tasktwin {

namespace {

/// A time of `collective_times` is doubted where its bytes would need more than this many times the bandwidth of the links that they take,
/// or where it is more than that many times what they take by the links' bandwidth.
constexpr double kQuicker = 1.1;
constexpr double kSlower = 4;
constexpr std::int64_t kLarge = 16 << 20;  ///< from here on the time is one of bytes

std::string rate_text(double rate) {
  const auto tenths = std::llround(10 * rate);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB/s";
}

/// Ranks of each host, by host.
std::map<int, int> ranks_of_hosts(const Collective& collective, const Devices& devices) {
  std::map<int, int> ranks;
  for (const int device : collective.devices) ++ranks[devices.node_of(device)];
  return ranks;
}

/// Cards of a host that its rings and trees take.
int cards_taken(const std::map<int, int>& ranks, int cards) {
  const bool alike = std::ranges::all_of(ranks, [&](const auto& host) { return host.second == ranks.begin()->second; });
  return alike ? std::min(cards, ranks.begin()->second) : 1;
}

/// Whether edges or copies do, or may.
bool crosses_hosts(const TaskGraph& graph, const Devices& devices) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    if (task.device == kAnyDevice) return true;  // as the design places it
    if (task.operation == Operation::kCopyP2p && devices.node_of(task.device) != devices.node_of(task.args[2])) return true;
    for (const TaskId next : graph.successors(task_id(i))) {
      if (devices.node_of(task.device) != devices.node_of(graph[next].device)) return true;
    }
  }
  return false;
}

/// Cards that no bytes pass.
void remark_on_cards(const TaskGraph& graph, const Machine& machine, const Design& design, std::vector<std::string>& all) {
  const Devices& devices = machine.devices;
  if (devices.nodes == 1 || devices.nics < 2 || crosses_hosts(graph, devices)) return;
  int taken = 0;
  std::string why;
  for (const std::vector<TaskId>& ranks : collectives_of(graph)) {
    if (ranks.empty()) continue;
    const Collective collective = collective_of(graph, ranks, design.collective);
    const std::map<int, int> hosts = ranks_of_hosts(collective, devices);
    if (hosts.size() < 2 || collective.kind == Operation::kAllToAll) {
      if (hosts.size() > 1) return;
      continue;
    }
    const int cards = cards_taken(hosts, devices.nics);
    if (cards <= taken) continue;
    taken = cards;
    const auto [fewest, most] = std::ranges::minmax_element(hosts, {}, [](const auto& host) { return host.second; });
    why = fewest->second == most->second ? "collectives have " + std::to_string(most->second) + " ranks of a host"
                                         : "ranks of a host are " + std::to_string(fewest->second) + " to " + std::to_string(most->second) +
                                               ", and only where they are alike is there a ring for each card";
  }
  if (taken == 0)
    all.push_back("devices.nics does nothing: nothing is sent from host to host");
  else if (taken < devices.nics)
    all.push_back(std::to_string(devices.nics - taken) + " of the " + std::to_string(devices.nics) +
                  " network cards of a host (devices.nics) do nothing: " + why);
}

/// Tables in which bytes outrun the links, or crawl.
void remark_on_tables(const TaskGraph& graph, const Machine& machine, const Design& design, std::vector<std::string>& all) {
  if (design.collective != CollectiveAlgorithm::kAutomatic || !machine.peers || !machine.collectives) return;
  std::map<std::pair<Operation, int>, bool> used;
  for (const std::vector<TaskId>& ranks : collectives_of(graph)) {
    if (!ranks.empty()) used[{graph[ranks.front()].operation, static_cast<int>(ranks.size())}] = true;
  }
  for (const CollectiveTimes& table : machine.collective_times) {
    if (table.points.empty() || table.points.back().bytes < kLarge || table.ranks > machine.devices.per_node) continue;
    const bool counts =
        std::ranges::any_of(used, [&](const auto& one) { return one.first.first == table.kind && one.first.second >= table.ranks; });
    if (!counts) continue;
    const CollectiveTimes::Point& point = table.points.back();
    Collective collective{.kind = table.kind, .bytes = point.bytes};
    for (int device = 0; device < table.ranks; ++device) collective.devices.push_back(device);
    double least = busiest_way(machine, collective).count();
    if (machine.devices.multicast && table.kind == Operation::kAllReduce)
      least = std::min(least, multicast_bytes(static_cast<double>(point.bytes), table.ranks) / machine.peers->link_bandwidth);
    if (point.time_ns * kQuicker >= least && point.time_ns <= kSlower * least) continue;
    all.push_back("collective_times contradict peers.link_bandwidth_gb_per_s, " + rate_text(machine.peers->link_bandwidth) + ": " +
                  std::string(to_word(table.kind)) + " of " + std::to_string(table.ranks) + " ranks and " + std::to_string(point.bytes) +
                  " bytes would have sent at " + rate_text(machine.peers->link_bandwidth * least / point.time_ns) +
                  "; the times count, and not the link");
  }
}

/// Collectives of more bytes than the table that is to tell what they take knows of.
void remark_on_ends(const TaskGraph& graph, const Machine& machine, const Design& design, std::vector<std::string>& all) {
  if (design.collective != CollectiveAlgorithm::kAutomatic || !machine.peers || !machine.collectives) return;
  for (const CollectiveTimes& table : machine.collective_times) {
    if (table.in_graph != runtime_of(design).graph() || table.points.empty()) continue;
    std::int64_t most = 0;
    for (const std::vector<TaskId>& ranks : collectives_of(graph)) {
      if (ranks.empty() || graph[ranks.front()].operation != table.kind || static_cast<int>(ranks.size()) != table.ranks) continue;
      if (graph[ranks.front()].cost.time == Duration{0}) most = std::max(most, graph[ranks.front()].cost.bytes.count);
    }
    if (!ends_before(table, most)) continue;
    all.push_back("collective_times of " + std::string(to_word(table.kind)) + " of " + std::to_string(table.ranks) + " ranks end at " +
                  std::to_string(table.points.back().bytes) + " bytes, which does not say what " + std::to_string(most) +
                  " bytes take: no less than its links need is assumed");
  }
}

/// What fewer blocks cost is known of one block's reads alone.
void remark_on_blocks(const TaskGraph& graph, const Machine& machine, const Design& design, std::vector<std::string>& all) {
  if (!machine.collectives || !machine.peers) return;
  const TaskShares shares(graph, design);
  bool fewer = false;
  bool stated = false;
  for (const std::vector<TaskId>& ranks : collectives_of(graph)) {
    if (ranks.empty()) continue;
    const bool has_fewer = collective_under(machine, design, graph, ranks, shares.fewest_cores(machine, ranks)).blocks > 0;
    const bool has_time = graph[ranks.front()].cost.time > Duration{0};
    fewer |= has_fewer;
    stated |= has_time && (has_fewer || design.collective_blocks > 0);
  }
  const std::string blocks = design.collective_blocks > 0 ? "collective_blocks " + std::to_string(design.collective_blocks)
                                                          : "a set with fewer cores than a collective has blocks";
  if (stated) all.push_back(blocks + " changes what collectives with a time of their own leave to kernels, and not that time");
  if (!fewer) return;
  if (machine.peers->core_read_bandwidth > 0)
    all.push_back(blocks + ": that each block of a rank sends up to " + rate_text(machine.peers->core_read_bandwidth) +
                  " is assumed, what a block reads of another device's memory (peers.core_read_bandwidth_gb_per_s)");
  else
    all.push_back(blocks + ": what fewer blocks cost a collective is not known, as machine '" + machine.name +
                  "' states no peers.core_read_bandwidth_gb_per_s; it takes as long as with " +
                  std::to_string(machine.collectives->blocks));
}

}  // namespace

std::vector<std::string> device_remarks(const TaskGraph& graph, const Machine& machine, const Design& design) {
  std::vector<std::string> all;
  if (machine.devices.count() == 1) return all;
  remark_on_cards(graph, machine, design, all);
  if (graph.has_collectives()) remark_on_tables(graph, machine, design, all);
  if (graph.has_collectives()) remark_on_ends(graph, machine, design, all);
  if (graph.has_collectives()) remark_on_blocks(graph, machine, design, all);
  return all;
}

}  // namespace tasktwin
