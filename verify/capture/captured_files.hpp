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
  std::size_t tensors = 0;      ///< calls of which the tensors are known
};

/// Folders with the spool files of further runs; each empty where there was none.
struct OtherFolders {
  std::filesystem::path host = {};     ///< without device records
  std::filesystem::path tensors = {};  ///< without a caching allocator
};

/// Writes one file for each process of `folder` that used CUDA: `output`, and where there are several `output` with the process's id
/// before its extension.
/// Throws RunError if no process used CUDA, if --range was never entered, or if CUPTI would not serve, each with the likely cause.
std::vector<WrittenCapture> write_captures(const std::filesystem::path& folder, const OtherFolders& others,
                                           const std::filesystem::path& output, const CaptureFacts& facts);

/// What was written, and what was lost, for people.
std::string captures_to_text(const std::vector<WrittenCapture>& written, const CaptureFacts& facts);

}  // namespace tasktwin::verify
