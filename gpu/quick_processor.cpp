#include "gpu/quick_processor.hpp"

#include <vector>

#include <sched.h>

#include "gpu/probes/timed_calls.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::size_t kMostProcessors = 16;
constexpr int kFirstCalls = 3;  ///< bring the processor's caches up
constexpr int kTimedCalls = 9;
constexpr double kWorthMoving = 0.9;  ///< of the time where the thread is

/// What the calling thread may use is put back at the end.
class Confinement {
 public:
  explicit Confinement(const cpu_set_t& all) : all_(all) {}
  ~Confinement() { static_cast<void>(sched_setaffinity(0, sizeof all_, &all_)); }
  Confinement(const Confinement&) = delete;
  Confinement& operator=(const Confinement&) = delete;

  static bool confine_to(int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
  }

 private:
  cpu_set_t all_;
};

std::vector<int> spread(const cpu_set_t& all) {
  std::vector<int> processors;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &all)) processors.push_back(processor);
  }
  const std::size_t count = processors.size();
  if (count <= kMostProcessors) return processors;
  std::vector<int> some;
  for (std::size_t i = 0; i < kMostProcessors; ++i) some.push_back(processors[i * count / kMostProcessors]);
  return some;
}

}  // namespace

double median_call_ns(const std::function<void()>& call, const std::function<void()>& settle) {
  std::vector<double> times;
  for (int i = 0; i < kFirstCalls + kTimedCalls; ++i) {
    const double time = host_time_ns(call);
    if (i >= kFirstCalls) times.push_back(time);
    settle();
  }
  return median(times);
}

QuickProcessor move_to_quickest_processor(const std::function<void()>& call, const std::function<void()>& settle) {
  QuickProcessor here{sched_getcpu(), median_call_ns(call, settle)};
  cpu_set_t all;
  if (here.number < 0 || sched_getaffinity(0, sizeof all, &all) != 0) return {-1, here.call_ns};
  const Confinement confinement(all);
  QuickProcessor quickest = here;
  for (const int processor : spread(all)) {
    if (!Confinement::confine_to(processor)) continue;
    const double time = median_call_ns(call, settle);
    if (processor == here.number) here.call_ns = time;
    if (time < quickest.call_ns) quickest = {processor, time};
  }
  if (quickest.call_ns > kWorthMoving * here.call_ns) quickest = here;
  Confinement::confine_to(quickest.number);
  return quickest;
}

}  // namespace tasktwin::gpu
