#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "verify/search/search_ranking.hpp"

namespace tasktwin::verify {

/// How the best plans of a search are run again in the program that its scenario was captured of.
struct PlanVerification {
  std::size_t plans = 0;           ///< how many at most
  std::string program{};           ///< a command line, which the shell reads
  std::string range{};             ///< of the iteration, as in RerunSettings
  std::filesystem::path output{};  ///< the rerun's file; plans go next to it
};

/// A point of a search as a plan that a rerun takes.
struct VerifiedPlan {
  std::uint64_t point = 0;
  std::string design;
  double simulated_ns = 0;
  std::filesystem::path file;
};

/// Throws InputError where a search varies more than designs, or is of several scenarios or of no captured program: its points are no
/// plans.
void check_plans(const SearchSpace& space, const std::vector<std::string>& files);

/// The first points of the ranking that are plans, each plan once, written to files. Throws InputError where no point is one. Contract:
/// check_plans has passed.
std::vector<VerifiedPlan> write_plans(const Search& search, const std::vector<std::string>& files, const SearchAnswer& answer,
                                      const PlanVerification& wanted);

/// Runs the program, and in it the captured order and each plan, predicted before. Prints the ranking by what was measured. Returns the
/// exit code of rerun_program().
int verify_plans(const std::vector<VerifiedPlan>& plans, const PlanVerification& wanted);

}  // namespace tasktwin::verify
