#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tasktwin::scenarios {

/// The folder that holds scenarios and machines: $TASKTWIN_DATA, else beside the executable (bundle) or in its prefix's share/tasktwin
/// (installed), else the source tree, else where the library was installed.
std::filesystem::path data_folder();

/// The shipped scenarios' names, sorted.
std::vector<std::string> shipped_scenarios();

/// The shipped machines' names, sorted.
std::vector<std::string> shipped_machines();

/// The names of those that verification measures next to them, "suite/fft-5us", sorted. Calibration never sees their graphs.
std::vector<std::string> shipped_suite();

/// The shipped claims' ids, short ones first.
std::vector<std::string> shipped_claims();

/// The name of a file in messages, which is opened: `word` itself if it has a slash or an extension or nothing shipped
/// is called so; else the shipped file. `beside` is the folder that a relative path starts from, empty for the current one.
struct FoundFile {
  std::string path;
  bool exists = false;
};
FoundFile find_scenario(const std::string& path_or_name);
FoundFile find_claim(const std::string& path_or_id);
FoundFile find_machine(const std::string& path_or_name, const std::filesystem::path& beside);

/// "no such file, and no shipped machine 'x'; did you mean …" for a FoundFile that does not exist.
std::string why_no_scenario(const std::string& path_or_name);
std::string why_no_claim(const std::string& path_or_id);
std::string why_no_machine(const std::string& path_or_name);

}  // namespace tasktwin::scenarios
