#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

#include "models/base/random.hpp"
#include "tests/verify/support/cases.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/output/timelines/gantt.hpp"

namespace tasktwin::verify {
namespace {

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, columns(line));
  return widest;
}

TEST(TextTable, AlignsTheFirstColumnLeftAndTheOthersRight) {
  TextTable table({"design", "makespan"});
  table.add_row({"a", "1.000 µs"});
  table.add_row({"longer", "12.000 µs"});
  EXPECT_EQ(table.to_string(),
            "design   makespan\n"
            "-----------------\n"
            "a        1.000 µs\n"
            "longer  12.000 µs\n");
}

TEST(TextTable, ShortensLongNamesToThePage) {
  TextTable table({"design", "makespan"});
  table.add_row({std::string(300, 'x'), "1.000 µs"});
  EXPECT_EQ(widest_line(table.to_string()), kPageColumns);
  EXPECT_NE(table.to_string().find("x…  1.000 µs"), std::string::npos);
}

TEST(TextTable, PutsTheLastLineOfAHeadingOnTheRule) {
  TextTable table({"design", "my-dispatcher\ndepth", "hop"});
  table.add_row({"a", "1", "400"});
  EXPECT_EQ(table.to_string(),
            "        my-dispatcher\n"
            "design          depth  hop\n"
            "--------------------------\n"
            "a                   1  400\n");
}

TEST(TextTable, RepeatsItsKeysBesideColumnsThatFollowBelow) {
  const std::string wide(40, 'w');
  TextTable table({"design", "depth", wide + "1", wide + "2", wide + "3", wide + "4", wide + "5"}, 2);
  table.add_row({"a", "4", "1", "2", "3", "4", "5"});
  const std::string text = table.to_string();
  EXPECT_LE(widest_line(text), kPageColumns);
  std::istringstream lines(text);
  int parts = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("design")) continue;
    EXPECT_TRUE(line.starts_with("design  depth  ")) << line;
    std::getline(lines, line);
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with("a           4  ")) << line;
    ++parts;
  }
  EXPECT_EQ(parts, 2);
}

TEST(Wrap, BreaksBetweenWordsButNotBeforeAUnit) {
  const std::string text = wrap(std::string(95, 'x') + " 12.3 % and 4.000 µs");
  EXPECT_EQ(text, std::string(95, 'x') + "\n12.3 % and 4.000 µs");
  EXPECT_EQ(wrap("short"), "short");
  EXPECT_EQ(wrap(""), "");
}

