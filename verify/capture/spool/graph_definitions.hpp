#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/capture/spool/capture_index.hpp"

namespace tasktwin::verify {

struct CapturedNode {
  std::uint64_t node;             ///< as device records name it
  std::uint64_t definition;       ///< of the graph that was instantiated; 0: the driver put it in (an expanded child graph's node)
  std::string_view type;          ///< "kernel", "memcpy", …
  const spool::CallRecord* call;  ///< that added it; null where none was seen
};

/// An executable graph, as it was instantiated. It contains child graphs node by node.
struct CapturedGraph {
  std::uint32_t exec;
  std::uint32_t graph;
  std::vector<CapturedNode> nodes;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> edges;  ///< from, to
};

/// Every executable graph, in the order of instantiation.
std::vector<CapturedGraph> captured_graphs(const CaptureIndex& index);

/// Whether the device records nodes of this type.
bool leaves_device_record(std::string_view node_type);

}  // namespace tasktwin::verify
