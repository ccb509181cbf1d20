#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/verify/support/command_folder.hpp"
#include "tests/verify/support/strict_json.hpp"

namespace tasktwin::tests {

/// A folder in which files are imported as it.yaml, and asked about.
class ImportFolder : public CommandFolder {
 protected:
  /// Imports a file of tests/data without options.
  void import_data(const std::string& file) const {
    const std::string path = std::filesystem::absolute("tests/data/" + file).string();
    const Outcome outcome = in_folder("tasktwin scenario import '" + path + "' --output it.yaml");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  nlohmann::json json_of(const std::string& command) const {
    const Outcome outcome = in_folder(command + " --format json");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return strict_json(outcome.out);
  }
  Outcome import_text(const std::string& name, const std::string& text) const {
    write_text(folder_ / name, text);
    std::filesystem::remove(folder_ / "it.yaml");
    return in_folder("tasktwin scenario import " + name + " --output it.yaml");
  }
};

}  // namespace tasktwin::tests
