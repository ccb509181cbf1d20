#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/names.hpp"
#include "verify/capture/spool/capture_index.hpp"
#include "verify/capture/spool/capture_races.hpp"
#include "verify/capture/spool/graph_definitions.hpp"
#include "verify/capture/tensor_places.hpp"

namespace tasktwin::verify {

/// What a run of the program records: calls and what the device does, calls alone, or each in a run of its own.
enum class CapturePass { kKernels, kHost, kBoth };

}  // namespace tasktwin::verify

namespace tasktwin {

template <>
struct Words<verify::CapturePass> {
  static constexpr std::array entries{
      std::pair{verify::CapturePass::kKernels, std::string_view{"kernels"}},
      std::pair{verify::CapturePass::kHost, std::string_view{"host"}},
      std::pair{verify::CapturePass::kBoth, std::string_view{"both"}},
  };
};

}  // namespace tasktwin

namespace tasktwin::verify {

/// How a captured command ended.
struct CommandEnd {
  int exit_code = 0;
  int signal = 0;  ///< 0: none
};

/// What a capture file says of how it came to be.
struct CaptureFacts {
  CapturePass pass = CapturePass::kKernels;
  std::vector<std::string> command{};
  CommandEnd end{};
  std::string range{};  ///< empty: everything
  std::string date{};
  bool tensors = false;  ///< a further run said which tensors its work uses
};

struct CaptureCounts {
  std::uint64_t calls = 0, kernels = 0, copies = 0, memsets = 0, host_functions = 0, event_records = 0, waits = 0, syncs = 0;
  std::uint64_t graph_launches = 0, allocations = 0;
};

/// All 0 in a whole capture.
struct CaptureLosses {
  std::uint64_t records_dropped = 0, buffers_refused = 0, calls_dropped = 0, runs_dropped = 0, launches_without_times = 0;
  std::uint64_t waits_without_record = 0, calls_without_arguments = 0, pointers_left_out = 0, nodes_without_definition = 0,
                capture_errors = 0;
};

struct CaptureSummary {
  CaptureCounts counts{};
  CaptureLosses losses{};
  std::uint64_t begin_ns = 0;  ///< of the first event
  std::uint64_t end_ns = 0;    ///< of the last
  CapturedRaces races{};
};

/// The host's own time before a call, and the call's, from a run without device records.
struct UndisturbedTime {
  std::int64_t gap_ns;
  std::int64_t duration_ns;
};

/// For each call of `kernels`, its times in `host`, another run of the same program: threads are paired in the order of their first
/// call, and of each pair calls that do the same in the same order. None where the runs differ, and of queries, whose number varies.
std::vector<std::optional<UndisturbedTime>> undisturbed_times(const CaptureIndex& kernels, const CaptureIndex& host);

/// Counts what `index` holds, and finds its races.
CaptureSummary summarize(const CaptureIndex& index, const std::vector<CapturedGraph>& graphs, const CaptureFacts& facts);

/// What other runs of the program say of its calls; each empty, or by call of CaptureIndex::calls.
struct OtherRuns {
  std::vector<std::optional<UndisturbedTime>> undisturbed = {};
  std::vector<std::vector<TensorPlace>> tensors = {};
};

/// Writes the capture file (docs/capture.md): gzipped where its name ends in .gz.
/// Throws RunError if it cannot be written.
void write_capture(const std::filesystem::path& path, const CaptureIndex& index, const std::vector<CapturedGraph>& graphs,
                   const CaptureSummary& summary, const CaptureFacts& facts, const OtherRuns& others);

}  // namespace tasktwin::verify
