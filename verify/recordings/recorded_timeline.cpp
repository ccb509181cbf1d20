#include "verify/recordings/recorded_timeline.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/run/phase_order.hpp"
#include "verify/output/files/compressed.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

constexpr std::array kPhases{&TaskTimes::ready,   &TaskTimes::dispatched, &TaskTimes::received,
                             &TaskTimes::started, &TaskTimes::ended,      &TaskTimes::published};
constexpr std::string_view kTaskColumns = "ready_ns,dispatched_ns,received_ns,started_ns,ended_ns,published_ns,core,dispatcher";
constexpr std::string_view kSpanColumns = "dispatcher,begin_ns,length_ns";
constexpr std::string_view kQueueColumns = "time_ns,length";
constexpr std::size_t kMaxDispatchers = 1024;
/// A row of text at its longest, and how many rows of spans and of queue samples there may be: that many a task, and some.
constexpr std::size_t kRowBytes = 160;
constexpr std::size_t kRowsPerTask = 4;
constexpr std::size_t kFurtherRows = 4096;
constexpr std::size_t kHeaderBytes = 512;

/// Reads numbers from lines of comma-separated fields and knows its position.
class FieldReader {
 public:
  FieldReader(std::string_view text, const std::filesystem::path& source) : text_(text), source_(source.string()) {}

  /// Opens the table "name,rows" with its line of columns; returns the number of rows, each of `row_bytes` at least.
  std::size_t table(std::string_view name, std::string_view columns, std::size_t row_bytes) {
    next_line();
    const std::string_view word = field();
    if (word != name) fail(fmt::format("the table '{}' should begin here, not '{}'", name, word.substr(0, 40)));
    const std::int64_t rows = number(field(), "number of rows");
    if (rows < 0 || static_cast<std::size_t>(rows) > text_.size() / row_bytes) fail(fmt::format("{} rows do not fit the file", rows));
    end_of_line();
    next_line();
    if (line_ != columns) fail(fmt::format("the columns should be '{}'", columns));
    return static_cast<std::size_t>(rows);
  }

  void next_line() {
    if (position_ >= text_.size()) fail("ends too early; record it anew");
    const std::size_t end = std::min(text_.find('\n', position_), text_.size());
    line_ = text_.substr(position_, end - position_);
    position_ = end + 1;
    ++line_number_;
    column_ = 0;
  }

  std::string_view field() {
    if (column_ > line_.size()) fail("a field is missing");
    const std::size_t end = std::min(line_.find(',', column_), line_.size());
    const std::string_view found = line_.substr(column_, end - column_);
    column_ = end + 1;
    return found;
  }

  std::int64_t number(std::string_view text, std::string_view what) const {
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || rest != text.data() + text.size())
      fail(fmt::format("{} '{}' is not a whole number", what, text.substr(0, 40)));
    return value;
  }

  void allow_until(std::int64_t latest) { latest_ = latest; }

  /// `before` plus the field, as a time that is no earlier.
  std::int64_t time_from(std::int64_t before, std::string_view text) const {
    const std::int64_t time = time_after(before, text);
    if (time < before) fail(fmt::format("{} ns is before the time before it, by {} ns", time, before - time));
    return time;
  }

  /// `before` plus the field, as a time.
  std::int64_t time_after(std::int64_t before, std::string_view text) const {
    const std::int64_t step = number(text, "time");
    if (step > 2 * latest_ || step < -2 * latest_ || before + step > latest_ || before + step < -latest_)
      fail(fmt::format("time {} ns is out of range", step));
    return before + step;
  }

  std::size_t index_below(std::string_view text, std::size_t count, std::string_view what) const {
    const std::int64_t value = number(text, what);
    if (value < 0 || static_cast<std::size_t>(value) >= count)
      fail(fmt::format("{} {} is not one of 0 to {}", what, value, static_cast<std::int64_t>(count) - 1));
    return static_cast<std::size_t>(value);
  }

  void end_of_line() const {
    if (column_ <= line_.size()) fail("the line has too many fields");
  }

  void end_of_file() const {
    if (position_ < text_.size()) {
      throw InputError({source_, line_number_ + 1, 1}, "more lines than the tables announce");
    }
  }

  [[noreturn]] void fail(const std::string& why) const { throw InputError({source_, line_number_, static_cast<int>(column_) + 1}, why); }

 private:
  std::string_view text_;
  std::string source_;
  std::string_view line_;
  std::size_t position_ = 0;
  std::size_t column_ = 0;
  int line_number_ = 0;
  std::int64_t latest_ = 0;
};

void decode_tasks(FieldReader& reader, Timeline& timeline) {
  constexpr std::size_t kFewestBytes = 8;
  timeline.tasks.resize(reader.table("tasks", kTaskColumns, kFewestBytes));
  reader.allow_until(latest_time_ns(timeline.tasks.size()));
  std::int64_t row_before = 0;
  for (TaskTimes& times : timeline.tasks) {
    reader.next_line();
    std::int64_t before = row_before;
    bool first = true;
    for (const auto phase : kPhases) {
      const std::string_view text = reader.field();
      if (text.empty()) continue;
      before = reader.time_after(before, text);
      times.*phase = at_ns(before);
      if (std::exchange(first, false)) row_before = before;
    }
    if (const auto core = reader.field(); !core.empty()) times.core = core_id(reader.index_below(core, timeline.cores.size(), "core"));
    if (const auto dispatcher = reader.field(); !dispatcher.empty())
      times.dispatcher = dispatcher_id(reader.index_below(dispatcher, kMaxDispatchers, "dispatcher"));
    reader.end_of_line();
    if (const auto fault = phase_fault(times)) reader.fail(*fault);
  }
}

