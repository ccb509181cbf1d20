#pragma once

#include <string>
#include <vector>

#include "verify/compare/comparison.hpp"

namespace tasktwin::verify {

/// A case, and what it was measured on.
struct MeasuredCase {
  CaseComparison comparison;
  std::string device;
  std::string driver;
  std::string date;
};

/// docs/reference/accuracy.md: what was measured on what, and for each machine errors by design beside the hardware's own noise, ranking,
/// and the largest errors.
std::string accuracy_to_markdown(const std::vector<MeasuredCase>& cases);

/// The README's table: in a few numbers, how good the predictions for each machine are.
std::string accuracy_summary_to_markdown(const std::vector<MeasuredCase>& cases);

}  // namespace tasktwin::verify
