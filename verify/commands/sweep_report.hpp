#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/bounds.hpp"
#include "models/metrics.hpp"
#include "verify/run_statistics.hpp"
#include "verify/sweep.hpp"

namespace tasktwin::verify {

/// One design at one point.
struct SweepRow {
  std::vector<std::string> values;  ///< a value a variation
  std::string design;
  std::string fault;  ///< why the run came to no end; empty where it did
  std::vector<std::string> remarks = {};
  Distribution makespans{};
  Metrics metrics{};
  Bounds bounds{};
  double over_bound = 0;
  bool has_dispatchers = false;
};

/// A table by design and value, the lowest makespan marked, and why runs came to no end.
std::string sweep_text(const std::string& name, const std::vector<Variation>& variations, const std::vector<SweepRow>& rows,
                       std::uint64_t runs);

/// A column a variation, called by its path; `rows` in their order.
std::string sweep_csv(const std::vector<Variation>& variations, const std::vector<SweepRow>& rows);
std::string sweep_json(const std::string& name, const std::vector<Variation>& variations, const std::vector<SweepRow>& rows);

}  // namespace tasktwin::verify
