#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/error.hpp"
#include "verify/cli/commands.hpp"
#include "verify/cli/options.hpp"
#include "verify/cli/runs.hpp"
#include "verify/output/text/bounds_output.hpp"
#include "verify/output/text/csv_field.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/design_names.hpp"
#include "verify/predict/remarks.hpp"
#include "verify/predict/run_statistics.hpp"
#include "verify/predict/sweep.hpp"
#include "verify/search/search_trial.hpp"
#include "verify/system/interrupt.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::size_t kMostPoints = 100'000;

/// One design at one point.
struct Row {
  std::vector<std::string> values;
  std::string design;
  std::string fault;  ///< why the run came to no end; empty where it did
  Distribution makespans{};
  std::vector<std::string> remarks = {};
  std::optional<TrialAssessment> assessment = {};
};

class SweepCommand : public Command {
 public:
  explicit SweepCommand(CLI::App& app) {
    app.add_option("SCENARIO", scenario_, "scenario file, or name of a shipped scenario")->required()->type_name("");
    app.add_option("--vary", vary_, "a place in the scenario file and its values; given several times, every combination")
        ->required()
        ->type_name("PATH=V1,V2,..")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    add_designs(app, designs_);
    add_runs(app, runs_);
    add_jobs(app, jobs_);
    app.add_flag("--details", details_, "also lower bounds and how busy cores and control cores are, of each first run");
    add_format(app, format_, {"text", "csv", "json"});
    app.footer(
        "Simulates the scenario once for every combination of the values, under each design, and prints a row for each.\n"
        "\n"
        "A path joins keys by dots: graph.time_ns, machine.device_control.poll_ns, seed; designs.KEY goes to every design, or to those of\n"
        "--designs, designs.NAME.KEY to one. The table is sorted by design and value; * marks the lowest makespan. CSV and JSON keep the\n"
        "order of the simulations; rows in CSV are printed as they come. Combinations that are refused are skipped and counted.\n"
        "A run that comes to a standstill keeps its row, with the reason, and the exit code is 1. --details takes about as long again.\n"
        "Exit 1: at least one run came to a standstill\n"
        "Example: tasktwin sweep independent-20k --vary graph.time_ns=500,1000,2000 --vary designs.mailbox_depth=1,2\n"
        "Example: tasktwin sweep example --vary machine.device_mailboxes.hop_ns=200,800 --designs central-dispatcher --runs 5");
  }

  int run() override {
    for (const std::string& text : vary_) variations_.push_back(parse_variation(text));
    const std::vector<std::vector<std::string>> points = combinations(variations_, kMostPoints);
    TrialRunner runner(std::span(&scenario_, 1), design_names(designs_));
    const std::vector<std::string> designs = chosen_designs(runner.scenario(0), designs_);
    for (const auto& variation : variations_) refuse_left_out(runner.scenario(0), designs, variation.path);
    const std::unique_ptr<Pool> pool = make_pool([&runner](std::string_view request) { return runner.serve(request); }, jobs_);

    Progress progress;
    progress.expect(points.size() * designs.size());
    const auto values = [&](std::size_t number) -> const auto& { return points[number / designs.size()]; };
    const auto trial = [&](std::size_t number) {
      const std::string& design = designs[number % designs.size()];
      progress.show(fmt::format("simulating {} under {}", std::filesystem::path(scenario_).stem().string(), design));
      return Trial{.design = design, .overrides = overrides(values(number)), .runs = runs_, .remarked = true, .assessed = details_};
    };
    const DeferredInterrupt deferred;
    try {
      run_in_order(*pool, points.size() * designs.size(), trial, [&](std::size_t number, TrialResult result) {
        take(values(number), designs[number % designs.size()], std::move(result));
        progress.advance();
      });
    } catch (const std::exception&) {
      if (!interrupt_asked()) throw;
    }
    progress.clear();
    const bool nothing_to_show = interrupt_asked() && rows_.empty();
    const int code = nothing_to_show ? 1 : finish(points.size() * designs.size());
    if (interrupt_asked()) {
      note(fmt::format("interrupted: {} of {}", rows_.size() + refusals_.count(), points.size() * designs.size()));
      throw Interrupted();
    }
    return code;
  }

 private:
  std::vector<std::string> overrides(const std::vector<std::string>& values) const {
    std::vector<std::string> overrides;
    for (std::size_t i = 0; i < values.size(); ++i) overrides.push_back(variations_[i].path + "=" + values[i]);
    return overrides;
  }

  /// Rows in CSV are printed as they come.
  void take(const std::vector<std::string>& values, const std::string& design, TrialResult result) {
    if (result.outcome == TrialOutcome::kIllegal) {
      refusals_.add(result.why);
      return;
    }
    name_ = result.scenario;
    said_.add(name_, design, result.remarks);
    Row row{.values = values, .design = design, .fault = result.why};
    if (row.fault.empty()) row.makespans = distribution(result.makespans);
    row.remarks = std::move(result.remarks);
    row.assessment = result.assessment;
    if (format_ == "csv") print((rows_.empty() ? csv_head() : "") + csv_row(row));
    rows_.push_back(std::move(row));
  }

