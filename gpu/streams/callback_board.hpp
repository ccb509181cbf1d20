#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "models/program/stream_plan.hpp"

namespace tasktwin::gpu {

/// Which launches may be made under stream_wait `callback`: each stream's next once all it awaits have had their host functions
/// run. One thread launches; others report. Launches are known by their place in the plan.
class CallbackBoard {
 public:
  explicit CallbackBoard(const std::vector<StreamLaunch>& plan) : followers_(plan.size()), outstanding_(plan.size(), 0) {
    std::vector<std::uint32_t> position(plan.size());
    std::vector<std::uint32_t> last;  // by stream, 1 + its latest launch
    for (std::uint32_t i = 0; i < plan.size(); ++i) {
      position[index(plan[i].task)] = i;
      for (const TaskId awaited : plan[i].awaited) followers_[position[index(awaited)]].push_back(i);
      outstanding_[i] = static_cast<std::uint32_t>(plan[i].awaited.size());
      if (plan[i].stream >= last.size()) last.resize(plan[i].stream + 1, 0);
      if (last[plan[i].stream] > 0) ++outstanding_[i];
      last[plan[i].stream] = i + 1;
    }
    next_in_stream_.assign(plan.size(), 0);
    last.assign(last.size(), 0);
    for (std::uint32_t i = static_cast<std::uint32_t>(plan.size()); i-- > 0;) {
      next_in_stream_[i] = last[plan[i].stream];
      last[plan[i].stream] = i + 1;
      if (outstanding_[i] == 0) ready_.insert(i);
    }
  }

  /// The host function after `launch` has run. Any thread.
  void ran(std::uint32_t launch) {
    const std::lock_guard lock(mutex_);
    for (const std::uint32_t follower : followers_[launch]) enable(follower);
  }

  /// The first in the plan of those that may be launched, as launched from now on; nullopt while there is none.
  std::optional<std::uint32_t> take() {
    const std::lock_guard lock(mutex_);
    if (ready_.empty()) return std::nullopt;
    const std::uint32_t launch = *ready_.begin();
    ready_.erase(ready_.begin());
    return launch;
  }

  /// The call of a launch that was taken is over, so that the next of its stream may follow.
  void launched(std::uint32_t launch) {
    const std::lock_guard lock(mutex_);
    if (next_in_stream_[launch] > 0) enable(next_in_stream_[launch] - 1);
  }

 private:
  void enable(std::uint32_t launch) {
    if (--outstanding_[launch] == 0) ready_.insert(launch);
  }

  std::mutex mutex_;
  std::vector<std::vector<std::uint32_t>> followers_;
  std::vector<std::uint32_t> next_in_stream_;  ///< 1 + the next launch of the same stream; 0 for none
  std::vector<std::uint32_t> outstanding_;     ///< host functions, and the launch before it in its stream
  std::set<std::uint32_t> ready_;
};

}  // namespace tasktwin::gpu
