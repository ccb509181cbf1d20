#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/ids.hpp"
#include "models/base/names.hpp"
#include "models/program/race_check.hpp"

namespace tasktwin {

/// TaskAccess::life of a tensor within an allocation has this bit.
inline constexpr std::uint32_t kTensorLife = std::uint32_t{1} << 31;

/// Memory that a task of a captured program touches: [begin, end).
struct TaskAccess {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool write = false;
  std::uint32_t life = 0;  ///< number of the allocation, or tensor; memory that is given out again has another; 0: not known
};

/// What is known of the memory that a captured program's tasks touch, by TaskId: those of a program that were launched later have larger
/// ids.
struct TaskAccesses {
  std::vector<std::vector<TaskAccess>> of;
  std::vector<bool> unknown;             ///< it may touch any memory
  std::vector<bool> with_host;           ///< it touches memory that code of the host may read or write too
  std::vector<StreamOrder> orders = {};  ///< by stream of the program; empty where none goes with the legacy default stream

  bool empty() const { return of.empty(); }
};

/// Why a task must follow another.
enum class DependenceKind : std::uint8_t {
  kReadAfterWrite,
  kWriteAfterRead,
  kWriteAfterWrite,
  kReuse,    ///< their memory is the same, but of two allocations: it would go away if each had memory of its own
  kUnknown,  ///< of one of them it is not known what it touches
};

struct Dependence {
  TaskId before{};
  TaskId after{};
  DependenceKind kind{};
  std::uint64_t address = 0;  ///< the lowest that both touch; 0 under kUnknown
  friend bool operator==(const Dependence&, const Dependence&) = default;
};

template <>
struct Words<DependenceKind> {
  static constexpr std::array entries{std::pair{DependenceKind::kReadAfterWrite, std::string_view{"read_after_write"}},
                                      std::pair{DependenceKind::kWriteAfterRead, std::string_view{"write_after_read"}},
                                      std::pair{DependenceKind::kWriteAfterWrite, std::string_view{"write_after_write"}},
                                      std::pair{DependenceKind::kReuse, std::string_view{"reuse"}},
                                      std::pair{DependenceKind::kUnknown, std::string_view{"unknown"}}};
};

/// What each task must follow so that it finds in memory what it would if all ran one after the other, in the order of their ids: its
/// direct predecessors, each pair once, by `after`. A write follows the reads of what it replaces, and so need not follow the write before
/// those. `own_memory`: what they must follow if memory that is given out again were other memory; a tensor and an allocation of which no
/// tensor is named may be the same.
std::vector<Dependence> true_dependences(const TaskAccesses& accesses, bool own_memory = false);

}  // namespace tasktwin
