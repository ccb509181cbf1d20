#pragma once

#include "gpu/persistent/dispatchers/dispatcher_choice.cuh"
#include "gpu/persistent/dispatchers/dispatcher_theft.cuh"

namespace tasktwin::gpu {

/// What a dispatcher has room for: entries of idle cores, and further ones of theirs and others', as far as it may fill them.
struct RoomOfCores {
  std::uint32_t idle;
  std::uint32_t further;
};

/// How many of the tasks that come next, a lane each, a dispatcher takes.
struct Cut {
  std::uint32_t tasks;         ///< that many whole ones
  std::uint32_t blocks;        ///< of those and of the part
  std::uint32_t part;          ///< blocks of the task after them
  std::uint32_t through_lane;  ///< blocks of the tasks up to the lane's
};

/// Blocks that start apart are taken as far as there is room. Contract, here and below: `blocks` of the lane's task, 0 for none; the
/// lanes' tasks are in their order from lane 0 on.
__device__ __forceinline__ Cut cut_apart(std::uint32_t blocks, const RoomOfCores& room) {
  const std::uint32_t through = sum_through(blocks);
  const std::uint32_t all = room.idle + room.further;
  const auto whole = static_cast<std::uint32_t>(__popc(__ballot_sync(kAllLanes, blocks > 0 && through <= all)));
  const std::uint32_t used = __shfl_sync(kAllLanes, through, whole - 1);
  const std::uint32_t before = whole > 0 ? used : 0;
  const bool more = whole < 32 && __shfl_sync(kAllLanes, blocks, whole) > 0;
  const std::uint32_t part = more ? all - before : 0;
  return {whole, before + part, part, through};
}

/// A task of several blocks is taken when as many cores are idle; until then those after it wait too. So idle cores go to none but
/// the first cohort, and two cannot wait for each other's cores.
__device__ __forceinline__ Cut cut_together(std::uint32_t blocks, const RoomOfCores& room) {
  const std::uint32_t through = sum_through(blocks);
  auto whole = static_cast<std::uint32_t>(__popc(__ballot_sync(kAllLanes, blocks > 0 && through <= room.idle)));
  std::uint32_t used = __shfl_sync(kAllLanes, through, whole - 1);
  if (whole == 0) used = 0;
  const std::uint32_t narrow = __ballot_sync(kAllLanes, blocks == 1);
  if (used == room.idle && whole < 32) {  // cores that hold a task take the next ones that need no other
    const std::uint32_t behind = ~(narrow >> whole);
    const std::uint32_t run = behind == 0 ? 32 : static_cast<std::uint32_t>(__ffs(static_cast<int>(behind))) - 1;
    const std::uint32_t more = min(run, room.further);
    whole += more;
    used += more;
  }
  return {whole, used, 0, through};
}

/// Taking from the queue of the dispatcher's home, where tasks may have several blocks. Whole warps call.
template <int kPasses>
class CohortTaker {
 public:
  __device__ CohortTaker(const PersistentRun& run, const CentralDispatcher& central, DispatcherState& state, const Tables& tables,
                         DispatcherCores<kPasses>& cores, const HomeQueues& queues, std::uint32_t self)
      : run_(run),
        central_(central),
        state_(state),
        tables_(tables),
        cores_(cores),
        own_(queues.own()),
        choice_(run, central, state, cores),
        thief_(central, queues, self) {}

  /// Nothing passes the queue by.
  __device__ __forceinline__ static bool look() { return false; }
  __device__ __forceinline__ static bool serve_waiting(DispatchLog&) { return false; }

  /// Gives ready tasks to the cores with room, and steals some if there are none.
  __device__ __forceinline__ void take_ready(DispatchLog& /*log*/) {
    hand_over();
    const bool steals = central_.stealing.on && central_.homes.count > 1 && own_.waiting() == 0 && cores_.count_idle() > 0;
    if (steals && thief_.steal()) hand_over();
  }

  __device__ __forceinline__ void tell_idle() { choice_.tell_idle(); }

  /// Entries that have been sent, of this lane.
  __device__ __forceinline__ void count_handed(std::uint32_t of_lane, DispatchLog& log) {
    log.handed_over(of_lane);
    choice_.count_handed(of_lane);
  }

 private:
  __device__ __forceinline__ void hand_over() {
    if (own_.waiting() == 0) return;
    for (bool more = true; more;) {
      const RoomOfCores room = room_of_cores();
      if (room.idle + room.further == 0) return;
      own_.lock();
      const std::uint32_t there = own_.look(false);
      const std::uint32_t blocks = lane_id() < there ? blocks_of(own_.item()) : 0;
      const Cut cut = central_.homes.together ? cut_together(blocks, room) : cut_apart(blocks, room);
      if (cut.part > 0 && lane_id() == cut.tasks) tables_.wide.to_hand[own_.item()] = blocks - cut.part;
      own_.remove(cut.tasks, false);
      own_.unlock();
      if (cut.blocks > 0) give(blocks, cut, room.further > 0 ? run_.mailbox_depth : 1);
      more = cut.tasks == 32;
    }
  }

  __device__ __forceinline__ RoomOfCores room_of_cores() const {
    const std::uint32_t idle = cores_.count_idle();
    std::uint32_t further = 0;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      if (cores_.has_room(pass, run_.mailbox_depth)) further += run_.mailbox_depth - max(cores_.outstanding(pass), 1u);
    }
    return {idle, min(__reduce_add_sync(kAllLanes, further), choice_.most_ahead(idle))};
  }

  __device__ __forceinline__ std::uint32_t blocks_of(std::uint32_t place) const {
    return tables_.wide.to_hand ? tables_.wide.to_hand[place] : 1;
  }

  __device__ __forceinline__ void give(std::uint32_t blocks, const Cut& cut, std::uint32_t depth) {
    if (!central_.least_loaded) {
      choice_.give_to_emptiest(cut.blocks, depth, [this, &cut](std::uint32_t block) { return task_of(block, cut); });
      return;
    }
    const std::uint32_t tasks = cut.tasks + (cut.part > 0 ? 1 : 0);
#pragma unroll 1
    for (std::uint32_t i = 0; i < tasks; ++i) {
      const std::uint32_t place = __shfl_sync(kAllLanes, own_.item(), i);
      const std::uint32_t number = i < cut.tasks ? __shfl_sync(kAllLanes, blocks, i) : cut.part;
      if (number > 1 && central_.homes.together) {
        choice_.give_to_idle(place, number);
      } else {
        for (std::uint32_t block = 0; block < number; ++block) choice_.give_to_least_loaded(place, depth);
      }
    }
  }

  /// The task that the n-th of the blocks taken belongs to; all lanes ask, each for its own.
  __device__ __forceinline__ std::uint32_t task_of(std::uint32_t block, const Cut& cut) const {
    std::uint32_t task = 0;
#pragma unroll
    for (std::uint32_t step = 16; step > 0; step /= 2) {
      if (__shfl_sync(kAllLanes, cut.through_lane, task + step - 1) <= block) task += step;
    }
    return __shfl_sync(kAllLanes, own_.item(), task);
  }

  const PersistentRun& run_;
  const CentralDispatcher& central_;
  DispatcherState& state_;
  const Tables tables_;
  DispatcherCores<kPasses>& cores_;
  HomeQueue own_;
  CoreChoice<kPasses> choice_;
  Thief thief_;
};

}  // namespace tasktwin::gpu
