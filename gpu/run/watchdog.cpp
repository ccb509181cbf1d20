#include "gpu/run/watchdog.hpp"

#include <thread>

#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {

bool await_completion(cudaStream_t stream, std::chrono::milliseconds patience, const std::function<std::uint64_t()>& progress) {
  using Clock = std::chrono::steady_clock;
  const auto look_every = std::min(patience / 4 + std::chrono::milliseconds{1}, std::chrono::milliseconds{100});
  auto last_change = Clock::now();
  auto next_look = last_change + look_every;
  std::uint64_t last = 0;
  for (;;) {
    const cudaError_t status = cudaStreamQuery(stream);
    if (status == cudaSuccess) return true;
    if (status != cudaErrorNotReady) check(status, "running the graph");
    const auto now = Clock::now();
    if (now >= next_look) {
      next_look = now + look_every;
      const std::uint64_t current = progress();
      if (current != last) {
        last = current;
        last_change = now;
      } else if (now - last_change >= patience) {
        return false;
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds{50});
  }
}

}  // namespace tasktwin::gpu
