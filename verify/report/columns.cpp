#include "verify/report/columns.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

namespace tasktwin::verify {

namespace {

/// One column while it grows.
class Column {
 public:
  explicit Column(std::size_t rows) { values_.reserve(rows); }

  void add(std::int64_t value) { values_.emplace_back(value); }
  void add(TimePoint from, TimePoint to) {
    if (is_present(from) && is_present(to)) {
      add(to_ns(to - from));
    } else {
      values_.emplace_back(nullptr);
    }
  }
  void add_null() { values_.emplace_back(nullptr); }

  Json take() { return std::exchange(values_, {}); }

 private:
  Json::array_t values_;
};

/// The difference from one time to the next, from 0 on.
class Delta {
 public:
  std::int64_t to(TimePoint time) { return to_ns(time - std::exchange(before_, time)); }

 private:
  TimePoint before_{};
};

bool has_steps(const Timeline& timeline) { return timeline.steps.size() == timeline.dispatchers.size() && !timeline.steps.empty(); }

/// Of a control core, whatever its kinds mean.
struct KindSpan {
  TimePoint begin;
  TimePoint end;
  std::int64_t kind = 0;
};

Json one_core(std::span<const KindSpan> steps) {
  Column gap(steps.size());
  Column duration(steps.size());
  Column kind(steps.size());
  Delta at;
  for (const KindSpan& step : steps) {
    gap.add(at.to(step.begin));
    duration.add(at.to(step.end));
    kind.add(step.kind);
  }
  return {{"gap", gap.take()}, {"duration", duration.take()}, {"kind", kind.take()}};
}

/// Numbers what calls of each name do and wait for, so that each is a kind of its own as far as there is room: the most frequent names
/// first.
class CallKinds {
 public:
  CallKinds(const Timeline& timeline, const HostProgram& program) : program_(program), of_name_(program.names.size()) {
    struct Counted {
      std::size_t calls = 0;
      bool waits = false;
    };
    std::vector<Counted> counted(program.names.size());
    for (const HostStep& step : timeline.host_steps) {
      ++counted[name_of(step)].calls;
      counted[name_of(step)].waits |= step.waited > step.began;
    }
    std::vector<std::uint32_t> names;
    for (std::uint32_t name = 0; name < counted.size(); ++name) {
      if (counted[name].calls > 0) names.push_back(name);
    }
    std::ranges::stable_sort(names, std::greater{}, [&counted](std::uint32_t name) { return counted[name].calls; });
    for (const std::uint32_t name : names) {
      const std::string text = program.names[name].empty() ? "call" : program.names[name];
      if (kinds_.size() + 2 > kMostStepKinds) break;
      of_name_[name].call = add(text);
      if (counted[name].waits) of_name_[name].wait = add("wait: " + text);
    }
  }

  std::int64_t call(const HostStep& step) const { return of_name_[name_of(step)].call; }
  std::int64_t wait(const HostStep& step) const { return of_name_[name_of(step)].wait; }
  Json take() { return std::move(kinds_); }

  static constexpr std::int64_t kOwn = 0;

 private:
  struct Kinds {
    std::int64_t call = 1;
    std::int64_t wait = 2;
  };

  std::uint32_t name_of(const HostStep& step) const { return program_.threads[step.thread].calls[step.call].name; }
  std::int64_t add(const std::string& text) {
    kinds_.push_back(text);
    return static_cast<std::int64_t>(kinds_.size() - 1);
  }

