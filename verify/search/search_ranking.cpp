#include "verify/search/search_ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "verify/output/text/csv_field.hpp"
#include "verify/output/text/shell_word.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/run_statistics.hpp"
#include "verify/search/search_guide.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

namespace {

constexpr double kError = 0.05;  ///< that any of the comparisons with the best is wrong

std::vector<double> first_of(std::vector<double> values, std::size_t runs) {
  if (values.size() == 1) return std::vector<double>(runs, values.front());
  values.resize(runs);
  return values;
}

/// `stayed`: it has as many runs as any, so that it is one of the `comparisons` whose intervals are to hold at once.
void compare(RankedPoint& point, const PointResult& result, const PointResult& best, std::size_t comparisons, bool stayed) {
  std::vector<double> own = log_makespans(result);
  std::vector<double> of_best = log_makespans(best);
  if (!result.random && !best.random) {
    point.slower = point.low = point.high = std::expm1(own.front() - of_best.front());
    point.stands = point.slower > 0 ? Standpoint::kWorse : Standpoint::kNotTold;
    return;
  }
  const std::size_t runs = std::max<std::size_t>(1, !result.random ? of_best.size()
                                                    : !best.random ? own.size()
                                                                   : std::min(own.size(), of_best.size()));
  own = first_of(std::move(own), runs);
  of_best = first_of(std::move(of_best), runs);
  if (runs < 2 || !stayed) {
    point.slower = std::expm1(distribution(own).mean - distribution(of_best).mean);
    point.low = -std::numeric_limits<double>::infinity();
    point.high = std::numeric_limits<double>::infinity();
    point.stands = Standpoint::kUndecided;
    return;
  }
  const double confidence = 1 - kError / static_cast<double>(std::max<std::size_t>(1, comparisons));
  const PairedDifference difference = paired_difference(own, of_best, confidence);
  point.slower = std::expm1(difference.mean);
  point.low = std::expm1(difference.low);
  point.high = std::expm1(difference.high);
  point.stands = difference.low > 0 ? Standpoint::kWorse : Standpoint::kNotTold;
}

void mark_front(std::vector<RankedPoint>& points) {
  std::vector<RankedPoint*> by_cost;
  for (RankedPoint& point : points) by_cost.push_back(&point);
  std::ranges::stable_sort(by_cost, {}, [](const RankedPoint* point) { return std::pair(point->cost, point->makespan_ns); });
  double fastest = std::numeric_limits<double>::infinity();
  for (RankedPoint* const point : by_cost) {
    if (point->makespan_ns >= fastest) continue;
    fastest = point->makespan_ns;
    point->on_front = true;
  }
}

double variance_of(std::span<const double> effects) {
  double mean = 0;
  double squares = 0;
  for (const double effect : effects) mean += effect / static_cast<double>(effects.size());
  for (const double effect : effects) squares += (effect - mean) * (effect - mean) / static_cast<double>(effects.size());
  return squares;
}

/// By value of an axis, the lowest score of its points that ran.
using LowestScores = std::map<std::size_t, double>;

void note_score(LowestScores& lowest, std::size_t value, double score) {
  const auto [known, is_new] = lowest.emplace(value, score);
  if (!is_new) known->second = std::min(known->second, score);
}

/// The design whose lowest scores say what the axis does: that of the best point, if several of its values ran there, else the one in which
/// it does most.
std::size_t telling_design(const std::map<std::size_t, LowestScores>& of_designs, std::size_t best) {
  const auto span = [](const LowestScores& lowest) {
    const auto [low, high] = std::ranges::minmax_element(lowest, {}, [](const auto& entry) { return entry.second; });
    return lowest.size() < 2 ? -1.0 : high->second - low->second;
  };
  if (const auto found = of_designs.find(best); found != of_designs.end() && found->second.size() > 1) return best;
  return std::ranges::max_element(of_designs, {}, [&](const auto& entry) { return span(entry.second); })->first;
}

std::vector<AxisImportance> importance_of(const Search& search) {
  const SearchSpace& space = search.space();
  std::vector<std::pair<std::uint64_t, double>> scores;
  LowestScores designs;
  std::vector<std::map<std::size_t, LowestScores>> values(space.axes().size());  // by axis, and design
  for (const auto& [number, result] : search.results()) {
    const auto known = score(result);
    if (!known || number >= space.size()) continue;
    scores.emplace_back(number, *known);
    const SearchPoint point = space.at(number);
    note_score(designs, point.design, *known);
    for (std::size_t axis = 0; axis < values.size(); ++axis) {
      if (point.values[axis] != kNoValue) note_score(values[axis][point.design], static_cast<std::size_t>(point.values[axis]), *known);
    }
  }
  if (scores.empty()) return {};
  constexpr double kHardlyAny = 1e-3;  // the ridge of what is told, not guessed
  const MainEffects effects(space, scores, kHardlyAny);
  std::vector<AxisImportance> all;
  double variance = 0;
  const auto add = [&](const std::string& path, std::span<const double> of_values, const std::vector<std::string>& words,
                       const LowestScores& ran, const std::string& design) {
    if (ran.size() < 2) return;
    std::vector<double> of_ran;
    for (const auto& [value, lowest] : ran) of_ran.push_back(of_values[value]);
    const auto on_average = [&](const auto& entry) { return of_values[entry.first]; };
    const auto by_point = [](const auto& entry) { return entry.second; };
    const auto [first, last] = std::ranges::minmax_element(ran, {}, by_point);
    all.push_back({path, words[std::ranges::min_element(ran, {}, on_average)->first], std::exp(MainEffects::span_of(of_ran)),
                   variance_of(of_ran), words[first->first], std::exp(last->second - first->second), design});
    variance += all.back().share;
  };
  add("design", effects.of_designs(), space.designs(), designs, "");
  const std::size_t best = std::ranges::min_element(designs, {}, [](const auto& entry) { return entry.second; })->first;
  for (std::size_t axis = 0; axis < values.size(); ++axis) {
    if (values[axis].empty()) continue;
    const std::size_t design = telling_design(values[axis], best);
    add(space.axes()[axis].path, effects.of_axis(axis), space.axes()[axis].values, values[axis].at(design), space.designs()[design]);
  }
  for (AxisImportance& axis : all) axis.share = variance > 0 ? axis.share / variance : 0;
  std::ranges::stable_sort(all, std::greater{}, &AxisImportance::factor);
  return all;
}

std::vector<DesignPoints> points_by_design(const Search& search) {
  const SearchSpace& space = search.space();
  std::vector<DesignPoints> designs;
  for (std::size_t design = 0; design < space.designs().size(); ++design) {
    const auto [first, end] = space.points_of(design);
    const auto base = search.base(design);
    designs.push_back({.design = space.designs()[design], .points = end - first + (base && *base >= space.size() ? 1 : 0)});
    if (base && search.results().contains(*base) && score(search.results().at(*base))) designs.back().base = base;
  }
  for (const auto& [number, result] : search.results()) {
    DesignPoints& design = designs[space.at(number).design];
    ++design.tried;
    design.ran += result.outcome == TrialOutcome::kRan;
    design.pruned += result.outcome == TrialOutcome::kPruned;
    design.refused += result.outcome == TrialOutcome::kIllegal;
    design.no_end += result.outcome == TrialOutcome::kNoEnd;
  }
  for (DesignPoints& design : designs)
    design.base_alone = design.ran == 1 && design.tried > 1 && design.base && *design.base >= space.size();
  return designs;
}

/// "no point of hybrid ran (12 tried: 8 refused, 4 pruned)".
std::string idle_text(const DesignPoints& design) {
  if (design.tried == 0) return fmt::format("no point of {} was tried", design.design);
  std::vector<std::string> why;
  const auto add = [&why](std::size_t points, std::string_view what) {
    if (points > 0) why.push_back(fmt::format("{} {}", format_count(static_cast<std::int64_t>(points)), what));
  };
  add(design.refused, "refused");
  add(design.pruned, "pruned");
  add(design.no_end, "without an end");
  return fmt::format("no point of {} ran{} ({} tried: {})", design.design, design.base_alone ? " but its base" : "",
                     format_count(static_cast<std::int64_t>(design.tried - design.ran)), fmt::join(why, ", "));
}

/// Of the design's points of most runs the fastest is first.
std::optional<double> gain_of(const DesignPoints& design, const Search& search, const std::vector<RankedPoint>& points) {
  const SearchSpace& space = search.space();
  const auto best = std::ranges::find_if(
      points, [&](const RankedPoint& point) { return space.designs()[space.at(point.number).design] == design.design; });
  if (!design.base || best == points.end()) return std::nullopt;
  std::vector<double> of_best = log_makespans(search.results().at(best->number));
  std::vector<double> of_base = log_makespans(search.results().at(*design.base));
  const std::size_t runs = std::max<std::size_t>(1, of_best.size() == 1   ? of_base.size()
                                                    : of_base.size() == 1 ? of_best.size()
                                                                          : std::min(of_best.size(), of_base.size()));
  return -std::expm1(distribution(first_of(std::move(of_best), runs)).mean - distribution(first_of(std::move(of_base), runs)).mean);
}

/// "against its base, … the best point of hybrid is 4.0 % shorter, of static-queues no shorter".
std::string gains_text(const SearchAnswer& answer) {
  std::vector<std::string> gains;
  for (const DesignPoints& design : answer.designs) {
    if (!design.gain) continue;
    gains.push_back(fmt::format("of {}{} {}", design.design, gains.empty() ? " is" : "",
                                *design.gain > 0 ? format_percent(*design.gain) + " shorter" : "no shorter"));
  }
  return gains.empty() ? "" : fmt::format("against its base, the design as the scenario has it, the best point {}", fmt::join(gains, ", "));
}

std::vector<Variation> variations_of(const SearchSpace& space) {
  std::vector<Variation> variations;
  for (const SearchAxis& axis : space.axes()) variations.push_back({axis.path, axis.values});
  return variations;
}

std::string counts_text(const Search& search, const SearchAnswer& answer) {
  const auto count = [](std::size_t number) { return format_count(static_cast<std::int64_t>(number)); };
  std::string text = fmt::format("{} of {} points tried, {} simulations", count(search.results().size()), count(search.points()),
                                 count(search.simulations()));
  if (answer.pruned > 0) text += fmt::format("; {} pruned, whose lower bound lies above the best makespan", count(answer.pruned));
  if (answer.refused.count() > 0) text += fmt::format("; {} refused", count(answer.refused.count()));
  if (answer.no_end > 0) text += fmt::format("; {} came to no end", count(answer.no_end));
  return text;
}

std::string slower_text(const RankedPoint& point) {
  if (point.stands == Standpoint::kBest) return "best";
  if (point.stands == Standpoint::kUndecided || point.low == point.high) return format_percent(point.slower, true);
  return fmt::format("{} to {}", format_percent(point.low, true), format_percent(point.high, true));
}

}  // namespace

