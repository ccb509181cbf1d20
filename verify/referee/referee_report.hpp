#pragma once

#include <span>
#include <string>
#include <vector>

#include "verify/output/text/json.hpp"
#include "verify/referee/referee.hpp"

namespace tasktwin::verify {

/// How far predictions of several rows are off. Contract: the rows have predictions.
struct RefereeErrors {
  std::size_t rows = 0;
  std::size_t sources = 0;
  double median = 0;      ///< of the absolute errors
  double p95 = 0;         ///< likewise
  double mean = 0;        ///< with its sign
  std::size_t below = 0;  ///< predicted shorter than measured
};
RefereeErrors referee_errors(std::span<const RefereeRow> rows);

/// A table by kind, the rows that are off most, what was skipped and what cannot be expressed.
std::string referee_to_text(std::span<const PublicSource> sources, std::span<const RefereeRow> rows);

/// The generated part of docs/referee.md: the same, and each row.
std::string referee_to_markdown(std::span<const PublicSource> sources, std::span<const RefereeRow> rows);

/// {"rows": […], "kinds": […], "not_expressed": […], "version"}.
Json referee_to_json(std::span<const PublicSource> sources, std::span<const RefereeRow> rows);

}  // namespace tasktwin::verify
