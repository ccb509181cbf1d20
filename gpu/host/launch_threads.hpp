#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace tasktwin::gpu {

/// Threads of the host that launch side by side, one a device. They sleep between runs; once told to get ready they spin, so that nobody
/// waits for them to wake up, and have warmed up: a thread's first calls after a sleep find nothing of theirs in its processor's caches.
class LaunchThreads {
 public:
  /// `work(i)` is what thread i does each time, `warm_up(i)` before it spins.
  LaunchThreads(
      int threads, std::function<void(int)> work, std::function<void(int)> warm_up = [](int) {});
  ~LaunchThreads();
  LaunchThreads(const LaunchThreads&) = delete;
  LaunchThreads& operator=(const LaunchThreads&) = delete;

  /// Wakes them; returns when all spin. run() does it if it is not done yet. What a warming up throws, run() does.
  void get_ready();
  /// All do their work; returns when the last has ended. Throws what one of them threw, the first of them.
  void run();

 private:
  void serve(int thread);

  void call(const std::function<void(int)>& what, int thread);

  std::function<void(int)> work_;
  std::function<void(int)> warm_up_;
  std::atomic<std::uint32_t> woken_ = 0;    ///< runs that threads have been woken for
  std::atomic<std::uint32_t> started_ = 0;  ///< and told to begin
  std::atomic<int> spinning_ = 0;
  std::atomic<int> working_ = 0;
  std::atomic<bool> ends_ = false;
  std::vector<std::exception_ptr> thrown_;  ///< by thread
  std::vector<std::thread> threads_;
};

}  // namespace tasktwin::gpu
