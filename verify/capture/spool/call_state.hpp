#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "verify/capture/spool/capture_index.hpp"

namespace tasktwin::verify {

/// What is known of a call by its place among the others.
struct ResolvedCall {
  std::optional<std::uint32_t> event;            ///< number of the event object; handles are used again
  std::optional<std::int64_t> record;            ///< correlation of the record that is waited for; −1: the event had not been recorded
  bool capturing = false;                        ///< the call went into a graph, no work was queued
  std::vector<spool::PointerArgument> pointers;  ///< into memory that is or was allocated
};

/// Follows events, captures into graphs and memory from call to call. Contract: calls come by begin, each once.
class CallState {
 public:
  ResolvedCall resolve(const spool::CallRecord& call);

 private:
  std::uint32_t event_of(std::uint64_t handle);
  void resolve_event(const spool::CallRecord& call, ResolvedCall& resolved);
  void note_record(std::uint64_t handle, const spool::CallRecord& call);
  bool is_capturing(const spool::CallRecord& call);
  void note_memory(const spool::CallRecord& call);
  bool was_allocated(std::uint64_t address) const;

  struct Event {
    std::uint32_t number = 0;
    std::int64_t record = -1;
    std::optional<std::uint32_t> capture;  ///< it was recorded last within this capture
  };
  std::map<std::uint64_t, Event> events_;  ///< by handle
  std::uint32_t next_event_ = 1;
  std::map<std::uint32_t, std::uint32_t> capturing_;  ///< stream to capture
  std::uint32_t next_capture_ = 1;
  std::map<std::uint64_t, std::uint64_t> memory_;  ///< begin to end, apart from one another
};

}  // namespace tasktwin::verify
