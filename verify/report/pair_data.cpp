#include "verify/report/pair_data.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

const DesignAccount& account_of(std::span<const DesignAccount> accounts, const std::string& design) {
  return *std::ranges::find(accounts, design, [](const DesignAccount& account) { return account.design.name; });
}

/// What the first run shows, unless it went the other way than the means of all.
std::vector<std::string> reasons(const PairVerdict& verdict, std::span<const DesignAccount> accounts) {
  const DesignAccount& faster = account_of(accounts, verdict.faster);
  const DesignAccount& slower = account_of(accounts, verdict.slower);
  if (!verdict.separated) return {};
  if (faster.makespan >= slower.makespan) {
    return {fmt::format("The first run, the one shown, went the other way ({} and {}): it does not tell why.", format_us(faster.makespan),
                        format_us(slower.makespan))};
  }
  return Explanation(faster, slower, {}).sentences();
}

std::string measured_words(const PairVerdict& verdict, std::span<const MeasuredTimes> measured) {
  const auto faster = std::ranges::find(measured, verdict.faster, &MeasuredTimes::design);
  const auto slower = std::ranges::find(measured, verdict.slower, &MeasuredTimes::design);
  return faster == measured.end() || slower == measured.end() ? "" : measured_sentence(*faster, *slower);
}

}  // namespace

Json pair_data(const std::vector<PairVerdict>& verdicts, bool varies, std::span<const DesignAccount> accounts,
               std::span<const MeasuredTimes> measured) {
  Json pairs = Json::array();
  for (const PairVerdict& verdict : verdicts) {
    pairs.push_back({{"faster", verdict.faster},
                     {"slower", verdict.slower},
                     {"gain", verdict.gain},
                     {"low", verdict.low},
                     {"high", verdict.high},
                     {"separated", verdict.separated},
                     {"sentence", to_text(verdict, varies)},
                     {"reasons", reasons(verdict, accounts)},
                     {"measured_sentence", measured_words(verdict, measured)}});
  }
  return pairs;
}

}  // namespace tasktwin::verify
