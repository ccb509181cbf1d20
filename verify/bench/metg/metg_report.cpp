#include "verify/bench/metg/metg_report.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "verify/bench/metg/bench_patterns.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

std::vector<std::string> patterns_of(const MetgResult& result) {
  std::vector<std::string> patterns;
  for (const MetgCell& cell : result.cells) {
    if (patterns.empty() || patterns.back() != cell.pattern) patterns.push_back(cell.pattern);
  }
  return patterns;
}

std::vector<std::string> header(std::string_view first, const std::vector<std::string>& patterns) {
  std::vector<std::string> cells{std::string(first)};
  cells.insert(cells.end(), patterns.begin(), patterns.end());
  return cells;
}

/// "refused", "failed" or "out of order"; empty for a good measurement.
std::string trouble(const BenchOutcome& outcome) {
  if (!outcome.refusal.empty()) return "refused";
  if (!outcome.fault.empty()) return "failed";
  return outcome.ordering_violations > 0 ? "out of order" : "";
}

/// "", "< " or "> " before METG.
std::string_view bound_sign(const MetgSearch& search) {
  return search.end == MetgSearch::End::kFound ? "" : search.end == MetgSearch::End::kBelow ? "< " : "> ";
}

std::string metg_cell(const MetgCell& cell) {
  const std::string word = trouble(cell);
  return word.empty() ? fmt::format("{}{}", bound_sign(cell.search), format_us(cell.search.metg_ns)) : word;
}

/// `host`'s METG over that of `cell`; "–" where it is unknown.
std::string ratio(const MetgCell* host, const MetgCell* cell) {
  if (host == nullptr || cell == nullptr || !trouble(*host).empty() || !trouble(*cell).empty()) return "–";
  const std::string_view above = bound_sign(host->search);
  const std::string_view below = bound_sign(cell->search) == "" ? "" : bound_sign(cell->search) == "< " ? "> " : "< ";
  if (!above.empty() && !below.empty() && above != below) return "–";
  const double times = host->search.metg_ns / cell->search.metg_ns;
  return fmt::format("{}{:.{}f} ×", above.empty() ? below : above, times, times < 1 ? 3 : times < 100 ? 1 : 0);
}

std::string metg_table(const MetgResult& result, const std::vector<std::string>& patterns) {
  TextTable table(header("executor", patterns));
  for (const ExecutorRow& one : result.executors) {
    std::vector<std::string> row{one.name};
    for (const std::string& pattern : patterns) row.push_back(metg_cell(*result.find(one.name, pattern)));
    table.add_row(std::move(row));
  }
  return table.to_string();
}

bool anywhere(const MetgResult& result, const std::string& executor) {
  return std::ranges::any_of(result.cells, [&](const MetgCell& cell) { return cell.executor == executor && trouble(cell).empty(); });
}

std::string ratio_tables(const MetgResult& result, const std::vector<std::string>& patterns) {
  std::string text;
  for (const ExecutorRow& host : result.executors) {
    if (!host.host_launched || !anywhere(result, host.name)) continue;
    TextTable table(header("executor", patterns));
    for (const ExecutorRow& one : result.executors) {
      if (one.host_launched) continue;
      std::vector<std::string> row{one.name};
      for (const std::string& pattern : patterns) row.push_back(ratio(result.find(host.name, pattern), result.find(one.name, pattern)));
      table.add_row(std::move(row));
    }
    text += fmt::format("\nMETG of {} over each executor's, on the same pattern\n{}", host.name, table.to_string());
  }
  return text;
}

std::string chain_table(const MetgResult& result, const HopTimes& hops) {
  TextTable table({"executor", "a task", "flag hops a task", "of fresh flags", "predicted"});
  for (const ChainCell& chain : result.chains) {
    const std::string word = trouble(chain);
    table.add_row({chain.executor, word.empty() ? format_us(chain.ns_per_task) : word,
                   word.empty() ? fmt::format("{:.2f}", chain.ns_per_task / hops.best().ns) : "",
                   word.empty() ? fmt::format("{:.2f}", chain.ns_per_task / hops.best_ring().ns) : "",
                   chain.predicted_ns ? format_us(*chain.predicted_ns) : "–"});
  }
  return fmt::format("\nchain of empty tasks across {} workers\n{}", result.workers, table.to_string());
}

