// Searches of small spaces, held against trying everything.
#include "verify/search/design_search.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/search/search_guide.hpp"
#include "verify/search/search_ranking.hpp"

namespace tasktwin::verify {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kLayered =
    "scenario: layered\nmachine: nvidia-h200\ngraph: {generator: layered_random, tasks: 60, width: 20, max_time_ns: 5000}\n"
    "designs: [central-dispatcher, shared-queue, static-queues]\n";

SearchSpace space_of(const std::vector<std::string>& designs, const std::vector<std::string>& vary) {
  std::vector<SearchAxis> axes;
  for (const std::string& text : vary) axes.push_back(parse_search_axis(text, designs));
  return {designs, axes};
}

class SearchOfAFile : public testing::Test {
 protected:
  SearchOfAFile() { tests::write_text(file(), kLayered); }
  std::string file() const { return (folder_ / "layered.yaml").string(); }
  std::string results(const std::string& name = "results.db") const { return (folder_ / name).string(); }

  PointResults search(const SearchSpace& space, const SearchSettings& settings, std::size_t jobs = 1, ResultFile* into = nullptr) {
    Search search({file()}, space, settings);
    const auto pool = make_pool([&search](std::string_view request) { return search.serve(request); }, jobs);
    Progress progress([] {});
    search.run(*pool, into != nullptr ? into->read(space, 1) : PointResults{}, into, progress);
    return search.results();
  }

