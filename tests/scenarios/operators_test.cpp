// Operators that are cut into tasks: what the pieces take, what they wait for, and what is refused.
#include "scenarios/operators/cut_operators.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "scenarios/load/varied_scenario.hpp"
#include "scenarios/operators/expression.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string with_operators(const std::string& operators) {
  return "scenario: s\nmachine: nvidia-h200\ndesigns: [static-queues, shared-queue]\ngraph:\n  operators:\n" + operators;
}

Scenario cut(const std::string& operators, const std::vector<std::string>& overrides = {}) {
  const TemporaryFile file(with_operators(operators));
  return load_scenario(file.path(), overrides);
}

std::string refusal(const std::string& operators, const std::vector<std::string>& overrides = {}) {
  try {
    cut(operators, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// What each task waits for, by names, with counters replaced by what they count.
std::map<std::string, std::set<std::string>> waits(const TaskGraph& graph) {
  std::map<std::string, std::set<std::string>> all;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[task_id(i)].operation == Operation::kEvent) continue;
    std::set<std::string>& own = all[std::string(graph.name(task_id(i)))];
    for (const TaskId before : graph.predecessors(task_id(i))) {
      if (graph[before].operation != Operation::kEvent) {
        own.emplace(graph.name(before));
        continue;
      }
      for (const TaskId counted : graph.predecessors(before)) own.emplace(graph.name(counted));
    }
  }
  return all;
}

std::size_t events(const TaskGraph& graph) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) count += graph[task_id(i)].operation == Operation::kEvent ? 1 : 0;
  return count;
}

constexpr const char* kMlp =
    "    - {name: up, extents: {columns: 10, depth: 4}, cut: {columns: 4}, piece: {kind: up, flops: 2*columns*depth, bytes: "
    "4*(columns+depth)}}\n"
    "    - {name: down, extents: {rows: 6, columns: 10}, cut: {rows: 2}, piece: {kind: down, time_ns: 100*rows}, after: [up]}\n";

TEST(Operators, BecomeTasksThatTakeWhatAPieceTakes) {
  const TaskGraph graph = cut(kMlp).graph;
  ASSERT_EQ(graph.size(), 7u) << "three pieces, three pieces and a counter between them";
  EXPECT_EQ(graph.name(task_id(2)), "up.2");
  EXPECT_EQ(graph[task_id(0)].cost.flops, Flops{32});
  EXPECT_EQ(graph[task_id(2)].cost.flops, Flops{16}) << "the last one is smaller";
  EXPECT_EQ(graph[task_id(2)].cost.bytes, Bytes{24});
  EXPECT_EQ(graph[task_id(4)].cost.time, Duration{200});
  EXPECT_EQ(events(graph), 1u);
  EXPECT_THAT(waits(graph).at("down.1"), ElementsAre("up.0", "up.1", "up.2"));
}

TEST(Operators, AreCutAnewByAnOverrideOrASearch) {
  EXPECT_EQ(cut(kMlp, {"graph.operators.up.cut.columns=10"}).graph.size(), 4u) << "one piece needs no counter";
  EXPECT_EQ(cut(kMlp, {"graph.operators.up.cut.columns=10"}).graph.name(task_id(0)), "up");
  const TemporaryFile file(with_operators(kMlp));
  VariedScenario varied(file.path(), {});
  for (const char* columns : {"2", "5", "10", "5"}) {
    const std::vector<std::string> overrides{"graph.operators.up.cut.columns=" + std::string(columns)};
    for (const std::string design : {"static-queues", "shared-queue"})
      EXPECT_EQ(waits(varied.with(overrides, design).graph), waits(load_scenario(file.path(), overrides).graph)) << columns;
  }
  const std::vector<std::string> wrong{"graph.operators.up.piece.flops=-1"};
  EXPECT_THROW(varied.with(wrong, "shared-queue"), InputError);
  EXPECT_EQ(varied.with({}, "shared-queue").graph.size(), 7u);
}

TEST(Operators, WaitForThePiecesThatOverlapTheirOwn) {
  const auto all =
      waits(cut("    - {name: a, extents: {rows: 6, heads: 2}, cut: {rows: 2, heads: 1}, piece: {time_ns: 5}}\n"
                "    - {name: b, extents: {rows: 6}, cut: {rows: 3}, piece: {time_ns: 5}, after: [{operator: a, same: [rows]}]}\n"
                "    - {name: c, extents: {h: 2}, cut: {h: 1}, piece: {time_ns: 5}, after: [{operator: a, same: {h: heads}}, b]}\n")
                .graph);
  EXPECT_THAT(all.at("b.0"), ElementsAre("a.0.0", "a.0.1", "a.1.0", "a.1.1"));
  EXPECT_THAT(all.at("b.1"), ElementsAre("a.1.0", "a.1.1", "a.2.0", "a.2.1"));
  EXPECT_THAT(all.at("c.1"), ElementsAre("a.0.1", "a.1.1", "a.2.1", "b.0", "b.1"));
}

