#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "verify/rerun/plan_file.hpp"
#include "verify/rerun/rerun_file.hpp"

namespace tasktwin::verify {

struct RerunSettings {
  std::vector<std::string> command{};
  std::filesystem::path output{};
  std::string range{};       ///< empty: between two waits for the device
  std::size_t instance = 0;  ///< 0: the first whose operations are those of the one before
  std::string schedules{};   ///< as gpu/rerun/order/schedules.hpp reads them
  std::size_t repeats = 20;
  std::size_t checks = 5;  ///< runs of each schedule whose results are compared
  bool check = true;
  std::optional<RerunFile> before{};  ///< what the result is held against
  double fail_above = 0;              ///< how much slower is too slow, as a fraction
  std::filesystem::path library{};
  std::filesystem::path kept_frees{};   ///< preloaded beside it
  std::vector<PlanFile> plans{};        ///< what schedules `plan:N` are
  bool needed = false;                  ///< what operations need of each other is found before, by a capture of a run, which needs a range
  std::string effects{};                ///< a file that says what kernels read and write, for that
  std::filesystem::path effects_out{};  ///< where to write what they are seen to; empty: nowhere
  std::filesystem::path trace{};        ///< where to write when operations ran under each schedule; empty: nowhere
  bool own_memory = false;              ///< without PyTorch's caching allocator
  bool predict = false;                 ///< from such a capture
  std::string machine{};                ///< that predictions are for; empty: the shipped one of the card
};

/// Runs a program, in which an iteration is run again, and writes what came of it; meanwhile the report is in a folder next to the
/// output. Reports on standard error. Returns the program's exit code where it is not 0, else 1 where results differ, a schedule did not
/// end or is slower than before, else 0. Throws InputError if there is no such program, and RunError, if the program did not fail
/// itself, where nothing was run again: each with why.
int rerun_program(const RerunSettings& settings);

}  // namespace tasktwin::verify