  tests::TemporaryFolder folder_;
};

std::vector<std::string> lines_of(const PointResults& results) {
  std::vector<std::string> lines;
  for (const auto& [number, result] : results)
    lines.push_back(std::to_string(number) + ' ' + std::string(to_word(result.outcome)) + ' ' + result.why + ' ' +
                    testing::PrintToString(result.makespans));
  return lines;
}

double lowest(const PointResults& results) {
  double best = std::numeric_limits<double>::infinity();
  for (const auto& [number, result] : results) best = std::min(best, score(result).value_or(best));
  return best;
}

const std::vector<std::string> kAxes{"designs.mailbox_depth=1,2,3", "designs.order=fifo,lifo,longest",
                                     "machine.device_mailboxes.hop_ns=400,800", "designs.central-dispatcher.dispatchers=1,2,4"};

TEST(SearchSpace, NumbersEveryPointOnceAndReadsItBack) {
  const SearchSpace space = space_of({"central-dispatcher", "shared-queue"}, kAxes);
  EXPECT_EQ(space.size(), 3u * 3 * 2 * 3 + 3u * 3 * 2);
  for (std::uint64_t number = 0; number < space.size(); ++number) EXPECT_EQ(space.number(space.at(number)), number);
  EXPECT_THAT(space.overrides(space.at(1)), ElementsAre("designs.mailbox_depth=1", "designs.order=fifo",
                                                        "machine.device_mailboxes.hop_ns=400", "designs.central-dispatcher.dispatchers=2"));
  EXPECT_THAT(space.overrides(space.at(54)),
              ElementsAre("designs.mailbox_depth=1", "designs.order=fifo", "machine.device_mailboxes.hop_ns=400"))
      << "of another design";
}

TEST(SearchSpace, HasNeighboursThatDifferInOneValue) {
  const SearchSpace space = space_of({"a", "b"}, {"seed=9,1,5", "designs.order=fifo,lifo,random"});
  EXPECT_THAT(space.axes()[0].values, ElementsAre("1", "5", "9"));
  std::vector<std::uint64_t> neighbours = space.neighbours(0);
  std::ranges::sort(neighbours);
  EXPECT_THAT(neighbours, ElementsAre(1, 2, 3, 9)) << "two other orders, the next seed, the other design";
}

TEST(SearchSpace, TakesEveryWordOfAnAxis) {
  const SearchAxis axis = parse_search_axis("designs.mine.order", {"mine"});
  EXPECT_EQ(axis.values.size(), all_words<TaskOrder>().size());
  EXPECT_EQ(axis.design, "mine");
  EXPECT_THROW(parse_search_axis("designs.mailbox_depth", {}), InputError);
  EXPECT_THROW(parse_search_axis("designs.odrer", {}), InputError);
  EXPECT_THROW(parse_search_axis("seed=1,2,1", {}), InputError);
}

TEST_F(SearchOfAFile, IsTheSameWithSeveralProcesses) {
  const SearchSpace space = space_of({"central-dispatcher", "shared-queue", "static-queues"}, kAxes);
  for (const SearchMethod method : {SearchMethod::kGrid, SearchMethod::kRandom, SearchMethod::kGuided}) {
    const SearchSettings settings{.method = method, .budget = 40};
    EXPECT_EQ(lines_of(search(space, settings)), lines_of(search(space, settings, 3))) << to_word(method);
  }
}

TEST_F(SearchOfAFile, GoesOnWhereItsFileEndsAndComesToTheSame) {
  const SearchSpace space = space_of({"central-dispatcher", "shared-queue"}, kAxes);
  for (const SearchMethod method : {SearchMethod::kGrid, SearchMethod::kGuided, SearchMethod::kHalving}) {
    const SearchSettings settings{.method = method, .budget = 30, .runs = 3};
    const std::string name = results(std::string(to_word(method)) + ".db");
    const std::vector<std::string> all = lines_of(search(space, settings));
    {
      ResultFile file(name, space, Json::object());
      struct Interrupted {};
      Search search({this->file()}, space, settings);
      int served = 0;
      const auto pool = make_pool(
          [&](std::string_view request) {
            if (++served > 11) throw Interrupted{};
            return search.serve(request);
          },
          1);
      Progress progress([] {});
      EXPECT_THROW(search.run(*pool, {}, &file, progress), Interrupted);
    }
    ResultFile file(name);
    EXPECT_EQ(file.read(space, 1).size(), 11u);
    EXPECT_EQ(lines_of(search(space, settings, 1, &file)), all) << to_word(method);
    EXPECT_EQ(lines_of(file.read(space, 1)), all) << "rows of " << to_word(method);
  }
}

TEST_F(SearchOfAFile, GoesOnWithAFileFromBeforeItsFirstRow) {
  const SearchSpace space = space_of({"shared-queue"}, {"machine.device_control.dispatch_ns=20,40"});
  { const ResultFile made(results(), space, Json::object()); }
  Database(results(), Database::Mode::kOpen).run("PRAGMA journal_mode = DELETE");  // as it is until ResultFile has opened it
  ResultFile file(results());
  const SearchSettings settings{.budget = 4};
  EXPECT_EQ(lines_of(search(space, settings, 1, &file)), lines_of(search(space, settings)));
  EXPECT_FALSE(file.read(space, 1).empty());
}

TEST_F(SearchOfAFile, RefusesAFileThatContradictsItself) {
  const SearchSpace space = space_of({"central-dispatcher", "shared-queue"}, {"designs.mailbox_depth=1,2", "designs.order=fifo,lifo"});
  const SearchSettings settings{.method = SearchMethod::kGrid, .budget = 8, .prune = false};
  const auto said_after = [&](const std::string& name, const std::string& change) -> std::string {
    const std::string file = results(name);
    {
      ResultFile written(file, space, Json::object());
      search(space, settings, 1, &written);
    }
    Database(file, Database::Mode::kOpen).run(change);
    try {
      ResultFile changed(file);
      search(space, settings, 1, &changed);
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith(file + ": "));
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said_after("same.db", "UPDATE points SET point = point"), "");
  EXPECT_THAT(said_after("design.db", "UPDATE points SET design = 'shared-queue' WHERE point = 1"),
              HasSubstr("points: point 1 has design 'shared-queue'; by its number it is 'central-dispatcher'"));
  EXPECT_THAT(said_after("axis.db", "UPDATE points SET \"designs.order\" = 'lifo' WHERE point = 2"),
              HasSubstr("points: point 2 has designs.order 'lifo'; by its number it is 'fifo'"));
  EXPECT_THAT(said_after("null.db", "UPDATE points SET \"designs.order\" = NULL WHERE point = 2"), HasSubstr("has designs.order ''"));
  EXPECT_THAT(said_after("number.db", "UPDATE points SET point = 11 WHERE point = 7"),
              HasSubstr("there is no point 11; the search has points 0 to 9"));
  EXPECT_THAT(said_after("bound.db", "UPDATE runs SET makespan_ns = 1 WHERE point = 5"),
              HasSubstr("runs: point 5: of layered, run 0 took 1 ns, less than its lower bound of "));
  EXPECT_THAT(
      said_after("cores.db", "UPDATE points SET cores = 7 WHERE point = 2"),
      AllOf(HasSubstr("points: point 2 has random "), HasSubstr(", cores 7, control_cores "), HasSubstr("; by its design it has ")));
  EXPECT_THAT(said_after("control.db", "UPDATE points SET control_cores = control_cores + 1 WHERE point = 1"),
              HasSubstr("; by its design it has "));
  EXPECT_THAT(said_after("random.db", "UPDATE points SET random = 1 - random WHERE point = 5"), HasSubstr("; by its design it has "));
  EXPECT_THAT(said_after("text.db", "UPDATE runs SET point = 'x' WHERE point = 0"),
              HasSubstr("runs: point x, scenario 0, run 0 is numbered by what is no whole number"));
  EXPECT_THAT(said_after("column.db", "DROP VIEW results; ALTER TABLE points DROP COLUMN cores"),
              HasSubstr("points: its columns are point, design,"));
  EXPECT_THAT(said_after("runs.db", "DROP VIEW results; ALTER TABLE runs RENAME COLUMN makespan_ns TO ns"),
              HasSubstr("runs: its columns are"));
}

TEST_F(SearchOfAFile, LeavesOutPointsThatCannotBeBetterButNeverTheBest) {
  const SearchSpace space =
      space_of({"central-dispatcher", "static-queues"}, {"machine.device_control.dispatch_ns=20,2000,20000", "designs.mailbox_depth=1,2"});
  const PointResults all = search(space, {.method = SearchMethod::kGrid, .prune = false});
  const PointResults some = search(space, {.method = SearchMethod::kRandom, .budget = 12});
  EXPECT_EQ(lowest(all), lowest(some));
}

TEST_F(SearchOfAFile, FindsADesignWithinTwoPercentInATenthOfTheRuns) {
  const SearchSpace space =
      space_of({"central-dispatcher", "shared-queue", "hybrid"},
               {"designs.order=fifo,lifo,critical_path,longest,shortest,most_successors", "designs.mailbox_depth=1,2,3,4,5",
                "designs.central-dispatcher.dispatchers=1,2,3,4,6", "designs.central-dispatcher.placement=any_idle,least_loaded,locality",
                "designs.central-dispatcher.fill", "designs.shared-queue.claim_size=1,2,4,8,16",
                "designs.hybrid.static_percent=0,10,20,30,40,50,60,70,80,90,100", "designs.hybrid.placement=heft,round_robin"});
  const PointResults all = search(space, {.method = SearchMethod::kGrid, .prune = false});
  const auto ran = std::ranges::count_if(all, [](const auto& entry) { return entry.second.outcome == TrialOutcome::kRan; });
  ASSERT_GE(ran, 2000);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const PointResults some = search(space, {.budget = static_cast<std::uint64_t>(ran / 10), .seed = seed});
    EXPECT_LE(lowest(some), lowest(all) + std::log(1.02)) << "seed " << seed;
  }
}

