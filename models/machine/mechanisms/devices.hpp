#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/names.hpp"
#include "models/graph/operation.hpp"

namespace tasktwin {

/// How the devices of one host are linked.
enum class PeerLinks : std::uint8_t {
  kSwitch,    ///< each has a port into a switch (NVSwitch), which delays nothing itself
  kAllToAll,  ///< each pair has a link of its own
};
template <>
struct Words<PeerLinks> {
  static constexpr std::array entries{std::pair{PeerLinks::kSwitch, std::string_view{"switch"}},
                                      std::pair{PeerLinks::kAllToAll, std::string_view{"all_to_all"}}};
};

/// The devices of a machine, all alike: `nodes` hosts of `per_node` devices. Device d is in node d / per_node.
struct Devices {
  int per_node = 1;
  int nodes = 1;
  PeerLinks links = PeerLinks::kSwitch;
  bool multicast = false;  ///< the switch adds up what it is sent, and sends one thing to all (NVLink SHARP), and collectives use it
  int nics = 0;            ///< of a node: device i of it sends through NIC i modulo their number
  /// The fat tree over the nodes, level by level from below: what each switch has below it, and what each of those has above it. The
  /// product of tree_down is `nodes`. Empty for one switch over all.
  std::vector<int> tree_down = {};
  std::vector<int> tree_up = {};

  int count() const { return per_node * nodes; }
  int node_of(int device) const { return device / per_node; }
  friend bool operator==(const Devices&, const Devices&) = default;
};

/// The time of a collective over that many ranks by its bytes, from the last rank being there to all having ended; without the host's time.
struct CollectiveTimes {
  struct Point {
    std::int64_t bytes = 0;
    double time_ns = 0;
    friend bool operator==(const Point&, const Point&) = default;
  };
  Operation kind = Operation::kAllReduce;
  int ranks = 2;
  bool in_graph = false;      ///< as a node of a CUDA graph
  std::vector<Point> points;  ///< ascending; linear between them, and beyond the last by its slope
  friend bool operator==(const CollectiveTimes&, const CollectiveTimes&) = default;
};

}  // namespace tasktwin
