#pragma once

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tasktwin::gpu::rerun {

/// The library's settings in the environment, and its report. A report is a file of lines, each an object of JSON with one key that
/// says what it is about, written at once: however the process ends, what was measured stays.
inline constexpr const char* kFolderVariable = "TASKTWIN_RERUN_FOLDER";
inline constexpr const char* kRangeVariable = "TASKTWIN_RERUN_RANGE";
inline constexpr const char* kInstanceVariable = "TASKTWIN_RERUN_INSTANCE";  ///< 0: the first that is like the one before
inline constexpr const char* kSchedulesVariable = "TASKTWIN_RERUN_SCHEDULES";
inline constexpr const char* kRepeatsVariable = "TASKTWIN_RERUN_REPEATS";
inline constexpr const char* kCheckVariable = "TASKTWIN_RERUN_CHECK";
inline constexpr const char* kChecksVariable = "TASKTWIN_RERUN_CHECKS";
inline constexpr const char* kNeededVariable = "TASKTWIN_RERUN_NEEDED";  ///< a file of gpu/rerun/order/plan.hpp; empty: none
inline constexpr const char* kPlansVariable = "TASKTWIN_RERUN_PLANS";    ///< such files, a line each
inline constexpr const char* kTimesVariable = "TASKTWIN_RERUN_TIMES";
inline constexpr const char* kEffectsVariable = "TASKTWIN_RERUN_EFFECTS";
inline constexpr const char* kReportExtension = ".rerun";

/// The exit code of a program that the watchdog ended.
inline constexpr int kEndedByWatchdog = 87;

/// An object of JSON, field by field.
class Fields {
 public:
  Fields& text(std::string_view key, std::string_view value);
  Fields& number(std::string_view key, double value);
  Fields& count(std::string_view key, std::uint64_t value);
  Fields& integer(std::string_view key, std::int64_t value);
  Fields& flag(std::string_view key, bool value);
  Fields& numbers(std::string_view key, const std::vector<int>& values);
  /// `value` is JSON already.
  Fields& json(std::string_view key, std::string_view value);
  std::string done() const { return "{" + text_ + "}"; }

 private:
  void begin(std::string_view key);

  std::string text_;
};

std::string list_of(const std::vector<std::string>& objects);
std::string quoted(std::string_view text);

/// It may be used by several threads.
class Report {
 public:
  explicit Report(const std::string& folder);
  ~Report();
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  void line(std::string_view about, const std::string& json);
  /// Once for each name, and no more than a hundred.
  void range_seen(std::string_view name);

 private:
  std::mutex mutex_;
  int process_;  ///< a child that it forked has no part in this
  std::FILE* file_;
  std::set<std::string, std::less<>> ranges_;
};

}  // namespace tasktwin::gpu::rerun
