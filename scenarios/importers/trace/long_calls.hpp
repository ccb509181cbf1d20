#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "scenarios/importers/trace/selected_run.hpp"

namespace tasktwin::scenarios {

/// What long launching calls did before they launched: loading a module, page faults, staging memory, making a graph ready. It is found by
/// when the first of their tasks started.
class LongCalls {
 public:
  /// `latency`: a quick one, from a launching call's begin to its task's start. `device`: whose tasks count.
  LongCalls(const Trace& trace, std::int32_t device, std::int64_t latency);

  /// Tells of a graph launch, with its nodes by their starts. Contract: called for all before before_launch().
  void add_graph(const TraceCall& call, std::span<const std::uint32_t> nodes);

  /// ns of `call`, which launched `ops`, by their starts; 0 where it is short, or where its tasks start as they usually do or well after
  /// it. `waits`: it returned when they had ended. Contract: calls come in the order of their begins; `ops` is not empty.
  std::int64_t before_launch(const TraceCall& call, std::span<const std::uint32_t> ops, bool waits);

 private:
  struct Graphs {
    std::size_t launches = 0;
    std::int64_t least_delay = 0;
  };

  std::int64_t free_since(const TraceCall& call, const TraceOp& first) const;
  std::int64_t end_in_stream(const TraceOp& op);
  std::int64_t usual_latency(std::size_t nodes) const;
  bool waited(const TraceCall& call, std::span<const std::uint32_t> ops, std::int64_t latency) const;

  const Trace& trace_;
  std::int64_t latency_;
  std::vector<std::int64_t> all_ends_;         ///< of the device's tasks, ascending
  std::map<std::int32_t, std::int64_t> ends_;  ///< by stream, of what before_launch() has seen
  std::map<std::size_t, Graphs> graphs_;       ///< by how many nodes they have
};

}  // namespace tasktwin::scenarios
