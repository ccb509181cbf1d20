#pragma once

#include <optional>
#include <set>
#include <vector>

#include "models/design/design.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::oracles {

/// The host under driver `streams`, followed nanosecond by nanosecond. Launches are known by their place in the topological order.
class StreamHost {
 public:
  StreamHost(const TaskGraph& graph, const Machine& machine, const Design& design);

  std::size_t stream_count() const { return stream_count_; }
  std::size_t stream(std::size_t place) const { return streams_[place]; }
  const std::vector<std::size_t>& awaited(std::size_t place) const { return awaited_[place]; }
  bool marked(std::size_t place) const { return marked_[place]; }
  bool programmatic(std::size_t place) const;
  /// The launch before it whose stream is the same modulo `lines`.
  std::optional<std::size_t> before(std::size_t place, std::size_t lines) const;

  /// One thing that the host can have done by `now`; false if there is none. `ends` by place, kAbsent where not ended.
  bool step(TimePoint now, const std::vector<TimePoint>& ends);
  TimePoint begun(std::size_t place) const { return begun_[place]; }  ///< kAbsent until then
  TimePoint done(std::size_t place) const { return done_[place]; }

  /// All kernels have ended by `now`; returns the time before which none of the next pass starts.
  TimePoint meet(TimePoint now);

  std::vector<Span> busy() const;

 private:
  void choose_streams();
  void choose_waits();
  bool step_callback(TimePoint now, const std::vector<TimePoint>& ends);
  std::optional<TimePoint> returned(std::size_t place, std::size_t awaited, const std::vector<TimePoint>& ends) const;
  void launch(std::size_t place, TimePoint from);
  void spend(Duration time);

  const TaskGraph& graph_;
  const Machine& c_;
  const Design& design_;
  const std::vector<TaskId>& order_;
  std::size_t stream_count_ = 0;
  std::vector<std::size_t> streams_;
  std::vector<std::vector<std::size_t>> awaited_;  ///< by place, in the order of the streams
  std::vector<bool> marked_;
  TimePoint free_{};
  std::size_t next_ = 0;
  std::size_t waited_ = 0;
  std::optional<TimePoint> call_;  ///< a call that waits has begun
  std::vector<TimePoint> begun_;
  std::vector<TimePoint> done_;
  std::vector<Span> spent_;
};

}  // namespace tasktwin::oracles
