#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "verify/capture/capture_writer.hpp"

namespace tasktwin::verify {

struct WrittenCapture {
  std::filesystem::path path{};
  CaptureSummary summary{};
  bool ended_normally = true;
  std::size_t undisturbed = 0;  ///< calls that have the times of the other run
};

/// Writes one file for each process of `folder` that used CUDA: `output`, and where there are several `output` with the process's id
/// before its extension. `host_folder` has the spool files of the run without device records; empty: there was none.
/// Throws RunError if no process used CUDA, if --range was never entered, or if CUPTI would not serve, each with the likely cause.
std::vector<WrittenCapture> write_captures(const std::filesystem::path& folder, const std::filesystem::path& host_folder,
                                           const std::filesystem::path& output, const CaptureFacts& facts);

/// What was written, and what was lost, for people.
std::string captures_to_text(const std::vector<WrittenCapture>& written, const CaptureFacts& facts);

}  // namespace tasktwin::verify
