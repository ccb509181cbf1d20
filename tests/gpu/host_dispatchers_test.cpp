// The host's threads as dispatchers, with threads for workers: no GPU.
#include "gpu/host_dispatcher/host_dispatchers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "gpu/host_dispatcher/clock_offset.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Workers that take what stands in their mailboxes, note whether a task's predecessors had all been run, and say that they have run it.
class Workers {
 public:
  Workers(const TaskGraph& graph, std::uint32_t workers)
      : graph_(graph),
        workers_(workers),
        entries_(std::size_t{workers} * kHostMailboxEntries),
        completions_(kHostCompletionWords),
        blocks_run_(std::make_unique<std::atomic<int>[]>(graph.size())),
        most_held_(workers) {}

  HostMailboxes mailboxes() { return {entries_.data(), completions_.data()}; }
  std::uint64_t& opened() { return opened_; }

  void start() {
    std::atomic_ref(opened_).store(1);
    for (std::uint32_t worker = 0; worker < workers_; ++worker) {
      threads_.emplace_back([this, worker](const std::stop_token& stop) { work(worker, stop); });
    }
  }
  void join() { threads_.clear(); }
  /// Those that the host has not told to stop.
  void abandon() {
    for (std::jthread& thread : threads_) thread.request_stop();
    join();
  }

  int violations() const { return violations_; }
  int runs(std::size_t task) const { return blocks_run_[task]; }
  std::uint32_t most_held() const { return std::ranges::max(most_held_); }

 private:
  void work(std::uint32_t worker, const std::stop_token& stop) {
    for (std::uint32_t n = 0;; ++n) {
      std::uint64_t entry = 0;
      while ((entry = read(worker, n)) >> 32 != n + 1) {
        if (stop.stop_requested()) return;
        std::this_thread::yield();
      }
      const auto task = static_cast<std::uint32_t>(entry);
      if (task == kHostStop) return;
      std::uint32_t held = 1;
      while (held < kHostMailboxEntries && read(worker, n + held) >> 32 == n + held + 1) ++held;
      most_held_[worker] = std::max(most_held_[worker], held);
      for (const TaskId before : graph_.predecessors(task_id(task))) {
        if (blocks_run_[index(before)].load() < graph_.traits(before).blocks) ++violations_;
      }
      ++blocks_run_[task];
      std::atomic_ref(completions_[host_completion_word(worker)]).store(n + 1, std::memory_order_release);
    }
  }
  std::uint64_t read(std::uint32_t worker, std::uint32_t n) {
    return std::atomic_ref(entries_[worker * kHostMailboxEntries + n % kHostMailboxEntries]).load(std::memory_order_acquire);
  }

  const TaskGraph& graph_;
  std::uint32_t workers_;
  std::vector<std::uint64_t> entries_;
  std::vector<std::uint32_t> completions_;
  std::uint64_t opened_ = 0;
  std::unique_ptr<std::atomic<int>[]> blocks_run_;
  std::atomic<int> violations_{0};
  std::vector<std::uint32_t> most_held_;
  std::vector<std::jthread> threads_;
};

void expect_right_run(const TaskGraph& graph, const Design& design, std::uint32_t workers, const std::string& what, bool stamped = false) {
  const auto threads = static_cast<std::uint32_t>(design.dispatchers);
  const std::vector<Duration> durations(graph.size(), 1us);
  Workers crowd(graph, workers);
  HostDispatchers dispatchers(graph, design, {.watchdog = 60s}, workers, threads, durations, crowd.mailboxes());
  dispatchers.reset();
  dispatchers.start(stamped ? HostNotes::kStamps : HostNotes::kRounds, crowd.opened());
  crowd.start();
  ASSERT_TRUE(dispatchers.finish()) << what;
  crowd.join();
  EXPECT_EQ(crowd.violations(), 0) << what;
  EXPECT_LE(crowd.most_held(), static_cast<std::uint32_t>(design.mailbox_depth)) << what;
  for (std::size_t i = 0; i < graph.size(); ++i) ASSERT_EQ(crowd.runs(i), graph.traits(task_id(i)).blocks) << what << " task " << i;
  int handed_over = 0;
  for (const auto& rounds : dispatchers.rounds()) {
    for (const HostRound& round : rounds) handed_over += round.handed_over;
  }
  int blocks = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) blocks += graph.traits(task_id(i)).blocks;
  EXPECT_EQ(handed_over, blocks) << what;
  ASSERT_EQ(dispatchers.paces().size(), threads) << what;
  for (const double pace : dispatchers.paces()) EXPECT_GT(pace, 0) << what;
  if (!stamped) return;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const HostStamps& stamps = dispatchers.stamps()[i];
    EXPECT_LE(stamps.ready, stamps.dispatched) << what;
    EXPECT_LT(stamps.dispatched, stamps.seen) << what;
    for (const TaskId before : graph.predecessors(task_id(i))) EXPECT_LE(dispatchers.stamps()[index(before)].seen, stamps.ready) << what;
  }
}

