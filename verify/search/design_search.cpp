#include "verify/search/design_search.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "verify/output/text/json.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/run_bounds.hpp"
#include "verify/predict/run_statistics.hpp"
#include "verify/search/search_guide.hpp"

namespace tasktwin::verify {

namespace {

/// Points of a round where rounds have nothing to learn from each other but the best makespan.
constexpr std::size_t kRound = 256;

/// Designs of up to that many points together are drawn from without putting back.
constexpr std::uint64_t kShuffled = 1u << 20;

/// Up to that many tasks of all runs of all points together, every point is tried: that takes seconds to a minute.
constexpr std::uint64_t kFewTasks = 1'000'000;

constexpr std::uint64_t kLeastBudget = 50;
constexpr std::uint64_t kMostBudget = 10'000;  ///< that is chosen without being asked for

PointResult answer_from(std::string_view bytes) {
  const Json answer = Json::from_cbor(bytes);
  return {static_cast<TrialOutcome>(answer[0].get<int>()),
          answer[1].get<std::string>(),
          answer[2].get<bool>(),
          answer[3].get<int>(),
          answer[4].get<int>(),
          answer[5].get<std::vector<std::vector<double>>>()};
}

bool has_enough(const PointResult& result, std::uint64_t runs) {
  return result.outcome != TrialOutcome::kRan || (!result.random && result.runs() > 0) || result.runs() >= runs;
}

double mean(const std::vector<double>& values, std::size_t first) {
  return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(first), 0.0) / static_cast<double>(first);
}

}  // namespace

std::vector<double> log_makespans(const PointResult& result) {
  std::vector<double> logs(result.runs());
  for (const auto& of_scenario : result.makespans) {
    for (std::size_t run = 0; run < logs.size(); ++run)
      logs[run] += std::log(std::max(1.0, of_scenario[run])) / static_cast<double>(result.makespans.size());
  }
  return logs;
}

std::optional<double> score(const PointResult& result) {
  if (result.outcome != TrialOutcome::kRan || result.runs() == 0) return std::nullopt;
  double sum = 0;
  for (const auto& of_scenario : result.makespans) sum += std::log(std::max(1.0, mean(of_scenario, of_scenario.size())));
  return sum / static_cast<double>(result.makespans.size());
}

std::optional<double> mean_makespan_ns(const PointResult& result) {
  const std::optional<double> known = score(result);
  if (!known) return std::nullopt;
  if (result.makespans.size() > 1) return std::exp(*known);
  const std::vector<double>& makespans = result.makespans.front();
  return mean(makespans, makespans.size());
}

Search::Search(const std::vector<std::string>& files, SearchSpace space, const SearchSettings& settings)
    : space_(std::move(space)),
      settings_(settings),
      runner_(files, space_.designs()),
      scenarios_(files.size()),
      random_(mix(settings.seed) ^ 0x5ea7c4),
      hands_(space_.designs().size()) {
  find_bases();
  if (settings_.budget == 0) settings_.budget = usual_budget();
}

/// A design as the files have it, where it is one that can run.
void Search::find_bases() {
  const std::vector<SearchAxis>& axes = space_.axes();
  for (std::size_t design = 0; design < space_.designs().size(); ++design) {
    const std::string& name = space_.designs()[design];
    std::vector<std::string>& values = shipped_values_.emplace_back(axes.size());
    std::optional<std::uint64_t>& base = bases_.emplace_back();
    try {
      const Design shipped = runner_.scenario(0).with({}, name).designs.front();
      for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        const std::string_view key = std::string_view(axes[axis].path).substr(axes[axis].path.rfind('.') + 1);
        const auto field = std::ranges::find(axis_fields(), key, &AxisField::name);
        if (axes[axis].path.starts_with("designs.") && space_.has(design, axis) && field != axis_fields().end())
          values[axis] = field->text(shipped);
      }
      base = space_.shipped(design);
      const std::optional<std::uint64_t> combination = combination_of(design);
      if (!combination) continue;
      const std::vector<std::string> overrides = space_.overrides(space_.at(*combination));
      bool same = true;
      for (std::size_t scenario = 0; scenario < scenarios_; ++scenario) {
        const Design as_is = runner_.scenario(scenario).with({}, name).designs.front();
        same &= runner_.scenario(scenario).with(overrides, name).designs.front() == as_is;
      }
      if (same) base = combination;
    } catch (const InputError&) {  // --vary may yet make it one that can run
    }
  }
}

