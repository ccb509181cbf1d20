#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verify/capture/capture_writer.hpp"

namespace tasktwin::verify {

/// Why no program can use CUDA here; nullopt if one can. Leaves this process without a context on the GPU.
std::optional<std::string> why_no_cuda();

/// The library that CUDA loads into a captured program, ready to be loaded. Throws RunError where this tasktwin was built without it, or
/// where it or CUPTI cannot be found, with the package that has it.
std::filesystem::path capture_library();

/// Likewise the library of `tasktwin rerun`.
std::filesystem::path rerun_library();

/// What is preloaded beside that library, so that memory which the program frees meanwhile stays.
std::filesystem::path kept_frees_library();

struct CapturedRunOptions {
  std::filesystem::path library{};
  std::filesystem::path folder{};  ///< for the spool files, one a process that uses CUDA or NVTX
  bool device_records = true;
  std::string range{};                                             ///< empty: everything
  std::uint64_t limit_bytes = 0;                                   ///< of a spool file
  std::vector<std::pair<std::string, std::string>> environment{};  ///< further variables
};

/// Runs `command` with its input and output as they are, and waits for it; Ctrl-C ends it, not this process.
/// Throws InputError if there is no such program.
CommandEnd run_captured(const std::vector<std::string>& command, const CapturedRunOptions& options);

/// The same with `library` loaded by CUDA and NVTX, and further variables of the environment.
CommandEnd run_with_library(const std::vector<std::string>& command, const std::filesystem::path& library,
                            std::vector<std::pair<std::string, std::string>> variables);

/// The spool files in `folder`, by name.
std::vector<std::filesystem::path> spool_files(const std::filesystem::path& folder);

}  // namespace tasktwin::verify
