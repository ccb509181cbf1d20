#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tasktwin::gpu::rerun {

/// Ends the process where what it watches takes too long: a kernel cannot be taken back without its context.
class Watchdog {
 public:
  /// `bark` is called on a thread of its own with what was watched, and does not return.
  explicit Watchdog(std::function<void(const std::string& what, double seconds)> bark);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void watch(const std::string& what, std::chrono::duration<double> limit);
  void done();

 private:
  void wait();

  std::function<void(const std::string&, double)> bark_;
  std::mutex mutex_;
  std::condition_variable ending_now_;
  bool ending_ = false;
  std::string what_;
  double seconds_ = 0;
  std::atomic<std::int64_t> deadline_ns_ = 0;  ///< 0: nothing is watched
  std::thread thread_;                         ///< last: it uses the others
};

}  // namespace tasktwin::gpu::rerun