SearchAnswer answer_of(const Search& search, PointCost cost) {
  SearchAnswer answer;
  answer.designs = points_by_design(search);
  for (const DesignPoints& design : answer.designs) {
    answer.pruned += design.pruned;
    answer.no_end += design.no_end;
  }
  answer.one_run = search.settings().runs == 1;
  answer.chance = search.chance();
  std::size_t most_runs = 0;
  for (const auto& [number, result] : search.results()) {
    if (result.outcome == TrialOutcome::kIllegal) answer.refused.add(result.why);
    if (const auto makespan_ns = mean_makespan_ns(result)) {
      answer.points.push_back({.number = number,
                               .makespan_ns = *makespan_ns,
                               .runs = result.runs(),
                               .cost = cost == PointCost::kCores ? result.cores : result.control_cores,
                               .is_base = search.is_base(number)});
      if (result.random) most_runs = std::max(most_runs, result.runs());
    }
  }
  const auto has_most = [&](const RankedPoint& point) { return !search.results().at(point.number).random || point.runs == most_runs; };
  std::ranges::stable_sort(answer.points, {}, [&](const RankedPoint& point) { return std::tuple(!has_most(point), point.makespan_ns); });
  const auto comparisons = static_cast<std::size_t>(std::ranges::count_if(answer.points, has_most)) - 1;
  const PointResult& best = search.results().at(answer.points.front().number);
  for (RankedPoint& point : std::span(answer.points).subspan(1)) {
    compare(point, search.results().at(point.number), best, comparisons, has_most(point));
    answer.not_told += point.stands == Standpoint::kNotTold;
    answer.undecided += point.stands == Standpoint::kUndecided;
  }
  for (DesignPoints& design : answer.designs) design.gain = gain_of(design, search, answer.points);
  mark_front(answer.points);
  answer.importance = importance_of(search);
  return answer;
}

