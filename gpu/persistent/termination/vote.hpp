#pragma once

#include <cstdint>

#include "gpu/cuda/device_word.hpp"
#include "models/base/host_device.hpp"

namespace tasktwin::gpu {

/// A worker's place in the tree of votes: worker w's children are 2 w + 1 and 2 w + 2. On a line of its own.
struct alignas(128) VoteNode {
  std::uint64_t counts;  ///< tasks this worker has spawned << 32 | completed; written by the warp that publishes for it
  std::uint64_t sums;    ///< the same of its subtree, in round `voted`
  std::uint32_t voted;   ///< the last round it has voted in
  std::uint32_t asked;   ///< what it tells its children: the round asked for, or kOver
};

/// A worker's part in finding out, without a central word, that nothing is left (Mattern 1987, double counting): round after
/// round a request goes down a binary tree and the sums of tasks created and completed come back up. Two rounds in a row with
/// the same sums, created equal to completed, say that between them no task was in flight, so there will never be one again.
/// Only workers that find nothing to do take part, between two looks for work; a round waits for the others.
///
/// Contract: a worker's counts are written in one store, before it pushes what its tasks have spawned or made ready.
class Vote {
 public:
  static constexpr std::uint32_t kOver = 0xffffffffu;

  /// `created` counts the tasks that are there at the beginning. `nodes` are all zero then.
  TASKTWIN_HOST_DEVICE Vote(VoteNode* nodes, std::uint32_t workers, std::uint32_t worker, std::uint32_t created)
      : nodes_(nodes), workers_(workers), worker_(worker), created_(created) {}

  TASKTWIN_HOST_DEVICE static std::uint64_t counts(std::uint32_t spawned, std::uint32_t completed) {
    return std::uint64_t{spawned} << 32 | completed;
  }

  /// Gets on with the round, without waiting. True once everything is over; from then on.
  TASKTWIN_HOST_DEVICE bool step() {
    VoteNode& own = nodes_[worker_];
    const std::uint32_t left = 2 * worker_ + 1;
    const std::uint32_t right = left + 1;
    if (worker_ != 0) round_ = DeviceWord(nodes_[(worker_ - 1) / 2].asked).load(kAcquire);
    const bool left_voted = left >= workers_ || DeviceWord(nodes_[left].voted).load(kAcquire) == round_;
    const bool right_voted = right >= workers_ || DeviceWord(nodes_[right].voted).load(kAcquire) == round_;
    if (told_ != round_) {
      told_ = round_;
      DeviceWord(own.asked).store(round_, kRelease);
      return round_ == kOver;
    }
    if (round_ == kOver) return true;
    if (voted_ == round_ || !left_voted || !right_voted) return false;
    voted_ = round_;
    std::uint64_t sums = DeviceWord64(own.counts).load(kRelaxed);
    if (left < workers_) sums += DeviceWord64(nodes_[left].sums).load(kRelaxed);
    if (right < workers_) sums += DeviceWord64(nodes_[right].sums).load(kRelaxed);
    if (worker_ == 0) return judge(sums);
    DeviceWord64(own.sums).store(sums, kRelaxed);
    DeviceWord(own.voted).store(round_, kRelease);
    return false;
  }

 private:
  TASKTWIN_HOST_DEVICE bool judge(std::uint64_t sums) {
    const std::uint32_t created = created_ + static_cast<std::uint32_t>(sums >> 32);
    const bool over = created == static_cast<std::uint32_t>(sums) && sums == last_sums_ && round_ > 1;
    last_sums_ = sums;
    if (!over) {
      ++round_;
      return false;
    }
    round_ = told_ = kOver;
    DeviceWord(nodes_[0].asked).store(kOver, kRelease);
    return true;
  }

  VoteNode* nodes_;
  std::uint32_t workers_;
  std::uint32_t worker_;
  std::uint32_t created_;
  std::uint32_t round_ = 1;  ///< asked for by the parent; the root asks itself
  std::uint32_t told_ = 0;   ///< to the children
  std::uint32_t voted_ = 0;
  // Of the root:
  std::uint64_t last_sums_ = 0;
};

}  // namespace tasktwin::gpu
