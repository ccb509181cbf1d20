#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/base/random.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/engine/links.hpp"
#include "sim/engine/platform.hpp"
#include "sim/memory/solver_bandwidth.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/small_worlds.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin::sim {
namespace {

struct Start {
  std::int64_t at;
  std::int64_t bytes;
  double rate = 0;
  std::size_t port = 0;
};

constexpr std::size_t kPorts = 4;

/// A calendar that keeps to the engine's clock as long as this lives.
struct InStep {
  InStep() {
    calendar.begin_run();
    calendar.set_run_ahead(RunAhead::kNever);
  }
  ~InStep() { calendar.set_run_ahead(RunAhead::kWhenAlone); }
  Calendar& calendar = Platform::instance().calendar();
};

template <class Bandwidth>
class FlowRun final : public EventHandler, public MemoryBandwidth::Listener {
 public:
  FlowRun(const MemoryLaw& law, const std::vector<Start>& starts, const std::vector<Start>& totals)
      : starts_(starts), totals_(totals), ends_(starts.size(), -1), memory_(in_step_.calendar, law, kPorts, *this) {
    for (std::uint32_t i = 0; i < starts.size(); ++i) in_step_.calendar.schedule(at_ns(starts[i].at), EventKind::kFlowStart, i, *this);
    for (std::uint32_t i = 0; i < totals.size(); ++i) in_step_.calendar.schedule(at_ns(totals[i].at), EventKind::kReplay, i, *this);
    Platform::instance().run();
  }

  void handle(EventKind kind, std::uint32_t i, TimePoint now) override {
    kind == EventKind::kReplay ? memory_.set_total(static_cast<double>(totals_[i].bytes), now)
                               : memory_.start(i, {starts_[i].bytes}, starts_[i].rate, starts_[i].port, now);
  }
  void flow_ended(std::uint32_t flow, TimePoint at) override { ends_[flow] = to_ns(at); }
  const std::vector<std::int64_t>& ends() const { return ends_; }

