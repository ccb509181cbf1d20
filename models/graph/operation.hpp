#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "models/base/names.hpp"

namespace tasktwin {

/// What a task is to the stream it is in: a kernel, or something else that a stream orders. Task::cost.bytes are those it moves,
/// sets or allocates (Task::cost.time, where it is not 0, how long a transfer takes in place of what links say); Task::args[0] is the
/// number of the buffer it does that to, from 1 on, or 0. Only a kernel takes compute cores.
///
/// A collective is a task for each of its ranks, each on a device of its own, with the same operation, bytes and number, Task::args[1],
/// from 1 on. Its bytes are what nccl-tests calls the size: of all_reduce and all_to_all what a rank sends; of all_gather what a rank has
/// in the end; of reduce_scatter what it has before; of broadcast and send_recv the message. Task::args[2] is the device that a broadcast
/// or send_recv comes from, or that a copy_p2p between two known devices goes to.
enum class Operation : std::uint8_t {
  kKernel,
  kCopyH2d,    ///< host to device; from pageable memory where TaskTraits::pageable says so
  kCopyD2h,    ///< device to host; likewise
  kCopyP2p,    ///< device to another device
  kMemset,     ///< sets device memory
  kAlloc,      ///< allocates the buffer, as Design::allocator says
  kFree,       ///< frees it
  kHost,       ///< a function of the host, run for Task::cost.time when the stream reaches it
  kEvent,      ///< a counter that its predecessors count down and whose zero releases its successors; no core runs it
  kAllReduce,  ///< from here on collectives: one rank's part
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kSendRecv,
};
template <>
struct Words<Operation> {
  static constexpr std::array entries{
      std::pair{Operation::kKernel, std::string_view{"kernel"}},
      std::pair{Operation::kCopyH2d, std::string_view{"copy_h2d"}},
      std::pair{Operation::kCopyD2h, std::string_view{"copy_d2h"}},
      std::pair{Operation::kCopyP2p, std::string_view{"copy_p2p"}},
      std::pair{Operation::kMemset, std::string_view{"memset"}},
      std::pair{Operation::kAlloc, std::string_view{"alloc"}},
      std::pair{Operation::kFree, std::string_view{"free"}},
      std::pair{Operation::kHost, std::string_view{"host"}},
      std::pair{Operation::kEvent, std::string_view{"event"}},
      std::pair{Operation::kAllReduce, std::string_view{"all_reduce"}},
      std::pair{Operation::kAllGather, std::string_view{"all_gather"}},
      std::pair{Operation::kReduceScatter, std::string_view{"reduce_scatter"}},
      std::pair{Operation::kAllToAll, std::string_view{"all_to_all"}},
      std::pair{Operation::kBroadcast, std::string_view{"broadcast"}},
      std::pair{Operation::kSendRecv, std::string_view{"send_recv"}},
  };
};

constexpr bool is_copy(Operation operation) { return operation >= Operation::kCopyH2d && operation <= Operation::kCopyP2p; }

/// Whether one end of it lies in the host's memory, which may be pageable.
constexpr bool touches_host_memory(Operation operation) { return operation == Operation::kCopyH2d || operation == Operation::kCopyD2h; }

/// Whether it moves or sets bytes of the device's memory.
constexpr bool is_transfer(Operation operation) { return is_copy(operation) || operation == Operation::kMemset; }

constexpr bool is_collective(Operation operation) { return operation >= Operation::kAllReduce; }

/// Whether one of its ranks has all the bytes, and Task::args[2] says which.
constexpr bool has_root(Operation operation) { return operation == Operation::kBroadcast || operation == Operation::kSendRecv; }

constexpr bool is_allocation(Operation operation) { return operation == Operation::kAlloc || operation == Operation::kFree; }

}  // namespace tasktwin
