#include "verify/output/timelines/graph_dot.hpp"

#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/load/scenario.hpp"
#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/programs.hpp"

namespace tasktwin::verify {
namespace {

using testing::HasSubstr;

std::string xml_unescaped(std::string text) {
  for (const auto& [entity, meant] : {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"}, std::pair{"&quot;", "\""}, std::pair{"&#39;", "'"},
                                      std::pair{"&#45;", "-"}, std::pair{"&#160;", " "}, std::pair{"&amp;", "&"}}) {
    for (std::size_t at = 0; (at = text.find(entity, at)) != std::string::npos; ++at) text.replace(at, std::string(entity).size(), meant);
  }
  return text;
}

TEST(GraphDot, GraphvizShowsEveryNameAsItIs) {
  TASKTWIN_NEEDS_PROGRAM("dot");
  const std::vector<std::string> names{"plain", "a \"quoted\" one", "back\\slash\\", "\\N \\G \\n", "&amp; &lt;b&gt;", "<b>bold</b>",
                                       "{a|b}", "ümläut µs",        "node",          "t0 -> t1; }"};
  TaskGraphBuilder builder;
  for (const std::string& name : names) builder.add_task(name, {});
  for (std::size_t i = 1; i < names.size(); ++i) builder.add_edge(task_id(i - 1), task_id(i));
  const tests::TemporaryFolder folder;
  write_graph_dot(folder / "g.dot", std::move(builder).build(), "a \"graph\" \\G");
  const std::string svg = tests::output_of("dot -Tsvg " + tests::in_shell(folder / "g.dot"));
  std::set<std::string> shown;
  const std::regex pattern("<text[^>]*>([^<]*)</text>");
  for (std::sregex_iterator match(svg.begin(), svg.end(), pattern), end; match != end; ++match) shown.insert(xml_unescaped((*match)[1]));
  for (const std::string& name : names) EXPECT_TRUE(shown.contains(name)) << name << "\n" << svg;
}

TEST(GraphDot, HasEveryNodeAndEdgeOfALargeGraph) {
  TASKTWIN_NEEDS_PROGRAM("gc");
  TaskGraphBuilder builder;
  constexpr std::size_t kTasks = 20'000;
  std::size_t edges = 0;
  for (std::size_t i = 0; i < kTasks; ++i) {
    builder.add_task("task " + std::to_string(i), {});
    for (std::size_t j = 1; j <= 3 && j <= i; ++j, ++edges) builder.add_edge(task_id(i - j), task_id(i));
  }
  const tests::TemporaryFolder folder;
  write_graph_dot(folder / "g.dot", std::move(builder).build(), "large");
  int nodes = 0;
  int counted = 0;
  ASSERT_EQ(std::sscanf(tests::output_of("gc -n -e " + tests::in_shell(folder / "g.dot")).c_str(), "%d %d", &nodes, &counted), 2);
  EXPECT_EQ(nodes, static_cast<int>(kTasks));
  EXPECT_EQ(counted, static_cast<int>(edges));
}

TEST(GraphDot, SaysBytesSpawnsShapesAndCosts) {
  TaskGraphBuilder builder;
  builder.add_task("load", {.cost = {.time = Duration{1500}, .bytes = {64}}, .core_type = CoreType::kAiv});
  builder.add_task("child", {.cost = {.flops = {2000}}, .kernel = Kernel::kFma});
  builder.add_edge(task_id(0), task_id(1), {4096});
  builder.set_spawner(task_id(1), task_id(0));
  const tests::TemporaryFolder folder;
  write_graph_dot(folder / "g.dot", std::move(builder).build(), "g");
  const std::string dot = tests::read_text(folder / "g.dot");
  EXPECT_THAT(dot, HasSubstr("t0 -> t1 [style=dashed label=\"4 096 bytes\" bytes=4096 spawns=true]"));
  EXPECT_THAT(dot, HasSubstr("label=\"load\\nspin, 1.500 µs, 64 bytes\" shape=ellipse"));
  EXPECT_THAT(dot, HasSubstr("label=\"child\\nfma, 2 000 flop\" shape=box"));
}

TEST(GraphDot, NamesWhatAnImportDoesNotGetBack) {
  TaskGraphBuilder builder;
  const std::uint32_t drawn = builder.add_traits({.samples = {Duration{5}, Duration{6}}});
  builder.add_task("plain", {.cost = {.time = Duration{5}}});
  builder.add_task("drawn", {.traits = drawn});
  builder.add_task("varies", {.cost = {.time = Duration{5}, .sigma_ns = 2}});
  builder.add_task("drawn too", {.traits = drawn});
  builder.add_task("set", {.operation = Operation::kMemset});
  EXPECT_THAT(lost_in_dot(std::move(builder).build()), testing::ElementsAre(testing::Pair("operation", 1), testing::Pair("samples_ns", 2)));
}

TEST(GraphDot, NamesTheArgumentsByWhichBodiesTakeTheirTimes) {
  const auto lost = [](const char* scenario) { return lost_in_dot(scenarios::load_scenario(scenario).graph); };
  EXPECT_THAT(lost("llama-1b-decode"), testing::Contains(testing::Pair("arguments", testing::Gt(10'000u))));
  EXPECT_THAT(lost("cholesky"), testing::Not(testing::Contains(testing::Pair("arguments", testing::_))));  // its kernels have sizes alone
}

}  // namespace
}  // namespace tasktwin::verify
