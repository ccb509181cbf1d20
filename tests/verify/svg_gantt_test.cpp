#include "verify/output/timelines/svg_gantt.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/programs.hpp"

namespace tasktwin::verify {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string svg_of(const TaskGraph& graph, const std::vector<TraceRun>& runs, const std::string& title = "title") {
  const tests::TemporaryFolder folder;
  write_svg_gantt(folder / "g.svg", graph, runs, title);
  return tests::read_text(folder / "g.svg");
}

struct Bar {
  double x, y, width;
};

/// The bars that are drawn by themselves, by the name in their tooltip.
std::multimap<std::string, Bar> bars(const std::string& svg) {
  const std::regex pattern(R"re(<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"[^>]*><title>([^<]*): [^<]*</title>)re");
  std::multimap<std::string, Bar> found;
  for (std::sregex_iterator match(svg.begin(), svg.end(), pattern), end; match != end; ++match)
    found.emplace((*match)[4], Bar{std::stod((*match)[1]), std::stod((*match)[2]), std::stod((*match)[3])});
  return found;
}

/// Tasks of `length_ns` one after the other on each of `cores` cores, without a gap.
std::pair<TaskGraph, Timeline> packed(std::size_t cores, std::size_t tasks, std::int64_t length_ns) {
  TaskGraphBuilder builder;
  Timeline timeline;
  timeline.cores.assign(cores, CoreType::kSm);
  for (std::size_t i = 0; i < tasks; ++i) {
    builder.add_task(std::to_string(i), {});
    const TimePoint start = at_ns(static_cast<std::int64_t>(i / cores) * length_ns);
    timeline.tasks.push_back({kAbsent, kAbsent, kAbsent, start, start + Duration{length_ns}, kAbsent, core_id(i % cores), kNoDispatcher});
  }
  return {std::move(builder).build(), timeline};
}

TEST(SvgGantt, DrawsEachTaskToScaleOnTheRowOfItsCore) {
  const TaskGraph graph = tests::diamond();
  const Timeline timeline = tests::diamond_timeline();
  const auto drawn = bars(svg_of(graph, {{"predicted", &timeline}}));
  const Bar a = drawn.find("a")->second;
  const Bar d = drawn.find("d")->second;
  const auto ns = [&timeline](std::size_t task) {
    return std::pair{static_cast<double>(to_ns(timeline.tasks[task].started)), static_cast<double>(to_ns(timeline.tasks[task].ended))};
  };
  EXPECT_NEAR(a.width / d.width, (ns(0).second - ns(0).first) / (ns(3).second - ns(3).first), 0.01);
  EXPECT_NEAR((d.x - a.x) / d.width, (ns(3).first - ns(0).first) / (ns(3).second - ns(3).first), 0.01);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      const auto name = [](const std::string& text) { return text == "b, \"quoted\"" ? std::string("b, &quot;quoted&quot;") : text; };
      const Bar one = drawn.find(name(std::string(graph.name(task_id(i)))))->second;
      const Bar other = drawn.find(name(std::string(graph.name(task_id(j)))))->second;
      EXPECT_EQ(one.y == other.y, timeline.tasks[i].core == timeline.tasks[j].core);
    }
  }
}

TEST(SvgGantt, DrawsThePredictedAboveTheMeasuredOverOneAxis) {
  const TaskGraph graph = tests::diamond();
  const Timeline predicted = tests::diamond_timeline();
  Timeline measured = predicted;
  for (TaskTimes& times : measured.tasks) {
    times.started += times.started - at_ns(0);
    times.ended += times.ended - at_ns(0);
    times.published += times.published - at_ns(0);
  }
  const std::string svg = svg_of(graph, {{"predicted", &predicted}, {"measured", &measured}});
  const auto drawn = bars(svg);
  std::vector<Bar> d;
  for (auto [at, end] = drawn.equal_range("d"); at != end; ++at) d.push_back(at->second);
  ASSERT_EQ(d.size(), 2U);
  EXPECT_LT(d[0].y, d[1].y);
  EXPECT_NEAR(d[1].width, 2 * d[0].width, 0.3);
  EXPECT_LT(svg.find(">predicted: "), svg.find(">measured: "));
}

TEST(SvgGantt, SaysUnitsNamesAndColours) {
  const TaskGraph graph = tests::diamond();
  const Timeline timeline = tests::diamond_timeline();
  const std::string svg = svg_of(graph, {{"predicted", &timeline}}, "<a> & \"b\" \x01");
  EXPECT_THAT(svg, HasSubstr("time since the run's origin [ns]"));
  EXPECT_THAT(svg, HasSubstr(">spin</text>"));
  EXPECT_THAT(svg, HasSubstr(">sm 1</text>"));
  EXPECT_THAT(svg, HasSubstr("&lt;a&gt; &amp; &quot;b&quot; \xEF\xBF\xBD"));
}