TEST(Operators, ThatAreCutAlongWhatTheySumOverGetATaskThatSums) {
  const std::string split =
      "    - {name: p, extents: {rows: 4, depth: 8}, cut: {rows: 2, depth: 4}, piece: {time_ns: 5},\n"
      "       reduces: {over: [depth], piece: {kind: sum, bytes: 4*rows*(depth.pieces+1)}}}\n"
      "    - {name: q, extents: {rows: 4}, cut: {rows: 2}, piece: {time_ns: 5}, after: [{operator: p, same: [rows]}]}\n";
  const TaskGraph graph = cut(split).graph;
  const auto all = waits(graph);
  EXPECT_THAT(all.at("p.sum.1"), ElementsAre("p.1.0", "p.1.1"));
  EXPECT_THAT(all.at("q.1"), ElementsAre("p.sum.1"));
  EXPECT_EQ(graph[task_id(4)].cost.bytes, Bytes{24});
  EXPECT_THAT(waits(cut(split, {"graph.operators.p.cut.depth=8"}).graph).at("q.1"), ElementsAre("p.1"));
}

TEST(Operators, ThatAreFusedAreDoneByThePiecesThatWaitForThem) {
  const std::string norm =
      "    - {name: in, extents: {rows: 8}, cut: {rows: 2}, piece: {time_ns: 5}}\n"
      "    - {name: norm, fused: true, extents: {rows: 8}, cut: {rows: 8}, piece: {kind: norm, time_ns: 10*rows, bytes: 3}, after: "
      "[{operator: "
      "in, same: [rows]}]}\n"
      "    - {name: out, extents: {rows: 8, columns: 2}, cut: {rows: 4, columns: 1}, piece: {kind: p, time_ns: 100},\n"
      "       after: [{operator: norm, same: [rows]}]}\n";
  const TaskGraph graph = cut(norm).graph;
  const auto all = waits(graph);
  EXPECT_EQ(all.size(), 8u);
  EXPECT_THAT(all.at("out.1.0"), ElementsAre("in.2", "in.3"));
  EXPECT_EQ(graph[task_id(graph.size() - 1)].cost.time, Duration{140}) << "of its own four rows";
  EXPECT_EQ(graph[task_id(graph.size() - 1)].cost.bytes, Bytes{3});
  const auto apart = waits(cut(norm, {"graph.operators.norm.fused=false"}).graph);
  EXPECT_THAT(apart.at("out.1.0"), ElementsAre("norm"));
  EXPECT_THAT(refusal("    - {name: a, fused: true, piece: {time_ns: 5}}\n"), HasSubstr("nothing waits for 'a'"));
  EXPECT_THAT(
      refusal("    - {name: a, fused: true, piece: {time_ns: 5}, after: [b]}\n    - {name: b, fused: true, piece: {time_ns: 5}, after: "
              "[a]}\n    - {name: c, piece: {time_ns: 5}, after: [a]}\n"),
      HasSubstr("in a cycle"));
  EXPECT_THAT(refusal("    - {name: a, fused: true, piece: {operation: event}}\n    - {name: c, piece: {time_ns: 5}, after: [a]}\n"),
              HasSubstr("graph.operators[0].piece.operation: does not go with fused"));
  EXPECT_THAT(refusal("    - {name: a, fused: true, piece: {time_ns: 5, sigma_ns: 2}}\n    - {name: c, piece: {time_ns: 5}, after: [a]}\n"),
              HasSubstr("graph.operators[0].piece.sigma_ns: does not go with fused"));
  EXPECT_THAT(refusal("    - {name: a, fused: true, piece: {kind: a, bytes: 5}}\n"
                      "    - {name: c, piece: {operation: copy_h2d, bytes: 5}, after: [a]}\n"),
              HasSubstr("graph.operators[1].after: 'a' is fused, and a piece of operation 'copy_h2d' has no body"));
}

