#pragma once

#include <filesystem>
#include <string>

namespace tasktwin::tests {

/// What a run of the executable did.
struct Outcome {
  int code = -1;  ///< exit code; −1 where it did not exit by itself (a crash)
  std::string out;
  std::string err;
};

/// Runs the tasktwin executable through the shell: "`before` tasktwin `arguments`", where `before` may set variables or
/// limits. Standard input is empty, GPUs are hidden.
Outcome tasktwin(const std::string& arguments, const std::string& before = "");

/// Runs `command` as a line of bash in `folder`, where `tasktwin` is the executable. Likewise without input and GPUs.
Outcome bash(const std::string& command, const std::filesystem::path& folder);

}  // namespace tasktwin::tests