TEST_F(SearchOfAFile, DrawsFromEachDesignAlikeHoweverFewPointsItHas) {
  const SearchSpace space = space_of({"central-dispatcher", "shared-queue"}, {"designs.shared-queue.claim_size=1,2,3,4,5,6,7,8,9",
                                                                              "designs.central-dispatcher.mailbox_depth=1,2,3"});
  const PointResults results = search(space, {.method = SearchMethod::kRandom, .budget = 6, .prune = false});
  EXPECT_EQ(std::ranges::count_if(results, [&space](const auto& entry) { return space.at(entry.first).design == 0; }), 4) << "and its base";
}

TEST_F(SearchOfAFile, SkipsWhatIsRefusedAndRefusesWhereAllIs) {
  const PointResults results = search(space_of({"central-dispatcher"}, {"designs.mailbox_depth=1,99"}), {.method = SearchMethod::kGrid});
  EXPECT_EQ(results.at(0).outcome, TrialOutcome::kRan);
  EXPECT_EQ(results.at(1).outcome, TrialOutcome::kIllegal);
  EXPECT_THAT(results.at(1).why, HasSubstr("99"));
  EXPECT_THROW(search(space_of({"central-dispatcher"}, {"grph.tasks=1,2"}), {.method = SearchMethod::kGrid}), InputError);
}

