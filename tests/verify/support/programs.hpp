#pragma once

#include <filesystem>
#include <string>

namespace tasktwin::tests {

/// Whether a program of that name is on PATH.
bool has_program(const std::string& name);

/// What a shell command prints. Throws std::runtime_error with what it said if it does not exit with 0.
std::string output_of(const std::string& command);

/// A path as a shell takes it.
std::string in_shell(const std::filesystem::path& path);

}  // namespace tasktwin::tests

/// Skips the test, by name, where a program of others that it reads files with is not installed.
#define TASKTWIN_NEEDS_PROGRAM(name) \
  if (!tasktwin::tests::has_program(name)) GTEST_SKIP() << (name) << " is not installed (see packages.txt)"
