#include "verify/output/files/output_paths.hpp"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/files/files_read.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPlainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

/// One word for all ways to write a path; of a file that is not there yet, weakly_canonical alone leaves `x` and `./x` different.
fs::path one_word(const fs::path& path) {
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored) || one_word(a) == one_word(b);
}

bool is_device(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

void check_parent(const fs::path& path) {
  std::error_code ignored;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) {
    throw InputError(fmt::format("cannot write '{}': there is no folder '{}'", path.string(), folder.string()));
  }
}

}  // namespace

std::string file_word(std::string_view text) {
  std::string word(text);
  for (char& c : word) {
    if (kPlainCharacters.find(c) == std::string_view::npos) c = '_';
  }
  if (word.starts_with('.')) word.front() = '_';
  return word;
}

OutputPlan::OutputPlan(std::string option, std::string given, bool several_scenarios, bool several_designs)
    : option_(std::move(option)), given_(std::move(given)), several_scenarios_(several_scenarios), several_designs_(several_designs) {}

fs::path OutputPlan::path(std::string_view scenario, std::string_view design) const {
  fs::path path(given_);
  if (is_device(path)) return path;
  const fs::path extension = path.extension();
  path.replace_extension();
  if (several_scenarios_) path += "." + file_word(scenario);
  if (several_designs_ || several_scenarios_) path += "." + file_word(design);
  path += extension;
  return path;
}

void OutputPlan::check_input(const fs::path& path, const std::vector<fs::path>& inputs) const {
  const bool is_input = std::ranges::any_of(inputs, [&path](const fs::path& input) { return same_file(path, input); });
  if (is_input || scenarios::was_read(path)) {
    throw InputError(fmt::format("{} '{}' is also an input; choose another file", option_, path.string()));
  }
}

void OutputPlan::check_folder(const fs::path& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_directory(path, ignored))
    throw InputError(fmt::format("cannot write into '{}': it is no folder", path.string()));
  check_parent(path);
}

void OutputPlan::check(const fs::path& path, const std::vector<fs::path>& inputs) const {
  check_input(path, inputs);
  std::error_code ignored;
  for (const fs::path& folder : {path, fs::path(given_)}) {
    if (fs::is_directory(folder, ignored)) throw InputError(fmt::format("cannot write '{}': it is a folder", folder.string()));
  }
  check_parent(path);
}

std::vector<fs::path> input_files(const std::string& argument, const scenarios::Scenario& scenario) {
  std::vector<fs::path> files;
  std::error_code ignored;
  const fs::path shipped = scenarios::data_folder() / (argument + ".yaml");
  for (const fs::path& candidate : {fs::path(argument), shipped, fs::path(scenario.machine_file)}) {
    if (fs::is_regular_file(candidate, ignored)) files.push_back(candidate);
  }
  for (const fs::path& given : {fs::path(argument), shipped}) {
    if (!fs::is_regular_file(given, ignored)) continue;
    for (const Design& design : scenario.designs) {
      if (!design.replay.empty()) files.push_back(given.parent_path() / design.replay);
    }
  }
  if (scenario.capture) files.insert(files.end(), {scenario.capture->records, scenario.capture->deps});
  return files;
}

void check_distinct(const std::vector<fs::path>& outputs) {
  std::set<fs::path> seen;
  for (const fs::path& output : outputs) {
    if (is_device(output)) continue;
    if (!seen.insert(one_word(output)).second) {
      throw InputError(fmt::format("two outputs would be written to '{}'; choose different files", output.string()));
    }
  }
}

}  // namespace tasktwin::verify
