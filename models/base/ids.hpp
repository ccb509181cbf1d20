#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tasktwin {

/// Position of a task in its TaskGraph, 0 to size() - 1.
enum class TaskId : std::uint32_t {};
/// Position of a compute core in its Machine, counted over all core types in the machine file's order.
enum class CoreId : std::uint32_t {};
/// Position of a control core (dispatcher) in a run.
enum class DispatcherId : std::uint32_t {};

inline constexpr CoreId kNoCore{std::numeric_limits<std::uint32_t>::max()};
inline constexpr DispatcherId kNoDispatcher{std::numeric_limits<std::uint32_t>::max()};

constexpr std::size_t index(TaskId id) { return static_cast<std::size_t>(id); }
constexpr std::size_t index(CoreId id) { return static_cast<std::size_t>(id); }
constexpr std::size_t index(DispatcherId id) { return static_cast<std::size_t>(id); }

constexpr TaskId task_id(std::size_t index) { return static_cast<TaskId>(index); }
constexpr CoreId core_id(std::size_t index) { return static_cast<CoreId>(index); }
constexpr DispatcherId dispatcher_id(std::size_t index) { return static_cast<DispatcherId>(index); }

}  // namespace tasktwin