/// That has the values which the first file's design has, where all axes are of designs.
std::optional<std::uint64_t> Search::combination_of(std::size_t design) const {
  SearchPoint point{design, std::vector<int>(space_.axes().size(), kNoValue)};
  for (std::size_t axis = 0; axis < point.values.size(); ++axis) {
    if (!space_.has(design, axis)) continue;
    const std::vector<std::string>& values = space_.axes()[axis].values;
    const auto found = std::ranges::find(values, shipped_values_[design][axis]);
    if (found == values.end()) return std::nullopt;
    point.values[axis] = static_cast<int>(found - values.begin());
  }
  return space_.number(point);
}

std::uint64_t Search::points() const {
  const auto apart = std::ranges::count_if(bases_, [this](const auto& base) { return base && *base >= space_.size(); });
  return space_.size() + static_cast<std::uint64_t>(apart);
}

std::string Search::value(std::uint64_t number, std::size_t axis) const {
  const SearchPoint point = space_.at(number);
  if (number >= space_.size()) return shipped_values_[point.design][axis];
  return point.values[axis] == kNoValue ? "" : space_.axes()[axis].values[static_cast<std::size_t>(point.values[axis])];
}

/// All points where that is little work; the share of them that is tried else does not depend on how fast the machine is.
std::uint64_t Search::usual_budget() {
  const std::uint64_t each = settings_.runs * scenarios_;
  const std::uint64_t all = points() > kMostSimulations / each ? kMostSimulations : points() * each;
  if (settings_.method == SearchMethod::kGrid) return all;
  if (settings_.method == SearchMethod::kHalving) return std::min(2 * (all / settings_.runs), kMostSimulations);
  std::uint64_t tasks = 0;
  const auto known = std::ranges::find_if(bases_, [](const auto& base) { return base.has_value(); });
  for (std::size_t scenario = 0; scenario < scenarios_ && known != bases_.end(); ++scenario)
    tasks += runner_.scenario(scenario).with({}, space_.designs()[static_cast<std::size_t>(known - bases_.begin())]).graph.size();
  if (tasks > 0 && all / scenarios_ <= kFewTasks / tasks) return all;
  return std::clamp(all / settings_.runs / 10, kLeastBudget, kMostBudget);
}

/// [point, random, cores, control cores, makespans by scenario]: the answer is contradiction()'s. [point, first run, runs, limit]: it has
/// the runs that were asked for, or one of each scenario where chance decides nothing.
std::string Search::serve(std::string_view request) {
  const Json asked = Json::from_cbor(request);
  const SearchPoint point = space_.at(asked[0].get<std::uint64_t>());
  if (asked.size() == 5) {
    const DesignTraits traits{asked[1].get<bool>(), asked[2].get<int>(), asked[3].get<int>()};
    return contradiction(point, traits, asked[4].get<std::vector<std::vector<double>>>());
  }
  Trial trial{.design = space_.designs()[point.design],
              .overrides = space_.overrides(point),
              .first_run = asked[1].get<std::uint64_t>(),
              .runs = asked[2].get<std::uint64_t>()};
  if (!asked[3].is_null()) trial.limit_ns = asked[3].get<double>();
  PointResult result;
  for (; trial.scenario < scenarios_ && result.outcome == TrialOutcome::kRan; ++trial.scenario) {
    TrialResult one = runner_.run(trial);
    result.outcome = one.outcome;
    result.why = std::move(one.why);
    result.random |= one.random;
    result.cores = std::max(result.cores, one.cores);
    result.control_cores = std::max(result.control_cores, one.control_cores);
    result.makespans.push_back(std::move(one.makespans));
  }
  if (result.outcome != TrialOutcome::kRan) result.makespans.clear();
  for (auto& makespans : result.makespans) {
    if (result.random && makespans.size() == 1) makespans.resize(trial.runs, makespans.front());
  }
  return to_bytes(
      Json::array({static_cast<int>(result.outcome), result.why, result.random, result.cores, result.control_cores, result.makespans}));
}

