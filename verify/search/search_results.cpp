#include "verify/search/search_results.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "scenarios/formats/json_file.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

namespace {

constexpr const char* kFormat = "tasktwin-search/1";

/// What is written outlives this process at once, and a crash of the machine up to the last checkpoint.
constexpr const char* kDurability = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;";

std::vector<std::string> point_columns(const SearchSpace& space) {
  std::vector<std::string> columns{"point", "design"};
  for (const SearchAxis& axis : space.axes()) columns.push_back(axis.path);
  columns.insert(columns.end(), {"outcome", "reason", "random", "cores", "control_cores"});
  return columns;
}

std::string tables(const SearchSpace& space) {
  std::string axes;
  for (const SearchAxis& axis : space.axes()) axes += sql_name(axis.path) + " TEXT, ";
  return "CREATE TABLE search(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
         "CREATE TABLE points(point INTEGER PRIMARY KEY, design TEXT NOT NULL, " +
         axes +
         "outcome TEXT NOT NULL, reason TEXT, random INTEGER NOT NULL, cores INTEGER, control_cores INTEGER);"
         "CREATE TABLE runs(point INTEGER NOT NULL, scenario INTEGER NOT NULL, run INTEGER NOT NULL, makespan_ns INTEGER NOT NULL,"
         " PRIMARY KEY(point, scenario, run)) WITHOUT ROWID;"
         "CREATE VIEW results AS SELECT points.*, scenario, count(*) AS runs, avg(makespan_ns) AS makespan_ns"
         " FROM points JOIN runs USING (point) GROUP BY point, scenario;";
}

std::string insert_point(const SearchSpace& space) {
  std::string places = "?, ?";
  for (std::size_t i = 0; i < space.axes().size(); ++i) places += ", ?";
  return "INSERT OR REPLACE INTO points VALUES(" + places + ", ?, ?, ?, ?, ?)";
}

/// A file that appears under its name with its tables, so that any existing file can be resumed.
std::string created(const std::string& file, const SearchSpace& space, const Json& plan) {
  std::error_code failure;
  if (std::filesystem::exists(file, failure)) throw InputError({file}, "is there already; --resume goes on with it, or name another file");
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, failure)) throw InputError({file}, "there is no folder " + folder.string());
  const std::string part = file + ".part";
  std::filesystem::remove(part, failure);
  {
    Database database(part, Database::Mode::kCreate);
    database.run("BEGIN;" + tables(space));
    Statement set = database.prepare("INSERT INTO search VALUES(?, ?)");
    for (const auto& [key, value] :
         {std::pair{"format", std::string(kFormat)}, std::pair{"version", std::string(version())}, std::pair{"plan", plan.dump()}})
      set.bind(1, key).bind(2, value).step();
    database.run("COMMIT");
  }
  std::filesystem::rename(part, file, failure);
  if (failure) throw RunError("cannot write '" + file + "': " + failure.message());
  return file;
}

}  // namespace

std::size_t PointResult::runs() const {
  std::size_t least = makespans.empty() ? 0 : makespans.front().size();
  for (const auto& of_scenario : makespans) least = std::min(least, of_scenario.size());
  return least;
}

ResultFile::ResultFile(const std::string& file, const SearchSpace& space, const Json& plan)
    : database_(created(file, space, plan), Database::Mode::kOpen), plan_(plan) {
  database_.run(kDurability);
}

ResultFile::ResultFile(const std::string& file, Database::Mode mode) : database_(file, mode) {
  const auto refuse = [&] { throw InputError({file}, "is no result file of 'tasktwin search'"); };
  {
    Statement is_there = database_.prepare("SELECT count(*) FROM sqlite_master WHERE name IN ('search', 'points', 'runs')");
    is_there.step();
    if (is_there.integer(0) != 3) refuse();
  }  // ends what it reads, since the mode of the journal can only be set outside of that
  std::map<std::string, std::string> values;
  for (Statement all = database_.prepare("SELECT key, value FROM search"); all.step();) values[all.text(0)] = all.text(1);
  if (values["format"] != kFormat) refuse();
  plan_ = scenarios::parse_json(file, values["plan"]);
  if (mode != Database::Mode::kRead) database_.run(kDurability);
}

