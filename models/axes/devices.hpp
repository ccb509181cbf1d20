#pragma once

#include <array>
#include <cstdint>

#include "models/base/names.hpp"

namespace tasktwin {

// Axes of a Design that count on a machine of several devices.

/// Which device a task goes to that names none.
enum class DevicePlacement : std::uint8_t { kGiven, kRoundRobin, kByLayer, kHinted, kHeft };
template <>
struct Words<DevicePlacement> {
  static constexpr std::array values{
      AxisValue{DevicePlacement::kGiven, "given", "device 0: tasks name the others themselves"},
      AxisValue{DevicePlacement::kRoundRobin, "round_robin", "the i-th such task in topological order to device i modulo their number"},
      AxisValue{DevicePlacement::kByLayer, "by_layer", "layers in equal runs, one run a device: the stages of a pipeline"},
      AxisValue{DevicePlacement::kHinted, "hinted",
                "its shard modulo the number of devices: tensor-parallel; without a shard, that of its latest predecessor"},
      AxisValue{DevicePlacement::kHeft, "heft",
                "by HEFT over devices: tasks by upward rank, each where it finishes first with what edges between devices take"},
  };
  static constexpr auto entries = words_of(values);
};

/// How bytes on an edge between two devices get across.
enum class PeerData : std::uint8_t { kCopy, kRead };
template <>
struct Words<PeerData> {
  static constexpr std::array values{
      AxisValue{PeerData::kCopy, "copy", "a copy engine brings them before the successor starts"},
      AxisValue{PeerData::kRead, "read", "the successor's body reads them from the other device's memory"},
  };
  static constexpr auto entries = words_of(values);
};

/// The way that the bytes of collectives take.
enum class CollectiveAlgorithm : std::uint8_t { kAutomatic, kRing, kTree };
template <>
struct Words<CollectiveAlgorithm> {
  static constexpr std::array values{
      AxisValue{CollectiveAlgorithm::kAutomatic, "automatic",
                "the library's choice: as the machine's collective_times has it, else the ring"},
      AxisValue{CollectiveAlgorithm::kRing, "ring", "a ring in the order of devices, as flows that share links with all else"},
      AxisValue{CollectiveAlgorithm::kTree, "tree", "two binary trees, half of the bytes each; for all_reduce, the others take the ring"},
  };
  static constexpr auto entries = words_of(values);
};

/// Which threads of the host launch for several devices.
enum class Launching : std::uint8_t { kOneThread, kThreadPerDevice };
template <>
struct Words<Launching> {
  static constexpr std::array values{
      AxisValue{Launching::kOneThread, "one_thread", "one for all, which makes another device the current one where it has to"},
      AxisValue{Launching::kThreadPerDevice, "thread_per_device", "one a device, side by side"},
  };
  static constexpr auto entries = words_of(values);
};

}  // namespace tasktwin
