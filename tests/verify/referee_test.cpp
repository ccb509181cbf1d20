#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "models/base/error.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/referee/referee.hpp"
#include "verify/referee/referee_report.hpp"

namespace tasktwin::verify {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using tests::TemporaryFolder;

constexpr std::string_view kSource = R"(source: chains
title: chains of kernels
kind: launching
repository: somebody/benchmarks
commit: 0123456789abcdef0123456789abcdef01234567
path: figures.txt
licence: MIT
measured: somebody
card: H200
fed: nothing
scenario:
  machine: nvidia-h200
  graph: {generator: chain, length: 10, time_ns: 2000}
  designs:
    - {name: streams, from: cuda-streams, stream_granularity: single}
    - {name: graph, from: cuda-graph}
figures: figures.csv
)";

std::vector<PublicSource> sources_of(const TemporaryFolder& folder, const std::string& figures, std::string source = std::string(kSource)) {
  tests::write_text(folder / "chains.yaml", source);
  tests::write_text(folder / "figures.csv", figures);
  return read_public_sources(folder.path());
}

std::vector<RefereeRow> rows_of(const std::string& figures, const fs::path& files = "nowhere") {
  const TemporaryFolder folder;
  const std::vector<PublicSource> sources = sources_of(folder, figures);
  Progress progress;
  return referee(sources, files, 1, progress);
}

/// What is wrong with it, the folder's name left out.
std::string refused(const std::string& figures, const std::string& source = std::string(kSource)) {
  const TemporaryFolder folder;
  Progress progress;
  try {
    const std::vector<PublicSource> sources = sources_of(folder, figures, source);
    referee(sources, folder.path(), 1, progress);
  } catch (const InputError& error) {
    const std::string message = error.what();
    const std::string place = folder.path().string() + "/";
    return message.starts_with(place) ? message.substr(place.size()) : message;
  }
  return "";
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  return text.replace(text.find(what), what.size(), with);
}

TEST(Referee, PredictsEachFigureUnderItsDesign) {
  const std::vector<RefereeRow> rows = rows_of("kernels,design,graph.length,measured_us\nten,streams,10,30\nforty,graph,40,100\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].label, "kernels ten, design streams, length 10");
  EXPECT_EQ(rows[0].measured, 30'000);
  EXPECT_GT(rows[0].predicted, 10 * 2000);
  EXPECT_LT(rows[0].predicted, 60'000);
  EXPECT_GT(rows[1].predicted, 40 * 2000);
  EXPECT_EQ(rows[1].skipped, "");
  const RefereeErrors errors = referee_errors(rows);
  EXPECT_EQ(errors.sources, 1u);
  EXPECT_DOUBLE_EQ(errors.mean, (rows[0].error() + rows[1].error()) / 2);
}

TEST(Referee, RatiosAreToTheFirstOfTheirSource) {
  const std::vector<RefereeRow> rows = rows_of("design,graph.length,measured_ratio\ngraph,100,1\ngraph,200,2.5\n");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].measured, 2.5);
  EXPECT_NEAR(rows[0].predicted, 2, 0.1);
}

TEST(Referee, WhatIsNotThereIsSkippedByName) {
  const std::string figures = "file,design,measured_us\ngraphs/one.csv,graph,30\n";
  const std::vector<RefereeRow> rows = rows_of(figures);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].skipped, "no file nowhere/somebody/benchmarks/graphs/one.csv");
  const Json none = referee_to_json(read_public_sources(public_sources_folder()), {});
  EXPECT_TRUE(none["kinds"].back()["median_abs_error"].is_null());
  const TemporaryFolder files;
  fs::create_directories(files / "somebody/benchmarks/graphs");
  tests::write_text(files / "somebody/benchmarks/graphs/one.csv", "name,time_us\na,5\n");
  const TemporaryFolder folder;
  const std::string imports =
      replaced(std::string(kSource), "{generator: chain, length: 10, time_ns: 2000}", "{import: one.csv, format: csv}");
  const std::vector<PublicSource> sources = sources_of(folder, figures, imports);
  Progress progress;
  const std::vector<RefereeRow> found = referee(sources, files.path(), 1, progress);
  EXPECT_EQ(found[0].skipped, "");
  EXPECT_GT(found[0].predicted, 5000);
}