TEST(TurnLock, IsHeldByOneAtATime) {
  constexpr int kThreads = 4;
  constexpr int kTimes = 2000;
  TurnLock lock;
  std::int64_t count = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&lock, &count] {
        for (int n = 0; n < kTimes; ++n) {
          const std::lock_guard holder(lock);
          ++count;
        }
      });
    }
  }
  EXPECT_EQ(count, kThreads * kTimes);
}

TEST(HostDispatchers, RunEveryTaskOnceAfterItsPredecessorsUnderEachAxis) {
  const TaskGraph graph = random_graph(600, 40, 0ns, 3);
  const Design plain = named_design("host-dispatcher");
  for (const int dispatchers : {1, 3}) {
    for (const AxisField& field : axis_fields()) {
      if (!field.is_word() || (field.name != "order" && field.name != "loop" && field.name != "sweep" && field.name != "fill" &&
                               field.name != "claim" && field.name != "placement")) {
        continue;
      }
      for (const std::string_view word : field.words) {
        Design design = plain;
        design.dispatchers = dispatchers;
        field.set_word(design, word);
        if (is_static(design.placement) || design.placement == Placement::kLocality) continue;
        if (design.claim != Claim::kAll) design.claim_size = 3;
        expect_right_run(graph, design, 7, std::string(field.name) + " " + std::string(word) + " " + std::to_string(dispatchers));
      }
    }
  }
}

TEST(HostDispatchers, StampWhatTheyDoInTheOrderInWhichItHappens) {
  Design design = named_design("host-dispatcher");
  design.dispatchers = 2;
  expect_right_run(random_graph(300, 20, 0ns, 4), design, 5, "stamped", true);
}

TEST(HostDispatchers, HandEachBlockOfATaskToAWorkerOfItsOwn) {
  TaskGraphBuilder builder;
  for (int i = 0; i < 40; ++i) {
    Task task;
    task.traits = builder.add_traits({.blocks = 1 + i % 4});
    builder.add_task("t" + std::to_string(i), task);
    if (i >= 5) builder.add_edge(task_id(static_cast<std::size_t>(i) - 5), task_id(static_cast<std::size_t>(i)));
  }
  Design design = named_design("host-dispatcher");
  design.dispatchers = 2;
  design.gang = Gang::kApart;
  expect_right_run(std::move(builder).build(), design, 6, "blocks");
}

TEST(HostDispatchers, GiveUpOnAGraphThatCannotGetOnAndSayWhere) {
  const TaskGraph graph = chain(20);
  Design design = named_design("host-dispatcher");
  design.dispatchers = 2;
  Workers crowd(graph, 3);
  HostDispatchers dispatchers(graph, design, {.watchdog = 50ms, .never_released = {task_id(7)}}, 3, 2, {}, crowd.mailboxes());
  dispatchers.reset();
  dispatchers.start(HostNotes::kNone, crowd.opened());
  crowd.start();
  EXPECT_FALSE(dispatchers.finish());
  crowd.abandon();
  EXPECT_EQ(dispatchers.completed(), 7u);
  EXPECT_THAT(dispatchers.explain_waits(), HasSubstr("task 'link7' waits for 1 more release(s)"));
  EXPECT_THAT(dispatchers.explain_waits(), HasSubstr("13 task(s) wait in all"));
}

TEST(HostDispatchers, DoNotWaitForeverForWorkersThatNeverCome) {
  const TaskGraph graph = chain(2);
  Design design = named_design("host-dispatcher");
  design.dispatchers = 1;
  Workers crowd(graph, 1);
  HostDispatchers dispatchers(graph, design, {.watchdog = 20ms}, 1, 1, {}, crowd.mailboxes());
  dispatchers.reset();
  dispatchers.start(HostNotes::kNone, crowd.opened());
  EXPECT_FALSE(dispatchers.finish());
}

TEST(HostDispatchers, WaitForWorkersWhoseKernelTakesLongerToCompileThanTheWatchdogWaits) {
  const TaskGraph graph = chain(5);
  const Design design = named_design("host-dispatcher");
  Workers crowd(graph, 2);
  HostDispatchers dispatchers(graph, design, {.watchdog = 100ms}, 2, 1, {}, crowd.mailboxes());
  dispatchers.reset();
  dispatchers.start(HostNotes::kNone, crowd.opened());
  std::this_thread::sleep_for(300ms);
  crowd.start();
  const bool finished = dispatchers.finish();
  crowd.abandon();
  EXPECT_TRUE(finished);
  EXPECT_EQ(dispatchers.completed(), graph.size());
}

TEST(ClockOffset, LiesBetweenWhatTheMessagesAllow) {
  // Handed over at 1000 by the host's clock and received at 100: at most −900. Written at 150 and seen at 1090: at least −940.
  const std::vector<HostStamps> host{{.dispatched = 1000, .seen = 1090}, {.dispatched = 1010, .seen = 2000}};
  const std::vector<TaskTimes> device{{.received = at_ns(100), .published = at_ns(150)}, {.received = at_ns(300), .published = at_ns(400)}};
  EXPECT_EQ(clock_offset(host, device), -920);
  EXPECT_EQ(clock_offset({}, {}), std::nullopt);
}

}  // namespace
}  // namespace tasktwin::gpu