namespace {

/// Of one run a point: what they say of each other.
std::string chance_text(const SearchAnswer& answer) {
  if (!answer.chance) return "one run a point: differences may be chance; --runs N tells more";
  const auto near = std::ranges::count_if(
      answer.points, [&](const RankedPoint& point) { return point.stands != Standpoint::kBest && point.slower <= *answer.chance; });
  const std::string others = near == 0 ? "no other point is" : near == 1 ? "one other point is" : format_count(near) + " other points are";
  return fmt::format("one run a point: differences below {} may be chance ({} as near to the best); --runs N tells more",
                     format_percent(std::max(0.001, *answer.chance)), others);
}

/// Where the best has no equals.
std::string best_text(const SearchAnswer& answer) {
  const bool drawn = std::ranges::any_of(
      answer.points, [](const RankedPoint& point) { return point.stands == Standpoint::kWorse && point.low < point.high; });
  if (!drawn) return "no other point is as fast as the best";
  return fmt::format("every other point{} is slower than the best by more than chance explains",
                     answer.undecided > 0 ? " that had as many runs" : "");
}

}  // namespace

std::vector<std::string> verdict_of(const SearchAnswer& answer) {
  const auto count = [](std::size_t number) { return format_count(static_cast<std::int64_t>(number)); };
  std::vector<std::string> sentences;
  const std::size_t others = answer.points.size() - 1;
  if (answer.one_run && answer.undecided > 0) {
    sentences.push_back(chance_text(answer));
  } else {
    if (answer.not_told > 0)
      sentences.push_back(fmt::format("{} more cannot be told from the best", count(answer.not_told)));
    else if (answer.undecided < others)
      sentences.push_back(best_text(answer));
    if (answer.undecided > 0) sentences.push_back(fmt::format("{} of the others are undecided for want of runs", count(answer.undecided)));
  }
  if (std::string gains = gains_text(answer); !gains.empty()) sentences.push_back(std::move(gains));
  for (const DesignPoints& design : answer.designs) {
    if (design.ran == 0 || design.base_alone) sentences.push_back(idle_text(design));
  }
  return sentences;
}