std::string hop_table(const HopTimes& hops) {
  std::vector<std::string> waits;
  for (const gpu::FlagHop& hop : hops.flags) {
    if (std::ranges::find(waits, hop.wait) == waits.end()) waits.emplace_back(hop.wait);
  }
  // The ways of waiting are too long for a header.
  std::string text = "\nflag hop from one multiprocessor to another, by how it is raised and awaited\n";
  std::vector<std::string> columns{"raised by"};
  for (std::size_t i = 0; i < waits.size(); ++i) columns.push_back(fmt::format("({})", i + 1));
  TextTable table(std::move(columns));
  std::set<std::string_view> done;
  for (const gpu::FlagHop& first : hops.flags) {
    if (!done.insert(first.release).second) continue;
    std::vector<std::string> row{std::string(first.release)};
    for (const std::string& wait : waits) {
      const auto found =
          std::ranges::find_if(hops.flags, [&](const gpu::FlagHop& hop) { return hop.release == first.release && hop.wait == wait; });
      row.push_back(found == hops.flags.end() ? "" : format_us(found->ns));
    }
    table.add_row(std::move(row));
  }
  text += table.to_string();
  for (std::size_t i = 0; i < waits.size(); ++i) text += fmt::format("({}) {}\n", i + 1, waits[i]);
  text += fmt::format("the flag hop: {}, {}; {}\n", format_us(hops.best().ns), hops.best().release, hops.best().wait);
  for (const gpu::FlagHop& ring : hops.rings)
    text += fmt::format("a fresh flag, along a ring of all multiprocessors: {}, {}; {}\n", format_us(ring.ns), ring.release, ring.wait);
  for (const gpu::GridBarrierTime& barrier : hops.barriers)
    text += fmt::format("grid barrier, last arrival to all gone, {} blocks: {}\n", barrier.blocks, format_us(barrier.ns));
  return text;
}

/// Each tuned design, with its patterns where the executor has another for others.
std::string tuning_text(const MetgResult& result) {
  std::string text;
  for (const BenchDesign& one : result.designs) {
    if (one.tuned.empty()) continue;
    const bool only = std::ranges::count(result.designs, one.design.name, [](const BenchDesign& other) { return other.design.name; }) == 1;
    const std::string where = only ? "" : fmt::format(" ({})", fmt::join(one.patterns, ", "));
    text += wrap(fmt::format("{}: {}{}", one.design.name, one.tuned, where)) + '\n';
  }
  return text.empty() ? "" : "tuned for tiny tasks, against the named designs\n" + text;
}

/// Each trouble once, with the patterns it was met on.
std::string trouble_text(const MetgResult& result) {
  std::vector<std::pair<std::string, std::string>> lines;  // what, where
  const auto add = [&lines](const BenchOutcome& outcome, std::string_view pattern) {
    std::string word = trouble(outcome);
    if (word.empty()) return;
    if (outcome.ordering_violations > 0) word = fmt::format("{} predecessors were not done", outcome.ordering_violations);
    if (!outcome.refusal.empty() || !outcome.fault.empty()) word += ", " + outcome.refusal + outcome.fault;
    const std::string what = fmt::format("{}: {}", outcome.executor, word);
    const auto found = std::ranges::find(lines, what, &std::pair<std::string, std::string>::first);
    if (found == lines.end()) {
      lines.emplace_back(what, pattern);
    } else {
      found->second += fmt::format(", {}", pattern);
    }
  };
  for (const MetgCell& cell : result.cells) add(cell, cell.pattern);
  for (const ChainCell& chain : result.chains) add(chain, kChain);
  std::string text;
  for (const auto& [what, where] : lines) text += wrap(fmt::format("{} ({})", what, where)) + '\n';
  return text.empty() ? "" : '\n' + text;
}

}  // namespace

std::optional<double> metg_of(const MetgCell& cell) {
  if (!cell.measured() || !cell.right() || cell.search.end != MetgSearch::End::kFound) return std::nullopt;
  return cell.search.metg_ns;
}

std::string metg_text(const MetgResult& result, const HopTimes& hops, const BenchProvenance& provenance) {
  std::string text;
  if (!result.cells.empty()) {
    const std::vector<std::string> patterns = patterns_of(result);
    text += coloured("METG(50 %)", Tone::kStrong);
    text += fmt::format(" on {}, {} workers, median of {} runs\n", device_text(provenance), result.workers, kBenchRepeats);
    text += metg_table(result, patterns);
    text += "least wall time × workers / tasks of which bodies are half; > or <: beyond the lengths tried\n";
    text += tuning_text(result) + ratio_tables(result, patterns);
  }
  if (!result.chains.empty()) text += chain_table(result, hops);
  return text + hop_table(hops) + trouble_text(result);
}

}  // namespace tasktwin::verify