/// The same as waits() without a machine and its checks, with the names in order.
std::pair<std::vector<std::string>, std::map<std::string, std::set<std::string>>> waits_of_text(const std::string& operators) {
  Document document = parse_document("text", with_operators(operators));
  cut_operators(document);
  std::vector<std::string> names;
  std::map<std::string, std::set<std::string>> counters;
  std::map<std::string, std::set<std::string>> all;
  for (const Node& task : document.root.find("graph")->find("tasks")->items) {
    const std::string& name = task.find("name")->text;
    const bool is_counter = task.find("operation") != nullptr;
    if (!is_counter) names.push_back(name);
    std::set<std::string>& own = is_counter ? counters[name] : all[name];
    for (const Node& before : task.find("after") ? task.find("after")->items : std::vector<Node>()) own.insert(before.text);
  }
  for (auto& [name, own] : all) {
    std::set<std::string> through;
    for (const std::string& before : own) {
      const auto counter = counters.find(before);
      if (counter == counters.end())
        through.insert(before);
      else
        through.insert(counter->second.begin(), counter->second.end());
    }
    own = std::move(through);
  }
  return {std::move(names), std::move(all)};
}

/// Of all elements of both operators, one by one.
bool overlap(const std::vector<std::pair<int, int>>& own, const std::vector<std::pair<int, int>>& theirs,
             const std::vector<std::pair<std::size_t, std::size_t>>& same) {
  return std::ranges::all_of(same, [&](const auto& pair) {
    for (int x = own[pair.first].first; x < own[pair.first].second; ++x) {
      if (x >= theirs[pair.second].first && x < theirs[pair.second].second) return true;
    }
    return false;
  });
}

TEST(Operators, AgreeWithALookAtEveryElement) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const int x = static_cast<int>(random.between(1, 7));
    const int y = static_cast<int>(random.between(1, 7));
    std::string text;
    std::vector<std::vector<std::vector<std::pair<int, int>>>> parts;  // by operator and piece, along x and y
    for (const std::string name : {"a", "b"}) {
      const int by_x = static_cast<int>(random.between(1, x));
      const int by_y = static_cast<int>(random.between(1, y));
      text += "    - {name: " + name + ", extents: {x: " + std::to_string(x) + ", y: " + std::to_string(y) +
              "}, cut: {x: " + std::to_string(by_x) + ", y: " + std::to_string(by_y) + "}, piece: {time_ns: 1}";
      auto& pieces = parts.emplace_back();
      for (int i = 0; i < x; i += by_x) {
        for (int j = 0; j < y; j += by_y) pieces.push_back({{i, std::min(x, i + by_x)}, {j, std::min(y, j + by_y)}});
      }
      if (name == "a") text += "}\n";
    }
    std::vector<std::pair<std::size_t, std::size_t>> same;
    if (random.uniform() < 0.5) same.emplace_back(0, 0);
    if (random.uniform() < 0.5) same.emplace_back(1, 1);
    const std::string words = same.size() == 2 ? "[x, y]" : same.empty() ? "" : same[0].first == 0 ? "[x]" : "[y]";
    text += words.empty() ? ", after: [a]}\n" : ", after: [{operator: a, same: " + words + "}]}\n";
    const auto [names, all] = waits_of_text(text);
    ASSERT_EQ(all.size(), parts[0].size() + parts[1].size()) << text;
    for (std::size_t b = 0; b < parts[1].size(); ++b) {
      std::set<std::string> expected;
      for (std::size_t a = 0; a < parts[0].size(); ++a) {
        if (overlap(parts[1][b], parts[0][a], same)) expected.insert(names[a]);
      }
      ASSERT_EQ(all.at(names[parts[0].size() + b]), expected) << text;
    }
  }
}

TEST(Operators, NameTheWorkersOfTheirPieces) {
  const std::string groups =
      "    - {name: a, extents: {experts: 4}, cut: {experts: 1}, piece: {time_ns: 5, workers: [experts.first*33, experts.first*33+32]}}\n";
  const TaskGraph graph = cut(groups).graph;
  EXPECT_EQ(graph.traits(task_id(3)).workers, (std::array{99, 131}));
  EXPECT_THAT(refusal(groups, {"graph.operators.a.piece.workers=[0, 132]"}),
              HasSubstr("names workers 0 to 132, but a device has workers 0 to 131"));
  EXPECT_THAT(refusal(groups, {"graph.operators.a.piece.workers=[5, 2]"}),
              HasSubstr("graph.operators[0].piece.workers: the first, 5, comes after the last, 2"));
  EXPECT_THAT(refusal(groups, {"graph.operators.a.piece.workers=[5]"}), HasSubstr("graph.operators[0].piece.workers"));
}

