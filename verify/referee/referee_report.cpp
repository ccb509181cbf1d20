#include "verify/referee/referee_report.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "verify/output/text/markdown_table.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/statistics.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::size_t kWorst = 10;

std::vector<RefereeRow> predicted_rows(std::span<const RefereeRow> rows) {
  std::vector<RefereeRow> found;
  std::ranges::copy_if(rows, std::back_inserter(found), [](const RefereeRow& row) { return row.skipped.empty(); });
  return found;
}

std::vector<RefereeRow> of_kind(std::span<const PublicSource> sources, std::span<const RefereeRow> rows, std::string_view kind) {
  std::vector<RefereeRow> found;
  std::ranges::copy_if(rows, std::back_inserter(found), [&](const RefereeRow& row) { return sources[row.source].kind == kind; });
  return found;
}

std::vector<RefereeRow> worst_rows(std::vector<RefereeRow> rows) {
  std::ranges::stable_sort(rows, std::greater{}, [](const RefereeRow& row) { return std::abs(row.error()); });
  rows.resize(std::min(rows.size(), kWorst));
  return rows;
}

std::string figure_text(const RefereeRow& row, double value) { return row.ratio ? fmt::format("{:.3f} ×", value) : format_us(value); }

std::vector<std::string> kind_cells(std::string_view kind, const RefereeErrors& errors) {
  return {std::string(kind),
          std::to_string(errors.sources),
          std::to_string(errors.rows),
          format_percent(errors.median),
          format_percent(errors.p95),
          format_percent(errors.mean, true),
          fmt::format("{} of {}", errors.below, errors.rows)};
}

const std::vector<std::string> kKindHeader{"kind", "sources", "rows", "error, median", "95th percentile", "mean", "predicted below"};

template <class Table>
void add_kinds(Table& table, std::span<const PublicSource> sources, std::span<const RefereeRow> predicted) {
  for (const std::string_view kind : public_kinds()) {
    const std::vector<RefereeRow> own = of_kind(sources, predicted, kind);
    if (!own.empty()) table.add_row(kind_cells(kind, referee_errors(own)));
  }
  table.add_row(kind_cells("all", referee_errors(predicted)));
}

template <class Table>
void add_worst(Table& table, std::span<const PublicSource> sources, const std::vector<RefereeRow>& predicted) {
  for (const RefereeRow& row : worst_rows(predicted)) {
    table.add_row({sources[row.source].name, row.label, row.card, figure_text(row, row.measured), figure_text(row, row.predicted),
                   format_percent(row.error(), true), row.cause.empty() ? "not known" : row.cause});
  }
}

const std::vector<std::string> kWorstHeader{"source", "case", "card", "measured", "predicted", "error", "cause"};

/// "hta: no file public/…; 21 rows": each reason once.
std::vector<std::string> skipped_lines(std::span<const PublicSource> sources, std::span<const RefereeRow> rows) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::vector<const RefereeRow*> own;
    for (const RefereeRow& row : rows) {
      if (row.source == i && !row.skipped.empty()) own.push_back(&row);
    }
    if (own.empty()) continue;
    const bool missing = std::ranges::all_of(own, [](const RefereeRow* row) { return row->skipped.starts_with(kNoFile); });
    if (missing) {
      lines.push_back(fmt::format("{}: {} rows, whose files are not there: {}", sources[i].name, own.size(), own.front()->skipped));
      continue;
    }
    for (const RefereeRow* row : own) lines.push_back(fmt::format("{}, {}: {}", sources[i].name, row->label, row->skipped));
  }
  return lines;
}

std::size_t not_expressed(std::span<const PublicSource> sources) {
  std::size_t count = 0;
  for (const PublicSource& source : sources) count += source.cases;
  return count;
}

std::string place_text(const PublicSource& source) {
  return fmt::format("`{}@{}:{}`, {}", source.repository, source.commit, source.path, source.licence);
}

std::string source_to_markdown(const PublicSource& source, std::size_t position, std::span<const RefereeRow> rows) {
  std::string text = fmt::format("### {}\n\n{} Measured by {}; {}. Fed: {}. Source: {}.\n", source.name, as_sentence(source.title),
                                 source.measured, source.card, source.fed, place_text(source));
  if (!source.cause.empty()) text += as_sentence(source.cause) + "\n";
  MarkdownTable table({"case", "card", "measured", "predicted", "error"});
  bool any = false;
  for (const RefereeRow& row : rows) {
    if (row.source != position || !row.skipped.empty()) continue;
    any = true;
    table.add_row(
        {row.label, row.card, figure_text(row, row.measured), figure_text(row, row.predicted), format_percent(row.error(), true)});
  }
  return text + "\n" + (any ? table.to_string() : "Nothing predicted: its files were not there, or were refused.\n") + "\n";
}

Json errors_to_json(std::string_view kind, const RefereeErrors& errors) {
  const auto known = [&errors](double error) { return errors.rows > 0 ? Json(error) : Json(); };
  return {{"kind", kind},
          {"sources", errors.sources},
          {"rows", errors.rows},
          {"median_abs_error", known(errors.median)},
          {"p95_abs_error", known(errors.p95)},
          {"mean_error", known(errors.mean)},
          {"predicted_below", errors.below}};
}

}  // namespace

