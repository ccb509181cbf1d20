#include "verify/bench/metg/metg_files.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/metg_worlds.hpp"
#include "tests/verify/support/strict_json.hpp"
#include "verify/bench/metg/metg_report.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/recordings/recorded.hpp"

namespace tasktwin::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

std::vector<std::vector<std::string>> rows(const std::string& csv) {
  std::vector<std::vector<std::string>> table;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    auto& row = table.emplace_back();
    std::size_t begin = 0;
    for (std::size_t comma; (comma = line.find(',', begin)) != std::string::npos; begin = comma + 1)
      row.push_back(line.substr(begin, comma - begin));
    row.push_back(line.substr(begin));
  }
  return table;
}

MetgCell cell(std::string executor, MetgSearch search) {
  MetgCell made;
  made.executor = std::move(executor);
  made.pattern = "stencil";
  made.search = std::move(search);
  for (std::size_t i = 0; i < made.search.points.size(); ++i) made.predicted_ns.push_back(i == 0 ? std::nullopt : std::optional(1234.5));
  return made;
}

/// Streams and a graph, three others: one found, one below all lengths, one refused, one out of order.
MetgResult some_result() {
  MetgResult result;
  result.workers = 131;
  for (const BenchExecutor& one : bench_executors()) {
    const std::string& name = one.base.name;
    if (name == "hybrid" || name == "layer-barrier") continue;
    result.executors.push_back({name, one.host_launched});
    result.designs.push_back({one.base, name == "static-queues" ? "mailbox_depth 8" : "", {"stencil"}});
  }
  result.cells.push_back(cell("cuda-streams", {MetgSearch::End::kAbove, 2'500'000, {{1ms, 2'500'000}}}));
  result.cells.push_back(cell("cuda-graph", {MetgSearch::End::kFound, 27'000, {{10us, 26'000}, {14142ns, 28'000}}}));
  result.cells.push_back(cell("central-dispatcher", {MetgSearch::End::kFound, 2700, {{1131ns, 2600}, {1600ns, 2800}}}));
  result.cells.push_back(cell("static-queues", {MetgSearch::End::kBelow, 90, {{50ns, 90}}}));
  result.cells.push_back(cell("shared-queue", {MetgSearch::End::kFound, 1500, {{700ns, 1500}}}));
  result.cells.back().ordering_violations = 7;
  result.cells.push_back(cell("work-stealing", {}));
  result.cells.back().refusal = "stealing 'half' is not there";
  ChainCell chain;
  chain.executor = "static-queues";
  chain.ns_per_task = 650;
  result.chains.push_back(chain);
  return result;
}

TEST(MetgCsv, HasARowACellAndNoFigureWhereThereIsNone) {
  EXPECT_THAT(rows(metg_csv(some_result())),
              ElementsAre(ElementsAre("executor", "pattern", "workers", "metg50_us"), ElementsAre("cuda-streams", "stencil", "131", ""),
                          ElementsAre("cuda-graph", "stencil", "131", "27.0000"),
                          ElementsAre("central-dispatcher", "stencil", "131", "2.7000"), ElementsAre("static-queues", "stencil", "131", ""),
                          ElementsAre("shared-queue", "stencil", "131", ""), ElementsAre("work-stealing", "stencil", "131", "")));
}

TEST(MetgCurvesCsv, HasARowALength) {
  const auto table = rows(metg_curves_csv(some_result()));
  ASSERT_EQ(table.size(), 8U);
  EXPECT_THAT(table[0],
              ElementsAre("executor", "pattern", "workers", "length_us", "granularity_us", "efficiency", "predicted_granularity_us"));
  EXPECT_THAT(table[2], ElementsAre("cuda-graph", "stencil", "131", "10.000", "26.0000", "0.38462", ""));
  EXPECT_THAT(table[3], ElementsAre("cuda-graph", "stencil", "131", "14.142", "28.0000", "0.50507", "1.2345"));
}

TEST(MetgJson, CarriesProvenanceDesignsReasonsAndHops) {
  const nlohmann::json json = tests::strict_json(to_text(metg_json(some_result(), tests::some_hops(), tests::some_provenance())));
  for (const char* key : {"benchmark", "machine", "machine_hash", "device", "driver", "runtime", "date", "version", "commit", "command"})
    EXPECT_TRUE(json.at(key).is_string()) << key;
  EXPECT_EQ(json.at("workers"), 131);
  EXPECT_EQ(json.at("flag_hop_us"), 0.5);
  EXPECT_EQ(json.at("flag_hops").size(), 3U);
  EXPECT_EQ(json.at("grid_barriers").at(1).at("blocks"), 9);
  EXPECT_EQ(json.at("executors").at(3).at("tuned"), "mailbox_depth 8");
  EXPECT_EQ(json.at("executors").at(3).at("axes").at("release"), "counters");
  EXPECT_EQ(json.at("metg").at(0).at("search"), "above");
  EXPECT_TRUE(json.at("metg").at(0).at("metg50_us").is_null());
  EXPECT_EQ(json.at("metg").at(0).at("bound_us"), 2500);
  EXPECT_EQ(json.at("metg").at(4).at("ordering_violations"), 7);
  EXPECT_EQ(json.at("metg").at(5).at("refused"), "stealing 'half' is not there");
  EXPECT_EQ(json.at("chain").at(0).at("flag_hops_a_task"), 1.3);
  EXPECT_EQ(json.at("fresh_flag_hop_us"), 0.625);
  EXPECT_EQ(json.at("chain").at(0).at("fresh_flag_hops_a_task"), 1.04);
}

TEST(MetgText, SaysTheFiguresTheRatiosAndTheTroubles) {
  const std::string text = metg_text(some_result(), tests::some_hops(), tests::some_provenance());
  EXPECT_THAT(text, HasSubstr("> 2500.0 µs"));
  EXPECT_THAT(text, HasSubstr("< 0.090 µs"));
  EXPECT_THAT(text, HasSubstr("2.700 µs"));
  EXPECT_THAT(text, HasSubstr("central-dispatcher   10.0 ×\n"));    // of the graph
  EXPECT_THAT(text, HasSubstr("static-queues       > 300 ×\n"));    // of the graph, at least
  EXPECT_THAT(text, HasSubstr("central-dispatcher    > 926 ×\n"));  // of the streams, at least
  EXPECT_THAT(text, HasSubstr("static-queues: mailbox_depth 8"));
  EXPECT_THAT(text, HasSubstr("0.650 µs              1.30"));
  EXPECT_THAT(text, HasSubstr("the flag hop: 0.500 µs, red.release; ld.acquire"));
  EXPECT_THAT(text, HasSubstr("work-stealing: refused, stealing 'half' is not there (stencil)"));
  EXPECT_THAT(text, HasSubstr("shared-queue: 7 predecessors were not done (stencil)"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), kPageColumns) << line;
}

TEST(MetgFiles, AreNotTakenForRecordings) {
  const tests::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "nvidia-h200");
  for (const char* name : {"metg.json", "saturation.json", "cholesky.shared-queue.json"})
    tests::write_text((folder / "nvidia-h200") / name, "{}");
  EXPECT_THAT(list_recordings(folder.path()), ElementsAre((folder / "nvidia-h200") / "cholesky.shared-queue.json"));
}

TEST(MetgPlot, HasAPanelAPatternAndDashesForPredictions) {
  const Plot plot = metg_plot(some_result(), "GPU");
  ASSERT_EQ(plot.panels.size(), 1U);
  EXPECT_EQ(plot.panels[0].title, "stencil");
  EXPECT_EQ(plot.guide, 50);
  const auto dashed = std::ranges::count_if(plot.panels[0].series, &PlotSeries::dashed);
  EXPECT_EQ(dashed, 2);
  EXPECT_EQ(plot.panels[0].series.size(), 7U);
}

}  // namespace
}  // namespace tasktwin::verify
