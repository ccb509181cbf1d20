#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "verify/capture/spool/spool_file.hpp"

namespace tasktwin::verify {

struct CapturedCall {
  const spool::CallRecord* record;
  std::uint32_t thread;
};

/// An NVTX range, its end found.
struct CapturedRange {
  std::string name;
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
  std::uint32_t thread;
  std::uint64_t domain;
  bool pushed;
};

/// What defines graphs, in the order in which it happened.
struct GraphStep {
  std::uint64_t time_ns;
  const spool::RecordHead* record;
};

/// A process's records but those of the device, by kind; they point into `file`.
struct CaptureIndex {
  explicit CaptureIndex(const SpoolFile& file);

  const SpoolFile& file;
  std::vector<CapturedCall> calls;  ///< by begin
  std::vector<CapturedRange> ranges;
  std::vector<GraphStep> graph_steps;
  std::vector<std::string> functions;  ///< mangled, by id
  std::vector<const spool::StreamRecord*> streams;
  std::vector<const spool::DeviceRecord*> devices;
  std::map<std::uint32_t, std::string> threads;                                   ///< names
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string_view> api_names;  ///< by driver (1) or runtime (0) and callback id
  std::uint64_t last_ns = 0;
};

/// Whether the file is to hold this call: it lies within --range.
inline bool is_wanted(const CapturedCall& call) { return !has(*call.record, spool::kOutsideRange); }

}  // namespace tasktwin::verify
