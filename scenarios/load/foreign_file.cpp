#include "scenarios/load/foreign_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "scenarios/importers/importers.hpp"

namespace tasktwin::scenarios {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHeadBytes = 64u << 10;
constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kImport = "'tasktwin scenario import swimlane RECORDS DEPS --output FILE'";

/// Of a regular file alone: nothing waits for a pipe.
std::string head_of(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  std::ifstream file(path, std::ios::binary);
  std::string head(kHeadBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

std::string unread(std::string_view what) {
  std::string forms = "swimlane";
  for (const Importer& importer : importers()) forms += ", " + std::string(importer.name);
  return "is " + std::string(what) + ", no scenario, and no form of 'tasktwin scenario import' reads it (valid: " + forms + ")";
}

bool contains(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text;
}

struct Head {
  std::string_view text;       ///< the first bytes
  std::string_view extension;  ///< ".json"
};

std::optional<std::string> archive(const Head& head) {
  constexpr std::array kSignatures{std::pair{"\x1f\x8b"sv, "gzip"sv}, std::pair{"BZh"sv, "bzip2"sv},
                                   std::pair{"\xfd"
                                             "7zXZ\0"sv,
                                             "xz"sv},
                                   std::pair{"\x28\xb5\x2f\xfd"sv, "zstd"sv}, std::pair{"PK\x03\x04"sv, "zip"sv}};
  for (const auto& [bytes, program] : kSignatures) {
    if (head.text.starts_with(bytes)) return "is compressed by " + std::string(program) + "; unpack it and name what is inside";
  }
  return std::nullopt;
}

std::optional<std::string> report(const Head& head) {
  if (head.extension == ".nsys-rep") return unread("a report of Nsight Systems");
  if (head.extension == ".pftrace" || head.extension == ".perfetto-trace") return unread("a trace in Perfetto's format");
  return std::nullopt;
}

/// A scenario may be written as JSON, of which YAML is a superset.
bool is_scenario_json(std::string_view text) {
  return without_blanks(text).starts_with('{') && contains(text, "\"scenario\"") && contains(text, "\"graph\"");
}

std::optional<std::string> json(const Head& head) {
  const std::string_view text = without_blanks(head.text);
  if (text.empty() || (text.front() != '{' && text.front() != '[')) return std::nullopt;
  const std::string_view next = without_blanks(text.substr(1));
  if (next.empty() || (next.front() != '"' && next.front() != '{')) return std::nullopt;
  return unread("JSON without a scenario's keys 'scenario' and 'graph'");
}

std::optional<std::string> table(const Head& head) {
  const std::string_view text = without_blanks(head.text);
  const std::string_view first = text.substr(0, text.find('\n'));
  const std::string_view rest = text.substr(std::min(first.size() + 1, text.size()));
  const std::string_view second = rest.substr(0, rest.find('\n'));
  const auto commas = std::ranges::count(first, ',');
  const bool alike = commas > 0 && first.find_first_of(":{[#") == std::string_view::npos && std::ranges::count(second, ',') == commas;
  if (alike || (head.extension == ".csv" && !text.empty())) return unread("a table (CSV)");
  return std::nullopt;
}

std::optional<std::string> drawing(const Head& head) {
  const std::string_view text = without_blanks(head.text);
  if (text.size() > 1 && text.front() == '<' && text[1] != '<') return unread("XML, SVG or HTML");
  return std::nullopt;
}

/// What only the runtime's pair of files has, and a timeline, which other tools' tables look like.
std::optional<std::string> of_our_own(const Head& head) {
  const std::string_view text = without_blanks(head.text);
  if (text.starts_with('{') && contains(text, "\"aicore_tasks\""))
    return "is a captured run of the Ascend runtime, no scenario; " + std::string(kImport) + " makes one of it and its deps.json";
  if (text.starts_with('{') && contains(text, "\"edges\"") && contains(text, "\"succ\""))
    return "is the deps.json of a captured run, no scenario; " + std::string(kImport) + " makes one of chip_swimlane_records.json and it";
  if (contains(text.substr(0, text.find('\n')), "dispatched_ns,received_ns,started_ns")) {
    return "is a timeline as --timeline writes it, no scenario; a design of a scenario follows it with 'placement: replay' and "
           "'replay: FILE'";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> foreign_file(const std::string& path) {
  const std::string text = head_of(path);
  const std::string extension = std::filesystem::path(path).extension().string();
  const Head head{text, extension};
  if (auto what = of_our_own(head)) return what;
  if (is_scenario_json(text)) return std::nullopt;
  if (const Importer* importer = recognised_importer(path))
    return "is " + std::string(importer->meaning) + ", no scenario; 'tasktwin scenario import " + path +
           " --output SCENARIO.yaml' makes one of it";
  for (const auto kind : {archive, report, json, table, drawing}) {
    if (auto what = kind(head)) return what;
  }
  return std::nullopt;
}

}  // namespace tasktwin::scenarios
