#include "tests/sim/timeline_text.hpp"

#include <sstream>

namespace tasktwin::sim {

namespace {

std::string ns(TimePoint time) { return is_present(time) ? std::to_string(to_ns(time)) : "-"; }
std::string id(std::size_t number, bool present) { return present ? std::to_string(number) : "-"; }

}  // namespace

std::string to_text(const Timeline& timeline) {
  std::ostringstream text;
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    const TaskTimes& t = timeline.tasks[i];
    text << "task " << i << ": ready " << ns(t.ready) << " dispatched " << ns(t.dispatched) << " received " << ns(t.received) << " started "
         << ns(t.started) << " ended " << ns(t.ended) << " published " << ns(t.published) << " core "
         << id(index(t.core), t.core != kNoCore) << " dispatcher " << id(index(t.dispatcher), t.dispatcher != kNoDispatcher) << "\n";
  }
  for (std::size_t core = 0; core < timeline.cores.size(); ++core) text << "core " << core << ": " << to_word(timeline.cores[core]) << "\n";
  for (std::size_t d = 0; d < timeline.dispatchers.size(); ++d) {
    for (const Span& span : timeline.dispatchers[d])
      text << "dispatcher " << d << " busy " << ns(span.begin) << " to " << ns(span.end) << "\n";
  }
  for (const QueueSample& sample : timeline.ready_queue) text << "queue " << ns(sample.time) << ": " << sample.length << "\n";
  return text.str();
}

std::string first_differences(const Timeline& expected, const Timeline& actual) {
  std::istringstream left(to_text(expected));
  std::istringstream right(to_text(actual));
  std::string text;
  int differences = 0;
  std::string a;
  std::string b;
  while (differences < 10) {
    const bool more_left = static_cast<bool>(std::getline(left, a));
    const bool more_right = static_cast<bool>(std::getline(right, b));
    if (!more_left && !more_right) break;
    if (!more_left) a = "nothing";
    if (!more_right) b = "nothing";
    if (a == b) continue;
    text += "  expected " + a + "\n  actual   " + b + "\n";
    ++differences;
  }
  return text;
}

}  // namespace tasktwin::sim
