#include "models/cost/collective_flows.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "models/base/error.hpp"
#include "models/cost/collective_times.hpp"
#include "models/machine/interconnect.hpp"

namespace tasktwin {

namespace {

bool takes_tree(const Collective& c) { return c.algorithm == CollectiveAlgorithm::kTree && c.kind == Operation::kAllReduce; }

/// The rank above `rank` in the first tree. Contract: rank > 0.
std::size_t parent(std::size_t rank, std::size_t ranks) {
  const std::size_t lowest = rank & (~rank + 1);
  const std::size_t moved = (rank ^ lowest) | (lowest << 1);
  return moved < ranks ? moved : rank ^ lowest;
}

/// Of a collective's bytes, what each rank sends.
double part_sent(const Collective& c) {
  const auto ranks = static_cast<double>(c.devices.size());
  switch (c.kind) {
    case Operation::kAllReduce:
      return 2 * (ranks - 1) / ranks;
    case Operation::kAllGather:
    case Operation::kReduceScatter:
    case Operation::kAllToAll:
      return (ranks - 1) / ranks;
    default:
      return 1;
  }
}

/// How many ranks each node has; 0 where that differs, or all are of one node.
std::size_t ranks_of_a_node(const Collective& c, const Devices& devices) {
  std::map<int, std::size_t> ranks;
  for (const int device : c.devices) ++ranks[devices.node_of(device)];
  const bool alike = std::ranges::all_of(ranks, [&](const auto& node) { return node.second == ranks.begin()->second; });
  return ranks.size() > 1 && alike ? ranks.begin()->second : 0;
}

/// The ranks once for each network card that a node's ranks have: the r-th time each node's begin with its rank r + 1 and end with its rank
/// r. Once as they are where there is one node.
std::vector<std::vector<int>> orders_by_card(const Collective& c, const Devices& devices) {
  const std::size_t of_node = ranks_of_a_node(c, devices);
  const std::size_t cards = std::clamp<std::size_t>(static_cast<std::size_t>(devices.nics), 1, std::max<std::size_t>(of_node, 1));
  std::vector<std::vector<int>> orders(cards, c.devices);
  for (std::size_t card = 0; card < cards && cards > 1; ++card) {
    for (std::size_t node = 0; node < c.devices.size(); node += of_node) {
      const auto begin = orders[card].begin() + static_cast<std::ptrdiff_t>(node);
      std::rotate(begin, begin + static_cast<std::ptrdiff_t>((card + 1) % of_node), begin + static_cast<std::ptrdiff_t>(of_node));
    }
  }
  return orders;
}

/// Over several nodes two trees for each network card.
std::vector<CollectiveFlow> tree_flows(const Collective& c, const Devices& devices) {
  std::vector<CollectiveFlow> flows;
  const std::size_t ranks = c.devices.size();
  const std::vector<std::vector<int>> orders = orders_by_card(c, devices);
  const double half = static_cast<double>(c.bytes) / 2 / static_cast<double>(orders.size());
  for (const std::vector<int>& order : orders) {
    for (const bool mirrored : {false, true}) {
      const auto device = [&](std::size_t rank) { return order[mirrored ? ranks - 1 - rank : rank]; };
      for (std::size_t rank = 1; rank < ranks; ++rank) {
        const int above = device(parent(rank, ranks));
        flows.push_back({device(rank), above, half});
        flows.push_back({above, device(rank), half});
      }
    }
  }
  return flows;
}

/// Over several nodes a ring for each network card: ring r leaves each node from its rank r.
std::vector<CollectiveFlow> ring_flows(const Collective& c, const Devices& devices) {
  std::vector<CollectiveFlow> flows;
  const std::vector<std::vector<int>> orders = orders_by_card(c, devices);
  const double bytes = part_sent(c) * static_cast<double>(c.bytes) / static_cast<double>(orders.size());
  for (const std::vector<int>& order : orders) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      const int next = order[(i + 1) % order.size()];
      if (!has_root(c.kind) || next != c.root) flows.push_back({order[i], next, bytes});
    }
  }
  return flows;
}

std::vector<CollectiveFlow> pairwise_flows(const Collective& c) {
  std::vector<CollectiveFlow> flows;
  const double part = static_cast<double>(c.bytes) / static_cast<double>(c.devices.size());
  for (const int from : c.devices) {
    for (const int to : c.devices) {
      if (from != to) flows.push_back({from, to, part});
    }
  }
  return flows;
}

/// Of the way from the deepest rank to the top of a tree.
Nanoseconds climb(const Machine& machine, const Collective& c) {
  const std::size_t ranks = c.devices.size();
  Nanoseconds longest{0};
  for (const bool mirrored : {false, true}) {
    const auto device = [&](std::size_t rank) { return c.devices[mirrored ? ranks - 1 - rank : rank]; };
    for (std::size_t leaf = 1; leaf < ranks; ++leaf) {
      Nanoseconds way{0};
      for (std::size_t rank = leaf; rank > 0; rank = parent(rank, ranks))
        way += machine.collectives->step + route(machine, device(rank), device(parent(rank, ranks))).latency;
      longest = std::max(longest, way);
    }
  }
  return longest;
}

/// Once round the ring.
Nanoseconds round(const Machine& machine, const Collective& c) {
  Nanoseconds way{0};
  for (std::size_t i = 0; i < c.devices.size(); ++i)
    way += machine.collectives->step + route(machine, c.devices[i], c.devices[(i + 1) % c.devices.size()]).latency;
  return way;
}