TEST(Formats, CarryUnits) {
  EXPECT_EQ(format_us(99'999.0), "99.999 µs");
  EXPECT_EQ(format_us(100'000.0), "100.0 µs");
  EXPECT_EQ(format_percent(0.1234), "12.3 %");
  EXPECT_EQ(format_percent(0.1234, true), "+12.3 %");
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(-1234567), "-1 234 567");
}

TEST(Gantt, DrawsTheDiamond) {
  Timeline timeline;
  timeline.cores = {CoreType::kSm, CoreType::kSm};
  timeline.tasks.resize(4);
  const auto put = [&timeline](std::size_t task, std::int64_t begin, std::int64_t end, std::size_t core) {
    timeline.tasks[task].started = at_ns(begin);
    timeline.tasks[task].ended = at_ns(end);
    timeline.tasks[task].core = core_id(core);
  };
  // 93 columns of 10 ns: columns are what kPageColumns leaves beside "sm 0 |" and "|".
  put(0, 0, 100, 0);
  put(1, 100, 304, 1);
  put(2, 100, 405, 0);
  put(3, 405, 930, 1);
  const std::string row0(41, 'S');
  EXPECT_EQ(gantt(tests::diamond(), timeline),
            "2 cores; 0 to 0.930 µs, 0.010 µs a column\n"
            "sm 0 |" +
                row0 + std::string(52, '.') + "|\n" + "sm 1 |" + std::string(10, '.') + std::string(20, 'S') + ":" + std::string(9, '.') +
                std::string(53, 'S') + "|\n" + "      '0 µs" + std::string(15, ' ') + "'0.2" + std::string(16, ' ') + "'0.4" +
                std::string(16, ' ') + "'0.6" + std::string(16, ' ') + "'0.8\n" + "S spin  : less than half busy  . idle\n");
}

TEST(Gantt, LeavesOutWhatWasIdleThroughout) {
  Timeline timeline;
  timeline.cores.assign(132, CoreType::kSm);
  timeline.tasks = {{.started = at_ns(0), .ended = at_ns(400), .core = core_id(7)},
                    {.started = at_ns(400), .ended = at_ns(800), .core = core_id(130)},
                    {},
                    {}};
  timeline.dispatchers = {{}, {{at_ns(0), at_ns(100)}}};
  timeline.roles = {ControlRole::kScheduler, ControlRole::kScheduler};
  const std::string drawing = gantt(tests::diamond(), timeline);
  EXPECT_TRUE(drawing.starts_with("2 control threads, 1 idle throughout left out; 132 cores, 130 idle throughout left out;")) << drawing;
  EXPECT_NE(drawing.find("scheduler 1 |#"), std::string::npos) << drawing;
  EXPECT_EQ(drawing.find("scheduler 0"), std::string::npos) << drawing;
  EXPECT_NE(drawing.find("sm 7 |S"), std::string::npos) << drawing;
  EXPECT_NE(drawing.find("sm 130 |."), std::string::npos) << drawing;
  EXPECT_LE(widest_line(drawing), kPageColumns);
}

TEST(Gantt, NamesACoreAndWhichOfItsWorkers) {
  Timeline timeline;
  timeline.cores.assign(6, CoreType::kSm);
  timeline.workers_per_core = 3;
  timeline.tasks = {{.started = at_ns(0), .ended = at_ns(400), .core = core_id(1)},
                    {.started = at_ns(0), .ended = at_ns(400), .core = core_id(5)},
                    {},
                    {}};
  const std::string drawing = gantt(tests::diamond(), timeline);
  EXPECT_TRUE(drawing.starts_with("6 workers, 4 idle throughout left out;")) << drawing;
  EXPECT_NE(drawing.find("sm 1 worker 0 |S"), std::string::npos) << drawing;
  EXPECT_NE(drawing.find("sm 1 worker 2 |S"), std::string::npos) << drawing;
}

TEST(Gantt, TellsCopiesFromKernels) {
  TaskGraphBuilder builder;
  Task copy;
  copy.operation = Operation::kCopyH2d;
  builder.add_task("in", copy);
  builder.add_task("body", {});
  Timeline timeline;
  timeline.cores = {CoreType::kSm};
  timeline.tasks = {{.started = at_ns(0), .ended = at_ns(465), .core = core_id(0)},
                    {.started = at_ns(465), .ended = at_ns(930), .core = core_id(0)}};
  const std::string drawing = gantt(std::move(builder).build(), timeline);
  EXPECT_NE(drawing.find("sm 0 |>>>>"), std::string::npos) << drawing;
  EXPECT_NE(drawing.find("SSSS|"), std::string::npos) << drawing;
  EXPECT_NE(drawing.find("S spin  > copy_h2d  : less"), std::string::npos) << drawing;
}

TEST(Gantt, MarksRoundTimesWhateverTheScale) {
  for (const std::int64_t end : {1, 7, 93, 5'000, 123'456, 15'130'500}) {
    Timeline timeline;
    timeline.cores = {CoreType::kSm};
    timeline.tasks = {{.started = at_ns(0), .ended = at_ns(end), .core = core_id(0)}, {}, {}, {}};
    const std::string drawing = gantt(tests::diamond(), timeline);
    EXPECT_NE(drawing.find("\n      '0 µs  "), std::string::npos) << drawing;
    EXPECT_LE(widest_line(drawing), kPageColumns) << drawing;
    EXPECT_GE(std::ranges::count(drawing, '\''), 5) << drawing;
  }
}

TEST(Gantt, ShowsWhatEachControlThreadDid) {
  Timeline timeline;
  timeline.cores = {CoreType::kSm};
  timeline.tasks = {{.started = at_ns(0), .ended = at_ns(830), .core = core_id(0)}, {}, {}, {}};
  timeline.dispatchers = {{{at_ns(0), at_ns(100)}}, {{at_ns(100), at_ns(830)}}};
  timeline.roles = {ControlRole::kScheduler, ControlRole::kOrchestrator};
  // 83 columns beside "orchestrator 1 |" and "|".
  const std::string busy = gantt(tests::diamond(), timeline);
  EXPECT_NE(busy.find("2 control threads; 1 cores; 3 tasks that did not come to be are left out; 0 to 0.830 µs"), std::string::npos)
      << busy;
  EXPECT_NE(busy.find("   scheduler 0 |" + std::string(10, '#')), std::string::npos) << busy;
  EXPECT_NE(busy.find("# busy"), std::string::npos) << busy;

  timeline.steps = {{{at_ns(0), at_ns(60), StepKind::kPoll}, {at_ns(60), at_ns(100), StepKind::kDispatch}},
                    {{at_ns(100), at_ns(400), StepKind::kSubmit}, {at_ns(400), at_ns(830), StepKind::kWait}}};
  const std::string steps = gantt(tests::diamond(), timeline);
  EXPECT_NE(steps.find("   scheduler 0 |pppppp"), std::string::npos) << steps;
  EXPECT_NE(steps.find("|..........ss"), std::string::npos) << steps;
  EXPECT_NE(steps.find("p poll  d dispatch  s submit  w wait  S spin"), std::string::npos) << steps;
}

TEST(Gantt, ShowsATaskOnEachOfItsCores) {
  Timeline timeline;
  timeline.cores = {CoreType::kSm, CoreType::kSm};
  timeline.tasks = {{.started = at_ns(0), .ended = at_ns(930), .core = core_id(0)}, {}, {}, {}};
  timeline.blocks = {{TaskId{0}, CoreId{0}, at_ns(0), at_ns(930), kAbsent}, {TaskId{0}, CoreId{1}, at_ns(0), at_ns(930), kAbsent}};
  const std::string drawing = gantt(tests::diamond(), timeline);
  EXPECT_NE(drawing.find("sm 0 |" + std::string(93, 'S')), std::string::npos) << drawing;
  EXPECT_NE(drawing.find("sm 1 |" + std::string(93, 'S')), std::string::npos) << drawing;
}

TEST(Gantt, FitsThePageAndSaysThatItSamples) {
  Random random(3);
  TaskGraphBuilder builder;
  Timeline timeline;
  timeline.cores.assign(132, CoreType::kAiv);
  for (int i = 0; i < 500; ++i) {
    Task task;
    task.kernel = static_cast<Kernel>(random.between(0, static_cast<std::int64_t>(kKernelCount) - 1));
    builder.add_task(std::to_string(i), task);
    TaskTimes times;
    times.started = at_ns(random.between(0, 1'000'000'000));
    times.ended = times.started + Duration{random.between(0, 100'000'000)};
    times.core = core_id(static_cast<std::size_t>(random.between(0, 131)));
    timeline.tasks.push_back(times);
  }
  const std::string drawing = gantt(std::move(builder).build(), timeline);
  EXPECT_LE(widest_line(drawing), kPageColumns);
  EXPECT_TRUE(drawing.starts_with("24 of 132 cores, evenly chosen")) << drawing;
}

TEST(Gantt, SaysThatATimelineIsEmpty) { EXPECT_EQ(gantt(TaskGraph{}, Timeline{}), "(an empty timeline)\n"); }

}  // namespace
}  // namespace tasktwin::verify
