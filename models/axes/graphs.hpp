#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "models/names.hpp"

namespace tasktwin {

// Axes of a Design: CUDA graphs, and launches that they share with streams.

/// How a CUDA graph comes to be.
enum class GraphSource : std::uint8_t {
  kNodes,    ///< a node a task and an edge a dependency
  kCapture,  ///< what stream capture makes of the program of driver `streams`
};
template <>
struct Words<GraphSource> {
  static constexpr std::array entries{
      std::pair{GraphSource::kNodes, std::string_view{"nodes"}},
      std::pair{GraphSource::kCapture, std::string_view{"capture"}},
  };
};

/// What the host does to a CUDA graph before it launches it again.
enum class GraphUpdate : std::uint8_t {
  kNone,
  kNodeParams,     ///< sets the parameters of each of its nodes
  kWholeGraph,     ///< updates it in place from another graph
  kReinstantiate,  ///< instantiates it anew
};
template <>
struct Words<GraphUpdate> {
  static constexpr std::array entries{
      std::pair{GraphUpdate::kNone, std::string_view{"none"}},
      std::pair{GraphUpdate::kNodeParams, std::string_view{"node_params"}},
      std::pair{GraphUpdate::kWholeGraph, std::string_view{"whole_graph"}},
      std::pair{GraphUpdate::kReinstantiate, std::string_view{"reinstantiate"}},
  };
};

/// What a CUDA graph makes of a task with a predicate (TaskTraits::probability).
enum class GraphPredicates : std::uint8_t {
  kKernel,  ///< a kernel node, which finds its body empty where the predicate does not hold
  kIf,      ///< a conditional node of that type around the task's kernel, behind a small kernel that looks at the predicate
  kWhile,   ///< likewise; behind the task's kernel another small one ends the loop, so that the body runs once
  kSwitch,  ///< likewise, with one case
};
template <>
struct Words<GraphPredicates> {
  static constexpr std::array entries{
      std::pair{GraphPredicates::kKernel, std::string_view{"kernel"}},
      std::pair{GraphPredicates::kIf, std::string_view{"if"}},
      std::pair{GraphPredicates::kWhile, std::string_view{"while"}},
      std::pair{GraphPredicates::kSwitch, std::string_view{"switch"}},
  };
};

/// Whether a kernel is brought onto the device while the one before it still runs, and waits there for its end.
enum class ProgrammaticLaunch : std::uint8_t { kOff, kOn };
template <>
struct Words<ProgrammaticLaunch> {
  static constexpr std::array entries{
      std::pair{ProgrammaticLaunch::kOff, std::string_view{"off"}},
      std::pair{ProgrammaticLaunch::kOn, std::string_view{"on"}},
  };
};

/// How a scheduler kernel in a graph launches further graphs.
enum class LaunchMode : std::uint8_t {
  kFireAndForget,  ///< they run at once; the scheduler's own graph is over only when they are
  kTail,           ///< they run one after the other once the scheduler has ended, and then it runs again
  kSibling,        ///< they run at once, and the scheduler's own graph does not wait for them
};
template <>
struct Words<LaunchMode> {
  static constexpr std::array entries{
      std::pair{LaunchMode::kFireAndForget, std::string_view{"fire_and_forget"}},
      std::pair{LaunchMode::kTail, std::string_view{"tail"}},
      std::pair{LaunchMode::kSibling, std::string_view{"sibling"}},
  };
};

}  // namespace tasktwin