std::string command_of(const Search& search, const std::vector<std::string>& files, std::uint64_t number) {
  const SearchPoint point = search.space().at(number);
  std::string text;
  for (const std::string& file : files) {
    const std::vector<std::string> overrides = search.space().overrides(point);
    text += fmt::format("{}tasktwin {} {} --designs {}", text.empty() ? "" : " && ", overrides.empty() ? "simulate" : "sweep",
                        shell_word(file), shell_word(search.space().designs()[point.design]));
    for (const std::string& override_text : overrides) text += " --vary " + shell_word(override_text);
    if (search.results().at(number).random && search.settings().runs > 1)
      text += fmt::format(" --runs {}", search.results().at(number).runs());
  }
  return text;
}

namespace {

Json to_json(const AxisImportance& axis) {
  return {{"path", axis.path},
          {"factor", axis.factor},
          {"share", axis.share},
          {"best", axis.best},
          {"factor_by_point", axis.factor_by_point},
          {"best_by_point", axis.best_by_point},
          {"of_design", axis.design.empty() ? Json(nullptr) : Json(axis.design)}};
}

/// The first `most`, and the designs as the files have them.
std::vector<const RankedPoint*> rows_of(const SearchAnswer& answer, std::size_t most) {
  std::vector<const RankedPoint*> rows;
  for (const RankedPoint& point : answer.points) {
    if (rows.size() < most || point.is_base) rows.push_back(&point);
  }
  return rows;
}

}  // namespace

