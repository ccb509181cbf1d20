#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// Where memory differs from what the original order leaves.
struct RerunPlace {
  int operation = -1;  ///< the last that names this memory; −1: none does
  std::uint64_t allocation = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct RerunCheck {
  std::uint64_t bytes = 0;  ///< of device memory
  std::uint64_t allocations = 0;
  std::uint64_t host_bytes = 0;            ///< of what was copied to the host
  std::uint64_t unreproducible_bytes = 0;  ///< where the original order does not leave the same twice; not among the others
  std::uint64_t runs = 1;                  ///< that were compared
  std::uint64_t differing_runs = 0;        ///< of these; the other numbers are of the first that differs
  std::vector<RerunPlace> places{};

  bool is_equal() const { return bytes == 0 && host_bytes == 0; }
};

struct RerunSchedule {
  std::string name{};
  std::uint64_t edges = 0;
  std::uint64_t streams = 0;
  std::vector<double> device_us{};  ///< a value for each repeat, as in `host_us`
  std::vector<double> host_us{};
  /// Of each operation, when it began and ended under CUPTI's records, from the first begin on; −1 where that is not known. Empty where it
  /// was not asked for.
  std::vector<std::pair<double, double>> operations_us{};
  std::optional<double> predicted_us{};  ///< with the host; none where it was not asked for, or cannot be predicted
  std::vector<std::pair<double, double>> predicted_operations_us{};  ///< as `operations_us`, simulated
  std::optional<RerunCheck> check{};
  std::vector<std::string> remarks{};
  std::string not_run{};  ///< why; empty: it ran
};

/// An iteration of a program, run again under schedules. What is not worked with is kept as it is.
struct RerunFile {
  std::vector<std::string> command{};
  int exit_code = 0;
  std::string date{};
  std::string range{};  ///< empty: between two waits for the device
  std::uint64_t instance = 0;
  bool checked = true;
  std::string ended = "whole";  ///< or what ended it before its end
  Json device{};
  double recorded_us = 0;        ///< what the iteration took while it was recorded
  std::vector<double> own_us{};  ///< what later ones took
  bool own_memory = false;       ///< the program ran without its caching allocator, each tensor with memory of its own
  std::uint64_t frees_kept = 0;  ///< of memory that the iteration frees, made when it had been run again
  Json streams = Json::array();
  Json operations = Json::array();
  Json memory{};  ///< null where it was not checked
  std::vector<RerunSchedule> schedules{};
  std::string machine{};  ///< that predictions are for; empty: none were asked for

  const RerunSchedule* find(const std::string& schedule) const;
};

double median_of(std::vector<double> values);

Json to_json(const RerunFile& file);

/// Reads what to_json made. Throws InputError with file and field.
RerunFile read_rerun_file(const std::filesystem::path& path);

}  // namespace tasktwin::verify
