#include "tests/oracles/stream_host.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tasktwin::oracles {

StreamHost::StreamHost(const TaskGraph& graph, const Machine& machine, const Design& design)
    : graph_(graph),
      c_(machine),
      design_(design),
      order_(graph.topological_order()),
      awaited_(graph.size()),
      marked_(graph.size(), false),
      begun_(graph.size(), kAbsent),
      done_(graph.size(), kAbsent) {
  choose_streams();
  choose_waits();
}

void StreamHost::choose_streams() {
  const auto count = static_cast<std::size_t>(design_.streams);
  stream_count_ = count;
  std::map<Kernel, std::size_t> of_kernel;
  for (std::size_t place = 0; place < order_.size(); ++place) {
    const Task& task = graph_[order_[place]];
    const std::size_t kernel = of_kernel.try_emplace(task.kernel, of_kernel.size()).first->second;
    switch (design_.stream_granularity) {
      case StreamGranularity::kPerCore:
        streams_.push_back(place % count);
        break;
      case StreamGranularity::kPerTaskType:
        streams_.push_back(kernel);
        break;
      case StreamGranularity::kPerLayer:
        streams_.push_back(static_cast<std::size_t>((task.layer % design_.streams + design_.streams) % design_.streams));
        break;
      case StreamGranularity::kHinted:
        streams_.push_back(static_cast<std::size_t>(graph_.traits(order_[place]).stream) % count);
        break;
      case StreamGranularity::kSingle:
        streams_.push_back(0);
        break;
      case StreamGranularity::kListScheduled: {
        // Places of its predecessors behind which nothing stands in their streams; else how full the streams are.
        std::vector<std::size_t> load(count, 0);
        std::map<std::size_t, std::size_t> last;
        for (std::size_t earlier = 0; earlier < place; ++earlier) {
          ++load[streams_[earlier]];
          last[streams_[earlier]] = earlier;
        }
        std::optional<std::size_t> followed;
        for (const auto& [stream, at] : last) {
          if (std::ranges::count(graph_.predecessors(order_[place]), order_[at]) > 0) followed = std::max(followed.value_or(0), at);
        }
        streams_.push_back(followed ? streams_[*followed] : static_cast<std::size_t>(std::ranges::min_element(load) - load.begin()));
        break;
      }
    }
  }
  if (design_.stream_granularity == StreamGranularity::kSingle) stream_count_ = 1;
  if (design_.stream_granularity == StreamGranularity::kPerTaskType) stream_count_ = std::max<std::size_t>(1, of_kernel.size());
}

/// The last predecessor in each other stream, unless the host has waited for something that tells it that this one has ended.
void StreamHost::choose_waits() {
  const bool host = design_.stream_wait != StreamWait::kEvents && design_.stream_wait != StreamWait::kCallback;
  const bool marks = design_.stream_wait != StreamWait::kStreamSync && design_.stream_wait != StreamWait::kDeviceSync;
  std::set<std::size_t> known;
  for (std::size_t place = 0; place < order_.size(); ++place) {
    for (std::size_t s = 0; s < stream_count_; ++s) {
      std::optional<std::size_t> last;
      for (std::size_t earlier = 0; earlier < place && s != streams_[place]; ++earlier) {
        if (streams_[earlier] == s && std::ranges::count(graph_.predecessors(order_[place]), order_[earlier]) > 0) last = earlier;
      }
      if (!last || known.contains(*last)) continue;
      awaited_[place].push_back(*last);
      if (marks) marked_[*last] = true;
      for (std::size_t earlier = 0; host && earlier < place; ++earlier) {
        const bool device = design_.stream_wait == StreamWait::kDeviceSync;
        const bool behind = design_.stream_wait != StreamWait::kStreamSync && earlier > *last;
        if (device || (streams_[earlier] == s && !behind)) known.insert(earlier);
      }
    }
  }
}

bool StreamHost::programmatic(std::size_t place) const {
  const auto other = before(place, stream_count_);
  return design_.programmatic_launch == ProgrammaticLaunch::kOn && other && !marked_[*other] && awaited_[place].empty();
}

std::optional<std::size_t> StreamHost::before(std::size_t place, std::size_t lines) const {
  for (std::size_t p = place; p-- > 0;) {
    if (streams_[p] % lines == streams_[place] % lines) return p;
  }
  return std::nullopt;
}

