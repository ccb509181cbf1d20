#pragma once

#include <string>
#include <vector>

#include "verify/rerun/rerun_file.hpp"

namespace tasktwin::verify {

/// What was run again, what each schedule took and left, and what is to be known of it, for people.
std::string to_text(const RerunFile& file);

/// The schedules that ran, for JSON and the page: medians of what they took, what was predicted, and whether their results are equal.
Json summary_of(const RerunFile& file);

/// A Chrome trace: of each schedule whose operations' times are known, a process with a row a stream of the program.
Json trace_of(const RerunFile& file);

/// A schedule that takes longer than in an earlier file, by more than is allowed.
struct RerunSlowdown {
  std::string schedule;
  double before_us;
  double now_us;
};

/// Medians of the device's times against those of `before`, of schedules that both have; slower by more than the fraction `above`.
/// Throws InputError where no schedule is in both.
std::vector<RerunSlowdown> slower_than(const RerunFile& now, const RerunFile& before, double above);

}  // namespace tasktwin::verify
