#include "gpu/quick_processor.hpp"

#include <limits>
#include <vector>

#include <sched.h>

#include "gpu/probes/timed_calls.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::size_t kMostProcessors = 16;
constexpr int kFirstCalls = 3;  ///< bring the processor's caches up
constexpr int kTimedCalls = 9;

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

int move_to_quickest_processor(const std::function<void()>& call) {
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return -1;
  const std::vector<int> processors = spread(all);
  if (processors.size() < 2) return -1;
  const Confinement confinement(all);
  int quickest = -1;
  double shortest = std::numeric_limits<double>::max();
  for (const int processor : processors) {
    if (!Confinement::confine_to(processor)) continue;
    for (int i = 0; i < kFirstCalls; ++i) call();
    std::vector<double> times;
    for (int i = 0; i < kTimedCalls; ++i) times.push_back(host_time_ns(call));
    const double time = median(times);
    if (time >= shortest) continue;
    shortest = time;
    quickest = processor;
  }
  if (quickest >= 0) Confinement::confine_to(quickest);
  return quickest;
}

}  // namespace tasktwin::gpu
