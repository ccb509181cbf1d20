#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "verify/output/text/json.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/prediction.hpp"
#include "verify/predict/run_statistics.hpp"

namespace tasktwin::verify {

/// What `simulate` and `compare` share where a scenario is run several times.

/// --runs N.
void add_runs(CLI::App& app, std::uint64_t& runs);

/// --seed N. Returns the option, whose count() is above 0 if it was given.
CLI::Option* add_seed(CLI::App& app, std::uint64_t& seed);

/// "nothing is random here: all N runs are equal, and one is enough".
std::string equal_runs_text(std::uint64_t runs);

/// Counts, the distribution of the makespans and the makespans themselves; `random` as random_parts gives it.
Json runs_to_json(const std::vector<double>& makespans, const std::vector<std::string>& random);

TextTable distribution_table();
void add_distribution(TextTable& table, const std::string& design, const Distribution& makespans);

}  // namespace tasktwin::verify