  int finish(std::size_t points) {
    if (rows_.empty()) throw InputError(refusals_.by_count().front().first);
    said_.tell();
    if (refusals_.count() > 0) note(refusals_.to_text(points));
    tell_without_effect(variations_, rows_);
    if (format_ == "json") print(as_json(name_, variations_, rows_));
    if (format_ == "text") print(as_text(name_, variations_, rows_));
    return std::ranges::all_of(rows_, [](const Row& row) { return row.fault.empty(); }) ? 0 : 1;
  }

  /// Says which quantities of the machine no makespan depends on, and under which designs.
  static void tell_without_effect(const std::vector<Variation>& variations, const std::vector<Row>& rows) {
    for (std::size_t i = 0; i < variations.size(); ++i) {
      if (!variations[i].path.starts_with("machine.") || variations[i].values.size() < 2) continue;
      std::vector<std::string> designs;
      for (const Row& row : rows) {
        if (std::ranges::find(designs, row.design) == designs.end() && makes_no_difference(rows, row.design, i))
          designs.push_back(row.design);
      }
      if (!designs.empty())
        remark(wrap(fmt::format("{}: no makespan under {} depends on it here", variations[i].path, fmt::join(designs, ", ")),
                    text_columns() - 6));
    }
  }

  /// Whether all rows of the design that have all values but the i-th in common ended alike.
  static bool makes_no_difference(const std::vector<Row>& rows, const std::string& design, std::size_t i) {
    std::map<std::vector<std::string>, std::tuple<double, double, double, std::string>> ends;
    for (const Row& row : rows) {
      if (row.design != design) continue;
      std::vector<std::string> others = row.values;
      others[i].clear();
      const std::tuple end(row.makespans.mean, row.makespans.min, row.makespans.max, row.fault);
      if (const auto [first, is_new] = ends.emplace(std::move(others), end); !is_new && first->second != end) return false;
    }
    return true;
  }

  std::string as_text(const std::string& name, const std::vector<Variation>& variations, const std::vector<Row>& rows) const {
    std::vector<std::string> header{"design"};
    for (const std::string& varied : column_names(variations)) header.push_back(varied);
    header.emplace_back("makespan  ");
    if (runs_ > 1) header.emplace_back("σ");
    if (details_) header.insert(header.end(), {"over bound", "cores busy", "dispatchers"});
    TextTable table(header, 1 + variations.size());
    std::string faults;
    const Row* const best = best_of(rows);
    for (const Row* sorted : in_order(variations, rows)) {
      const Row& row = *sorted;
      std::vector<std::string> cells{row.design};
      cells.insert(cells.end(), row.values.begin(), row.values.end());
      if (row.fault.empty()) {
        cells.push_back(format_us(row.makespans.mean) + (is_as_good(row, best) ? " *" : "  "));
        if (runs_ > 1) cells.push_back(format_us(row.makespans.sigma));
        if (const auto& found = row.assessment)
          cells.insert(cells.end(), {over_bound_text(found->over_bound, found->bounds), format_percent(found->core_busy_share),
                                     found->has_dispatchers ? format_percent(found->dispatcher_busy_share) : "none"});
      } else {
        cells.emplace_back("no end  ");
        cells.resize(header.size());
        faults += wrap(fmt::format("{}: {}", setting(variations, row), row.fault)) + '\n';
      }
      table.add_row(std::move(cells));
    }
    const std::string runs = runs_ == 1 ? "one run a row" : fmt::format("{} runs a row, makespan: their mean", runs_);
    return wrap(fmt::format("{}: simulated, {}", coloured(name, Tone::kStrong), runs)) + '\n' + table.to_string() +
           best_text(variations, rows, best) + faults;
  }

  /// By design, in the order in which they were asked for, and by value.
  static std::vector<const Row*> in_order(const std::vector<Variation>& variations, const std::vector<Row>& rows) {
    std::map<std::string, std::size_t> designs;
    for (const Row& row : rows) designs.emplace(row.design, designs.size());
    std::vector<std::map<std::string, std::size_t>> values;
    for (const Variation& variation : variations) values.push_back(places(variation));
    std::vector<std::pair<std::vector<std::size_t>, const Row*>> keyed;
    for (const Row& row : rows) {
      std::vector<std::size_t> key{designs.at(row.design)};
      for (std::size_t i = 0; i < values.size(); ++i) key.push_back(values[i].at(row.values[i]));
      keyed.emplace_back(std::move(key), &row);
    }
    std::ranges::stable_sort(
        keyed, {}, [](const auto& entry) -> const auto& { return entry.first; });
    std::vector<const Row*> order;
    for (const auto& [key, row] : keyed) order.push_back(row);
    return order;
  }

