#pragma once

#include <string>

namespace tasktwin::verify {

/// What the command line says about a benchmark.
struct BenchOptions {
  std::string executors;  ///< comma-separated; empty for all
  std::string patterns;   ///< comma-separated; empty for all
  std::string machine = "nvidia-h200";
  std::string record;  ///< a folder; empty for none
  bool json = false;
};

/// `tasktwin run --metg`: prints the tables and the curves; with `record` writes metg.csv, metg-curves.csv, metg.json and, where
/// the build has the report's page, metg.html under <record>/<machine>/. Returns 1 if a run failed or was out of order. Throws InputError
/// for an unknown word and RunError without a GPU.
int run_metg(const BenchOptions& options);

/// `tasktwin run --saturation`: the same with saturation.csv, .json and .html; `executors` and `patterns` are not asked.
int run_saturation(const BenchOptions& options);

}  // namespace tasktwin::verify
