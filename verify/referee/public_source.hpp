#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/error.hpp"
#include "scenarios/document/document.hpp"

namespace tasktwin::verify {

/// One figure that others measured: a variant of the source's scenario, and how long it took.
struct PublicFigure {
  std::string label;                        ///< what tells it from the source's others: "operation all_reduce, ranks 2"
  std::string card;                         ///< its own, where the table has a column for it; else empty
  std::string design;                       ///< empty: the scenario's only one
  std::vector<std::string> overrides = {};  ///< of the scenario ("graph.tasks[0].bytes=512")
  std::string file;                         ///< of the source's repository, which the scenario's graph is read from; empty for none
  double measured_us = 0;                   ///< 0 where the figure is a ratio
  double measured_ratio = 0;                ///< to the time of the figure of ratio 1 before it; 0 where the figure is a time
  std::string cause;                        ///< what is known of why the prediction misses it; empty: the source's
  SourceLocation where;
};

/// Something that others measured and published, read from a file of verify/public.
struct PublicSource {
  std::string name;
  std::string title;
  std::string kind;  ///< what sort of case it is, a word of public_kinds()
  std::string repository;
  std::string commit;
  std::string path;
  std::string licence;
  std::string measured;  ///< by whom, with what
  std::string card;
  std::string fed;        ///< what the prediction took from the source's own measurements
  std::string cause;      ///< what is known of why predictions miss it; may be empty
  std::string cannot;     ///< why it cannot be expressed; empty where it can
  std::size_t cases = 0;  ///< that cannot be expressed
  std::optional<scenarios::Document> scenario = {};
  std::vector<PublicFigure> figures = {};
  std::vector<std::string> traces = {};  ///< files of the repository with a program's run, which is simulated again
  SourceLocation where;
};

/// The words of `kind`, in the order of the page.
std::span<const std::string_view> public_kinds();

/// verify/public of the source tree, or of what is installed.
std::filesystem::path public_sources_folder();

/// Every source in `folder` and below, by kind and then by name. Throws InputError with file, line and column for one that is wrong, and
/// for two of one name.
std::vector<PublicSource> read_public_sources(const std::filesystem::path& folder);

}  // namespace tasktwin::verify