Json answer_to_json(const Search& search, const std::vector<std::string>& files, const SearchAnswer& answer, std::size_t most) {
  const SearchSpace& space = search.space();
  Json result = {{"scenarios", files},
                 {"method", to_word(search.settings().method)},
                 {"space", search.points()},
                 {"tried", search.results().size()},
                 {"simulations", search.simulations()},
                 {"pruned", answer.pruned},
                 {"no_end", answer.no_end},
                 {"not_told_apart", answer.not_told},
                 {"undecided", answer.undecided},
                 {"chance", answer.chance ? Json(*answer.chance) : Json(nullptr)},
                 {"designs", Json::array()},
                 {"axes", Json::array()},
                 {"points", Json::array()},
                 {"importance", Json::array()},
                 {"skipped", Json::array()},
                 {"version", version()}};
  if (search.interrupted()) result["interrupted"] = true;
  for (const DesignPoints& design : answer.designs) {
    result["designs"].push_back({{"design", design.design},
                                 {"points", design.points},
                                 {"tried", design.tried},
                                 {"ran", design.ran},
                                 {"pruned", design.pruned},
                                 {"refused", design.refused},
                                 {"no_end", design.no_end},
                                 {"base", design.base ? Json(*design.base) : Json(nullptr)},
                                 {"gain", design.gain ? Json(*design.gain) : Json(nullptr)}});
  }
  for (const SearchAxis& axis : space.axes()) result["axes"].push_back({{"path", axis.path}, {"values", axis.values}});
  for (const RankedPoint* const row : rows_of(answer, most)) {
    const RankedPoint& point = *row;
    const PointResult& known = search.results().at(point.number);
    Json values = Json::array();
    for (std::size_t axis = 0; axis < space.axes().size(); ++axis) {
      const std::string value = search.value(point.number, axis);
      values.push_back(value.empty() ? Json(nullptr) : Json(value));
    }
    result["points"].push_back({{"point", point.number},
                                {"design", space.designs()[space.at(point.number).design]},
                                {"is_base", point.is_base},
                                {"values", std::move(values)},
                                {"makespan_ns", point.makespan_ns},
                                {"runs", point.runs},
                                {"stands", to_word(point.stands)},
                                {"slower", point.slower},
                                {"ci_low", optional_number(point.low)},
                                {"ci_high", optional_number(point.high)},
                                {"cores", known.cores},
                                {"control_cores", known.control_cores},
                                {"on_front", point.on_front},
                                {"command", command_of(search, files, point.number)}});
  }
  for (const AxisImportance& axis : answer.importance) result["importance"].push_back(to_json(axis));
  for (const auto& [why, count] : answer.refused.by_count()) result["skipped"].push_back({{"reason", why}, {"points", count}});
  return result;
}

std::string answer_to_text(const Search& search, const std::vector<std::string>& files, const SearchAnswer& answer, std::size_t most,
                           PointCost cost) {
  const SearchSpace& space = search.space();
  std::vector<std::string> header{"design"};
  for (const std::string& name : column_names(variations_of(space))) header.push_back(name);
  const bool several_runs = search.settings().runs > 1;
  header.insert(header.end(), {"makespan", "slower"});
  if (several_runs) header.emplace_back("runs");
  header.emplace_back(cost == PointCost::kCores ? "cores" : "control cores");
  const auto row = [&](const RankedPoint& point) {
    std::vector<std::string> cells{space.designs()[space.at(point.number).design] + (point.is_base ? " (base)" : "")};
    for (std::size_t axis = 0; axis < space.axes().size(); ++axis) cells.push_back(search.value(point.number, axis));
    cells.insert(cells.end(), {format_us(point.makespan_ns), slower_text(point)});
    if (several_runs) cells.push_back(std::to_string(point.runs));
    cells.push_back(std::to_string(point.cost));
    return cells;
  };
  TextTable ranking(header, 1 + space.axes().size());
  for (const RankedPoint* const point : rows_of(answer, most)) ranking.add_row(row(*point));
  TextTable front(header, 1 + space.axes().size());
  std::vector<const RankedPoint*> on_front;
  for (const RankedPoint& point : answer.points) {
    if (point.on_front) on_front.push_back(&point);
  }
  std::ranges::stable_sort(on_front, {}, &RankedPoint::cost);
  for (const RankedPoint* point : on_front) front.add_row(row(*point));

  std::string text =
      wrap(fmt::format("{}: {}", coloured(fmt::format("{}", fmt::join(files, ", ")), Tone::kStrong), counts_text(search, answer))) + '\n' +
      ranking.to_string();
  for (const std::string& sentence : verdict_of(answer)) text += wrap(sentence) + '\n';
  if (on_front.size() > 1)
    text +=
        '\n' +
        wrap(fmt::format(
            "no point that ran is faster with as few {}, the Pareto front{}", cost == PointCost::kCores ? "cores" : "control cores",
            answer.pruned > 0 ? "; slower points with fewer of them may be among the pruned ones, which --no-prune simulates too" : "")) +
        '\n' + front.to_string();
  if (!answer.importance.empty()) {
    TextTable importance({"what", "on average", "share", "best on average", "by best points", "best value", "of design"});
    for (const AxisImportance& axis : answer.importance)
      importance.add_row({axis.path, fmt::format("{:.3f} ×", axis.factor), format_percent(axis.share), axis.best,
                          fmt::format("{:.3f} ×", axis.factor_by_point), axis.best_by_point, axis.design.empty() ? "all" : axis.design});
    text += "\nwhat each axis does: worst value over best, on average over their points, and by the best point of each in one design\n" +
            importance.to_string();
  }
  return text + "\n" + command_of(search, files, answer.points.front().number) + '\n';
}