TEST_F(SearchOfAFile, ItsFileIsNoOthers) {
  const SearchSpace space = space_of({"central-dispatcher"}, {"seed=1,2"});
  const ResultFile made(results(), space, Json::object());
  EXPECT_THROW(ResultFile(results(), space, Json::object()), InputError) << "is there already";
  EXPECT_THROW(ResultFile{file()}, InputError) << "is no database";
  EXPECT_THROW(ResultFile(results("none.db")), InputError);
}

TEST_F(SearchOfAFile, RanksByMakespanAndNamesTheAxisThatMatters) {
  Search search({file()}, space_of({"central-dispatcher"}, {"machine.device_control.dispatch_ns=10,5000", "designs.mailbox_depth=2,3"}),
                {.method = SearchMethod::kGrid, .prune = false});
  const auto pool = make_pool([&search](std::string_view request) { return search.serve(request); }, 1);
  Progress progress([] {});
  search.run(*pool, {}, nullptr, progress);
  const SearchAnswer answer = answer_of(search, PointCost::kControlCores);
  ASSERT_EQ(answer.points.size(), 5u) << "and the design as it is";
  EXPECT_EQ(answer.points.front().stands, Standpoint::kBest);
  for (std::size_t i = 1; i < answer.points.size(); ++i) EXPECT_GE(answer.points[i].makespan_ns, answer.points[i - 1].makespan_ns);
  EXPECT_EQ(answer.importance.front().path, "machine.device_control.dispatch_ns");
  EXPECT_EQ(answer.importance.front().best, "10");
  EXPECT_THAT(command_of(search, {"layered.yaml"}, 0),
              "tasktwin sweep layered.yaml --designs central-dispatcher --vary machine.device_control.dispatch_ns=10 --vary "
              "designs.mailbox_depth=2");
}

TEST_F(SearchOfAFile, TriesEachDesignAsItIsFirstAndSaysWhatIsGained) {
  const std::vector<std::string> designs{"central-dispatcher", "static-queues"};
  const SearchSpace space = space_of(designs, {"designs.mailbox_depth=2,3", "designs.central-dispatcher.order=fifo,longest"});
  Search search({file()}, space, {.method = SearchMethod::kRandom, .budget = 2});
  EXPECT_EQ(search.points(), space.size() + 2) << "mailbox_depth is 5 and 1";
  const auto pool = make_pool([&search](std::string_view request) { return search.serve(request); }, 1);
  Progress progress([] {});
  search.run(*pool, {}, nullptr, progress);
  ASSERT_EQ(search.results().size(), 2u);
  for (const std::size_t design : {0, 1}) {
    const std::uint64_t base = search.base(design).value();
    EXPECT_EQ(base, space.shipped(design));
    EXPECT_THAT(space.overrides(space.at(base)), testing::IsEmpty());
    EXPECT_EQ(search.value(base, 0), design == 0 ? "5" : "1");
    ASSERT_TRUE(search.results().contains(base));
  }
  EXPECT_EQ(search.value(space.shipped(1), 1), "") << "an axis of the other design";

  Search all({file()}, space, {.method = SearchMethod::kGrid, .prune = false});
  const auto pool_of_all = make_pool([&all](std::string_view request) { return all.serve(request); }, 1);
  all.run(*pool_of_all, {}, nullptr, progress);
  const SearchAnswer answer = answer_of(all, PointCost::kControlCores);
  for (const DesignPoints& design : answer.designs) {
    const std::size_t number = design.design == designs[0] ? 0 : 1;
    double best = std::numeric_limits<double>::infinity();
    for (const RankedPoint& point : answer.points) {
      if (space.at(point.number).design == number) best = std::min(best, point.makespan_ns);
    }
    EXPECT_EQ(design.base, space.shipped(number));
    EXPECT_NEAR(design.gain.value(), 1 - best / *mean_makespan_ns(all.results().at(*design.base)), 1e-12);
  }
  const Json json = answer_to_json(all, {"layered.yaml"}, answer, 1);
  EXPECT_GE(json["points"].size(), 2u);
  EXPECT_EQ(std::ranges::count_if(json["points"], [](const Json& point) { return point["is_base"] == true; }), 2);
  EXPECT_THAT(answer_to_text(all, {"layered.yaml"}, answer, 1, PointCost::kControlCores), HasSubstr("static-queues (base)"));
}