 private:
  InStep in_step_;
  std::vector<Start> starts_;
  std::vector<Start> totals_;
  std::vector<std::int64_t> ends_;
  Bandwidth memory_;
};

TEST(BandwidthSolver, VirtualTimeAgreesWithSimGridWithinANanosecond) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const std::int64_t total = random.between(2, 5000);
    const double per_flow = static_cast<double>(random.between(1, 600)) / 9;
    const double contention = seed % 3 == 0 ? static_cast<double>(random.between(1, 150)) / 100 : 0;
    const double limit = static_cast<double>(total * random.between(10, 60)) / 100;
    std::vector<Start> starts;
    for (std::int64_t flows = random.between(1, 150); flows > 0; --flows) {
      const double rate = seed % 2 == 0 ? per_flow : static_cast<double>(random.between(1, 600)) / 9;
      const auto port = static_cast<std::size_t>(random.between(0, kPorts - 1));
      starts.push_back({random.between(0, 20'000), random.between(1, 2'000'000), rate, port});
    }
    std::vector<Start> totals;  // other uses of the memory that come and go
    for (std::int64_t changes = random.between(0, 3); changes > 0; --changes)
      totals.push_back({random.between(0, 20'000) * 2 + 1, random.between(total / 2 + 1, total)});
    if (!totals.empty()) totals.push_back({50'000, total});
    const MemoryLaw law{.total = static_cast<double>(total),
                        .contention = contention,
                        .port = seed % 5 < 2 ? limit : 0,
                        .queue = seed % 5 == 2 ? limit : 0};
    const auto fair = FlowRun<MemoryBandwidth>(law, starts, totals).ends();
    const auto solved = FlowRun<SolverBandwidth>(law, starts, totals).ends();
    for (std::size_t i = 0; i < starts.size(); ++i) {
      ASSERT_GE(fair[i], starts[i].at);
      ASSERT_LE(std::abs(fair[i] - solved[i]), 1) << "seed " << seed << " flow " << i << ": " << fair[i] << " and " << solved[i];
    }
  }
}

TEST(BandwidthSolver, CanBeChosenForARun) {
  Machine machine = plain_machine(16);
  machine.memory->bandwidth = 100;
  machine.memory->core_bandwidth = 10;
  machine.host_calls->launch = Nanoseconds{17};
  Random random(5);
  std::vector<SmallTask> tasks;
  for (int i = 0; i < 16; ++i) tasks.push_back({"t" + std::to_string(i), random.between(0, 500), random.between(1, 9000)});
  const TaskGraph graph = small_graph(tasks);
  const Timeline fair = simulate(graph, machine, named_design("cuda-streams")).timeline;
  const Timeline solved = simulate(graph, machine, named_design("cuda-streams"), {.bandwidth_solver = BandwidthSolver::kSimGrid}).timeline;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    EXPECT_EQ(fair.tasks[i].started, solved.tasks[i].started);
    EXPECT_LE(std::abs(to_ns(fair.tasks[i].ended - solved.tasks[i].ended)), 1);
  }
}

/// A copy as the oracle knows it.
struct Copy {
  std::int64_t at;
  double left;
  std::vector<std::size_t> links;
  std::int64_t end = -1;
};

/// Rates by filling up all copies alike until a link is full, again and again.
std::vector<double> max_min(const std::vector<Copy>& copies, const std::vector<std::size_t>& running, std::vector<double> room) {
  std::vector<double> rate(copies.size(), 0);
  std::vector<std::size_t> open = running;
  while (!open.empty()) {
    std::size_t tightest = 0;
    double share = INFINITY;
    for (std::size_t link = 0; link < room.size(); ++link) {
      const auto users = std::ranges::count_if(open, [&](std::size_t i) { return std::ranges::count(copies[i].links, link) > 0; });
      if (users > 0 && room[link] / static_cast<double>(users) < share) {
        share = room[link] / static_cast<double>(users);
        tightest = link;
      }
    }
    std::erase_if(open, [&](std::size_t i) {
      if (std::ranges::count(copies[i].links, tightest) == 0) return false;
      rate[i] = share;
      for (const std::size_t link : copies[i].links) room[link] -= share;
      return true;
    });
  }
  return rate;
}

void drain(std::vector<Copy>& copies, const std::vector<double>& bandwidths) {
  double now = 0;
  for (;;) {
    std::vector<std::size_t> running;
    double next = INFINITY;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      if (copies[i].end >= 0) continue;
      if (static_cast<double>(copies[i].at) > now) {
        next = std::min(next, static_cast<double>(copies[i].at));
      } else {
        running.push_back(i);
      }
    }
    if (running.empty() && std::isinf(next)) return;
    const std::vector<double> rate = max_min(copies, running, bandwidths);
    for (const std::size_t i : running) next = std::min(next, now + copies[i].left / rate[i]);
    for (const std::size_t i : running) {
      copies[i].left -= (next - now) * rate[i];
      if (copies[i].left < 1e-6) copies[i].end = static_cast<std::int64_t>(std::ceil(next - 1e-3));
    }
    now = next;
  }
}

class LinkRun final : public EventHandler, public Links::Listener {
 public:
  LinkRun(const AsRun& machine, const std::vector<std::pair<Operation, bool>>& ways, const std::vector<Start>& starts)
      : ways_(ways), starts_(starts), ends_(starts.size(), -1), links_(in_step_.calendar, machine, 0, *this) {
    for (std::uint32_t i = 0; i < starts.size(); ++i) in_step_.calendar.schedule(at_ns(starts[i].at), EventKind::kCopyMoves, i, *this);
    Platform::instance().run();
  }
  void handle(EventKind, std::uint32_t i, TimePoint) override { links_.start(i, ways_[i].first, ways_[i].second, {starts_[i].bytes}); }
  void flow_ended(std::uint32_t flow, TimePoint at) override { ends_[flow] = to_ns(at); }
  const std::vector<std::int64_t>& ends() const { return ends_; }

 private:
  InStep in_step_;
  std::vector<std::pair<Operation, bool>> ways_;
  std::vector<Start> starts_;
  std::vector<std::int64_t> ends_;
  Links links_;
};

TEST(Links, ShareAsFilledUpByHand) {
  enum : std::size_t { kH2d, kD2h, kDuplex, kP2p, kStaging };
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    AsRun machine{free_machine(), {}, {}};
    machine.links->h2d_bandwidth = static_cast<double>(random.between(10, 600)) / 7;
    machine.links->d2h_bandwidth = static_cast<double>(random.between(10, 600)) / 7;
    machine.links->duplex_bandwidth = static_cast<double>(random.between(10, 1200)) / 7;
    machine.links->p2p_bandwidth = static_cast<double>(random.between(10, 600)) / 7;
    machine.links->staging_bandwidth = static_cast<double>(random.between(10, 100)) / 7;
    std::vector<Start> starts;
    std::vector<std::pair<Operation, bool>> ways;
    std::vector<Copy> copies;
    for (std::int64_t count = random.between(1, 12); count > 0; --count) {
      const auto way = static_cast<std::size_t>(random.between(0, 2));
      const bool pageable = way < 2 && random.between(0, 3) == 0;
      starts.push_back({random.between(0, 5000), random.between(1, 200'000)});
      ways.emplace_back(static_cast<Operation>(way + static_cast<std::size_t>(Operation::kCopyH2d)), pageable);
      std::vector<std::size_t> links{way == 2 ? std::size_t{kP2p} : way};
      if (way < 2) links.push_back(kDuplex);
      if (pageable) links.push_back(kStaging);
      copies.push_back({starts.back().at, static_cast<double>(starts.back().bytes), links});
    }
    drain(copies, {machine.links->h2d_bandwidth, machine.links->d2h_bandwidth, machine.links->duplex_bandwidth,
                   machine.links->p2p_bandwidth, machine.links->staging_bandwidth});
    const std::vector<std::int64_t> ends = LinkRun(machine, ways, starts).ends();
    for (std::size_t i = 0; i < copies.size(); ++i) ASSERT_LE(std::abs(ends[i] - copies[i].end), 1) << "seed " << seed << " copy " << i;
  }
}

}  // namespace
}  // namespace tasktwin::sim
