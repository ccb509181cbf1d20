#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/names.hpp"
#include "models/dependences/dependences.hpp"
#include "models/program/host_program.hpp"

namespace tasktwin {

/// Whether a program needs one of its waits.
enum class OrderVerdict : std::uint8_t {
  kNeeded,     ///< without it two tasks that share memory would be unordered
  kImplied,    ///< it orders nothing that others do not order too
  kOrderOnly,  ///< it orders tasks, but none that share memory
  kUnknown,    ///< without it a task of which too little is known would be unordered, or what it waits for is not known
  kHost,       ///< the host waits for memory that it may read or write itself, or the program ends with it
};

template <>
struct Words<OrderVerdict> {
  static constexpr std::array entries{
      std::pair{OrderVerdict::kNeeded, std::string_view{"needed"}}, std::pair{OrderVerdict::kImplied, std::string_view{"implied"}},
      std::pair{OrderVerdict::kOrderOnly, std::string_view{"order_only"}}, std::pair{OrderVerdict::kUnknown, std::string_view{"unknown"}},
      std::pair{OrderVerdict::kHost, std::string_view{"host"}}};
};

/// A call by its thread and its place among the thread's, as in HostProgram::order.
using CallPlace = std::pair<std::uint32_t, std::uint32_t>;

/// Memory given back in the order of a stream: what used it must come before.
struct FreedMemory {
  std::size_t position = 0;  ///< after this many of HostProgram::order
  std::uint32_t stream = 0;
  std::vector<TaskId> users;  ///< launched before
};

/// Two tasks of different streams, or that a host which waits between them orders.
struct NeededOrder {
  TaskId before{};
  TaskId after{};
};

/// A wait of a stream, or a call that blocks until something has ended.
struct JudgedWait {
  CallPlace call;
  OrderVerdict verdict{};
  std::optional<Dependence> because = {};  ///< needed, unknown: the first that it alone orders; none where memory is freed after it
  std::size_t dependences = 0;             ///< that it alone orders
  /// Needed for these alone: of each two streams the last that must have ended, and the first that needs that. Empty where too little is
  /// known, or where memory is freed after it.
  std::vector<NeededOrder> needs = {};
};

/// Neighbours in a stream, by what orders them else.
struct JudgedNeighbours {
  std::size_t needed = 0;      ///< they share memory
  std::size_t implied = 0;     ///< through others
  std::size_t order_only = 0;  ///< they do not
  std::size_t unknown = 0;     ///< too little is known of one of them
};

struct JudgedOrder {
  std::vector<JudgedWait> waits;  ///< in the order of the calls
  /// Waits that can go all at once; each can go by itself too.
  std::vector<CallPlace> removable;
  JudgedNeighbours neighbours;
  /// Dependences that streams, waits and the host order; where a direct one is not ordered, those after it too.
  std::vector<Dependence> ordered;
  std::vector<Dependence> unordered;  ///< that nothing orders which the program's calls show: races, or threads that wait for each other
};

/// Most steps that judge_order may take: calls by waits by streams.
inline constexpr std::size_t kMostJudgingSteps = 500'000'000;

/// Which of the program's waits are needed. Tasks of one launch, as nodes of a graph, are taken as one. A wait that blocks the host is
/// `host` wherever it waits for a task with_host. Throws InputError where it would take more than kMostJudgingSteps. Contract: `accesses`
/// are of the program's tasks, `dependences` theirs.
JudgedOrder judge_order(const HostProgram& program, const TaskAccesses& accesses, std::span<const Dependence> dependences,
                        std::span<const FreedMemory> frees = {});

/// The same program without these calls, which wait: the host's own time before them stays. Records that nothing waits for any more go too.
HostProgram without_calls(const HostProgram& program, std::span<const CallPlace> calls);

}  // namespace tasktwin
