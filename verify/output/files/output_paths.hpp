#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/load/scenario.hpp"

namespace tasktwin::verify {

/// `text` with everything but letters, digits, '.', '_' and '-', and a leading '.', replaced by '_': safe as
/// a file's or folder's name.
std::string file_word(std::string_view text);

/// Where a command writes one file per case: the path itself where there is one case, else with ".<design>", or
/// ".<scenario>.<design>" where there are several scenarios, before the extension.
/// A command plans all its outputs and calls check() before it starts, so that nothing fails at the end of long work.
class OutputPlan {
 public:
  /// `given` may be empty: no output wanted.
  OutputPlan(std::string option, std::string given, bool several_scenarios, bool several_designs);

  bool wanted() const { return !given_.empty(); }
  std::filesystem::path path(std::string_view scenario, std::string_view design) const;

  /// Throws InputError if `path` is one of `inputs` or was read before, if its folder does not exist or if it is a folder itself.
  void check(const std::filesystem::path& path, const std::vector<std::filesystem::path>& inputs) const;
  /// Only the former.
  void check_input(const std::filesystem::path& path, const std::vector<std::filesystem::path>& inputs) const;
  /// Throws InputError if `path` is no folder, and none could be made there.
  static void check_folder(const std::filesystem::path& path);

 private:
  std::string option_;
  std::string given_;
  bool several_scenarios_;
  bool several_designs_;
};

/// The files that loading `scenario` from `argument` read.
std::vector<std::filesystem::path> input_files(const std::string& argument, const scenarios::Scenario& scenario);

/// Throws InputError if two of `outputs` are the same file.
void check_distinct(const std::vector<std::filesystem::path>& outputs);

}  // namespace tasktwin::verify
