#include "scenarios/files/data_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <vector>

#include "models/base/error.hpp"
#include "models/base/names.hpp"
#include "models/design/design.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/files/quoted.hpp"

namespace tasktwin::scenarios {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kExtension = ".yaml";

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::vector<std::string> shipped(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().extension() == kExtension) names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

/// Such as "cholesky" or "suite/fft-5us".
bool may_be_shipped(const std::string& text) { return !text.empty() && text.front() != '/' && text.find('.') == std::string::npos; }

FoundFile find(const std::string& path_or_name, const fs::path& folder, const fs::path& beside) {
  if (may_be_shipped(path_or_name)) {
    const fs::path candidate = folder / (path_or_name + std::string(kExtension));
    if (is_there(candidate)) return {candidate.string(), true};
  }
  const fs::path path = beside / path_or_name;
  return {path.string(), !path_or_name.empty() && is_there(path)};
}

/// Where a name belongs that is one of another kind than the one that is asked for; empty for a name of none.
std::string other_kind(const std::string& name, std::string_view kind) {
  const auto is_in = [&name](const std::vector<std::string>& names) { return std::ranges::find(names, name) != names.end(); };
  if (std::ranges::find(named_designs(), name, &Design::name) != named_designs().end())
    return "is a design, no " + std::string(kind) + "; the scenario comes first, and --designs takes designs (explain: SCENARIO A B)";
  if (kind != "machine" && is_in(shipped_machines()))
    return "is a machine, no " + std::string(kind) + "; --machine takes it, and 'machine' of a scenario";
  if (kind != "scenario" && is_in(shipped_scenarios())) return "is a scenario, no " + std::string(kind);
  return "";
}

/// A path is no slip of the pen for a shipped name; `list` tells what there is.
std::string why_none(const std::string& path_or_name, std::string_view kind, const fs::path& folder) {
  if (std::string other = other_kind(path_or_name, kind); !other.empty()) return other;
  constexpr std::size_t kLongList = 24;
  auto names = shipped(folder);
  if (!may_be_shipped(path_or_name) && !names.empty())
    return "no such file; 'tasktwin " + std::string(kind) + " list' names the shipped ones";
  const std::size_t listed = names.size();
  if (kind == "scenario") std::ranges::move(shipped_suite(), std::back_inserter(names));
  const std::vector<std::string_view> choices(names.begin(), names.end());
  const std::string none = "no such file, and no shipped " + std::string(kind) + " " + in_quotes(path_or_name);
  if (choices.empty()) return none + "; none is in " + folder.string();
  if (listed <= kLongList) return none + suggest(path_or_name, choices);
  const auto near = nearest_word(path_or_name, choices);
  return none + (near ? "; did you mean " + in_quotes(*near) + "?" : "") + " ('tasktwin " + std::string(kind) + " list' names all " +
         std::to_string(listed) + ")";
}

fs::path machine_folder() { return data_folder() / "machines"; }
fs::path claim_folder() { return data_folder() / "claims"; }

}  // namespace

fs::path data_folder() {
  if (const char* chosen = std::getenv("TASKTWIN_DATA"); chosen && *chosen) {
    if (!is_folder(chosen)) throw InputError("TASKTWIN_DATA is " + in_quotes(chosen) + ", which is not a folder");
    return chosen;
  }
  std::error_code failure;
  const fs::path executable = fs::read_symlink("/proc/self/exe", failure);
  if (!failure) {
    const fs::path folder = executable.parent_path();
    for (const fs::path& beside : {folder, folder.parent_path(), folder.parent_path() / "share/tasktwin"}) {
      if (is_folder(beside / "scenarios/machines")) return beside / "scenarios";
    }
  }
  const fs::path sources = fs::path(TASKTWIN_SOURCE_DIR) / "scenarios";
  return is_folder(sources) ? sources : fs::path(TASKTWIN_INSTALLED_DIR) / "scenarios";
}

std::vector<std::string> shipped_scenarios() { return shipped(data_folder()); }

std::vector<std::string> shipped_machines() { return shipped(machine_folder()); }

std::vector<std::string> shipped_suite() {
  std::vector<std::string> names = shipped(data_folder() / "suite");
  for (std::string& name : names) name.insert(0, "suite/");
  return names;
}

std::vector<std::string> shipped_claims() {
  std::vector<std::string> ids = shipped(claim_folder());
  std::ranges::stable_sort(ids, {}, &std::string::size);  // C2 before C10
  return ids;
}

FoundFile find_scenario(const std::string& path_or_name) { return find(path_or_name, data_folder(), {}); }
FoundFile find_claim(const std::string& path_or_id) { return find(path_or_id, claim_folder(), {}); }
FoundFile find_machine(const std::string& path_or_name, const fs::path& beside) { return find(path_or_name, machine_folder(), beside); }

std::string why_no_scenario(const std::string& path_or_name) { return why_none(path_or_name, "scenario", data_folder()); }
std::string why_no_claim(const std::string& path_or_id) { return why_none(path_or_id, "claim", claim_folder()); }
std::string why_no_machine(const std::string& path_or_name) { return why_none(path_or_name, "machine", machine_folder()); }

}  // namespace tasktwin::scenarios