void decode_spans(FieldReader& reader, Timeline& timeline) {
  constexpr std::size_t kFewestBytes = 4;
  const std::size_t count = reader.table("dispatcher_spans", kSpanColumns, kFewestBytes);
  std::vector<std::int64_t> before;
  for (std::size_t i = 0; i < count; ++i) {
    reader.next_line();
    const std::size_t dispatcher = reader.index_below(reader.field(), kMaxDispatchers, "dispatcher");
    if (dispatcher >= before.size()) {
      before.resize(dispatcher + 1, 0);
      timeline.dispatchers.resize(dispatcher + 1);
    }
    const std::string_view begin_text = reader.field();
    const std::string_view length_text = reader.field();
    reader.end_of_line();
    if (begin_text.empty() && length_text.empty()) continue;
    const bool is_first = timeline.dispatchers[dispatcher].empty();
    const std::int64_t begin = is_first ? reader.time_after(0, begin_text) : reader.time_from(before[dispatcher], begin_text);
    const std::int64_t end = reader.time_from(begin, length_text);
    timeline.dispatchers[dispatcher].push_back({at_ns(begin), at_ns(end)});
    before[dispatcher] = end;
  }
}

void decode_queue(FieldReader& reader, Timeline& timeline) {
  constexpr std::size_t kFewestBytes = 4;
  timeline.ready_queue.resize(reader.table("ready_queue", kQueueColumns, kFewestBytes));
  std::int64_t before = 0;
  for (QueueSample& sample : timeline.ready_queue) {
    reader.next_line();
    const bool is_first = &sample == timeline.ready_queue.data();
    before = is_first ? reader.time_after(0, reader.field()) : reader.time_from(before, reader.field());
    sample.time = at_ns(before);
    sample.length = static_cast<int>(reader.index_below(reader.field(), timeline.tasks.size() + 1, "queue length"));
    reader.end_of_line();
  }
}

}  // namespace

std::string encode_timeline(const Timeline& timeline) {
  std::string text = fmt::format("tasks,{}\n{}\n", timeline.tasks.size(), kTaskColumns);
  const auto out = std::back_inserter(text);
  std::int64_t row_before = 0;
  for (const TaskTimes& times : timeline.tasks) {
    std::int64_t before = row_before;
    bool first = true;
    for (const auto phase : kPhases) {
      if (const TimePoint time = times.*phase; is_present(time)) {
        fmt::format_to(out, "{}", to_ns(time) - before);
        before = to_ns(time);
        if (std::exchange(first, false)) row_before = before;
      }
      text += ',';
    }
    if (times.core != kNoCore) fmt::format_to(out, "{}", index(times.core));
    text += ',';
    if (times.dispatcher != kNoDispatcher) fmt::format_to(out, "{}", index(times.dispatcher));
    text += '\n';
  }

  std::string spans;
  std::size_t rows = 0;
  for (std::size_t d = 0; d < timeline.dispatchers.size(); ++d) {
    std::int64_t before = 0;
    for (const Span& span : timeline.dispatchers[d]) {
      fmt::format_to(std::back_inserter(spans), "{},{},{}\n", d, to_ns(span.begin) - before, to_ns(span.end - span.begin));
      before = to_ns(span.end);
      ++rows;
    }
    if (!timeline.dispatchers[d].empty()) continue;
    fmt::format_to(std::back_inserter(spans), "{},,\n", d);
    ++rows;
  }
  fmt::format_to(out, "dispatcher_spans,{}\n{}\n{}", rows, kSpanColumns, spans);

  fmt::format_to(out, "ready_queue,{}\n{}\n", timeline.ready_queue.size(), kQueueColumns);
  std::int64_t before = 0;
  for (const QueueSample& sample : timeline.ready_queue) {
    fmt::format_to(out, "{},{}\n", to_ns(sample.time) - before, sample.length);
    before = to_ns(sample.time);
  }
  return text;
}

std::size_t most_timeline_bytes(std::size_t tasks) {
  return kHeaderBytes + kRowBytes * (tasks + 2 * (kRowsPerTask * tasks + kFurtherRows));
}

std::string unpack_timeline(std::string_view bytes, std::size_t tasks, const fs::path& source) {
  const std::string head = fmt::format("tasks,{}\n", tasks);
  std::string text;
  gunzip(bytes, source, [&](std::string_view piece) {
    text += piece;
    if (text.size() >= head.size() && !text.starts_with(head))
      throw InputError({source.string(), 1, 1},
                       fmt::format("should begin with 'tasks,{}': so many has the graph that was recorded", tasks));
    if (text.size() > most_timeline_bytes(tasks))
      throw InputError({source.string()}, fmt::format("unpacks to more than {} tasks can make", tasks));
  });
  return text;
}

Timeline decode_timeline(std::string_view text, std::vector<CoreType> cores, const std::filesystem::path& source) {
  Timeline timeline;
  timeline.cores = std::move(cores);
  FieldReader reader(text, source);
  decode_tasks(reader, timeline);
  decode_spans(reader, timeline);
  decode_queue(reader, timeline);
  reader.end_of_file();
  return timeline;
}

}  // namespace tasktwin::verify