  /// The first row of the lowest makespan, where there is another to beat; nullptr otherwise.
  static const Row* best_of(const std::vector<Row>& rows) {
    const Row* best = nullptr;
    for (const Row& row : rows) {
      if (row.fault.empty() && (best == nullptr || row.makespans.mean < best->makespans.mean)) best = &row;
    }
    return rows.size() > 1 ? best : nullptr;
  }

  static bool is_as_good(const Row& row, const Row* best) {
    return best != nullptr && row.fault.empty() && row.makespans.mean == best->makespans.mean;
  }

  /// "shared-queue at time_ns 500, mailbox_depth 2".
  static std::string setting(const std::vector<Variation>& variations, const Row& row) {
    std::string text = row.design;
    std::vector<std::string> names = column_names(variations);
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::ranges::replace(names[i], '\n', ' ');
      text += fmt::format("{} {} {}", i == 0 ? " at" : ",", names[i], row.values[i]);
    }
    return text;
  }

  static std::string best_text(const std::vector<Variation>& variations, const std::vector<Row>& rows, const Row* best) {
    if (best == nullptr) return "";
    const auto alike = std::ranges::count_if(rows, [best](const Row& row) { return is_as_good(row, best); });
    const std::string others = alike == 1 ? "" : fmt::format(", and {} more alike", alike - 1);
    return wrap(fmt::format("* lowest makespan: {}{}", setting(variations, *best), others)) + '\n';
  }

  std::string csv_head() const {
    std::string text;
    for (const Variation& variation : variations_) text += csv_field(variation.path) + ',';
    return text + "design,makespan_ns,sigma_ns,min_ns,max_ns,runs," +
           (details_ ? "highest_bound_ns,highest_bound,ratio_to_bound,core_busy_share,dispatcher_busy_share,overhead_share," : "") +
           "fault\n";
  }

  std::string csv_row(const Row& row) const {
    std::string text;
    for (const std::string& value : row.values) text += csv_field(value) + ',';
    text += csv_field(row.design);
    if (!row.fault.empty()) return text + (details_ ? ",,,,,,,,,,,," : ",,,,,,") + csv_field(row.fault) + '\n';
    const Distribution& makespans = row.makespans;
    text += fmt::format(",{},{},{},{},{},", makespans.mean, makespans.sigma, makespans.min, makespans.max, makespans.runs);
    if (const auto& found = row.assessment)
      text += fmt::format("{},{},{},{},{},{},", to_ns(found->bounds.highest()), highest_bound_name(found->bounds), found->over_bound,
                          found->core_busy_share, found->dispatcher_busy_share, found->overhead_share);
    return text + '\n';
  }

  std::string as_json(const std::string& name, const std::vector<Variation>& variations, const std::vector<Row>& rows) const {
    Json result = {{"scenario", name}, {"varied", Json::array()}, {"rows", Json::array()}, {"version", version()}};
    for (const Variation& variation : variations) result["varied"].push_back({{"path", variation.path}, {"values", variation.values}});
    for (const Row& row : rows) {
      Json one = {{"values", row.values}, {"design", row.design}};
      if (row.fault.empty()) {
        one.update({{"makespan_ns", row.makespans.mean},
                    {"sigma_ns", row.makespans.sigma},
                    {"min_ns", row.makespans.min},
                    {"max_ns", row.makespans.max},
                    {"runs", row.makespans.runs}});
      }
      if (const auto& found = row.assessment) {
        one.update({{"bounds", bounds_to_json(found->bounds)},
                    {"ratio_to_bound", found->over_bound},
                    {"core_busy_share", found->core_busy_share},
                    {"dispatcher_busy_share", found->dispatcher_busy_share},
                    {"overhead_share", found->overhead_share}});
      }
      one["remarks"] = row.remarks;
      one["fault"] = row.fault.empty() ? Json(nullptr) : Json(row.fault);
      result["rows"].push_back(std::move(one));
    }
    result["skipped"] = Json::array();
    for (const auto& [why, count] : refusals_.by_count()) result["skipped"].push_back({{"reason", why}, {"rows", count}});
    return result_to_text(result);
  }

  std::string scenario_;
  std::vector<std::string> vary_;
  std::string designs_;
  std::uint64_t runs_ = 1;
  std::uint64_t jobs_ = 1;
  bool details_ = false;
  std::string format_ = "text";

  std::vector<Variation> variations_;
  std::string name_;  ///< of the scenario
  std::vector<Row> rows_;
  RemarkList said_;
  Refusals refusals_;
};

}  // namespace

std::unique_ptr<Command> make_sweep_command(CLI::App& app) { return std::make_unique<SweepCommand>(app); }

}  // namespace tasktwin::verify
