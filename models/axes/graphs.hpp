#pragma once

#include <array>
#include <cstdint>

#include "models/base/names.hpp"

namespace tasktwin {

// Axes of a Design: CUDA graphs, and launches that they share with streams.

/// How a CUDA graph is built.
enum class GraphSource : std::uint8_t { kNodes, kCapture };
template <>
struct Words<GraphSource> {
  static constexpr std::array values{
      AxisValue{GraphSource::kNodes, "nodes", "a node a task and an edge a dependency"},
      AxisValue{GraphSource::kCapture, "capture", "what stream capture makes of the program of driver 'streams'"},
  };
  static constexpr auto entries = words_of(values);
};

/// What the host does to a CUDA graph before it launches it again.
enum class GraphUpdate : std::uint8_t { kNone, kNodeParams, kWholeGraph, kReinstantiate };
template <>
struct Words<GraphUpdate> {
  static constexpr std::array values{
      AxisValue{GraphUpdate::kNone, "none", "nothing"},
      AxisValue{GraphUpdate::kNodeParams, "node_params", "sets the parameters of each of its nodes"},
      AxisValue{GraphUpdate::kWholeGraph, "whole_graph", "updates it in place from another graph"},
      AxisValue{GraphUpdate::kReinstantiate, "reinstantiate", "instantiates it anew"},
  };
  static constexpr auto entries = words_of(values);
};

/// What a CUDA graph makes of a task with a predicate (TaskTraits::probability).
enum class GraphPredicates : std::uint8_t { kKernel, kIf, kWhile, kSwitch };
template <>
struct Words<GraphPredicates> {
  static constexpr std::array values{
      AxisValue{GraphPredicates::kKernel, "kernel", "a kernel node, which finds its body empty where the predicate does not hold"},
      AxisValue{GraphPredicates::kIf, "if",
                "a conditional node of that type around the task's kernel, after a small kernel that reads the predicate"},
      AxisValue{GraphPredicates::kWhile, "while",
                "the same; after the task's kernel another small one ends the loop, so that the body runs once"},
      AxisValue{GraphPredicates::kSwitch, "switch", "likewise, with one case"},
  };
  static constexpr auto entries = words_of(values);
};

/// Whether a kernel is brought onto the device while the one before it still runs, and waits there for its end.
enum class ProgrammaticLaunch : std::uint8_t { kOff, kOn };
template <>
struct Words<ProgrammaticLaunch> {
  static constexpr std::array values{
      AxisValue{ProgrammaticLaunch::kOff, "off", "only once the one before it has ended"},
      AxisValue{ProgrammaticLaunch::kOn, "on", "while the one before it still runs; it waits there for its end"},
  };
  static constexpr auto entries = words_of(values);
};

/// How far its blocks have come when a kernel lets one that is launched programmatically take room next to it
/// (cudaTriggerProgrammaticLaunchCompletion).
enum class ProgrammaticTrigger : std::uint8_t { kBegin, kQuarter, kHalf, kThreeQuarters, kEnd };
template <>
struct Words<ProgrammaticTrigger> {
  static constexpr std::array values{
      AxisValue{ProgrammaticTrigger::kBegin, "begin", "as the last of its blocks begins"},
      AxisValue{ProgrammaticTrigger::kQuarter, "quarter", "once all blocks have done a quarter of their bodies, or ended"},
      AxisValue{ProgrammaticTrigger::kHalf, "half", "once all have done half of them"},
      AxisValue{ProgrammaticTrigger::kThreeQuarters, "three_quarters", "once all have done three quarters of them"},
      AxisValue{ProgrammaticTrigger::kEnd, "end", "once all have ended, as where a kernel never says so"},
  };
  static constexpr auto entries = words_of(values);
};

/// How a scheduler kernel in a graph launches further graphs.
enum class LaunchMode : std::uint8_t { kFireAndForget, kTail, kSibling };
template <>
struct Words<LaunchMode> {
  static constexpr std::array values{
      AxisValue{LaunchMode::kFireAndForget, "fire_and_forget", "they run at once; the scheduler's own graph is over only when they are"},
      AxisValue{LaunchMode::kTail, "tail", "they run one after the other once the scheduler has ended, and then it runs again"},
      AxisValue{LaunchMode::kSibling, "sibling", "they run at once, and the scheduler's own graph does not wait for them"},
  };
  static constexpr auto entries = words_of(values);
};

}  // namespace tasktwin
