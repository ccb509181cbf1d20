#include "gpu/host/launch_threads.hpp"

#include <utility>

namespace tasktwin::gpu {

LaunchThreads::LaunchThreads(int threads, std::function<void(int)> work, std::function<void(int)> warm_up)
    : work_(std::move(work)), warm_up_(std::move(warm_up)), thrown_(static_cast<std::size_t>(threads)) {
  for (int thread = 0; thread < threads; ++thread) threads_.emplace_back([this, thread] { serve(thread); });
}

LaunchThreads::~LaunchThreads() {
  ends_ = true;
  ++woken_;
  woken_.notify_all();
  started_ = woken_.load();
  for (std::thread& thread : threads_) thread.join();
}

void LaunchThreads::serve(int thread) {
  for (std::uint32_t round = 1;; ++round) {
    for (std::uint32_t seen = woken_; seen < round; seen = woken_) woken_.wait(seen);
    if (!ends_) call(warm_up_, thread);
    ++spinning_;
    while (started_.load(std::memory_order_acquire) < round) std::this_thread::yield();
    if (ends_) return;
    call(work_, thread);
    --working_;
  }
}

void LaunchThreads::call(const std::function<void(int)>& what, int thread) {
  try {
    what(thread);
  } catch (...) {
    std::exception_ptr& thrown = thrown_[static_cast<std::size_t>(thread)];
    if (!thrown) thrown = std::current_exception();
  }
}

void LaunchThreads::get_ready() {
  if (woken_ != started_) return;
  spinning_ = 0;
  ++woken_;
  woken_.notify_all();
  while (spinning_ < static_cast<int>(threads_.size())) std::this_thread::yield();
}

void LaunchThreads::run() {
  get_ready();
  working_ = static_cast<int>(threads_.size());
  started_.store(woken_, std::memory_order_release);
  while (working_ > 0) std::this_thread::yield();
  for (std::exception_ptr& thrown : thrown_) {
    if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
  }
}

}  // namespace tasktwin::gpu
