#include "verify/compare/standings.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

/// A design whose runs are equal has one makespan for all.
std::vector<double> stretched(const std::vector<double>& makespans, std::size_t runs) {
  return makespans.size() == 1 ? std::vector<double>(runs, makespans.front()) : makespans;
}

PairVerdict judge(const Standing& a, const Standing& b) {
  const bool a_first = a.mean() <= b.mean();
  const Standing& faster = a_first ? a : b;
  const Standing& slower = a_first ? b : a;
  PairVerdict verdict{.faster = faster.design.name, .slower = slower.design.name};
  const double scale = slower.mean() > 0 ? slower.mean() : 1;
  const std::size_t runs = std::max(a.makespans.size(), b.makespans.size());
  if (runs < 2) {
    verdict.gain = verdict.low = verdict.high = (slower.mean() - faster.mean()) / scale;
    verdict.separated = verdict.gain > 0;
    return verdict;
  }
  const PairedDifference difference = paired_difference(stretched(slower.makespans, runs), stretched(faster.makespans, runs));
  verdict.gain = difference.mean / scale;
  verdict.low = difference.low / scale;
  verdict.high = difference.high / scale;
  verdict.separated = difference.beyond_noise();
  return verdict;
}

}  // namespace

double Standing::mean() const {
  return std::accumulate(makespans.begin(), makespans.end(), 0.0) / static_cast<double>(std::max<std::size_t>(1, makespans.size()));
}

std::vector<PairVerdict> judge_pairs(const std::vector<Standing>& standings) {
  std::vector<PairVerdict> verdicts;
  for (std::size_t i = 0; i < standings.size(); ++i) {
    for (std::size_t j = i + 1; j < standings.size(); ++j) verdicts.push_back(judge(standings[i], standings[j]));
  }
  return verdicts;
}

const Standing* winner(const std::vector<Standing>& standings, const std::vector<PairVerdict>& verdicts) {
  if (standings.size() < 2) return nullptr;
  for (const Standing& standing : standings) {
    const auto won = std::ranges::count_if(
        verdicts, [&standing](const PairVerdict& verdict) { return verdict.separated && verdict.faster == standing.design.name; });
    if (static_cast<std::size_t>(won) + 1 == standings.size()) return &standing;
  }
  return nullptr;
}

std::string to_text(const PairVerdict& verdict, bool varies) {
  const std::string interval = varies ? fmt::format(" (95 % CI {} to {})", format_percent(verdict.low), format_percent(verdict.high)) : "";
  if (verdict.separated)
    return fmt::format("{} is faster than {} by {}{}", verdict.faster, verdict.slower, format_percent(verdict.gain), interval);
  if (!varies) return fmt::format("{} and {} are equal", verdict.faster, verdict.slower);
  return fmt::format("no difference beyond noise between {} and {}: {}{}", verdict.faster, verdict.slower, format_percent(verdict.gain),
                     interval);
}

Json to_json(const PairVerdict& verdict) {
  return {{"faster", verdict.faster}, {"slower", verdict.slower}, {"gain", verdict.gain},
          {"ci_low", verdict.low},    {"ci_high", verdict.high},  {"beyond_noise", verdict.separated}};
}

}  // namespace tasktwin::verify
