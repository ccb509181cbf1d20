#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "scenarios/document.hpp"
#include "scenarios/importers/byte_source.hpp"
#include "scenarios/importers/chakra.hpp"
#include "scenarios/importers/cuda_graph_dot.hpp"
#include "scenarios/importers/dot.hpp"
#include "scenarios/importers/importer.hpp"
#include "scenarios/importers/kineto.hpp"
#include "scenarios/importers/mpk.hpp"
#include "scenarios/importers/nsys.hpp"
#include "scenarios/importers/starpu.hpp"
#include "scenarios/importers/stg.hpp"
#include "scenarios/importers/table.hpp"
#include "scenarios/importers/wfformat.hpp"

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

std::vector<std::string_view> names() {
  std::vector<std::string_view> names;
  for (const Importer& importer : importers()) names.push_back(importer.name);
  return names;
}

}  // namespace

std::span<const ImportOptionField> import_option_fields() {
  static constexpr std::array fields{
      ImportOptionField{.name = "with", .meaning = "a second file that the first goes with", .text = &ImportOptions::with},
      ImportOptionField{.name = "range",
                        .meaning = "only what the host launched within this range of the program's own (NVTX or profiler), by name",
                        .text = &ImportOptions::range},
      ImportOptionField{.name = "device", .meaning = "only this device of several", .number = &ImportOptions::device},
      ImportOptionField{.name = "independent",
                        .meaning = "ranges whose work does not depend on each other's: patterns such as 'branch_*', or 'FROM..TO' for what "
                                   "begins with one range and ends with another",
                        .list = &ImportOptions::independent},
      ImportOptionField{.name = "unknown_waits",
                        .meaning = "what a wait for an event waits for whose stream the file does not say: none, or all that was launched "
                                   "before",
                        .text = &ImportOptions::unknown_waits},
      ImportOptionField{.name = "drop_edges",
                        .meaning =
                            "dependencies that are none: all of a source by the format's own word (data_deps, stream), one as FROM->TO, or "
                            "those behind tasks of these names or patterns",
                        .list = &ImportOptions::drop_edges},
      ImportOptionField{
          .name = "time_unit", .meaning = "what a time of a file without units is in: ns, us, ms or s", .text = &ImportOptions::time_unit},
      ImportOptionField{.name = "core_type",
                        .meaning = "the kind of core that bodies need of which the file says none; sm where it is left out",
                        .text = &ImportOptions::core_type},
  };
  return fields;
}

std::span<const Importer> importers() {
  static constexpr std::array<std::string_view, 4> kTraceOptions{"range", "device", "independent", "unknown_waits"};
  static const std::vector<Importer> table{
      {"capture", "what 'tasktwin capture' wrote", is_capture, read_capture_file, kTraceOptions},
      {"kineto", "a trace of the PyTorch profiler (Kineto), or one in Chrome's format with its categories", is_kineto, read_kineto,
       kTraceOptions},
      {"nsys", "what Nsight Systems exports as SQLite (nsys export --type sqlite)", is_nsys, read_nsys, kTraceOptions},
      chakra_importer(),
      cuda_graph_dot_importer(),
      dot_importer(),
      wfformat_importer(),
      stg_importer(),
      starpu_importer(),
      mpk_importer(),
      csv_importer(),
      json_importer(),
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
  if (!name.empty()) {
    const auto found = std::ranges::find(importers(), name, &Importer::name);
    if (found != importers().end()) return *found;
    throw InputError("unknown format " + in_quotes(name) + suggest(name, names()));
  }
  const std::string head = ByteSource(path).head(kHeadBytes);  // says what is wrong with a file that cannot be read
  if (head.empty()) throw InputError({path}, "is empty");
  if (const Importer* found = recognised_importer(path)) return *found;
  std::string known;
  for (const Importer& importer : importers()) known += (known.empty() ? "" : ", ") + std::string(importer.name);
  const std::string first = head.substr(0, head.find('\n'));
  const bool other_commas = first.find(',') == std::string::npos && first.find_first_of(";\t") != std::string::npos;
  throw InputError({path}, "has an unrecognised format (known: " + known + "); --as, or graph.format, names one" +
                               (other_commas ? "; columns of a table must be separated by commas" : ""));
}

Imported import_file(const std::string& path, const std::string& name, const ImportOptions& options) {
  const Importer& importer = importer_of(path, name);
  for (const ImportOptionField& field : import_option_fields()) {
    if (!field.given(options) || std::ranges::find(importer.options, field.name) != importer.options.end()) continue;
    std::string takes;
    for (const std::string_view option : importer.options) takes += (takes.empty() ? "" : ", ") + std::string(option);
    throw InputError(std::string(field.name) + ": format '" + std::string(importer.name) + "' does not take it; it takes " +
                     (takes.empty() ? "none" : takes));
  }
  return importer.read(path, options);
}

}  // namespace tasktwin::scenarios