bool StreamHost::step(TimePoint now, const std::vector<TimePoint>& ends) {
  if (design_.stream_wait == StreamWait::kCallback) return step_callback(now, ends);
  if (next_ == order_.size() || free_ > now) return false;
  if (design_.stream_wait != StreamWait::kEvents && waited_ < awaited_[next_].size()) {
    if (!call_) {
      call_ = free_;
      if (design_.stream_wait != StreamWait::kEventQuery) spend(round_ns(c_.host_calls->sync));
      return true;
    }
    const auto back = returned(next_, awaited_[next_][waited_], ends);
    if (!back || *back > now) return false;
    free_ = std::max(free_, *back);
    call_.reset();
    ++waited_;
    return true;
  }
  launch(next_++, free_);
  waited_ = 0;
  return true;
}

/// When the call that has begun returns, as soon as that is known.
std::optional<TimePoint> StreamHost::returned(std::size_t place, std::size_t awaited, const std::vector<TimePoint>& ends) const {
  TimePoint last = ends[awaited];
  for (std::size_t other = 0; other < place; ++other) {
    const bool waited_for = other == awaited || design_.stream_wait == StreamWait::kDeviceSync ||
                            (design_.stream_wait == StreamWait::kStreamSync && streams_[other] == streams_[awaited]);
    if (!waited_for) continue;
    if (!is_present(ends[other])) return std::nullopt;
    last = std::max(last, ends[other]);
  }
  const TimePoint known = last + round_ns(c_.host_calls->sync_latency);
  if (design_.stream_wait != StreamWait::kEventQuery) return std::max(*call_ + round_ns(c_.host_calls->sync), known);
  const Duration query = round_ns(c_.host_calls->sync);
  if (query == Duration{0}) return std::max(*call_, known);
  TimePoint at = *call_ + query;
  while (at < known) at += query;
  return at;
}

bool StreamHost::step_callback(TimePoint now, const std::vector<TimePoint>& ends) {
  if (free_ > now) return false;
  const auto has_run = [&](std::size_t other) {
    return is_present(ends[other]) && ends[other] + round_ns(c_.host_calls->callback_latency) <= now;
  };
  for (std::size_t place = 0; place < order_.size(); ++place) {
    const auto other = before(place, stream_count_);
    if (is_present(begun_[place]) || (other && !is_present(begun_[*other])) || !std::ranges::all_of(awaited_[place], has_run)) continue;
    launch(place, now);
    return true;
  }
  return false;
}

void StreamHost::launch(std::size_t place, TimePoint from) {
  const bool events = design_.stream_wait == StreamWait::kEvents;
  const Nanoseconds waits = events ? static_cast<double>(awaited_[place].size()) * c_.host_calls->stream_wait : Nanoseconds{0};
  const Nanoseconds mark = design_.stream_wait == StreamWait::kCallback ? c_.host_calls->sync : c_.host_calls->event_record;
  begun_[place] = from + round_ns(waits);
  done_[place] = from + round_ns(waits + c_.host_calls->launch);
  free_ = from;
  spend(round_ns(waits + c_.host_calls->launch + (marked_[place] ? mark : Nanoseconds{0})));
}

TimePoint StreamHost::meet(TimePoint now) {
  const std::set<std::size_t> used(streams_.begin(), streams_.end());
  TimePoint gate = now;
  if (design_.stream_wait != StreamWait::kEvents) {
    const TimePoint from = free_;
    spend(round_ns(c_.host_calls->sync));
    free_ = std::max(from + round_ns(c_.host_calls->sync), now + round_ns(c_.host_calls->sync_latency));
  } else if (used.size() == 1) {
    gate += round_ns(c_.streams->gap);
  } else {
    const auto others = static_cast<double>(used.size() - 1);
    spend(round_ns((others + 1) * c_.host_calls->event_record + 2 * others * c_.host_calls->stream_wait));
    gate += round_ns(c_.streams->event_gap);
  }
  next_ = 0;
  begun_.assign(order_.size(), kAbsent);
  done_.assign(order_.size(), kAbsent);
  return gate;
}

void StreamHost::spend(Duration time) {
  spent_.push_back({free_, free_ + time});
  free_ += time;
}

std::vector<Span> StreamHost::busy() const {
  std::vector<Span> merged;
  for (const Span& span : spent_) {
    if (span.begin == span.end) continue;
    if (!merged.empty() && merged.back().end == span.begin) {
      merged.back().end = span.end;
    } else {
      merged.push_back(span);
    }
  }
  return merged;
}

}  // namespace tasktwin::oracles