TEST_F(SearchOfAFile, ADesignAsItIsCanBeACombination) {
  const SearchSpace space = space_of({"static-queues"}, {"designs.mailbox_depth=3,1,2"});
  const Search search({file()}, space, {.method = SearchMethod::kGrid});
  EXPECT_EQ(search.points(), 3u);
  EXPECT_EQ(search.base(0), 0u) << "values ascend";
  const Search other({file()}, space_of({"static-queues"}, {"designs.mailbox_depth=1,2", "seed=1,2"}), {.method = SearchMethod::kGrid});
  EXPECT_EQ(other.base(0), 4u) << "what the file has at seed is not known";
}

TEST_F(SearchOfAFile, TriesAllPointsOfFewTasks) {
  const std::vector<std::string> vary{"designs.mailbox_depth=1,2,3,4,5,6,7,8", "designs.order=fifo,lifo,longest,shortest,critical_path",
                                      "machine.device_mailboxes.hop_ns=400,500,600,700,800"};
  const SearchSpace space = space_of({"central-dispatcher"}, vary);  // 200 points of 60 tasks
  EXPECT_EQ(search(space, {.prune = false}).size(), 201u);
  EXPECT_LT(search(space, {.budget = 20, .prune = false}).size(), 100u) << "what was asked for";
  tests::write_text(file(),
                    "scenario: many\nmachine: nvidia-h200\ngraph: {generator: layered_random, tasks: 5000, width: 20}\n"
                    "designs: [central-dispatcher]\n");
  const Search many({file()}, space, {});
  EXPECT_EQ(many.settings().budget, 50u) << "a tenth is less";
}

TEST_F(SearchOfAFile, SaysWhatAnAxisDoesOnAverageAndByItsBestPoints) {
  Search search({file()}, space_of({"central-dispatcher"}, {"machine.device_control.dispatch_ns=10,5000", "designs.mailbox_depth=2,3"}),
                {.method = SearchMethod::kGrid, .prune = false});
  const auto pool = make_pool([&search](std::string_view request) { return search.serve(request); }, 1);
  Progress progress([] {});
  search.run(*pool, {}, nullptr, progress);
  const SearchAnswer answer = answer_of(search, PointCost::kControlCores);
  const auto lowest = [&](std::initializer_list<std::uint64_t> numbers) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::uint64_t number : numbers) least = std::min(least, *mean_makespan_ns(search.results().at(number)));
    return least;
  };
  EXPECT_EQ(answer.importance.front().best_by_point, "10");
  EXPECT_NEAR(answer.importance.front().factor_by_point, lowest({2, 3}) / lowest({0, 1}), 1e-9);
}

TEST(Refusals, ThatDifferInOneQuotedWordAreOne) {
  Refusals refusals;
  for (const char* const word : {"cpop", "dls", "heft"})
    refusals.add("placement '" + std::string(word) + "' needs a core's queue, not 'shared'");
  refusals.add("placement 'heft' needs a core's queue, not 'shared'");
  refusals.add("mailbox_depth is 99; must be 1 to 64");
  for (const char* const word : {"shared", "per_core"})
    refusals.add("no runtime's row has '" + std::string(word) + "'; 'hybrid' has not '" + word + "' but 'both'");
  EXPECT_THAT(refusals.by_count(),
              ElementsAre(testing::Pair("placement 'cpop'/'dls'/'heft' needs a core's queue, not 'shared'", 4u),
                          testing::Pair("no runtime's row has 'per_core'/'shared'; 'hybrid' has not 'per_core'/'shared' but 'both'", 2u),
                          testing::Pair("mailbox_depth is 99; must be 1 to 64", 1u)));
}

