#include "sim/memory/memory_bandwidth.hpp"

#include <gtest/gtest.h>

#include "models/base/random.hpp"
#include "sim/engine/platform.hpp"
#include "tests/oracles/fluid.hpp"

namespace tasktwin::sim {
namespace {

struct Start {
  std::int64_t at;
  std::int64_t bytes;
  double rate = 0;  ///< 0 for all flows' own
  std::size_t port = 0;
};

constexpr std::size_t kPorts = 4;

/// Runs flows through the memory model on the engine; returns their ends, ns.
class FlowRun final : public EventHandler, public MemoryBandwidth::Listener {
 public:
  FlowRun(const MemoryLaw& law, double per_flow, const std::vector<Start>& starts)
      : starts_(starts), per_flow_(per_flow), ends_(starts.size(), -1), memory_(Platform::instance().calendar(), law, kPorts, *this) {
    Platform::instance().calendar().begin_run();
    for (std::uint32_t i = 0; i < starts.size(); ++i) {
      Platform::instance().calendar().schedule(at_ns(starts[i].at), EventKind::kFlowStart, i, *this);
    }
    Platform::instance().run();
  }

  void handle(EventKind, std::uint32_t flow, TimePoint now) override {
    memory_.start(flow, {starts_[flow].bytes}, starts_[flow].rate > 0 ? starts_[flow].rate : per_flow_, starts_[flow].port, now);
  }
  void flow_ended(std::uint32_t flow, TimePoint at) override { ends_[flow] = to_ns(at); }
  const std::vector<std::int64_t>& ends() const { return ends_; }

