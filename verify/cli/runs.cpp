#include "verify/cli/runs.hpp"

#include <limits>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "verify/cli/options.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::uint64_t kMaxRuns = 100'000;

}  // namespace

void add_runs(CLI::App& app, std::uint64_t& runs) {
  add_whole(app, "--runs", runs, 1, kMaxRuns, "simulate with so many seeds, one after the other from the seed on; 1 by default");
}

CLI::Option* add_seed(CLI::App& app, std::uint64_t& seed) {
  add_whole(app, "--seed", seed, 0, std::numeric_limits<std::uint64_t>::max(),
            "seed of random task times and orders, in place of the scenario's; its graph stays the same");
  return app.get_option("--seed");
}

std::string equal_runs_text(std::uint64_t runs) {
  return fmt::format("nothing is random here: all {} runs are equal, and one is enough", runs);
}

Json runs_to_json(const std::vector<double>& makespans, const std::vector<std::string>& random) {
  const Distribution over = distribution(makespans);
  Json result = {
      {"simulated", over.runs}, {"random", random},   {"mean_ns", over.mean}, {"median_ns", over.median}, {"p5_ns", over.p5},
      {"p95_ns", over.p95},     {"min_ns", over.min}, {"max_ns", over.max},   {"sigma_ns", over.sigma},   {"makespans_ns", Json::array()}};
  for (const double makespan : makespans) result["makespans_ns"].push_back(static_cast<std::int64_t>(makespan));
  return result;
}

TextTable distribution_table() { return TextTable({"design", "mean", "σ", "median", "p5", "p95", "min", "max"}); }

void add_distribution(TextTable& table, const std::string& design, const Distribution& makespans) {
  table.add_row({design, format_us(makespans.mean), format_us(makespans.sigma), format_us(makespans.median), format_us(makespans.p5),
                 format_us(makespans.p95), format_us(makespans.min), format_us(makespans.max)});
}

}  // namespace tasktwin::verify
