#include "verify/referee/referee.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/designs/overrides.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "scenarios/scenario_writer/import_scenario.hpp"
#include "verify/compare/replay_check.hpp"
#include "verify/output/text/json.hpp"
#include "verify/pool/in_parallel.hpp"
#include "verify/predict/admission.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

namespace {

/// One thing to be predicted: a figure or a trace of a source.
struct RefereeTask {
  std::size_t source = 0;
  const PublicFigure* figure = nullptr;
  const std::string* trace = nullptr;
};

class Referee {
 public:
  Referee(std::span<const PublicSource> sources, const std::filesystem::path& folder) : sources_(sources), folder_(folder) {}

  RefereeRow row(const RefereeTask& task) const {
    const PublicSource& source = sources_[task.source];
    RefereeRow row{.source = task.source, .label = {}, .card = source.card, .file = {}, .cause = source.cause, .skipped = {}};
    if (task.trace) {
      replay(row, source, *task.trace);
    } else {
      predict_figure(row, source, *task.figure);
    }
    return row;
  }

 private:
  std::filesystem::path place(const PublicSource& source, const std::string& path) const { return folder_ / source.repository / path; }

  /// Whether the file is there; else the row says that it is not.
  static bool is_there(RefereeRow& row, const std::filesystem::path& file) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) return true;
    row.skipped = std::string(kNoFile) + file.string();
    return false;
  }

  void replay(RefereeRow& row, const PublicSource& source, const std::string& path) const {
    row.label = std::filesystem::path(path).filename().string();
    row.file = path;
    const std::filesystem::path file = place(source, path);
    if (!is_there(row, file)) return;
    try {
      const scenarios::Imported imported = scenarios::import_file(file.string(), {}, {});
      if (!imported.program || imported.graph.size() == 0) {
        row.skipped = "has no run of a program";
        return;
      }
      if (!imported.device.empty()) row.card = imported.device;
      const ReplayCheck check = check_replay(imported, scenarios::shipped_machine_of(imported).value_or("nvidia-h200"));
      row.measured = static_cast<double>(to_ns(check.captured));
      row.predicted = static_cast<double>(to_ns(check.replayed));
    } catch (const InputError& refused) {
      row.skipped = refused.what();
    }
  }

  void predict_figure(RefereeRow& row, const PublicSource& source, const PublicFigure& figure) const {
    row.label = figure.label;
    row.file = figure.file;
    if (!figure.card.empty()) row.card = figure.card;
    if (!figure.cause.empty()) row.cause = figure.cause;
    row.ratio = figure.measured_ratio > 0;
    row.measured = row.ratio ? figure.measured_ratio : figure.measured_us * 1000;
    std::vector<std::string> overrides = figure.overrides;
    if (!figure.file.empty()) {
      const std::filesystem::path file = place(source, figure.file);
      if (!is_there(row, file)) return;
      overrides.push_back("graph.import=" + Json(std::filesystem::absolute(file).string()).dump());
    }
    try {
      row.predicted = predicted(source, figure.design, overrides);
    } catch (const InputError& refused) {
      if (figure.file.empty()) throw InputError(figure.where, refused.what());
      row.skipped = refused.what();
    }
  }

  /// In ns.
  static double predicted(const PublicSource& source, const std::string& design, const std::vector<std::string>& overrides) {
    scenarios::Document document = *source.scenario;
    scenarios::apply_overrides(document, overrides);
    const scenarios::Scenario scenario = scenarios::scenario_from(document, check_admission);
    const std::vector<Design> designs = select_designs(scenario, design, "design");
    if (designs.size() != 1)
      throw InputError(fmt::format("design: the scenario has {}, and the table does not say which is meant", designs.size()));
    return static_cast<double>(to_ns(predict_median(scenario, designs.front()).timeline.makespan()));
  }

  std::span<const PublicSource> sources_;
  const std::filesystem::path& folder_;
};

/// Ratios are to the row that its source begins with, which then goes.
std::vector<RefereeRow> with_ratios(std::vector<RefereeRow> rows) {
  std::vector<RefereeRow> made;
  double base = 0;
  std::optional<std::size_t> source;
  for (RefereeRow& row : rows) {
    if (row.ratio && row.skipped.empty() && source != row.source) {
      source = row.source;
      base = row.predicted;
      continue;
    }
    if (row.ratio && row.skipped.empty()) row.predicted /= base;
    made.push_back(std::move(row));
  }
  return made;
}

}  // namespace

std::vector<RefereeRow> referee(std::span<const PublicSource> sources, const std::filesystem::path& folder, std::size_t jobs,
                                Progress& progress) {
  std::vector<RefereeTask> tasks;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (const PublicFigure& figure : sources[i].figures) tasks.push_back({.source = i, .figure = &figure});
    for (const std::string& trace : sources[i].traces) tasks.push_back({.source = i, .trace = &trace});
  }
  const Referee judge(sources, folder);
  std::vector<RefereeRow> rows(tasks.size());
  progress.expect(tasks.size());
  const auto work = [&](std::size_t i) {
    const RefereeRow row = judge.row(tasks[i]);
    return Json{{"label", row.label},       {"card", row.card},           {"file", row.file},   {"ratio", row.ratio},
                {"measured", row.measured}, {"predicted", row.predicted}, {"cause", row.cause}, {"skipped", row.skipped}};
  };
  in_parallel(jobs, tasks.size(), work, [&](std::size_t i, const Json& made) {
    rows[i] = {.source = tasks[i].source,
               .label = made["label"].get<std::string>(),
               .card = made["card"].get<std::string>(),
               .file = made["file"].get<std::string>(),
               .ratio = made["ratio"].get<bool>(),
               .measured = made["measured"].get<double>(),
               .predicted = made["predicted"].get<double>(),
               .cause = made["cause"].get<std::string>(),
               .skipped = made["skipped"].get<std::string>()};
    progress.advance();
  });
  progress.clear();
  return with_ratios(std::move(rows));
}

}  // namespace tasktwin::verify