TEST(Operators, TakeCostsFromATableBySize) {
  const std::string table =
      "    - {name: a, extents: {rows: 96}, cut: {rows: 32}, piece: {time_ns: {by: rows, table: [[16, 100], [64, 400]]}}}\n";
  EXPECT_EQ(cut(table).graph[task_id(0)].cost.time, Duration{200});
  EXPECT_EQ(cut(table, {"graph.operators.a.cut.rows=96"}).graph[task_id(0)].cost.time, Duration{400}) << "beyond it the nearest";
  EXPECT_THAT(refusal(table, {"graph.operators.a.piece.time_ns.table=[[64, 1], [16, 2]]"}), HasSubstr("sizes of its rows must ascend"));
  EXPECT_THAT(refusal(table, {"graph.operators.a.piece.time_ns={by: rows}"}), HasSubstr("piece.time_ns: a table by size has the form"));
}

TEST(Operators, TakeNumbersOfTheRowThatIsDrawn) {
  const std::string drawn =
      "    - {name: a, extents: {e: 3}, cut: {e: 1}, piece: {time_ns: 10*ceil(tokens(e.index)/32)+weight(0)}}\n"
      "  draws: {tokens: [[1, 32, 33], [0, 64, 65]], weight: [[100], [200.5]]}\n";
  const auto times = [&](const std::vector<std::string>& overrides) {
    const Scenario scenario = cut(drawn, overrides);
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < scenario.graph.size(); ++i) all.push_back(scenario.graph[task_id(i)].cost.time.count());
    return all;
  };
  EXPECT_THAT(times({}), ElementsAre(110, 110, 120));
  EXPECT_THAT(times({"graph.draw=1"}), ElementsAre(201, 221, 231)) << "rounded";
  const TemporaryFile file(with_operators(drawn));
  EXPECT_EQ(draws_of(file.path()), 2U);
  EXPECT_EQ(draws_of("layer-cuts"), 0U);
  EXPECT_EQ(draws_of("cholesky"), 0U);
  VariedScenario varied(file.path(), {});
  const std::vector<std::string> second{"graph.draw=1"};
  EXPECT_EQ(varied.with(second, "static-queues").graph[task_id(0)].cost.time.count(), 201);
  EXPECT_EQ(varied.with({}, "static-queues").graph[task_id(0)].cost.time.count(), 110);
}

TEST(Operators, RefuseDrawsThatDoNotFitTogether) {
  const std::string one = "    - {name: a, extents: {e: 3}, cut: {e: 1}, piece: {time_ns: tokens(e.index)}}\n";
  EXPECT_THAT(refusal(one), HasSubstr("it names 'tokens', which is no table"));
  EXPECT_THAT(refusal(one + "  draws: {tokens: [[1, 2]]}\n"),
              HasSubstr("it asks for place 2 of 'tokens', whose row that is drawn has places 0 to 1"));
  const std::string two = one + "  draws: {tokens: [[1, 2, 3], [4, 5, 6]]}\n";
  EXPECT_THAT(refusal(two, {"graph.draw=2"}), HasSubstr("graph.draw: is 2; there are draws 0 to 1"));
  EXPECT_THAT(refusal(one + "  draw: 0\n"), HasSubstr("there are no draws to choose from"));
  EXPECT_THAT(refusal(one + "  draws: {tokens: [[1, 2, 3], [4, 5, 6]], more: [[1]]}\n"), HasSubstr("graph.draws.more: has 1 rows"));
  EXPECT_THAT(refusal(one + "  draws: {a.b: [[1]]}\n"), HasSubstr("graph.draws.a.b: an expression cannot call a table so"));
  EXPECT_THAT(refusal(one + "  draws: {tokens: [[1, 2, 3]], weight: [[1]]}\n"), HasSubstr("graph.draws.weight: no expression asks for it"));
  EXPECT_THAT(refusal(one + "  draws: {}\n"), HasSubstr("graph.draws"));
  EXPECT_THAT(refusal(one + "  draws: {tokens: [[-1, 2, 3]]}\n"), HasSubstr("graph.draws.tokens"));
}

