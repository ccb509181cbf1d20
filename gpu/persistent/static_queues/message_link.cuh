#pragma once

#include "gpu/persistent/static_queues/message_pieces.hpp"
#include "gpu/persistent/static_queues/static_queue_links.cuh"

namespace tasktwin::gpu {

/// All 16 bytes at once, relaxed and at device scope.
__device__ __forceinline__ MessagePiece load_piece(const MessagePiece& from) {
  std::uint64_t low;
  std::uint64_t high;
  asm volatile("{ .reg .b128 piece; ld.relaxed.gpu.global.b128 piece, [%2]; mov.b128 {%0, %1}, piece; }"
               : "=l"(low), "=l"(high)
               : "l"(&from)
               : "memory");
  return {{static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32), static_cast<std::uint32_t>(high)},
          static_cast<std::uint32_t>(high >> 32)};
}
__device__ __forceinline__ void store_piece(MessagePiece& to, const MessagePiece& piece) {
  const std::uint64_t low = piece.numbers[0] | static_cast<std::uint64_t>(piece.numbers[1]) << 32;
  const std::uint64_t high = piece.numbers[2] | static_cast<std::uint64_t>(piece.flag) << 32;
  asm volatile("{ .reg .b128 piece; mov.b128 piece, {%1, %2}; st.relaxed.gpu.global.b128 [%0], piece; }" ::"l"(&to), "l"(low), "l"(high)
               : "memory");
}

/// A worker that finishes writes its task's message, whose pieces carry a flag each; a worker waits for all pieces of its next task's
/// predecessors, 32 at a time. Where the result is in the message nothing is fenced. Events are counted down and looked at as under flags.
class MessageLink {
 public:
  __device__ MessageLink(const PersistentRun& run, const StaticQueues& queues, std::uint32_t worker, TaskStream::Room& room)
      : run_(run), queues_(queues), worker_(worker), list_(queues, worker, room) {}

  __device__ void come_to(std::uint32_t n) {
    n_ = n;
    received_ = 0;
  }
  __device__ bool bring(std::uint32_t n) { return list_.bring(n); }
  __device__ const DeviceTask& task(std::uint32_t n) const { return list_.task(n); }

  __device__ std::uint32_t await(std::uint32_t n) {
    const DeviceTask& task = list_.task(n);
    const std::uint32_t count = task.awaited;
    if (count == 0) return n + list_.roots(n);
    std::uint32_t taken = 0;
    for (std::uint32_t base = 0; base < count; base += 32) {
      const std::uint32_t i = min(base + lane_id(), count - 1);
      const std::uint32_t piece = i < kHeadSuccessors ? task.edges.head[i] : queues_.awaited[task.first_awaited + i];
      MessagePiece seen{};
      const bool came = poll(
          run_, [&] { return (seen = look(piece)).flag; }, [](std::uint32_t flag) { return __all_sync(kAllLanes, flag == kPieceSent); });
      if (!came) {
        if (lane_id() == 0) run_.waiting_for[worker_] = 1 + task.body.task;
        return n;
      }
      if (base + lane_id() < count && !is_event(piece)) taken += taken_from(seen);
    }
    acquire_fence();  // of what lies behind the messages that are flags
    received_ = __reduce_add_sync(kAllLanes, taken);
    return n + 1;
  }

  __device__ void prepare(const TaskLine& line) {
    message_ = queues_.messages[list_.place(n_)];
    if (!has_events()) return;
    row_ = run_.successors + line.first_successor;  // the task's line has the awaited row's head
    count_ = line.successor_count;
    first_ = lane_id() < count_ ? row_[lane_id()] : kStopTask;  // while the body runs, so that telling does not wait for it
  }

  __device__ void publish(std::uint32_t n) const {
    const std::uint32_t result = own_number(list_.task(n).body.task) + received_;
    if ((message_.pieces & kFences) != 0 || run_.done) release_fence();  // the mark that the order check reads is in memory
    for (std::uint32_t i = lane_id(); i < (message_.pieces & ~kFences); i += 32)
      store_piece(queues_.pieces[message_.first + i], piece_of(result, i));
    if (!has_events()) return;
    for (std::uint32_t i = lane_id(); i < count_; i += 32) {
      const std::uint32_t place = i < 32 ? first_ : row_[i];
      if (place >= queues_.first_event) decrement(run_.counters[place]);
    }
  }

 private:
  __device__ bool has_events() const { return queues_.first_event != kStopTask; }
  __device__ bool is_event(std::uint32_t piece) const { return has_events() && (piece & kEventCounter) != 0; }

  /// An event's counter ends where a piece's flag is.
  __device__ MessagePiece look(std::uint32_t piece) const {
    if (is_event(piece)) return {{}, DeviceWord(run_.counters[piece & ~kEventCounter]).load(kRelaxed)};
    return load_piece(queues_.pieces[piece]);
  }

  const PersistentRun& run_;
  const StaticQueues& queues_;
  std::uint32_t worker_;
  WorkerList list_;
  // Of the task at hand:
  std::uint32_t n_ = 0;
  std::uint32_t received_ = 0;  ///< from messages
  MessageRow message_{};
  const std::uint32_t* row_ = nullptr;  ///< its successors, where there are events
  std::uint32_t count_ = 0;
  std::uint32_t first_ = 0;  ///< the lane's of the first 32
};

}  // namespace tasktwin::gpu