TEST(SvgGantt, IsWellFormed) {
  TASKTWIN_NEEDS_PROGRAM("xmllint");
  const TaskGraph graph = tests::diamond();
  const Timeline timeline = tests::diamond_timeline();
  const auto [wide, wide_timeline] = packed(7, 3000, 100);
  const tests::TemporaryFolder folder;
  const std::vector<TraceRun> small_runs{{"predicted", &timeline}, {"measured", &timeline, Driver::kStreams}};
  write_svg_gantt(folder / "a.svg", graph, small_runs, "<a> & \"b\" \x01");
  const std::vector<TraceRun> wide_runs{{"predicted", &wide_timeline}};
  write_svg_gantt(folder / "b.svg", wide, wide_runs, "narrow bars");
  for (const char* file : {"a.svg", "b.svg"}) EXPECT_EQ(tests::output_of("xmllint --noout --nonet " + tests::in_shell(folder / file)), "");
}

TEST(SvgGantt, MergesWhatIsNarrowerThanAPixelAndStaysSmall) {
  const auto [graph, timeline] = packed(100, 200'000, 1000);
  const std::string svg = svg_of(graph, {{"predicted", &timeline}});
  EXPECT_LT(svg.size(), 200'000U);
  EXPECT_TRUE(bars(svg).empty());
  EXPECT_THAT(svg, HasSubstr("80 of 100 compute cores that did anything are shown, evenly chosen"));
  // Every row is busy throughout: one rectangle over the whole width.
  const std::regex full(R"re(fill-opacity="1.00" d="M130 [\d.]+h1000v10h-1000z")re");
  EXPECT_EQ(std::distance(std::sregex_iterator(svg.begin(), svg.end(), full), std::sregex_iterator()), 80);
}

TEST(SvgGantt, LeavesOutWhoDidNothingAndShowsWhoWasNotObserved) {
  auto [graph, timeline] = packed(3, 3, 100);
  timeline.cores.assign(200, CoreType::kSm);
  timeline.tasks[1].core = core_id(150);
  timeline.tasks[2].core = kNoCore;
  timeline.dispatchers = {{}, {{at_ns(0), at_ns(150)}}};
  const std::string svg = svg_of(graph, {{"measured", &timeline}});
  for (const char* row : {">dispatcher 1<", ">sm 0<", ">sm 150<", ">core not observed<"}) EXPECT_THAT(svg, HasSubstr(row));
  for (const char* row : {">dispatcher 0<", ">sm 1<"}) EXPECT_THAT(svg, Not(HasSubstr(row)));
  EXPECT_THAT(svg, HasSubstr("; 1 of 2 control threads did anything; 3 of 200 compute cores did anything"));
  EXPECT_NEAR(bars(svg).find("control thread busy")->second.width, 1000, 0.1) << "the axis ends with the last bar";
}

TEST(SvgGantt, IsPalerWhereLessIsBusy) {
  auto [graph, timeline] = packed(1, 4000, 1000);
  for (TaskTimes& times : timeline.tasks) times.ended = times.started + Duration{200};
  timeline.tasks.back().ended = timeline.tasks.back().started + Duration{1000};
  const std::string svg = svg_of(graph, {{"predicted", &timeline}});
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"0.25\""));
  EXPECT_THAT(svg, Not(HasSubstr("fill-opacity=\"1.00\"")));
}

TEST(SvgGantt, HatchesWhatHasNoColourOfItsOwn) {
  TaskGraphBuilder builder;
  Timeline timeline;
  timeline.cores.assign(1, CoreType::kSm);
  for (std::size_t k = 0; k < kKernelCount; ++k) {
    builder.add_task(std::to_string(k), {.kernel = static_cast<Kernel>(k)});
    const TimePoint start = at_ns(static_cast<std::int64_t>(k) * 100);
    timeline.tasks.push_back({kAbsent, kAbsent, kAbsent, start, start + Duration{100}, kAbsent, CoreId{0}, kNoDispatcher});
  }
  const TaskGraph graph = std::move(builder).build();
  const std::string svg = svg_of(graph, {{"predicted", &timeline}});
  std::set<std::string> fills;
  const std::regex pattern(R"re(fill="([^"]+)"><title>)re");
  for (std::sregex_iterator match(svg.begin(), svg.end(), pattern), end; match != end; ++match) fills.insert((*match)[1]);
  EXPECT_EQ(fills.size(), kKernelCount);
  for (const std::string& fill : fills) {
    if (!fill.starts_with("url(#")) continue;
    EXPECT_THAT(svg, HasSubstr("<pattern id=\"" + fill.substr(5, fill.size() - 6) + "\""));
  }
}

}  // namespace
}  // namespace tasktwin::verify
