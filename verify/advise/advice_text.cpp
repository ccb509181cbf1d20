#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "verify/advise/advice.hpp"
#include "verify/explain/phrases.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

std::string neighbours_text(const JudgedNeighbours& neighbours) {
  const std::size_t all = neighbours.needed + neighbours.implied + neighbours.order_only + neighbours.unknown;
  if (all == 0) return "";
  return fmt::format(
      " Of {} neighbours in a stream {} share memory, {} are ordered through others, {} are ordered by the stream alone and of "
      "{} too little is known.",
      all, neighbours.needed, neighbours.implied, neighbours.order_only, neighbours.unknown);
}

/// "cudaStreamWaitEvent#1, #4 and #7, cudaDeviceSynchronize#0": of several of one name the name once.
std::string called(const std::vector<std::string>& waits) {
  constexpr std::size_t kMost = 8;
  std::map<std::string, std::vector<std::string>> numbers;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMost, waits.size()); ++i) {
    const std::size_t at = waits[i].rfind('#');
    const std::string name = waits[i].substr(0, at);
    if (!numbers.contains(name)) names.push_back(name);
    numbers[name].push_back(at == std::string::npos ? "" : waits[i].substr(at));
  }
  std::string text;
  for (const std::string& name : names) text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name, fmt::join(numbers[name], ", "));
  return waits.size() > kMost ? fmt::format("{} and {} more", text, waits.size() - kMost) : text;
}

/// Which waits those are.
std::string waits_text(const Advice& advice) {
  constexpr std::array kSaid{std::pair{OrderVerdict::kNeeded, "Needed"}, std::pair{OrderVerdict::kImplied, "Implied by others"},
                             std::pair{OrderVerdict::kOrderOnly, "Ordering nothing that shares memory"},
                             std::pair{OrderVerdict::kHost, "The host's own"}, std::pair{OrderVerdict::kUnknown, "Not known"}};
  std::vector<std::string> parts;
  for (const auto& [verdict, said] : kSaid) {
    std::vector<std::string> waits;
    for (std::size_t i = 0; i < advice.order->waits.size(); ++i) {
      if (advice.order->waits[i].verdict == verdict) waits.push_back(advice.waits[i]);
    }
    if (!waits.empty()) parts.push_back(fmt::format("{}: {}.", said, called(waits)));
  }
  return fmt::format(" {}", fmt::join(parts, " "));
}

}  // namespace

std::string order_sentences(const Advice& advice) {
  if (!advice.order) return "";
  std::string text;
  std::map<OrderVerdict, std::size_t> count;
  for (const JudgedWait& wait : advice.order->waits) ++count[wait.verdict];
  if (!advice.order->waits.empty()) {
    text = fmt::format(
        "Of {} waits {} are needed, {} are implied by others, {} order nothing that shares memory, {} are the host's own and of "
        "{} too little is known.",
        advice.order->waits.size(), count[OrderVerdict::kNeeded], count[OrderVerdict::kImplied], count[OrderVerdict::kOrderOnly],
        count[OrderVerdict::kHost], count[OrderVerdict::kUnknown]);
    text += waits_text(advice);
  }
  if (advice.knows_memory) text += neighbours_text(advice.order->neighbours);
  if (advice.knows_memory && !advice.order->unordered.empty())
    text += fmt::format(" {} dependences are ordered by nothing that the program's calls show: races, or threads that wait for each other.",
                        advice.order->unordered.size());
  return text;
}

std::string advice_text(const scenarios::Scenario& scenario, const Advice& advice) {
  const Duration bound = advice.bounds.highest();
  const std::string order = order_sentences(advice);
  std::string text =
      wrap(fmt::format("{} takes {}, simulated as it was captured, {} of it the host's; its work cannot take less than {} ({}).",
                       coloured(scenario.name, Tone::kStrong), format_us(advice.makespan), format_us(advice.host), format_us(bound),
                       advice.bounds.highest_name())) +
      '\n' + (order.empty() ? "" : wrap(order) + '\n') + '\n';
  if (advice.proposals.empty()) {
    text += wrap(fmt::format("Nothing worth doing: of {} changes none brings {} or more; the run is within {} of that bound.", advice.tried,
                             format_percent(kWorthwhile), format_percent(share(advice.makespan - bound, bound)))) +
            '\n';
  } else {
    TextTable table({"proposal", "takes", "change"});
    for (std::size_t i = 0; i < advice.proposals.size(); ++i) {
      const Proposal& one = advice.proposals[i];
      table.add_row({fmt::format("{}. {}", i + 1, one.what), format_us(one.makespan),
                     format_percent(share(one.makespan, advice.makespan) - 1, true)});
    }
    text += table.to_string() + '\n';
    for (std::size_t i = 0; i < advice.proposals.size(); ++i) {
      const Proposal& one = advice.proposals[i];
      text += wrap(fmt::format("{}. {}", i + 1, one.what)) + '\n';
      if (!one.where.empty()) text += indented("where: " + one.where, 3);
      for (const std::string& why : one.why) text += indented(why, 3);
      for (const std::string& how : one.how) text += indented("try: " + how, 3);
      if (one.plan)
        text +=
            indented(fmt::format("try: tasktwin advise … --proposal {} --plan-out plan.json, then tasktwin rerun --plan plan.json -o OUT "
                                 "-- PROGRAM",
                                 i + 1),
                     3);
    }
    text +=
        wrap(fmt::format("{} changes were tried; those that bring less than {} are left out.", advice.tried, format_percent(kWorthwhile))) +
        '\n';
  }
  for (const std::string& remark : advice.remarks) text += wrap("note: " + remark) + '\n';
  return text;
}

Json advice_to_json(const Advice& advice) {
  Json proposals = Json::array();
  for (const Proposal& one : advice.proposals) {
    proposals.push_back({{"kind", one.kind},
                         {"what", one.what},
                         {"where", one.where},
                         {"why", one.why},
                         {"how", one.how},
                         {"schedule", static_cast<bool>(one.plan)},
                         {"makespan_ns", to_ns(one.makespan)},
                         {"change", share(one.makespan, advice.makespan) - 1}});
  }
  Json json{
      {"design", advice.design},       {"makespan_ns", to_ns(advice.makespan)},
      {"host_ns", to_ns(advice.host)}, {"bound", {{"name", advice.bounds.highest_name()}, {"bound_ns", to_ns(advice.bounds.highest())}}},
      {"tried", advice.tried},         {"knows_memory", advice.knows_memory},
      {"proposals", proposals},        {"remarks", advice.remarks}};
  if (!advice.order) return json;
  Json waits = Json::array();
  for (std::size_t i = 0; i < advice.order->waits.size(); ++i) {
    const JudgedWait& wait = advice.order->waits[i];
    Json one{{"call", advice.waits[i]}, {"verdict", to_word(wait.verdict)}, {"dependences", wait.dependences}};
    if (wait.because)
      one["because"] = {{"before", index(wait.because->before)},
                        {"after", index(wait.because->after)},
                        {"kind", to_word(wait.because->kind)},
                        {"address", wait.because->address}};
    waits.push_back(std::move(one));
  }
  const JudgedNeighbours& n = advice.order->neighbours;
  json["waits"] = std::move(waits);
  json["stream_order"] = {{"needed", n.needed}, {"implied", n.implied}, {"order_only", n.order_only}, {"unknown", n.unknown}};
  json["unordered"] = advice.order->unordered.size();
  return json;
}

}  // namespace tasktwin::verify
