#include "gpu/host/quick_processor.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <sched.h>

#include "gpu/host/timed_calls.hpp"

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

QuickProcessor move_to_quickest_processor(const std::function<void()>& call, const std::function<void()>& settle, double good_ns) {
  QuickProcessor here{sched_getcpu(), median_call_ns(call, settle)};
  if (here.call_ns <= good_ns) return here;
  cpu_set_t all;
  if (here.number < 0 || sched_getaffinity(0, sizeof all, &all) != 0) return {-1, here.call_ns};
  const Confinement confinement(all);
  QuickProcessor quickest = here;
  for (const int processor : spread(all)) {
    if (!stay_on_processor(processor)) continue;
    const double time = median_call_ns(call, settle);
    if (processor == here.number) here.call_ns = time;
    if (time < quickest.call_ns) quickest = {processor, time};
  }
  if (quickest.call_ns > kWorthMoving * here.call_ns) quickest = here;
  stay_on_processor(quickest.number);
  return quickest;
}

namespace {

/// Of results that are not used: the compiler has to have them computed.
thread_local volatile std::uint64_t result_of_computing = 0;

void compute() {
  constexpr int kSteps = 4000;
  static thread_local std::array<std::uint64_t, 256> words{};
  std::uint64_t a = 1, b = 2, c = 3;
  for (std::size_t i = 0; i < kSteps; ++i) {
    a = 3 * a + words[i % words.size()];
    b = 5 * b + words[(i + words.size() / 4) % words.size()];
    c ^= c >> 3;
    c += a ^ b;
  }
  result_of_computing = a + b + c;
}

}  // namespace

double computing_ns() {
  constexpr int kTimes = 5;
  std::vector<double> times;
  for (int i = 0; i < kTimes; ++i) times.push_back(host_time_ns(compute));
  return median(times);
}

bool stay_on_processor(int number) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(number, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

std::vector<QuickProcessor> processors_by_speed() {
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return {};
  const Confinement confinement(all);
  std::vector<QuickProcessor> processors;
  for (const int number : spread(all)) {
    if (stay_on_processor(number)) processors.push_back({number, computing_ns()});
  }
  std::ranges::stable_sort(processors, {}, &QuickProcessor::call_ns);
  if (!processors.empty()) stay_on_processor(processors.back().number);
  return processors;
}

double disturbance(double average_ns, std::span<const QuickProcessor> processors) {
  return processors.empty() ? 0 : std::max(0.0, average_ns / processors.front().call_ns - 1);
}

void take_own_processor(std::span<const QuickProcessor> processors, std::size_t thread, std::size_t threads) {
  if (processors.size() >= threads) stay_on_processor(processors[thread].number);
}

}  // namespace tasktwin::gpu
