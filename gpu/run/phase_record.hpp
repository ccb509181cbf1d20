#pragma once

#include <cstdint>

namespace tasktwin::gpu {

/// One task's phases on the device's global timer, in ns; 0 where not stamped. What each means: models/run/timeline.hpp.
struct alignas(64) PhaseRecord {
  std::uint64_t ready;
  std::uint64_t dispatched;
  std::uint64_t received;
  std::uint64_t started;
  std::uint64_t ended;
  std::uint64_t published;
  std::uint32_t core;
  std::uint32_t dispatcher;  ///< 1 + DispatcherId; 0 for none
};

/// One iteration of a control core's loop that did anything.
struct DispatchIteration {
  std::uint64_t begin;     ///< sweep begun
  std::uint64_t swept;     ///< completions known
  std::uint64_t resolved;  ///< successors released
  std::uint64_t taken;     ///< from the queue
  std::uint64_t end;       ///< tasks handed over
  std::uint32_t serving;   ///< between swept and resolved, spent on taking what waited for idle cores
  std::uint32_t completions;
  std::uint32_t edges;
  std::uint32_t rows;     ///< of 32 of them, beyond the heads of tasks' rows
  std::uint32_t turns;    ///< in which tasks that became ready were given to other idle cores than those whose completions made them so
  std::uint32_t claimed;  ///< tasks taken from the queue between resolved and taken
  std::uint32_t handed_over;
  std::uint32_t released;  ///< successors that became ready
};

}  // namespace tasktwin::gpu