 private:
  std::vector<Start> starts_;
  double per_flow_;
  std::vector<std::int64_t> ends_;
  MemoryBandwidth memory_;
};

std::vector<std::int64_t> ends(double total, double per_flow, const std::vector<Start>& starts, double contention = 0) {
  return FlowRun({total, contention}, per_flow, starts).ends();
}

TEST(MemoryBandwidth, LoneFlowRunsAtItsCoresBandwidth) { EXPECT_EQ(ends(100, 10, {{0, 1000}}), (std::vector<std::int64_t>{100})); }

TEST(MemoryBandwidth, EndIsTheNextWholeNanosecond) {
  EXPECT_EQ(ends(100, 10, {{0, 990}}), (std::vector<std::int64_t>{99}));
  EXPECT_EQ(ends(100, 10, {{0, 991}}), (std::vector<std::int64_t>{100}));
  EXPECT_EQ(ends(100, 10, {{0, 1001}}), (std::vector<std::int64_t>{101}));
}

TEST(MemoryBandwidth, FlowsShareEquallyOnlyBeyondTheTotal) {
  EXPECT_EQ(ends(20, 10, {{0, 1000}, {0, 1000}}), (std::vector<std::int64_t>{100, 100}));
  EXPECT_EQ(ends(15, 10, {{0, 1500}, {0, 1500}}), (std::vector<std::int64_t>{200, 200}));
}

TEST(MemoryBandwidth, ShareGrowsWhenAFlowEnds) {
  // Both at 5 until the short one ends at 100; the other has 500 left, at 10.
  EXPECT_EQ(ends(10, 10, {{0, 500}, {0, 1000}}), (std::vector<std::int64_t>{100, 150}));
}

TEST(MemoryBandwidth, ShareShrinksWhenAFlowStarts) {
  // Alone at 10 for 50 ns, then 5 each: 500 left take 100.
  EXPECT_EQ(ends(10, 10, {{0, 1000}, {50, 1000}}), (std::vector<std::int64_t>{150, 200}));
}

TEST(MemoryBandwidth, EndsBetweenNanosecondsFreeTheirShareAtOnce) {
  // 3 flows at 1 each: the first ends at 1; the others have 1.5 left each at 1.5: both at 2 exactly, not at 3.
  EXPECT_EQ(ends(3, 3, {{0, 1}, {0, 2}, {0, 3}}), (std::vector<std::int64_t>{1, 2, 2}));
}

TEST(MemoryBandwidth, LongFlowsStayExact) {
  // 2^40 bytes at 3 bytes/ns beside short ones: more than the volume that is kept before it is rebased.
  const std::int64_t bytes = std::int64_t{1} << 40;
  EXPECT_EQ(ends(6, 3, {{0, bytes}, {5, 100}}), (std::vector<std::int64_t>{(bytes + 2) / 3, 39}));
}

TEST(MemoryBandwidth, FlowsShareInProportionToWhatTheyWouldDrawAlone) {
  // 30 wanted of 15: both at half their rates; then the rest of the long one, 1000 bytes, at its own 10.
  EXPECT_EQ(ends(15, 10, {{0, 1000, 20}, {0, 1500, 10}}), (std::vector<std::int64_t>{100, 200}));
}

TEST(MemoryBandwidth, LoadsTakeLongerTheMoreOfTheMemoryIsInUse) {
  // Two flows of 10 on 40 with contention 1: of 0.4 in use each would be at 1 / (1 + 0.4 / 0.6) = 0.6 of its rate, which is not 0.4 · 40
  // / 20. s (1 + s / 2 / (1 − s / 2)) = 1 has the root s = 2 / 3: 6.667 each. Alone: s (1 + s / 4 / (1 − s / 4)) = 1, s = 4 / 5.
  EXPECT_EQ(ends(40, 10, {{0, 1000}, {0, 1000}}, 1), (std::vector<std::int64_t>{150, 150}));
  EXPECT_EQ(ends(40, 10, {{0, 1000}}, 1), (std::vector<std::int64_t>{125}));
}

TEST(MemoryBandwidth, FullPortHoldsItsOwnFlowsBackAndNoOthers) {
  // Three at 10 behind a port of 20, at 20/3; the one beside them at its 10.
  const std::vector<Start> starts{{0, 1000}, {0, 1000}, {0, 1000}, {0, 1000, 0, 1}};
  EXPECT_EQ(FlowRun({.total = 100, .port = 20}, 10, starts).ends(), (std::vector<std::int64_t>{150, 150, 150, 100}));
  // Of a memory of 24 the port's three take 15, where their part of it would be 18; the other has the rest.
  EXPECT_EQ(FlowRun({.total = 24, .port = 15}, 10, starts).ends(), (std::vector<std::int64_t>{200, 200, 200, 112}));
}

TEST(MemoryBandwidth, PortsThatAreNotFullShareTheMemoryAsIfThereWereNone) {
  const std::vector<Start> starts{{0, 1000}, {0, 1000, 0, 1}, {0, 2000, 0, 2}, {0, 2000, 0, 3}};
  EXPECT_EQ(FlowRun({.total = 20, .port = 10}, 10, starts).ends(), FlowRun({.total = 20}, 10, starts).ends());
}

TEST(MemoryBandwidth, BodiesGetTheLessTheMoreAreInTheirQueue) {
  // Of 20 wanted of 10 each would have half of its 2, with 7 of them in one queue; that has but 6 under way, the others 6 too: 5 each.
  std::vector<Start> starts(10, Start{0, 1000, 2, 0});
  for (std::size_t i = 7; i < 10; ++i) starts[i].port = 1;
  const std::vector<std::int64_t> queued = FlowRun({.total = 10, .queue = 6}, 2, starts).ends();
  EXPECT_EQ(queued[9], 600);   // three at 5 / 3
  EXPECT_EQ(queued[0], 1000);  // seven at 5 / 7 for 600 ns, and then at 10 / 7
  EXPECT_EQ(FlowRun({.total = 10}, 2, starts).ends(), (std::vector<std::int64_t>(10, 1000 * 2 / 2)));
}

TEST(MemoryBandwidth, AQueueHoldsNothingBackThatTheMemoryWouldServeAtOnce) {
  const std::vector<Start> starts{{0, 1000}, {0, 1000}, {0, 1000}, {0, 1000, 0, 1}};
  EXPECT_EQ(FlowRun({.total = 40, .queue = 15}, 10, starts).ends(), (std::vector<std::int64_t>(4, 100)));
  // Of 35 for 40 the queue of three, with 15 under way of 25, gets what the other leaves, which gets on no faster than alone.
  EXPECT_EQ(FlowRun({.total = 35, .queue = 15}, 10, starts).ends(), (std::vector<std::int64_t>{117, 117, 117, 100}));
}

TEST(MemoryBandwidth, AgreesWithFluidDrainedNanosecondByNanosecond) {
  for (std::uint64_t number = 0; number < 500; ++number) {
    Random random(number);
    const double total = static_cast<double>(random.between(1, 200)) / 7;
    const double per_flow = static_cast<double>(random.between(1, 60)) / 9;
    const double contention = number % 3 == 0 ? static_cast<double>(random.between(1, 150)) / 100 : 0;
    const double limit = total * static_cast<double>(random.between(1, 100)) / 100;
    const MemoryLaw law{total, contention, number % 5 < 2 ? limit : 0, number % 5 == 2 ? limit : 0};
    std::vector<Start> starts;
    for (std::int64_t flows = random.between(1, 60); flows > 0; --flows) {
      const double rate = number % 2 == 0 ? per_flow : static_cast<double>(random.between(1, 60)) / 9;
      starts.push_back({random.between(0, 400), random.between(1, 2000), rate, static_cast<std::size_t>(random.between(0, kPorts - 1))});
    }

    std::vector<std::int64_t> expected(starts.size(), -1);
    oracles::Fluid fluid(total, contention, law.port, law.queue);
    std::size_t left = starts.size();
    for (std::int64_t now = 0; left > 0; ++now) {
      for (std::size_t i = 0; i < starts.size(); ++i) {
        if (starts[i].at == now) fluid.add(i, static_cast<double>(starts[i].bytes), starts[i].rate, starts[i].port);
      }
      for (const std::size_t flow : fluid.pass()) {
        expected[flow] = now + 1;
        --left;
      }
    }
    ASSERT_EQ(FlowRun(law, per_flow, starts).ends(), expected)
        << "case " << number << ": total " << total << " per flow " << per_flow << " port " << law.port << " queue " << law.queue;
  }
}

}  // namespace
}  // namespace tasktwin::sim