std::string Search::contradiction(const SearchPoint& point, const DesignTraits& traits, const std::vector<std::vector<double>>& makespans) {
  DesignTraits right;
  for (std::size_t scenario = 0; scenario < makespans.size(); ++scenario) {
    const scenarios::Scenario& varied = runner_.scenario(scenario).with(space_.overrides(point), space_.designs()[point.design]);
    const DesignTraits one = traits_of(varied, varied.designs.front());
    right = {right.random || one.random, std::max(right.cores, one.cores), std::max(right.control_cores, one.control_cores)};
    if (std::string why = below_bound(varied, varied.designs.front(), makespans[scenario]); !why.empty()) return why;
  }
  if (traits == right) return {};
  const auto words = [](const DesignTraits& of) {
    return fmt::format("random {}, cores {}, control_cores {}", of.random ? 1 : 0, of.cores, of.control_cores);
  };
  return fmt::format("has {}; by its design it has {}", words(traits), words(right));
}

/// What a file says of runs must be what runs can have taken.
void Search::check_known(const std::string& file) {
  std::vector<const PointResults::value_type*> ran;
  for (const auto& entry : known_) {
    if (entry.second.outcome == TrialOutcome::kRan) ran.push_back(&entry);
  }
  const auto request = [&ran](std::size_t i) {
    const PointResult& result = ran[i]->second;
    return to_bytes(Json::array({ran[i]->first, result.random, result.cores, result.control_cores, result.makespans}));
  };
  pool_->ask(ran.size(), request, [&](std::size_t i, const std::string& why) {
    const char* const table = why.starts_with("has ") ? "points" : "runs";
    if (!why.empty())
      throw InputError({file}, fmt::format("{}: point {}{} {}", table, ran[i]->first, why.starts_with("has ") ? "" : ":", why));
  });
}

void Search::run(Pool& pool, PointResults known, ResultFile* file, Progress& progress) {
  pool_ = &pool;
  file_ = file;
  progress_ = &progress;
  known_ = std::move(known);
  if (file != nullptr) check_known(file->name());
  progress.expect(static_cast<std::size_t>(planned()));
  try {
    run_all();
  } catch (const Interrupted&) {
    if (results_.empty()) throw;
    interrupted_ = true;
  }
  progress.clear();
  if (!interrupted_) require_combination();
}

void Search::run_all() {
  const bool halves = settings_.runs > 1;
  const bool all_points = settings_.method == SearchMethod::kGuided && settings_.budget / (settings_.runs * scenarios_) >= points();
  run_bases(!all_points && (settings_.method == SearchMethod::kGuided || settings_.method == SearchMethod::kHalving));
  switch (settings_.method) {
    case SearchMethod::kGrid:
      run_grid();
      break;
    case SearchMethod::kRandom:
      run_random(settings_.budget);
      break;
    case SearchMethod::kGuided:
      all_points ? run_grid() : run_guided(halves ? std::max<std::uint64_t>(1, settings_.budget / 2) : settings_.budget);
      break;
    case SearchMethod::kHalving:
      run_random(halves ? std::max<std::uint64_t>(1, settings_.budget / 2) : settings_.budget);
      break;
  }
  if (halves && !all_points && (settings_.method == SearchMethod::kGuided || settings_.method == SearchMethod::kHalving)) run_halving();
  measure_chance();
}

std::uint64_t Search::planned() const {
  const std::uint64_t each = settings_.runs * scenarios_;
  return settings_.method == SearchMethod::kGrid ? points() * each : std::min(settings_.budget, points() * each);
}

/// Of the combinations that were tried one ran, or was pruned: else --vary is to blame.
void Search::require_combination() const {
  const PointResult* refused = nullptr;
  for (const auto& [number, result] : results_) {
    if (number >= space_.size()) continue;
    if (result.outcome == TrialOutcome::kRan || result.outcome == TrialOutcome::kPruned) return;
    if (refused == nullptr) refused = &result;
  }
  if (refused == nullptr) return;
  if (refused->outcome == TrialOutcome::kIllegal) throw InputError(refused->why);
  throw RunError(refused->why);
}

/// As many as the budget allows; `one_run`: what they need more comes with the better half.
void Search::run_bases(bool one_run) {
  const std::uint64_t runs = one_run ? 1 : settings_.runs;
  Numbers bases;
  for (const std::optional<std::uint64_t>& base : bases_) {
    if (base) bases.push_back(*base);
  }
  const std::uint64_t most = std::max<std::uint64_t>(1, settings_.budget / (runs * scenarios_));
  if (settings_.method != SearchMethod::kGrid && bases.size() > most) bases.resize(most);
  evaluate(bases, runs);
}