TEST(Operators, RefusalsNameTheOperatorAndSayAFaultOfManyPiecesOnce) {
  const std::string costless = "    - {name: a, extents: {rows: 96}, cut: {rows: 1}, piece: {kernel: fma}}\n";
  EXPECT_THAT(refusal(costless), AllOf(HasSubstr(":6:"), HasSubstr("graph.operators[0].piece.flops: missing"), HasSubstr("(piece 'a.0')"),
                                       Not(HasSubstr("a.1"))));
  EXPECT_THAT(refusal("    - {name: a, piece: {kernel: fmaa, flops: 5}}\n"),
              HasSubstr("graph.operators[0].piece.kernel: unknown value 'fmaa'"));
  EXPECT_THAT(refusal("    - {name: a, piece: {flop: 5}}\n"), HasSubstr("graph.operators[0].piece"));
  EXPECT_THAT(refusal("    - {name: a, piece: {time_ns: [5]}}\n"), HasSubstr("graph.operators[0].piece.time_ns"));
  EXPECT_THAT(refusal("    - {name: a, piece: {time_ns: 5*rows}}\n"), HasSubstr("it names 'rows', which has no value"));
  EXPECT_THAT(refusal("    - {name: a, extents: {rows: 4}, cut: {row: 2}, piece: {time_ns: 5}}\n"), HasSubstr("did you mean 'rows'?"));
  EXPECT_THAT(refusal("    - {name: a, extents: {rows: 4}, cut: {rows: 5}, piece: {time_ns: 5}}\n"),
              HasSubstr("is 5, but the whole has 4"));
  EXPECT_THAT(refusal("    - {name: a, extents: {rows: 4}, cut: {rows: 0}, piece: {time_ns: 5}}\n"),
              HasSubstr("graph.operators[0].cut.rows"));
  EXPECT_THAT(refusal("    - {name: a, piece: {time_ns: 5}, after: [aa]}\n"), HasSubstr("no operator is called 'aa'; did you mean 'a'?"));
  EXPECT_THAT(refusal("    - {name: a, piece: {time_ns: 5}}\n    - {name: a, piece: {time_ns: 5}}\n"), HasSubstr("already the name"));
  EXPECT_THAT(refusal("    - {name: a, piece: {time_ns: 5}, after: [b]}\n    - {name: b, piece: {time_ns: 5}, after: [a]}\n"),
              HasSubstr("cycle"));
  EXPECT_THAT(refusal("    - {name: a, extents: {r: 4}, piece: {time_ns: 5}}\n"
                      "    - {name: b, extents: {r: 5}, piece: {time_ns: 5}, after: [{operator: a, same: [r]}]}\n"),
              HasSubstr("'r' of 'b' has 5, 'r' of 'a' 4"));
  EXPECT_THAT(
      refusal("    - {name: a, extents: {r: 4, d: 4}, cut: {d: 2}, piece: {time_ns: 5}, reduces: {over: [d], piece: {time_ns: 1}}}\n"
              "    - {name: b, extents: {d: 4}, piece: {time_ns: 5}, after: [{operator: a, same: [d]}]}\n"),
      HasSubstr("'a' sums over 'd', of which no parts are left"));
}

double value(const std::string& text) {
  return evaluate(text, [](std::string_view name) { return name == "x.first" ? std::optional(3.0) : std::nullopt; });
}

std::string not_worked_out(const std::string& text) {
  try {
    value(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Expressions, FollowTheRulesOfArithmetic) {
  EXPECT_EQ(value("1 + 2*3 - 4/8"), 6.5);
  EXPECT_EQ(value("2*(1+x.first)*min(5, max(1, 2))"), 16);
  EXPECT_EQ(value("7-2-1"), 4);
  EXPECT_EQ(value("1e3/10/10"), 10);
  EXPECT_EQ(value("ceil(x.first/2)*ceil(0.5)"), 2);
  EXPECT_EQ(
      evaluate(
          "2*t(1+1)", [](std::string_view) { return std::nullopt; }, [](std::string_view, double place) { return std::optional(place); }),
      4);
}

TEST(Expressions, SayWhatIsWrongWithThem) {
  EXPECT_THAT(not_worked_out("2*"), HasSubstr("a number, a name or '(' is missing at its end"));
  EXPECT_THAT(not_worked_out("2 x.first"), HasSubstr("an operator (+ - * /) is missing before 'x.first'"));
  EXPECT_THAT(not_worked_out("(1"), HasSubstr("')' is missing"));
  EXPECT_THAT(not_worked_out("1/(x.first-3)"), HasSubstr("divides by 0"));
  EXPECT_THAT(not_worked_out("y"), HasSubstr("it names 'y'"));
  EXPECT_THAT(not_worked_out("1e300*1e300"), HasSubstr("too large"));
  EXPECT_THAT(not_worked_out(std::string(3000, '(')), HasSubstr("parentheses"));
  EXPECT_THAT(not_worked_out("min(1)"), HasSubstr("',' is missing"));
  EXPECT_THAT(not_worked_out("floor(1)"), HasSubstr("it names 'floor', which is no table"));
  EXPECT_THAT(not_worked_out("ceil(1"), HasSubstr("')' is missing"));
}

}  // namespace
}  // namespace tasktwin::scenarios
