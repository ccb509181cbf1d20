#include "tests/sim/gantt.hpp"

#include <algorithm>
#include <sstream>

namespace tasktwin::sim {

namespace {

std::size_t width(const Timeline& timeline) {
  TimePoint last = TimePoint{} + timeline.makespan();
  for (const std::vector<Span>& busy : timeline.dispatchers) {
    if (!busy.empty()) last = std::max(last, busy.back().end);
  }
  return static_cast<std::size_t>(to_ns(last));
}

void draw(std::string& line, TimePoint from, TimePoint to, char mark) {
  if (!is_present(from) || !is_present(to)) return;
  for (auto at = to_ns(from); at < to_ns(to); ++at) line[static_cast<std::size_t>(at)] = mark;
}

std::string phase(const char* name, TimePoint time) {
  return is_present(time) ? std::string("  ") + name + " " + std::to_string(to_ns(time)) : "";
}

}  // namespace

std::string gantt(const TaskGraph& graph, const Timeline& timeline) {
  std::ostringstream text;
  std::string ruler(width(timeline), ' ');
  for (std::size_t at = 0; at < ruler.size(); at += 10) ruler[at] = '|';
  text << "           " << ruler.substr(0, ruler.rfind('|') + 1) << "\n";
  for (std::size_t d = 0; d < timeline.dispatchers.size(); ++d) {
    std::string line(ruler.size(), '.');
    for (const Span& span : timeline.dispatchers[d]) draw(line, span.begin, span.end, '#');
    text << "control " << d << "  " << line << "\n";
  }
  for (std::size_t core = 0; core < timeline.cores.size(); ++core) {
    std::string line(ruler.size(), '.');
    const auto on_core = [&](auto&& mark) {
      for (std::size_t i = 0; i < graph.size(); ++i) {
        if (index(timeline.tasks[i].core) == core) mark(timeline.tasks[i], graph.name(task_id(i)).front());
      }
    };
    on_core([&](const TaskTimes& task, char) { draw(line, task.received, task.started, '-'); });
    on_core([&](const TaskTimes& task, char) { draw(line, task.ended, task.published, '='); });
    on_core([&](const TaskTimes& task, char letter) { draw(line, task.started, task.ended, letter); });
    text << to_word(timeline.cores[core]) << std::string(8 - to_word(timeline.cores[core]).size(), ' ') << core << "  " << line << "\n";
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskTimes& task = timeline.tasks[i];
    text << graph.name(task_id(i)) << ":" << phase("ready", task.ready) << phase("dispatched", task.dispatched)
         << phase("received", task.received) << phase("started", task.started) << phase("ended", task.ended)
         << phase("published", task.published) << "\n";
  }
  for (const QueueSample& sample : timeline.ready_queue) text << "queue at " << to_ns(sample.time) << ": " << sample.length << "\n";
  return text.str();
}

}  // namespace tasktwin::sim
