#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "verify/capture/capture_writer.hpp"

namespace tasktwin::verify {

struct CaptureSettings {
  std::vector<std::string> command{};
  std::filesystem::path output{};
  std::string range{};  ///< empty: everything
  CapturePass pass = CapturePass::kKernels;
  std::uint64_t limit_bytes = 0;  ///< of a process's records while it runs
  std::filesystem::path library{};
  bool tensors = false;  ///< a further run, first of all, without PyTorch's caching allocator says which tensors work uses
};

/// Runs a program and writes what it did; meanwhile its records are in a folder next to the output. Reports on standard error what was
/// written and lost. Returns the program's exit code, or 128 and the number of the signal that ended it.
/// Throws InputError if there is no such program, and RunError as write_captures does, if the program did not fail itself.
int capture_program(const CaptureSettings& settings);

}  // namespace tasktwin::verify
