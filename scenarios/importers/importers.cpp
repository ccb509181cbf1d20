#include "scenarios/importers/importers.hpp"
#include "models/base/error.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "scenarios/files/byte_source.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/importers/known_files.hpp"
#include "scenarios/importers/parts/imported_graph.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::size_t kHeadBytes = 64u << 10;

std::string extension_of(const std::string& path) {
  std::filesystem::path file(path);
  if (file.extension() == ".gz") file = file.stem();
  return file.extension().string();
}

/// Empty where there is nothing to read.
std::string head_of(const std::string& path) {
  try {
    return ByteSource(path).head(kHeadBytes);
  } catch (const InputError&) {
    return {};
  }
}

/// PyTorch's execution traces have operators and what depends on what, but nothing of what the device did.
void refuse_execution_trace(const std::string& path, const std::string& head) {
  if (!is_json_with({head, ".json"}, {"schema", "nodes"})) return;
  throw InputError(
      {path},
      "is an execution trace of PyTorch (ExecutionTraceObserver), which has no times of the device: it needs a converter and a "
      "Kineto trace of the same run (chakra_trace_link, then chakra_converter, whose .et is read); the Kineto trace alone is "
      "read too");
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> names;
  for (const Importer& importer : importers()) names.push_back(importer.name);
  return names;
}

}  // namespace

std::span<const Importer> importers() {
  static const std::vector<Importer> table{
      capture_importer(),  kineto_importer(),   nsys_importer(), chakra_importer(), cuda_graph_dot_importer(),
      dot_importer(),      wfformat_importer(), stg_importer(),  starpu_importer(), mpk_importer(),
      pipeline_importer(), csv_importer(),      json_importer(),
  };
  return table;
}

const Importer* recognised_importer(const std::string& path) {
  const std::string text = head_of(path);
  const std::string extension = extension_of(path);
  const auto found = std::ranges::find_if(importers(), [&](const Importer& one) { return one.recognises({text, extension}); });
  return text.empty() || found == importers().end() ? nullptr : &*found;
}

const Importer& importer_of(const std::string& path, const std::string& name) {
  if (name == "chakra") refuse_execution_trace(path, head_of(path));
  if (!name.empty()) {
    const auto found = std::ranges::find(importers(), name, &Importer::name);
    if (found != importers().end()) return *found;
    throw InputError("unknown format " + in_quotes(name) + suggest(name, names()));
  }
  const std::string head = ByteSource(path).head(kHeadBytes);  // says what is wrong with a file that cannot be read
  if (head.empty()) throw InputError({path}, "is empty");
  if (const std::string what = known_file({head, extension_of(path)}); !what.empty()) throw InputError({path}, what);
  if (const Importer* found = recognised_importer(path)) return *found;
  refuse_execution_trace(path, head);
  const std::string first = head.substr(0, head.find('\n'));
  const bool other_commas = first.find(',') == std::string::npos && first.find_first_of(";\t") != std::string::npos;
  if (extension_of(path) == ".csv" && !other_commas) return importer_of(path, "csv");  // which says what its header lacks
  if (first.starts_with("scenario:") || (first.starts_with("#") && head.find("\nscenario:") != std::string::npos))
    throw InputError({path}, "is a scenario already; 'tasktwin simulate " + path + "' runs it");
  std::string known;
  for (const Importer& importer : importers()) known += (known.empty() ? "" : ", ") + std::string(importer.name);
  throw InputError({path}, "has an unrecognised format (known: " + known + "); --as, or graph.format, names one" +
                               (other_commas ? "; columns of a table must be separated by commas" : ""));
}

Imported import_file(const std::string& path, const std::string& name, const ImportOptions& options) {
  const Importer& importer = importer_of(path, name);
  check_options(path, importer, options, [](std::string_view field) { return std::string(field); });
  return importer.read(path, options);
}

void check_options(const std::string& path, const Importer& importer, const ImportOptions& options,
                   const std::function<std::string(std::string_view)>& written) {
  for (const ImportOptionField& field : import_option_fields()) {
    if (!field.given(options) || std::ranges::find(importer.options, field.name) != importer.options.end()) continue;
    if (field.name == "ranks")
      throw InputError({path}, "several files together are the ranks of one run, which format '" + std::string(importer.name) +
                                   "' does not make; import each by itself");
    std::string takes;
    for (const std::string_view option : importer.options) takes += (takes.empty() ? "" : ", ") + written(option);
    throw InputError(written(field.name) + ": format '" + std::string(importer.name) + "' does not take it; it takes " +
                     (takes.empty() ? "none" : takes));
  }
}

}  // namespace tasktwin::scenarios
