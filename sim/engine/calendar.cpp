#include "sim/engine/calendar.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>
#include <utility>

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Engine.hpp>

#include "models/base/error.hpp"

namespace tasktwin::sim {

namespace {

/// Dates are doubles inside the engine; before this one, some 104 days, all whole nanoseconds are exact.
constexpr double kFirstInexactDate = 0x1p53;

/// The engine's date may fall short of a whole nanosecond by this much, where an activity has ended between two: it adds spans up.
constexpr double kDateError = 1e-3;

/// Some milliseconds' worth.
constexpr std::uint32_t kEventsBetweenQuestions = 4096;

}  // namespace

Calendar::Calendar() : Model("Calendar") {}

void Calendar::begin_run(std::function<bool()> interrupted) {
  events_.clear();
  interrupted_ = std::move(interrupted);
  pause_ = nullptr;
  each_ = 0;
  handled_ = 0;
  next_stop_ = next_question_ = kEventsBetweenQuestions;
  next_sequence_ = 0;
  rounds_ = 0;
  base_ = simgrid::s4u::Engine::get_clock();
  now_ = TimePoint{};
}

void Calendar::schedule(TimePoint time, EventKind kind, std::uint32_t subject, EventHandler& handler) {
  assert(time >= now_);
  if (base_ + static_cast<double>(to_ns(time)) >= kFirstInexactDate) refuse(time);
  events_.push_back({time, static_cast<std::uint64_t>(kind) << 32 | subject, next_sequence_++, &handler});
  std::ranges::push_heap(events_, Later{});
}

Calendar::State Calendar::state() const { return {events_, next_sequence_, now_}; }

void Calendar::resume(const State& state, std::span<EventHandler* const> from, std::span<EventHandler* const> to) {
  events_ = state.events;
  for (Event& event : events_) event.handler = to[static_cast<std::size_t>(std::ranges::find(from, event.handler) - from.begin())];
  next_sequence_ = state.next_sequence;
  now_ = state.now;
}

void Calendar::pause_each(std::uint32_t events, std::function<void()> pause) {
  pause_ = std::move(pause);
  each_ = events;
  next_pause_ = handled_ + events;
  next_stop_ = std::min(next_question_, next_pause_);
}

void Calendar::refuse(TimePoint time) const {
  const std::string comes = "the simulation comes to " + std::to_string(to_ns(time)) + " ns";
  if (static_cast<double>(to_ns(time)) >= kFirstInexactDate)
    throw InputError(comes + "; times from 2^53 ns (104 days) on are not exact, so a run must be shorter");
  throw RunError(comes + ", and this process has simulated 104 days in all, beyond which times are not exact; begin a new one");
}

TimePoint Calendar::next_whole(double date) const {
  return std::max(now_, at_ns(static_cast<std::int64_t>(std::ceil(date - base_ - kDateError))));
}

double Calendar::next_occurring_event(double now) {
  const TimePoint next = events_.empty() ? now_ : events_.front().time;
  const double date = base_ + static_cast<double>(to_ns(next));
  if (events_.empty() && date <= now) return -1;
  return std::max(0.0, date - now);
}

void Calendar::update_actions_state(double now, double /*delta*/) {
  if (events_.empty()) return;
  ++rounds_;
  const bool run_ahead = alone();
  const TimePoint until = at_ns(static_cast<std::int64_t>(std::floor(now - base_ + kDateError)));
  while (!events_.empty() && (run_ahead || events_.front().time <= until)) {
    if (handled_++ == next_stop_) between_events();
    const Event event = events_.front();
    std::ranges::pop_heap(events_, Later{});
    events_.pop_back();
    now_ = event.time;
    event.handler->handle(static_cast<EventKind>(event.order >> 32), static_cast<std::uint32_t>(event.order), event.time);
  }
}

void Calendar::between_events() {
  const std::uint64_t handled = handled_ - 1;
  if (handled >= next_question_) {
    next_question_ = handled + kEventsBetweenQuestions;
    if (interrupted_ && interrupted_()) throw RunError("the simulation was interrupted");
  }
  if (each_ > 0 && handled >= next_pause_) {
    next_pause_ = handled + each_;
    pause_();
  }
  next_stop_ = each_ > 0 ? std::min(next_question_, next_pause_) : next_question_;
}

/// The one rule for running ahead: no kernel timer is set, and no model of the engine has an action, not even one that has
/// ended in this round and whose actor is yet to hear of it. Only events handled here could then start something, and a run
/// whose events do so forbids running ahead.
bool Calendar::alone() const {
  if (run_ahead_ == RunAhead::kNever || simgrid::kernel::timer::Timer::next() >= 0) return false;
  return std::ranges::all_of(simgrid::s4u::Engine::get_instance()->get_all_models(), [](Model* model) {
    return model->get_inited_action_set()->empty() && model->get_started_action_set()->empty() &&
           model->get_finished_action_set()->empty() && model->get_failed_action_set()->empty();
  });
}

}  // namespace tasktwin::sim
