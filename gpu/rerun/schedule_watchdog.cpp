#include "gpu/rerun/schedule_watchdog.hpp"

#include <utility>

namespace tasktwin::gpu::rerun {

namespace {

constexpr std::chrono::milliseconds kLook{100};

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

}  // namespace

Watchdog::Watchdog(std::function<void(const std::string&, double)> bark) : bark_(std::move(bark)), thread_([this] { wait(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ending_now_.notify_all();
  thread_.join();
}

// Neither wakes the thread, which would disturb what is measured: it looks by itself.
void Watchdog::watch(const std::string& what, std::chrono::duration<double> limit) {
  const std::lock_guard lock(mutex_);
  what_ = what;
  seconds_ = limit.count();
  deadline_ns_ = now_ns() + static_cast<std::int64_t>(seconds_ * 1e9);
}

void Watchdog::done() { deadline_ns_ = 0; }

void Watchdog::wait() {
  std::unique_lock lock(mutex_);
  while (!ending_now_.wait_for(lock, kLook, [this] { return ending_; })) {
    const std::int64_t deadline = deadline_ns_;
    if (deadline != 0 && now_ns() >= deadline) return bark_(what_, seconds_);
  }
}

}  // namespace tasktwin::gpu::rerun