PointResults ResultFile::read(const SearchSpace& space, std::size_t scenarios) {
  PointResults results;
  std::string axes;
  for (const SearchAxis& axis : space.axes()) axes += ", " + sql_name(axis.path);
  check_columns("points", point_columns(space));
  check_columns("runs", {"point", "scenario", "run", "makespan_ns"});
  Statement points = database_.prepare("SELECT point, outcome, reason, random, cores, control_cores, design" + axes + " FROM points");
  while (points.step()) {
    check_point(space, points);
    PointResult& result = results[static_cast<std::uint64_t>(points.integer(0))];
    const auto outcome = from_word<TrialOutcome>(points.text(1));
    if (!outcome)
      refuse_row(fmt::format("points: point {} has outcome '{}'{}", points.text(0), points.text(1),
                             suggest(points.text(1), all_words<TrialOutcome>())));
    result.outcome = *outcome;
    result.why = points.text(2);
    result.random = points.integer(3) != 0;
    result.cores = static_cast<int>(points.integer(4));
    result.control_cores = static_cast<int>(points.integer(5));
    if (result.outcome == TrialOutcome::kRan) result.makespans.resize(scenarios);
  }
  Statement runs = database_.prepare(
      "SELECT point, scenario, run, makespan_ns, typeof(makespan_ns), typeof(point) = 'integer' AND typeof(scenario) = 'integer' AND "
      "typeof(run) = 'integer' FROM runs ORDER BY point, scenario, run");
  while (runs.step()) {
    const auto row = [&runs](const char* what) {
      return fmt::format("runs: point {}, scenario {}, run {} {}", runs.text(0), runs.text(1), runs.text(2), what);
    };
    if (runs.integer(5) == 0) refuse_row(row("is numbered by what is no whole number"));
    const auto found = results.find(static_cast<std::uint64_t>(runs.integer(0)));
    const auto scenario = static_cast<std::size_t>(runs.integer(1));
    if (found == results.end() || scenario >= found->second.makespans.size()) refuse_row(row("is of no point that ran"));
    std::vector<double>& makespans = found->second.makespans[scenario];
    if (runs.integer(2) != std::ssize(makespans)) refuse_row(row("has no run before it"));
    if (runs.text(4) != "integer" || runs.integer(3) < 0) refuse_row(row("has a makespan_ns that is none: ") + runs.text(3));
    makespans.push_back(static_cast<double>(runs.integer(3)));
  }
  return results;
}

void ResultFile::check_columns(const std::string& table, const std::vector<std::string>& columns) {
  std::vector<std::string> there;
  for (Statement all = database_.prepare("SELECT name FROM pragma_table_info('" + table + "')"); all.step();) there.push_back(all.text(0));
  if (there == columns) return;
  throw InputError({name()}, fmt::format("{}: its columns are {}; of this search they must be {}", table, fmt::join(there, ", "),
                                         fmt::join(columns, ", ")));
}

/// That design and axes are those of the point with that number: the search goes by the number.
void ResultFile::check_point(const SearchSpace& space, const Statement& row) const {
  constexpr int kDesign = 6;
  const std::int64_t number = row.integer(0);
  if (number < 0 || static_cast<std::uint64_t>(number) >= space.numbers())
    refuse_row(fmt::format("points: there is no point {}; the search has points 0 to {}", row.text(0), space.numbers() - 1));
  const SearchPoint point = space.at(static_cast<std::uint64_t>(number));
  const auto check = [&](int column, const std::string& name, const std::string& right) {
    if (row.text(column) != right)
      refuse_row(fmt::format("points: point {} has {} '{}'; by its number it is '{}'", number, name, row.text(column), right));
  };
  check(kDesign, "design", space.designs()[point.design]);
  for (std::size_t axis = 0; axis < space.axes().size(); ++axis) {
    const int value = point.values[axis];
    check(kDesign + 1 + static_cast<int>(axis), space.axes()[axis].path,
          value == kNoValue ? std::string() : space.axes()[axis].values[static_cast<std::size_t>(value)]);
  }
}

void ResultFile::refuse_row(const std::string& why) const { throw InputError({database_.file()}, why); }

void ResultFile::write(const SearchSpace& space, std::uint64_t number, const PointResult& result, std::size_t first_run) {
  if (!point_) point_ = database_.prepare(insert_point(space));
  if (!run_) run_ = database_.prepare("INSERT OR REPLACE INTO runs VALUES(?, ?, ?, ?)");
  const SearchPoint point = space.at(number);
  database_.run("BEGIN IMMEDIATE");
  point_->bind(1, static_cast<std::int64_t>(number)).bind(2, space.designs()[point.design]);
  int at = 3;
  for (std::size_t axis = 0; axis < space.axes().size(); ++axis, ++at) {
    if (point.values[axis] == kNoValue)
      point_->bind_null(at);
    else
      point_->bind(at, space.axes()[axis].values[static_cast<std::size_t>(point.values[axis])]);
  }
  point_->bind(at, to_word(result.outcome));
  if (result.why.empty())
    point_->bind_null(at + 1);
  else
    point_->bind(at + 1, result.why);
  point_->bind(at + 2, std::int64_t{result.random})
      .bind(at + 3, std::int64_t{result.cores})
      .bind(at + 4, std::int64_t{result.control_cores});
  point_->step();
  for (std::size_t scenario = 0; scenario < result.makespans.size(); ++scenario) {
    const std::vector<double>& makespans = result.makespans[scenario];
    for (std::size_t run = first_run; run < makespans.size(); ++run) {
      run_->bind(1, static_cast<std::int64_t>(number)).bind(2, static_cast<std::int64_t>(scenario));
      run_->bind(3, static_cast<std::int64_t>(run)).bind(4, std::llround(makespans[run])).step();
    }
  }
  database_.run("COMMIT");
}

}  // namespace tasktwin::verify