TEST(Refusals, OfSeveralDesignsByOneRuleAreOne) {
  Refusals refusals;
  for (const char* const design : {"a", "b"}) {
    for (const char* const order : {"lifo", "shortest"})
      refusals.add("mine.yaml:8:5: designs[0]: design '" + std::string(design) + "': order must be 'fifo', not '" + order + "'");
    refusals.add("mine.yaml:9:5: designs[0]: design '" + std::string(design) +
                 "': depth has no effect here: it counts under 'c', not under '" + design + "', which reads order, depth-of-" + design +
                 "; leave it out");
  }
  EXPECT_THAT(refusals.by_count(),
              ElementsAre(testing::Pair("designs 'a', 'b': order must be 'fifo', not 'lifo'/'shortest'", 4u),
                          testing::Pair("designs 'a', 'b': depth has no effect here: it counts under 'c'; leave it out", 2u)));
}

TEST_F(SearchOfAFile, NamesNoValueOfWhichNoPointRanAndEachDesignWithout) {
  Search search({file()},
                space_of({"static-queues", "central-dispatcher", "shared-queue"},
                         {"designs.central-dispatcher.mailbox_depth=1,2,99", "designs.shared-queue.claim_size=0,-1"}),
                {.method = SearchMethod::kGrid, .prune = false});
  const auto pool = make_pool([&search](std::string_view request) { return search.serve(request); }, 1);
  Progress progress([] {});
  search.run(*pool, {}, nullptr, progress);
  const SearchAnswer answer = answer_of(search, PointCost::kControlCores);
  ASSERT_EQ(answer.importance.size(), 2u) << "all values of claim_size were refused";
  for (const AxisImportance& axis : answer.importance) EXPECT_THAT(axis.best, AnyOf("static-queues", "1", "2")) << axis.path;
  ASSERT_EQ(answer.designs.size(), 3u);
  EXPECT_EQ(answer.designs[1].ran, 3u) << "with its base";
  EXPECT_EQ(answer.designs[1].refused, 1u);
  EXPECT_EQ(answer.designs[2].ran, 1u);
  EXPECT_EQ(verdict_of(answer).back(), "no point of shared-queue ran but its base (2 tried: 2 refused)");
  const Json json = answer_to_json(search, {"layered.yaml"}, answer, 10);
  EXPECT_EQ(json["designs"][2]["refused"], 2);
  EXPECT_THAT(answer_to_text(search, {"layered.yaml"}, answer, 10, PointCost::kControlCores), HasSubstr(verdict_of(answer).back()));
  EXPECT_EQ(search_page_data(search, answer, PointCost::kControlCores)["verdict"], verdict_of(answer));
}

