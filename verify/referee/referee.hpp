#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verify/output/text/progress.hpp"
#include "verify/referee/public_source.hpp"

namespace tasktwin::verify {

/// What RefereeRow::skipped begins with where a file of the source's repository is missing; scripts/fetch_public.py looks for it.
inline constexpr std::string_view kNoFile = "no file ";

/// What others measured, and what is predicted for it.
struct RefereeRow {
  std::size_t source = 0;  ///< its position among the sources
  std::string label;
  std::string card;
  std::string file;      ///< of the source's repository, which it is read from; empty for none
  bool ratio = false;    ///< both figures are ratios to the row that the source begins with, which is no row itself
  double measured = 0;   ///< ns, or a ratio; 0 where it was skipped before that was known
  double predicted = 0;  ///< likewise; 0 where it was skipped
  std::string cause;     ///< what is known of why it misses; may be empty
  std::string skipped;   ///< why there is no prediction; empty where there is one

  double error() const { return predicted / measured - 1; }
};

/// A row for each figure and each trace of `sources`, in their order, worked out by `jobs` processes. What lies in `folder` is read from
/// <folder>/<owner>/<name>/<path>; what is missing there is skipped. Throws InputError for a scenario, a column or a value of a source
/// that is wrong.
std::vector<RefereeRow> referee(std::span<const PublicSource> sources, const std::filesystem::path& folder, std::size_t jobs,
                                Progress& progress);

}  // namespace tasktwin::verify
