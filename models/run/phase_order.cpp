#include "models/run/phase_order.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace tasktwin {

namespace {

using Phase = TimePoint TaskTimes::*;

struct Order {
  Phase earlier;
  std::string_view earlier_word;
  Phase later;
  std::string_view later_word;
};

/// A task may be dispatched before it is ready, to wait on its core, and the host's call that launches it may return after it has started.
constexpr std::array<Order, 7> kOrders{{{&TaskTimes::ready, "ready", &TaskTimes::started, "started"},
                                        {&TaskTimes::received, "received", &TaskTimes::started, "started"},
                                        {&TaskTimes::started, "started", &TaskTimes::ended, "ended"},
                                        {&TaskTimes::ready, "ready", &TaskTimes::published, "published"},
                                        {&TaskTimes::received, "received", &TaskTimes::published, "published"},
                                        {&TaskTimes::started, "started", &TaskTimes::published, "published"},
                                        {&TaskTimes::ended, "ended", &TaskTimes::published, "published"}}};

}  // namespace

std::int64_t latest_time_ns(std::size_t tasks) {
  constexpr std::int64_t kSum = std::int64_t{1} << 61;
  constexpr std::int64_t kMostDispatchers = 1024;
  return kSum / (static_cast<std::int64_t>(tasks) + kMostDispatchers);
}

std::optional<std::string> phase_fault(const TaskTimes& times) {
  if (is_present(times.started) && !is_present(times.ended)) return "a task that starts must end";
  for (const auto& [earlier, earlier_word, later, later_word] : kOrders) {
    const TimePoint first = times.*earlier;
    const TimePoint second = times.*later;
    if (!is_present(first) || !is_present(second) || second >= first) continue;
    return "the task is " + std::string(later_word) + " at " + std::to_string(to_ns(second)) + " ns, before it is " +
           std::string(earlier_word) + ", at " + std::to_string(to_ns(first)) + " ns";
  }
  return std::nullopt;
}

}  // namespace tasktwin