  const HostProgram& program_;
  std::vector<Kinds> of_name_;
  Json kinds_ = Json::array({"own time", "other calls", "wait: other calls"});
};

}  // namespace

Json task_columns(const Timeline& timeline) {
  const std::size_t rows = timeline.tasks.size();
  Column started(rows), ready(rows), dispatched(rows), received(rows), duration(rows), publish(rows), core(rows), dispatcher(rows);
  Delta before;
  for (const TaskTimes& times : timeline.tasks) {
    if (is_present(times.started)) {
      started.add(before.to(times.started));
    } else {
      started.add_null();
    }
    ready.add(times.ready, times.started);
    dispatched.add(times.dispatched, times.started);
    received.add(times.received, times.started);
    duration.add(times.started, times.ended);
    publish.add(times.ended, times.published);
    if (times.core != kNoCore) {
      core.add(static_cast<std::int64_t>(index(times.core)));
    } else {
      core.add_null();
    }
    if (times.dispatcher != kNoDispatcher) {
      dispatcher.add(static_cast<std::int64_t>(index(times.dispatcher)));
    } else {
      dispatcher.add_null();
    }
  }
  return {{"started_delta", started.take()},
          {"ready_before", ready.take()},
          {"dispatched_before", dispatched.take()},
          {"received_before", received.take()},
          {"duration", duration.take()},
          {"publish", publish.take()},
          {"core", core.take()},
          {"dispatcher", dispatcher.take()}};
}

Json part_columns(const Timeline& timeline) {
  const std::size_t rows = timeline.on_streams ? 0 : timeline.blocks.size();
  Column task(rows), core(rows), started(rows), duration(rows), publish(rows);
  std::int64_t before = 0;
  for (const BlockTimes& part : std::span(timeline.blocks).first(rows)) {
    const TimePoint whole = timeline.tasks[index(part.task)].started;
    if (!is_present(part.started) || !is_present(part.ended) || !is_present(whole) || part.core == kNoCore) continue;
    const auto id = static_cast<std::int64_t>(index(part.task));
    task.add(id - std::exchange(before, id));
    core.add(static_cast<std::int64_t>(index(part.core)));
    started.add(whole, part.started);
    duration.add(part.started, part.ended);
    publish.add(part.ended, part.published);
  }
  return {{"task_delta", task.take()},
          {"core", core.take()},
          {"started_after", started.take()},
          {"duration", duration.take()},
          {"publish", publish.take()}};
}

Json step_columns(const Timeline& timeline) {
  Json cores = Json::array();
  for (std::size_t d = 0; d < timeline.dispatchers.size(); ++d) {
    std::vector<KindSpan> spans;
    if (has_steps(timeline)) {
      for (const Step& step : timeline.steps[d]) spans.push_back({step.begin, step.end, static_cast<std::int64_t>(step.kind)});
    } else {
      for (const Span& span : timeline.dispatchers[d]) spans.push_back({span.begin, span.end});
    }
    cores.push_back(one_core(spans));
  }
  return cores;
}

Json step_kinds(const Timeline& timeline) {
  if (!has_steps(timeline)) return Json::array({"busy"});
  return all_words<StepKind>();
}

HostRows host_rows(const Timeline& timeline, const HostProgram& program) {
  CallKinds kinds(timeline, program);
  std::vector<std::vector<KindSpan>> threads(timeline.dispatchers.size());
  for (const HostStep& step : timeline.host_steps) {
    if (step.thread >= threads.size()) continue;
    const auto add = [&row = threads[step.thread]](TimePoint begin, TimePoint end, std::int64_t kind) {
      if (end > begin) row.push_back({begin, end, kind});
    };
    const bool waits = step.waited > step.began;
    add(step.own, step.began, CallKinds::kOwn);
    add(step.began, waits ? step.waited : step.began, kinds.wait(step));
    add(waits ? step.waited : step.began, step.ended, kinds.call(step));
  }
  HostRows rows{.steps = Json::array()};
  for (const std::vector<KindSpan>& spans : threads) rows.steps.push_back(one_core(spans));
  rows.kinds = kinds.take();
  return rows;
}

Json queue_columns(const Timeline& timeline) {
  Column time(timeline.ready_queue.size());
  Column length(timeline.ready_queue.size());
  Delta at;
  for (const QueueSample& sample : timeline.ready_queue) {
    time.add(at.to(sample.time));
    length.add(sample.length);
  }
  return {{"time_delta", time.take()}, {"length", length.take()}};
}

Json memory_columns(const Timeline& timeline) {
  Column time(timeline.memory.size());
  Column used(timeline.memory.size());
  Column reserved(timeline.memory.size());
  Delta at;
  for (const MemorySample& sample : timeline.memory) {
    time.add(at.to(sample.time));
    used.add(sample.used);
    reserved.add(sample.reserved);
  }
  return {{"time_delta", time.take()}, {"used", used.take()}, {"reserved", reserved.take()}};
}

Json transfer_columns(const Timeline& timeline) {
  Json columns = {
      {"task", Json::array()}, {"from", Json::array()}, {"to", Json::array()}, {"began", Json::array()}, {"ended", Json::array()}};
  for (const PeerTransfer& transfer : timeline.transfers) {
    if (!is_present(transfer.began) || !is_present(transfer.ended)) continue;
    columns["task"].push_back(index(transfer.of));
    columns["from"].push_back(transfer.from);
    columns["to"].push_back(transfer.to);
    columns["began"].push_back(to_ns(transfer.began));
    columns["ended"].push_back(to_ns(transfer.ended));
  }
  return columns;
}

}  // namespace tasktwin::verify