Nanoseconds steps(const Machine& machine, const Collective& c) {
  if (takes_tree(c)) return 2 * climb(machine, c);
  if (c.kind == Operation::kSendRecv || c.kind == Operation::kAllToAll) {
    Nanoseconds farthest{0};
    for (const int device : c.devices) {
      if (device != c.devices.front()) farthest = std::max(farthest, route(machine, c.devices.front(), device).latency);
    }
    return machine.collectives->step + farthest;
  }
  const auto ranks = static_cast<double>(c.devices.size());
  return (c.kind == Operation::kAllReduce ? 2 : 1) * (ranks - 1) / ranks * round(machine, c);
}

}  // namespace

std::vector<std::vector<TaskId>> collectives_of(const TaskGraph& graph) {
  std::vector<std::vector<TaskId>> collectives;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    if (!is_collective(task.operation)) continue;
    const auto number = static_cast<std::size_t>(task.args[1]);
    if (task.args[1] < 1 || number > graph.size())
      throw InputError("task '" + std::string(graph.name(task_id(i))) + "' is of collective " + std::to_string(task.args[1]) +
                       "; collectives are numbered from 1 on, up to the number of tasks");
    if (number >= collectives.size()) collectives.resize(number + 1);
    collectives[number].push_back(task_id(i));
  }
  for (std::vector<TaskId>& ranks : collectives) std::ranges::stable_sort(ranks, {}, [&graph](TaskId rank) { return graph[rank].device; });
  return collectives;
}

Collective collective_of(const TaskGraph& graph, const std::vector<TaskId>& ranks, CollectiveAlgorithm algorithm) {
  const Task& first = graph[ranks.front()];
  Collective collective{.kind = first.operation, .bytes = first.cost.bytes.count, .root = first.args[2], .algorithm = algorithm};
  for (const TaskId rank : ranks) collective.devices.push_back(graph[rank].device);
  return collective;
}

Collective collective_under(const Machine& machine, const Design& design, const TaskGraph& graph, const std::vector<TaskId>& ranks,
                            int cores) {
  Collective collective = collective_of(graph, ranks, design.collective);
  const int blocks = std::min(cores, rank_blocks(machine, collective.bytes, design.collective_blocks));
  if (blocks < rank_blocks(machine, collective.bytes)) collective.blocks = blocks;
  return collective;
}

std::vector<CollectiveFlow> collective_flows(const Collective& collective, const Devices& devices) {
  if (takes_tree(collective)) return tree_flows(collective, devices);
  return collective.kind == Operation::kAllToAll ? pairwise_flows(collective) : ring_flows(collective, devices);
}

Nanoseconds busiest_way(const Machine& machine, const Collective& collective) {
  std::map<std::pair<int, bool>, double> sending;  // ns
  double busiest = 0;
  for (const CollectiveFlow& flow : collective_flows(collective, machine.devices)) {
    const bool leaves = machine.devices.node_of(flow.from) != machine.devices.node_of(flow.to);
    busiest = std::max(busiest, sending[{flow.from, leaves}] += flow.bytes / route(machine, flow.from, flow.to).bandwidth);
  }
  return Nanoseconds{busiest};
}

Nanoseconds collective_latency(const Machine& machine, const Collective& collective, bool in_graph) {
  const Nanoseconds latency = machine.collectives->latency + steps(machine, collective);
  return std::max(Nanoseconds{0}, in_graph ? latency - machine.collectives->graph_saving : latency);
}

int rank_blocks(const Machine& machine, std::int64_t bytes, int most) {
  const mechanism::Collectives& times = *machine.collectives;
  if (times.blocks == 0) return 0;
  if (most == 0) most = times.blocks;
  if (times.block_bytes == 0) return most;
  const std::int64_t wanted = (bytes + times.block_bytes - 1) / times.block_bytes;
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, most));
}

double sending_limit(const Machine& machine, const Collective& collective) {
  return machine.peers ? collective.blocks * machine.peers->core_read_bandwidth : 0;
}

Nanoseconds sending_time(const Machine& machine, const Collective& collective) {
  const double limit = sending_limit(machine, collective);
  if (limit <= 0) return Nanoseconds{0};
  std::map<int, double> sent;
  double most = 0;
  for (const CollectiveFlow& flow : collective_flows(collective, machine.devices)) most = std::max(most, sent[flow.from] += flow.bytes);
  return Nanoseconds{most / limit};
}

LinkUse link_use(const Machine& machine, const Collective& collective, bool in_graph) {
  const Nanoseconds at_full_rate = busiest_way(machine, collective);
  const auto measured = measured_collective(machine, collective, in_graph);
  const Nanoseconds moving =
      measured ? *measured - collective_latency(machine, collective, in_graph) : at_full_rate / machine.collectives->efficiency;
  if (moving <= Nanoseconds{0}) return {};
  const double all = moving / at_full_rate;
  const bool one_node = machine.devices.node_of(collective.devices.front()) == machine.devices.node_of(collective.devices.back());
  const double message = one_node && machine.peers ? message_ns(machine, in_graph) * machine.peers->link_bandwidth : 0;
  if (message <= 0 || message >= all) return {.bytes = all};
  const double bytes = std::max(message, std::min(all, 1.0));
  return {.bytes = bytes, .pace = bytes / moving.count()};
}

Nanoseconds collective_alone(const Machine& machine, const Collective& collective, bool in_graph) {
  const Nanoseconds latency = collective_latency(machine, collective, in_graph);
  const Nanoseconds least = collective.blocks > 0 ? latency + sending_time(machine, collective) : Nanoseconds{0};
  if (const auto measured = measured_collective(machine, collective, in_graph)) return std::max(least, *measured);
  return std::max(least, latency + busiest_way(machine, collective) / machine.collectives->efficiency);
}

}  // namespace tasktwin