std::string results_to_csv(const Search& search) {
  const SearchSpace& space = search.space();
  std::string text = "point,design,";
  for (const SearchAxis& axis : space.axes()) text += csv_field(axis.path) + ',';
  text += "makespan_ns,runs,cores,control_cores,outcome,reason\n";
  for (const auto& [number, result] : search.results()) {
    const SearchPoint point = space.at(number);
    text += fmt::format("{},{},", number, csv_field(space.designs()[point.design]));
    for (std::size_t axis = 0; axis < space.axes().size(); ++axis) text += csv_field(search.value(number, axis)) + ',';
    const auto makespan_ns = mean_makespan_ns(result);
    text += makespan_ns ? fmt::format("{},{},", *makespan_ns, result.runs()) : ",,";
    text += fmt::format("{},{},{},{}\n", result.cores, result.control_cores, to_word(result.outcome), csv_field(result.why));
  }
  return text;
}

std::string results_to_json_lines(const Search& search) {
  const SearchSpace& space = search.space();
  std::string text;
  for (const auto& [number, result] : search.results()) {
    const SearchPoint point = space.at(number);
    Json line = {{"point", number}, {"design", space.designs()[point.design]}, {"values", Json::object()}};
    for (std::size_t axis = 0; axis < space.axes().size(); ++axis) {
      if (std::string value = search.value(number, axis); !value.empty()) line["values"][space.axes()[axis].path] = std::move(value);
    }
    line["makespan_ns"] = optional_number(mean_makespan_ns(result));
    line["makespans_ns"] = result.makespans;
    line["cores"] = result.cores;
    line["control_cores"] = result.control_cores;
    line["outcome"] = to_word(result.outcome);
    line["reason"] = result.why.empty() ? Json(nullptr) : Json(result.why);
    text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  }
  return text;
}

Json search_page_data(const Search& search, const SearchAnswer& answer, PointCost cost) {
  const SearchSpace& space = search.space();
  const std::size_t count = std::min(kMostOnPage, answer.points.size());
  Json axes = Json::array();
  for (const SearchAxis& axis : space.axes()) axes.push_back({{"path", axis.path}, {"values", axis.values}});
  Json points = {{"number", Json::array()}, {"design", Json::array()}, {"values", Json::array()}, {"makespan_ns", Json::array()},
                 {"runs", Json::array()},   {"slower", Json::array()}, {"low", Json::array()},    {"high", Json::array()},
                 {"stands", Json::array()}, {"cost", Json::array()},   {"front", Json::array()},  {"base", Json::array()}};
  for (std::size_t axis = 0; axis < space.axes().size(); ++axis) points["values"].push_back(Json::array());
  for (const RankedPoint& point : std::span(answer.points).first(count)) {
    const SearchPoint at = space.at(point.number);
    points["number"].push_back(point.number);
    points["design"].push_back(at.design);
    for (std::size_t axis = 0; axis < space.axes().size(); ++axis) points["values"][axis].push_back(at.values[axis]);
    points["makespan_ns"].push_back(point.makespan_ns);
    points["runs"].push_back(point.runs);
    points["slower"].push_back(point.slower);
    points["low"].push_back(optional_number(point.low));
    points["high"].push_back(optional_number(point.high));
    points["stands"].push_back(static_cast<int>(point.stands));
    points["cost"].push_back(point.cost);
    points["front"].push_back(point.on_front ? 1 : 0);
    points["base"].push_back(point.is_base ? 1 : 0);
  }
  Json importance = Json::array();
  for (const AxisImportance& axis : answer.importance) importance.push_back(to_json(axis));
  Json skipped = Json::array();
  for (const auto& [why, points_of] : answer.refused.by_count()) skipped.push_back({{"reason", why}, {"points", points_of}});
  std::string summary = counts_text(search, answer) + '.';
  if (count < answer.points.size()) summary += fmt::format(" The {} best are shown.", format_count(static_cast<std::int64_t>(count)));
  return {{"summary", std::move(summary)},
          {"verdict", verdict_of(answer)},
          {"designs", space.designs()},
          {"axes", std::move(axes)},
          {"cost", cost == PointCost::kCores ? "cores" : "control cores"},
          {"stands", all_words<Standpoint>()},
          {"points", std::move(points)},
          {"importance", std::move(importance)},
          {"skipped", std::move(skipped)}};
}

}  // namespace tasktwin::verify