TEST(Referee, FaultsAreLocated) {
  EXPECT_THAT(refused("design,measured_us\ngraph,no\n"), HasSubstr("figures.csv:2:7: measured_us: 'no' is not a number above 0"));
  EXPECT_THAT(refused("design,measured_us\ngraph,-3\n"), HasSubstr("is not a number above 0"));
  EXPECT_THAT(refused("design,measured_us\ngraph\n"), HasSubstr("figures.csv:2:1: has 1 fields, the line of column names has 2"));
  EXPECT_THAT(refused("design\ngraph\n"), HasSubstr("one column must be 'measured_us' or 'measured_ratio'"));
  EXPECT_THAT(refused("design,measured_us\n"), HasSubstr("has no figure"));
  EXPECT_THAT(refused("design,measured_us,design\ngraph,3,streams\n"), HasSubstr("figures.csv:1:20: column 'design' stands twice"));
  EXPECT_THAT(refused("design,,measured_us\ngraph,3,5\n"), HasSubstr("figures.csv:1:8: the column has no name"));
  EXPECT_THAT(refused("design,measured_ratio\ngraph,2\n"), HasSubstr("the first must be 1"));
  EXPECT_THAT(refused("measured_us\n30\n"), HasSubstr("design: the scenario has 2"));
  EXPECT_THAT(refused("design,graph.lenght,measured_us\ngraph,5,30\n"), HasSubstr("lenght"));
  EXPECT_THAT(refused("design,measured_us\nnone,30\n"), HasSubstr("figures.csv:2:1: "));
  EXPECT_THAT(refused("design,measured_us\ngraph,3\n", replaced(std::string(kSource), "launching", "lunching")), HasSubstr("lunching"));
  EXPECT_THAT(refused("design,measured_us\ngraph,3\n", replaced(std::string(kSource), "figures: figures.csv\n", "")),
              HasSubstr("must have one of 'figures', 'traces' and 'cannot'"));
  std::string many = "design,measured_us\n";
  for (int i = 0; i < 51; ++i) many += "graph,3\n";
  EXPECT_THAT(refused(many), HasSubstr("has 51 figures; at most 50"));
}

TEST(Referee, ShippedSourcesAreMany) {
  const std::vector<PublicSource> sources = read_public_sources(public_sources_folder());
  std::set<std::string> repositories;
  std::size_t rows = 0;
  for (const PublicSource& source : sources) {
    if (!source.cannot.empty()) continue;
    repositories.insert(source.repository);
    rows += source.figures.size() + source.traces.size();
    EXPECT_TRUE(source.commit.size() == 40 || source.commit == "thread") << source.name;
  }
  EXPECT_GE(repositories.size(), 12u);
  EXPECT_GE(rows, 300u);
}

TEST(Referee, NothingIsFittedToWhatIsJudged) {
  std::set<std::string> judged{"verify/public", "public_sources_folder"};
  for (const PublicSource& source : read_public_sources(public_sources_folder())) {
    if (source.cannot.empty()) judged.insert(source.repository);
  }
  // It has others' times of collectives itself, so that nothing may be judged on it.
  const std::string told = "dgx-h100-nccl";
  for (const auto& entry : fs::recursive_directory_iterator(public_sources_folder())) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}).find(told), std::string::npos) << entry.path();
  }
  std::size_t files = 0;
  for (const char* folder : {"models", "sim", "gpu", "verify/calibration", "scenarios"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file() || entry.path().stem() == told) continue;
      std::ifstream in(entry.path());
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      ++files;
      for (const std::string& name : judged) EXPECT_EQ(text.find(name), std::string::npos) << entry.path() << " names " << name;
    }
  }
  EXPECT_GT(files, 500u);
}

}  // namespace
}  // namespace tasktwin::verify
