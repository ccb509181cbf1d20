#include "sim/engine/calendar.hpp"

#include <gtest/gtest.h>

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Host.hpp>

#include "models/base/error.hpp"
#include "sim/engine/platform.hpp"

namespace tasktwin::sim {
namespace {

/// Notes what happens, in order.
class Recorder final : public EventHandler {
 public:
  Recorder() { calendar().begin_run(); }
  ~Recorder() { calendar().set_run_ahead(RunAhead::kWhenAlone); }

  static Calendar& calendar() { return Platform::instance().calendar(); }
  void at(std::int64_t ns, EventKind kind, std::uint32_t subject) { calendar().schedule(at_ns(ns), kind, subject, *this); }
  void handle(EventKind, std::uint32_t subject, TimePoint now) override {
    notes.push_back(std::to_string(to_ns(now)) + ":" + std::to_string(subject));
    if (subject == chain && to_ns(now) < 100) at(to_ns(now) + 10, EventKind::kPublished, chain);
  }

  std::vector<std::string> notes;
  std::uint32_t chain = 1000;  ///< this subject schedules itself again
};

using Notes = std::vector<std::string>;

TEST(Calendar, OrdersByTimeThenKindThenSubjectThenSequence) {
  Recorder recorder;
  recorder.at(5, EventKind::kHandOver, 1);
  recorder.at(5, EventKind::kPublished, 3);
  recorder.at(5, EventKind::kPublished, 2);
  recorder.at(4, EventKind::kStartable, 9);
  recorder.at(5, EventKind::kFlowStart, 7);
  Platform::instance().run();
  EXPECT_EQ(recorder.notes, (Notes{"4:9", "5:7", "5:2", "5:3", "5:1"}));
}

TEST(Calendar, RunsAheadInOneRoundWhenAlone) {
  Recorder recorder;
  recorder.at(0, EventKind::kPublished, recorder.chain);
  Platform::instance().run();
  EXPECT_EQ(recorder.notes.size(), 11u);
  EXPECT_EQ(recorder.calendar().rounds(), 1u);
}

TEST(Calendar, ReturnsToTheEngineForEachNanosecondIfToldTo) {
  Recorder recorder;
  recorder.calendar().set_run_ahead(RunAhead::kNever);
  recorder.at(0, EventKind::kPublished, recorder.chain);
  Platform::instance().run();
  EXPECT_EQ(recorder.notes.size(), 11u);
  EXPECT_EQ(recorder.calendar().rounds(), 11u);
}

TEST(Calendar, EngineClockCatchesUpWithTheLastEvent) {
  const double before = simgrid::s4u::Engine::get_clock();
  Recorder recorder;
  recorder.at(0, EventKind::kPublished, recorder.chain);
  Platform::instance().run();
  EXPECT_EQ(simgrid::s4u::Engine::get_clock(), before + 100);
}

TEST(Calendar, DoesNotRunAheadOfAKernelTimer) {
  Recorder recorder;
  const double base = simgrid::s4u::Engine::get_clock();
  simgrid::kernel::timer::Timer::set(base + 35, [&recorder] { recorder.notes.emplace_back("timer"); });
  recorder.at(0, EventKind::kPublished, 1000);
  Platform::instance().run();
  ASSERT_EQ(recorder.notes.size(), 12u);
  EXPECT_EQ(recorder.notes[3], "30:1000");
  EXPECT_EQ(recorder.notes[4], "timer");
  EXPECT_EQ(recorder.notes[5], "40:1000");
}

TEST(Calendar, DoesNotRunAheadOfAnActionOfAnotherModel) {
  Recorder recorder;
  simgrid::s4u::Actor::create("sleeper", Platform::instance().engine().host_by_name("host"), [&recorder] {
    simgrid::s4u::this_actor::sleep_for(35);
    recorder.notes.emplace_back("actor");
  });
  recorder.at(0, EventKind::kPublished, 1000);
  Platform::instance().run();
  ASSERT_EQ(recorder.notes.size(), 12u);
  EXPECT_EQ(recorder.notes[4], "actor");
}

TEST(Calendar, RefusesTimesThatADoubleCannotHoldExactly) {
  Recorder recorder;
  EXPECT_THROW(recorder.at((std::int64_t{1} << 53) + 1, EventKind::kPublished, 0), InputError);
}

}  // namespace
}  // namespace tasktwin::sim