/// By the spread of a few more runs of one point, which are no results of the search.
void Search::measure_chance() {
  constexpr std::uint64_t kMore = 7;
  constexpr double kQuantile = 2.365;  // Student's t, 97.5 %, of kMore degrees of freedom
  if (settings_.runs > 1) return;
  std::optional<std::pair<double, std::uint64_t>> fastest;
  for (const auto& [number, result] : results_) {
    const std::optional<double> known = result.random ? score(result) : std::nullopt;
    if (known && (!fastest || *known < fastest->first)) fastest = std::pair(*known, number);
  }
  if (!fastest) return;
  const auto request = [&](std::size_t) { return to_bytes(Json::array({fastest->second, 1, kMore, nullptr})); };
  pool_->ask(1, request, [&](std::size_t, const std::string& bytes) {
    const PointResult answer = answer_from(bytes);
    if (answer.outcome != TrialOutcome::kRan) return;
    std::vector<double> logs = log_makespans(answer);
    logs.push_back(fastest->first);
    chance_ = std::expm1(kQuantile * std::sqrt(2.0) * distribution(logs).sigma);
  });
}

void Search::run_grid() {
  for (std::uint64_t next = 0; next < space_.size();) {
    Numbers round;
    for (; next < space_.size() && round.size() < kRound; ++next) round.push_back(next);
    evaluate(round, settings_.runs);
  }
}

void Search::run_random(std::uint64_t budget) {
  const bool halves = settings_.method == SearchMethod::kHalving;
  const std::uint64_t runs = halves ? 1 : settings_.runs;
  while (!is_spent(budget)) {
    const std::uint64_t left = std::max<std::uint64_t>(1, (budget - spent_) / (runs * scenarios_));
    const Numbers round = draw(static_cast<std::size_t>(std::min<std::uint64_t>(kRound, left)));
    if (round.empty()) return;
    evaluate(round, runs);
  }
}

/// A quarter of the budget drawn by chance, then rounds of what the guide proposes.
void Search::run_guided(std::uint64_t budget) {
  const auto points = [&](std::uint64_t simulations) {
    const std::uint64_t left = (budget - spent_ + scenarios_ - 1) / scenarios_;
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(simulations / scenarios_, 1, std::max<std::uint64_t>(1, left)));
  };
  while (!is_spent(budget)) {
    const bool is_first = spent_ < budget / 4;
    const std::uint64_t wanted = is_first ? budget / 4 - spent_ : std::max<std::uint64_t>(4, budget / 24);
    const Numbers round = is_first || scores().empty() ? draw(points(wanted)) : propose(points(wanted));
    if (round.empty()) return;
    evaluate(round, 1);
  }
}

/// Of the points that ran, the better half and the designs as shipped get twice as many runs, and so on (Jamieson, Talwalkar 2016). What
/// cannot be distinguished from the best by then stays, as long as the budget lasts for all of them.
void Search::run_halving() {
  auto ranked = scores();
  std::erase_if(ranked, [this](const auto& entry) { return !results_.at(entry.first).random; });
  if (ranked.empty()) return;
  const auto rungs = static_cast<std::uint64_t>(std::bit_width(settings_.runs - 1));
  Numbers bases;
  for (const std::optional<std::uint64_t>& base : bases_) {
    if (base && results_.contains(*base) && results_.at(*base).random && results_.at(*base).outcome == TrialOutcome::kRan)
      bases.push_back(*base);
  }
  const std::uint64_t of_bases = bases.size() * (settings_.runs - 1) * scenarios_;
  const std::uint64_t budget = std::max<std::uint64_t>(of_bases + 1, settings_.budget / 2) - of_bases;
  auto stay = static_cast<std::size_t>(std::max<std::uint64_t>(2, budget / (rungs * scenarios_)));
  for (std::uint64_t runs = 2; runs / 2 < settings_.runs; runs *= 2) {
    auto all = scores();
    std::erase_if(all, [this](const auto& entry) { return !results_.at(entry.first).random; });
    std::erase_if(all, [&](const auto& entry) { return results_.at(entry.first).runs() < runs / 2; });
    std::ranges::stable_sort(all, {}, [](const auto& entry) { return entry.second; });
    all.resize(std::min(all.size(), stay));
    Numbers numbers;
    for (const auto& [number, score] : all) numbers.push_back(number);
    for (const std::uint64_t base : bases) {
      if (std::ranges::find(numbers, base) == numbers.end()) numbers.push_back(base);
    }
    evaluate(numbers, std::min(runs, settings_.runs));
    stay = std::max<std::size_t>(2, stay / 2);
  }
}