TEST_F(SearchOfAFile, CountsWhatCannotBeToldFromTheBestAlikeInTextJsonAndPage) {
  tests::write_text(file(), R"(scenario: layered
machine: nvidia-h200
graph:
  tasks:
    - {name: first, time_ns: 5000, sigma_ns: 1500}
    - {name: left, time_ns: 9000, sigma_ns: 2500, after: [first]}
    - {name: right, time_ns: 9000, sigma_ns: 2500, after: [first]}
    - {name: last, time_ns: 5000, sigma_ns: 1500, after: [left, right]}
designs: [central-dispatcher]
)");
  const SearchSpace space = space_of({"central-dispatcher", "shared-queue", "static-queues"},
                                     {"machine.device_control.dispatch_ns=100,110,120,2000", "machine.resident_cores.start_ns=10,20,30"});
  Search search({file()}, space, {.method = SearchMethod::kHalving, .budget = 120, .runs = 8});
  const auto pool = make_pool([&search](std::string_view request) { return search.serve(request); }, 1);
  Progress progress([] {});
  search.run(*pool, {}, nullptr, progress);
  const SearchAnswer answer = answer_of(search, PointCost::kControlCores);
  const auto stand = [&answer](Standpoint stands) {
    return static_cast<std::size_t>(std::ranges::count(answer.points, stands, &RankedPoint::stands));
  };
  ASSERT_GT(stand(Standpoint::kNotTold), 0u);
  ASSERT_TRUE(std::ranges::any_of(answer.points, [](const RankedPoint& point) { return point.runs > 1 && point.runs < 8; }));
  for (const RankedPoint& point : answer.points) EXPECT_EQ(point.stands == Standpoint::kUndecided, point.runs < 8) << point.number;
  const Json json = answer_to_json(search, {"layered.yaml"}, answer, answer.points.size());
  const Json page = search_page_data(search, answer, PointCost::kControlCores);
  for (const auto& [stands, count] :
       {std::pair(Standpoint::kNotTold, json["not_told_apart"]), std::pair(Standpoint::kUndecided, json["undecided"])}) {
    EXPECT_EQ(count, stand(stands));
    EXPECT_EQ(count, std::ranges::count_if(json["points"], [&](const Json& point) { return point["stands"] == to_word(stands); }));
    EXPECT_EQ(count, std::ranges::count(page["points"]["stands"], Json(static_cast<int>(stands))));
  }
  const std::string told = std::to_string(stand(Standpoint::kNotTold)) + " more cannot be told from the best";
  const std::string undecided = std::to_string(stand(Standpoint::kUndecided)) + " of the others are undecided for want of runs";
  EXPECT_THAT(verdict_of(answer), ElementsAre(told, undecided, testing::StartsWith("against its base, ")));
  EXPECT_EQ(page["verdict"], verdict_of(answer));
  EXPECT_THAT(answer_to_text(search, {"layered.yaml"}, answer, 10, PointCost::kControlCores), HasSubstr(told + "\n" + undecided + "\n"));
}

TEST_F(SearchOfAFile, SaysThatNoOtherPointIsAsFastAndWhetherChanceCouldExplainIt) {
  for (const bool drawn : {false, true}) {
    std::string text(tests::kTinyScenario);
    if (!drawn) text.erase(text.find(", sigma_ns: 900"), 15);
    tests::write_text(file(), text);
    Search search({file()}, space_of({"cuda-streams", "static-queues"}, {"machine.resident_cores.start_ns=10,30000"}),
                  {.method = SearchMethod::kGrid, .runs = 6, .prune = false});
    const auto pool = make_pool([&search](std::string_view request) { return search.serve(request); }, 1);
    Progress progress([] {});
    search.run(*pool, {}, nullptr, progress);
    const SearchAnswer answer = answer_of(search, PointCost::kControlCores);
    EXPECT_EQ(verdict_of(answer).front(),
              drawn ? "every other point is slower than the best by more than chance explains" : "no other point is as fast as the best");
  }
}

TEST_F(SearchOfAFile, OfOneRunAPointSaysWhatMayBeChance) {
  tests::write_text(file(), tests::kTinyScenario);
  Search search({file()}, space_of({"central-dispatcher", "static-queues"}, {"designs.mailbox_depth=1,2"}),
                {.method = SearchMethod::kGrid});
  const auto pool = make_pool([&search](std::string_view request) { return search.serve(request); }, 1);
  Progress progress([] {});
  search.run(*pool, {}, nullptr, progress);
  ASSERT_TRUE(search.chance());
  EXPECT_GT(*search.chance(), 0.01) << "900 ns of some 20 us";
  EXPECT_LT(*search.chance(), 0.5);
  const SearchAnswer answer = answer_of(search, PointCost::kControlCores);
  ASSERT_GT(answer.undecided, 0u);
  const std::vector<std::string> said = verdict_of(answer);
  EXPECT_THAT(said.front(), testing::StartsWith("one run a point: differences below "));
  for (const std::string& sentence : said)
    EXPECT_THAT(sentence, testing::Not(AnyOf(HasSubstr("undecided"), HasSubstr("as fast as the best"), HasSubstr("every other point"))));
  EXPECT_EQ(answer_to_json(search, {"tiny.yaml"}, answer, 1)["chance"], *search.chance());
}

