#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <numeric>
#include <thread>

#include "gpu/host/quick_processor.hpp"
#include "gpu/host/steadiest.hpp"
#include "gpu/host/timed_calls.hpp"
#include "gpu/host_dispatcher/ready_tasks.hpp"
#include "gpu/probes/launch_probes.hpp"

namespace tasktwin::gpu {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 9;
constexpr std::size_t kTasksALot = 16;

/// What one round of threads measured, and how disturbed they were (disturbance()).
struct Round {
  double ns = 0;
  double disturbance = 0;
};

/// Calls `work` with each thread's number in a thread of its own, as HostDispatchers has them; all begin together. Returns how disturbed
/// they were.
double all_at_once(int threads, const std::function<void(int)>& work) {
  const std::vector<QuickProcessor> processors = processors_by_speed();
  std::vector<double> paces(static_cast<std::size_t>(threads));
  std::atomic<int> there = 0;
  std::vector<std::jthread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      take_own_processor(processors, static_cast<std::size_t>(thread), static_cast<std::size_t>(threads));
      ++there;
      while (there < threads) std::this_thread::yield();
      work(thread);
      paces[static_cast<std::size_t>(thread)] = computing_ns();
    });
  }
  running.clear();
  return disturbance(std::reduce(paces.begin(), paces.end()) / threads, processors);
}

/// An operation on the queue of threads that do nothing else, so that each but the first waits for those before it.
Round contended_queue(int threads) {
  constexpr int kLots = 2000;
  ReadyTasks queue(TaskOrder::kFifo, {});
  double disturbed = 0;
  const double all = host_time_ns([&] {
    disturbed = all_at_once(threads, [&queue](int) {
      const std::vector<std::uint32_t> lot(kTasksALot);
      std::vector<std::uint32_t> taken;
      for (int i = 0; i < kLots; ++i) {
        queue.push(lot);
        taken.clear();
        queue.take(kTasksALot, taken);
      }
    });
  });
  return {all / (2.0 * kLots * threads), disturbed};
}

/// What `operate` takes each of several threads, which are so seldom at it that hardly one finds another there, though mostly what another
/// has left.
template <class Operate>
Round one_by_one(int threads, double clock, Operate operate) {
  constexpr int kTurns = 200;
  constexpr auto kApart = 20us;
  std::vector<std::vector<double>> times(static_cast<std::size_t>(threads));
  const double disturbed = all_at_once(threads, [&](int thread) {
    Clock::time_point next = Clock::now() + kApart * thread / threads;
    for (int i = 0; i < kTurns; ++i, next += kApart) {
      while (Clock::now() < next) {
      }
      times[static_cast<std::size_t>(thread)].push_back(host_time_ns([&] { operate(i); }) - clock);
    }
  });
  std::vector<double> medians;
  for (const std::vector<double>& mine : times) medians.push_back(median(mine));
  return {median(medians), disturbed};
}

/// A push or claim.
Round shared_queue(int threads, double clock) {
  ReadyTasks queue(TaskOrder::kFifo, {});
  const std::vector<std::uint32_t> lot(kTasksALot);
  return one_by_one(threads, clock, [&](int i) {
    thread_local std::vector<std::uint32_t> taken;
    taken.clear();
    if (i % 2 == 0) {
      queue.push(lot);
    } else {
      queue.take(kTasksALot, taken);
    }
  });
}

/// A decrement in the one line of counters.
Round shared_counter(int threads, double clock) {
  alignas(kHostLine) std::atomic<std::uint32_t> counter = 0;
  return one_by_one(threads, clock, [&counter](int) { counter.fetch_sub(1, std::memory_order_acq_rel); });
}

/// Each made again, as runs are, where its threads were disturbed.
template <class Measure>
double median_of_rounds(Measure measure) {
  std::vector<double> values;
  for (int round = 0; round < kRounds; ++round) values.push_back(steadiest(kSteadyPace, measure, &Round::disturbance).ns);
  return median(values);
}

}  // namespace

HostContentionTimes probe_host_contention(int threads) {
  const double clock = median_of_rounds([] { return Round{host_time_ns([] {}), 0}; });
  HostContentionTimes times;
  times.queue_ns = median_of_rounds([&] { return shared_queue(threads, clock); });
  times.contended_queue_ns = median_of_rounds([&] { return contended_queue(threads); });
  times.line_ns = std::max(
      0.0, median_of_rounds([&] { return shared_counter(threads, clock); }) - median_of_rounds([&] { return shared_counter(1, clock); }));
  return times;
}

}  // namespace tasktwin::gpu
