#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "verify/rerun/effects_text.hpp"
#include "verify/rerun/rerun_file.hpp"

namespace tasktwin::verify {

/// An iteration of the program that was over before one was run again.
struct RerunIteration {
  std::uint64_t number = 0;
  std::uint64_t operations = 0;
  std::string before{};  ///< of the first operation that differs from the iteration before; empty: none does
  std::string now{};
};

/// What the library in one process of the program told (gpu/rerun/report.hpp).
struct RerunReport {
  bool used_cuda = false;
  std::string cupti_error{};
  std::vector<std::string> ranges{};
  std::vector<RerunIteration> iterations{};
  std::vector<std::string> refusals{};
  bool open_at_end = false;
  bool has_tape = false;
  std::string not_restored{};             ///< why memory is not as the program left it
  std::vector<ObservedKernel> effects{};  ///< a launch each, in their order
  std::string effects_ended{};            ///< what ended that before its end
  RerunFile file{};                       ///< without command, exit code and date
};

/// Lines that are cut off, as of a process that was killed, end it. Throws RunError if the file cannot be read.
RerunReport read_report(const std::filesystem::path& path);

}  // namespace tasktwin::verify