TEST(Guide, FindsEffectsThatAddUp) {
  const SearchSpace space = space_of({"a", "b"}, {"seed=1,2,3,4", "designs.order=fifo,lifo,random"});
  std::vector<std::pair<std::uint64_t, double>> scores;
  const auto truth = [&space](std::uint64_t number) {
    const SearchPoint point = space.at(number);
    return 10 + 0.5 * static_cast<double>(point.design) + 0.1 * point.values[0] + (point.values[1] == 1 ? -1.0 : 0.0);
  };
  for (std::uint64_t number = 0; number < space.size(); ++number) {  // half of them, each value of an axis with each of another as often
    const SearchPoint point = space.at(number);
    if ((static_cast<int>(point.design) + point.values[0] + point.values[1]) % 2 == 0) scores.emplace_back(number, truth(number));
  }
  const Guide guide(space, scores);
  for (std::uint64_t number = 0; number < space.size(); ++number) EXPECT_NEAR(guide(number).score, truth(number), 0.1) << number;
  const MainEffects effects(space, scores);
  EXPECT_NEAR(MainEffects::span_of(effects.of_axis(1)), 1, 0.15);
}

/// The normal equations of the regression, solved as they stand.
Eigen::VectorXd effects_by_normal_equations(const SearchSpace& space, std::span<const std::pair<std::uint64_t, double>> scores,
                                            double mean) {
  std::vector<Eigen::Index> first{static_cast<Eigen::Index>(space.designs().size())};
  for (const SearchAxis& axis : space.axes()) first.push_back(first.back() + std::ssize(axis.values));
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(std::ssize(scores), first.back());
  Eigen::VectorXd right(std::ssize(scores));
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    const auto& [number, score] = scores[static_cast<std::size_t>(row)];
    const SearchPoint point = space.at(number);
    rows(row, static_cast<Eigen::Index>(point.design)) = 1;
    for (std::size_t axis = 0; axis < space.axes().size(); ++axis) {
      if (point.values[axis] != kNoValue) rows(row, first[axis] + point.values[axis]) = 1;
    }
    right(row) = score - mean;
  }
  const Eigen::MatrixXd normal = rows.transpose() * rows + 0.5 * Eigen::MatrixXd::Identity(first.back(), first.back());
  return normal.llt().solve(rows.transpose() * right);
}

TEST(MainEffects, AreThoseOfTheNormalEquations) {
  const SearchSpace space = space_of({"central-dispatcher", "shared-queue"},
                                     {"designs.mailbox_depth=1,2,3", "designs.shared-queue.claim_size=1,2,4", "graph.width=5,10,20,40"});
  Random random(7);
  std::vector<std::pair<std::uint64_t, double>> scores;
  double mean = 0;
  for (std::uint64_t number = 0; number < space.size(); number += static_cast<std::uint64_t>(random.between(1, 4)))
    scores.emplace_back(number, random.normal());
  for (const auto& [number, score] : scores) mean += score / static_cast<double>(scores.size());
  const MainEffects effects(space, scores);
  const Eigen::VectorXd expected = effects_by_normal_equations(space, scores, mean);
  Eigen::Index at = 0;
  for (const double effect : effects.of_designs()) EXPECT_NEAR(effect, expected(at++), 1e-8);
  for (std::size_t axis = 0; axis < space.axes().size(); ++axis) {
    for (const double effect : effects.of_axis(axis)) EXPECT_NEAR(effect, expected(at++), 1e-8);
  }
}

TEST(MainEffects, OfAnAxisOfManyValuesTakeLittleMemory) {
  SearchAxis axis{.path = "graph.width", .values = {}, .ordered = true};
  for (int i = 0; i < 100'000; ++i) axis.values.push_back(std::to_string(1 + i));  // 80 GB as a dense matrix
  const SearchSpace space({"central-dispatcher"}, {axis});
  const std::vector<std::pair<std::uint64_t, double>> scores{{0, 1.0}, {500, 2.0}, {99'999, 6.0}};
  const MainEffects effects(space, scores);
  EXPECT_GT(effects.of_axis(0).back(), effects.of_axis(0).front());
  EXPECT_NEAR(effects.of_axis(0)[1], 0, 1e-12) << "not scored";
}

}  // namespace
}  // namespace tasktwin::verify