void Search::evaluate(const Numbers& numbers, std::uint64_t runs) {
  struct Missing {
    std::uint64_t number;
    std::uint64_t first_run;
  };
  std::vector<Missing> missing;
  const std::optional<double> limit = limit_ns(runs);  // before reveal(): what the file knows of this round was not known when it began
  for (const std::uint64_t number : numbers) {
    if (chosen_.insert(number).second) order_.push_back(number);
    reveal(number, runs);
    const auto found = results_.find(number);
    if (found != results_.end() && has_enough(found->second, runs)) continue;
    missing.push_back({number, found == results_.end() ? 0 : found->second.runs()});
  }
  const auto begun = std::chrono::steady_clock::now();
  const auto request = [&](std::size_t i) {
    progress_->show("searching");
    return to_bytes(Json::array({missing[i].number, missing[i].first_run, runs - missing[i].first_run,
                                 limit && missing[i].first_run == 0 ? Json(*limit) : Json(nullptr)}));
  };
  pool_->ask(missing.size(), request, [&](std::size_t i, const std::string& answer) {
    take(missing[i].number, missing[i].first_run, answer_from(answer));
    progress_->advance(static_cast<std::size_t>((runs - missing[i].first_run) * scenarios_));
  });
  charge(numbers, runs);
  tell_plan(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count(), missing.size());
}

/// What the file knows, but of no more runs than are asked for: a later round's would change what earlier ones choose.
void Search::reveal(std::uint64_t number, std::uint64_t runs) {
  const auto known = known_.find(number);
  if (known == known_.end()) return;
  const auto found = results_.find(number);
  if (found != results_.end() && has_enough(found->second, runs)) return;
  PointResult& result = results_[number] = known->second;
  for (auto& makespans : result.makespans) makespans.resize(std::min<std::size_t>(makespans.size(), runs));
}

void Search::take(std::uint64_t number, std::uint64_t first_run, PointResult answer) {
  PointResult& result = results_[number];
  if (first_run == 0) {
    result = std::move(answer);
  } else {
    result.outcome = answer.outcome;
    result.why = std::move(answer.why);
    for (std::size_t scenario = 0; scenario < answer.makespans.size(); ++scenario)
      result.makespans[scenario].insert(result.makespans[scenario].end(), answer.makespans[scenario].begin(),
                                        answer.makespans[scenario].end());
    if (result.outcome != TrialOutcome::kRan) result.makespans.clear();
  }
  if (file_ != nullptr) file_->write(space_, number, result, first_run);
}

/// What a point has cost counts whether it was simulated now or read from the file, so that the search goes the same way.
void Search::charge(const Numbers& numbers, std::uint64_t runs) {
  for (const std::uint64_t number : numbers) {
    const PointResult& result = results_.at(number);
    if (result.outcome != TrialOutcome::kRan) continue;
    const std::uint64_t cost = (result.random ? runs : 1) * scenarios_;
    std::uint64_t& charged = charged_[number];
    spent_ += cost > charged ? cost - charged : 0;
    charged = std::max(charged, cost);
  }
}

/// Once a first round says how fast it goes, what is still to come and how long that takes.
void Search::tell_plan(double seconds, std::size_t done) {
  constexpr double kWorthSaying = 10;
  if (plan_told_ || done < 8 || seconds <= 0) return;
  plan_told_ = true;
  const double rate = static_cast<double>(done) / seconds;
  const double left =
      static_cast<double>(planned() - std::min(planned(), spent_)) / rate / static_cast<double>(settings_.runs * scenarios_);
  if (left < kWorthSaying) return;
  remark(fmt::format("{} simulations at most, {:.0f} points a second: {} at most", format_count(static_cast<std::int64_t>(planned())), rate,
                     rough_time(std::chrono::duration<double>(left))));
}

bool Search::is_spent(std::uint64_t budget) const {
  constexpr std::uint64_t kMostInVain = 50;  // points for each simulation of the budget
  return spent_ >= budget || order_.size() >= kMostInVain * std::max<std::uint64_t>(budget, kRound);
}

