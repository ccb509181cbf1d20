#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "verify/output/text/json.hpp"
#include "verify/search/result_database.hpp"
#include "verify/search/search_space.hpp"
#include "verify/search/search_trial.hpp"

namespace tasktwin::verify {

/// What is known of a point.
struct PointResult {
  TrialOutcome outcome = TrialOutcome::kRan;
  std::string why = {};
  bool random = false;  ///< chance decides something
  int cores = 0;        ///< that take tasks
  int control_cores = 0;
  std::vector<std::vector<double>> makespans = {};  ///< ns, by scenario and run; empty unless it ran

  /// Of every scenario.
  std::size_t runs() const;
};

/// By number.
using PointResults = std::map<std::uint64_t, PointResult>;

/// The file of a search: rows as they come, each in a transaction of its own, so that an end of the process loses at most the points
/// in flight. docs/search.md has its tables.
class ResultFile {
 public:
  /// A new file for a search that `plan` describes. Throws InputError where there is one already.
  ResultFile(const std::string& file, const SearchSpace& space, const Json& plan);
  /// One that is there. Throws InputError where it is none of a search.
  explicit ResultFile(const std::string& file, Database::Mode mode = Database::Mode::kOpen);

  const Json& plan() const { return plan_; }
  const std::string& name() const { return database_.file(); }
  /// Throws InputError naming the column or row that no search over `space` has written.
  PointResults read(const SearchSpace& space, std::size_t scenarios);

  /// All that is known of the point; `makespans` of runs before `first_run` are in the file already.
  void write(const SearchSpace& space, std::uint64_t number, const PointResult& result, std::size_t first_run);

 private:
  [[noreturn]] void refuse_row(const std::string& why) const;
  void check_columns(const std::string& table, const std::vector<std::string>& columns);
  void check_point(const SearchSpace& space, const Statement& row) const;

  Database database_;
  Json plan_;
  std::optional<Statement> point_;
  std::optional<Statement> run_;
};

}  // namespace tasktwin::verify