RefereeErrors referee_errors(std::span<const RefereeRow> rows) {
  RefereeErrors errors{.rows = rows.size()};
  std::vector<double> sizes;
  std::set<std::size_t> sources;
  for (const RefereeRow& row : rows) {
    sizes.push_back(std::abs(row.error()));
    sources.insert(row.source);
    errors.mean += row.error() / static_cast<double>(rows.size());
    if (row.error() < 0) ++errors.below;
  }
  errors.sources = sources.size();
  if (!sizes.empty()) {
    errors.median = median(sizes);
    errors.p95 = percentile(sizes, 0.95);
  }
  return errors;
}

std::string referee_to_text(std::span<const PublicSource> sources, std::span<const RefereeRow> rows) {
  const std::vector<RefereeRow> predicted = predicted_rows(rows);
  std::string text = "predictions against what others measured and published\n\n";
  if (!predicted.empty()) {
    TextTable kinds(kKindHeader);
    add_kinds(kinds, sources, predicted);
    TextTable worst(kWorstHeader, 2);
    add_worst(worst, sources, predicted);
    text += kinds.to_string() + "\nthe rows that are off most:\n" + worst.to_string() + '\n';
  }
  for (const std::string& line : skipped_lines(sources, rows)) text += wrap("skipped: " + line) + '\n';
  if (const std::size_t count = not_expressed(sources)) {
    text += wrap(fmt::format("{} further cases cannot be expressed:", format_count(static_cast<std::int64_t>(count)))) + '\n';
    for (const PublicSource& source : sources) {
      if (!source.cannot.empty()) text += indented(fmt::format("{} ({}): {}", source.name, source.cases, source.cannot), 2);
    }
  }
  return text;
}

std::string referee_to_markdown(std::span<const PublicSource> sources, std::span<const RefereeRow> rows) {
  const std::vector<RefereeRow> predicted = predicted_rows(rows);
  const RefereeErrors all = referee_errors(predicted);
  std::string text =
      fmt::format("{} rows of {} sources are predicted: {} of them shorter than measured.\n\n", all.rows, all.sources, all.below);
  MarkdownTable kinds(kKindHeader);
  add_kinds(kinds, sources, predicted);
  MarkdownTable worst(kWorstHeader);
  add_worst(worst, sources, predicted);
  text += kinds.to_string() + "\n## The ten that are off most\n\n" + worst.to_string();
  for (const std::string_view kind : public_kinds()) {
    std::string of_kind;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].kind == kind && sources[i].cannot.empty()) of_kind += source_to_markdown(sources[i], i, rows);
    }
    if (!of_kind.empty()) text += fmt::format("\n## Every row: {}\n\n{}", kind, of_kind);
  }
  const std::vector<std::string> skipped = skipped_lines(sources, rows);
  if (!skipped.empty()) text += "## Skipped\n\n";
  for (const std::string& line : skipped) text += fmt::format("- {}\n", line);
  text += fmt::format("\n## What could not be expressed\n\n{} cases:\n\n", format_count(static_cast<std::int64_t>(not_expressed(sources))));
  MarkdownTable cannot({"what", "cases", "source", "why not"});
  for (const PublicSource& source : sources) {
    if (!source.cannot.empty())
      cannot.add_row({source.title, format_count(static_cast<std::int64_t>(source.cases)), place_text(source), source.cannot});
  }
  return text + cannot.to_string();
}

Json referee_to_json(std::span<const PublicSource> sources, std::span<const RefereeRow> rows) {
  Json list = Json::array();
  for (const RefereeRow& row : rows) {
    const PublicSource& source = sources[row.source];
    const bool known = row.skipped.empty();
    const double unit = row.ratio ? 1 : 1000;
    Json one{{"source", source.name},
             {"kind", source.kind},
             {"case", row.label},
             {"card", row.card},
             {"fed", source.fed},
             {"cause", row.cause},
             {"repository", source.repository},
             {"commit", source.commit},
             {"path", source.path},
             {"file", row.file}};
    one[row.ratio ? "measured_ratio" : "measured_us"] = row.measured > 0 ? Json(row.measured / unit) : Json();
    one[row.ratio ? "predicted_ratio" : "predicted_us"] = known ? Json(row.predicted / unit) : Json();
    one["error"] = known ? Json(row.error()) : Json();
    one["skipped"] = row.skipped;
    list.push_back(std::move(one));
  }
  const std::vector<RefereeRow> predicted = predicted_rows(rows);
  Json kinds = Json::array();
  for (const std::string_view kind : public_kinds()) {
    const std::vector<RefereeRow> own = of_kind(sources, predicted, kind);
    if (!own.empty()) kinds.push_back(errors_to_json(kind, referee_errors(own)));
  }
  kinds.push_back(errors_to_json("all", referee_errors(predicted)));
  Json cannot = Json::array();
  for (const PublicSource& source : sources) {
    if (!source.cannot.empty()) cannot.push_back({{"source", source.name}, {"cases", source.cases}, {"why", source.cannot}});
  }
  return {{"rows", std::move(list)}, {"kinds", std::move(kinds)}, {"not_expressed", std::move(cannot)}, {"version", version()}};
}

}  // namespace tasktwin::verify