std::optional<std::uint64_t> Search::draw_of(std::size_t design) {
  const auto [first, end] = space_.points_of(design);
  const std::uint64_t size = end - first;
  const auto any = [this](std::uint64_t below) {
    return static_cast<std::uint64_t>(random_.between(0, static_cast<std::int64_t>(below) - 1));
  };
  if (size > kShuffled / hands_.size()) {
    constexpr int kTries = 1000;
    for (int i = 0; i < kTries; ++i) {
      const std::uint64_t number = first + any(size);
      if (!chosen_.contains(number)) return number;
    }
    return std::nullopt;
  }
  std::optional<Numbers>& hand = hands_[design];
  if (!hand) {
    hand.emplace(size);
    std::iota(hand->begin(), hand->end(), first);
    for (std::uint64_t i = size; i > 1; --i) std::swap((*hand)[i - 1], (*hand)[any(i)]);
  }
  while (!hand->empty()) {
    const std::uint64_t number = hand->back();
    hand->pop_back();
    if (!chosen_.contains(number)) return number;
  }
  return std::nullopt;
}

/// The designs take turns, so that one of few points is not lost among those of many.
Search::Numbers Search::draw(std::size_t count) {
  Numbers drawn;
  for (std::size_t in_vain = 0; drawn.size() < count && in_vain < hands_.size();) {
    const std::optional<std::uint64_t> number = draw_of(turn_++ % hands_.size());
    const bool is_new = number && std::ranges::find(drawn, *number) == drawn.end();
    in_vain = is_new ? 0 : in_vain + 1;
    if (is_new) drawn.push_back(*number);
  }
  return drawn;
}

std::vector<std::pair<std::uint64_t, double>> Search::scores() const {
  std::vector<std::pair<std::uint64_t, double>> scores;
  for (const std::uint64_t number : order_) {
    const auto found = results_.find(number);
    if (found == results_.end()) continue;
    if (const std::optional<double> known = score(found->second)) scores.emplace_back(number, *known);
  }
  return scores;
}

/// The neighbours of the best points, and some of all.
Search::Numbers Search::candidates() {
  constexpr std::size_t kBest = 6;
  constexpr std::size_t kDrawn = 1500;
  auto ranked = scores();
  std::ranges::stable_sort(ranked, {}, [](const auto& entry) { return entry.second; });
  std::unordered_set<std::uint64_t> met;
  Numbers all;
  const auto add = [&](std::uint64_t number) {
    if (!chosen_.contains(number) && met.insert(number).second) all.push_back(number);
  };
  for (std::size_t i = 0; i < std::min(kBest, ranked.size()); ++i) {
    for (const std::uint64_t number : space_.neighbours(ranked[i].first)) add(number);
  }
  if (space_.size() <= 2 * kDrawn) {
    for (std::uint64_t number = 0; number < space_.size(); ++number) add(number);
  } else {
    for (std::size_t i = 0; i < kDrawn; ++i)
      add(static_cast<std::uint64_t>(random_.between(0, static_cast<std::int64_t>(space_.size()) - 1)));
  }
  return all;
}

/// Those that are guessed lowest, a guess's uncertainty taken off: none of it, one and two standard deviations in turn (lower confidence
/// bounds; Srinivas and others 2010).
Search::Numbers Search::propose(std::size_t count) {
  constexpr int kTurns = 3;
  auto known = scores();
  std::erase_if(known, [this](const auto& entry) { return entry.first >= space_.size(); });  // which have no values to learn from
  if (known.empty()) return draw(count);
  const Guide guide(space_, std::move(known));
  std::vector<std::pair<std::uint64_t, Guide::Guess>> guesses;
  for (const std::uint64_t number : candidates()) guesses.emplace_back(number, guide(number));
  Numbers proposed;
  while (proposed.size() < count && !guesses.empty()) {
    const auto cautious = static_cast<double>(proposed.size() % kTurns);
    const auto best =
        std::ranges::min_element(guesses, {}, [cautious](const auto& entry) { return entry.second.score - cautious * entry.second.sigma; });
    proposed.push_back(best->first);
    guesses.erase(best);
  }
  return proposed.empty() ? draw(count) : proposed;
}

std::optional<double> Search::limit_ns(std::uint64_t runs) const {
  if (!settings_.prune || scenarios_ > 1) return std::nullopt;
  std::optional<double> lowest;
  for (const auto& [number, result] : results_) {
    if (result.outcome != TrialOutcome::kRan || !has_enough(result, runs)) continue;
    const std::vector<double>& makespans = result.makespans.front();
    const double of_point = mean(makespans, std::min<std::size_t>(makespans.size(), runs));
    if (!lowest || of_point < *lowest) lowest = of_point;
  }
  return lowest;
}

}  // namespace tasktwin::verify
