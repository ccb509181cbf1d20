// Nothing that is stated is ignored without a word: a prediction shows it, or it is refused, or a remark says that it does not count.
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <vector>

#include "models/checks/remarks.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/tasks/task_fields.hpp"
#include "tests/sim/effect_worlds.hpp"
#include "tests/sim/endings.hpp"
#include "tests/sim/random_designs.hpp"

namespace tasktwin::sim {
namespace {

bool names(const std::vector<std::string>& remarks, std::string_view what) {
  return std::ranges::any_of(remarks, [what](const std::string& remark) { return remark.starts_with(std::string(what) + ' '); });
}

/// How a statement is taken. It must show in some run; else be refused, or remarked on, wherever it is made. A remark must be true.
class Verdict {
 public:
  /// In `world`; `with` runs it with the statement, where that is of interest.
  template <class Run>
  void add(const std::string& world, const Ending& without, bool remarked, Run with) {
    if (without.refused || (shows_ && !remarked)) return;
    const Ending ending = with();
    if (ending.refused) return;
    const bool differs = !(without == ending);
    shows_ |= differs;
    if (!differs && !remarked) silent_ = world;
    if (differs && remarked) untrue_ = world;
  }
  /// What is wrong, or nothing.
  std::string fault() const {
    if (!untrue_.empty()) return "is said to change nothing, but does in " + untrue_;
    return shows_ || silent_.empty() ? "" : "changes nothing, which nobody says, as in " + silent_;
  }

 private:
  bool shows_ = false;
  std::string silent_;
  std::string untrue_;
};

std::vector<Ending> run_all(const std::vector<Stage>& stages, const Design& design) {
  std::vector<Ending> endings;
  for (const Stage& stage : stages) endings.push_back(run(stage.graph, stage.machine, design));
  return endings;
}

using Effects = testing::TestWithParam<std::string>;

TEST_P(Effects, EveryValueOfEveryAxisShowsOrIsRefusedOrRemarkedOn) {
  static const std::vector<Stage> stages = staged(rich_worlds());
  const Design& design = named_design(GetParam());
  const std::vector<Ending> without = run_all(stages, design);
  EXPECT_TRUE(std::ranges::any_of(without, [](const Ending& ending) { return ending.timeline.has_value(); }));
  for (const AxisField& field : axis_fields()) {
    for (const Design& changed : with_each_value(design, field)) {
      Verdict verdict;
      for (std::size_t i = 0; i < stages.size(); ++i) {
        const auto& [name, graph, machine] = stages[i];
        if (!passes(changed, machine)) continue;
        const bool remarked = names(axis_remarks(graph, machine, changed, design), field.name);
        verdict.add(name, without[i], remarked, [&] { return run(graph, machine, changed); });
      }
      EXPECT_EQ(verdict.fault(), "") << field.name << " " << field.text(changed);
    }
  }
}

/// The named design, and what it becomes by axes that make hints count.
std::vector<Design> with_hints_read(const Design& design) {
  std::vector<Design> designs{design};
  const auto add = [&](auto change) {
    Design changed = design;
    change(changed);
    designs.push_back(changed);
  };
  add([](Design& d) { d.order = TaskOrder::kPriority; });
  add([](Design& d) { d.stream_priorities = StreamPriorities::kTask; });
  for (const StreamGranularity granularity : {StreamGranularity::kHinted, StreamGranularity::kPerLayer}) {
    add([&](Design& d) { d.stream_granularity = granularity; });
    add([&](Design& d) {
      d.stream_granularity = granularity;
      d.graph_source = GraphSource::kCapture;
    });
  }
  return designs;
}

/// With streams, and with layers too, for these let kernels run side by side where they choose the stream.
std::vector<EffectWorld> plain_worlds_and_those_in_streams() {
  std::vector<EffectWorld> worlds = plain_worlds();
  const std::size_t plain = worlds.size();
  for (const char* hint : {"stream", "layer"}) {
    for (std::size_t i = worlds.size() - plain, end = worlds.size(); i < end; ++i) {
      EffectWorld world = worlds[i];
      std::ranges::find(stated_fields(), hint, &StatedField::name)->state(world);
      world.name += std::string(" with ") + hint;
      worlds.push_back(std::move(world));
    }
  }
  return worlds;
}

TEST_P(Effects, EveryFieldOfATaskShowsOrIsRefusedOrRemarkedOn) {
  static const std::vector<EffectWorld> worlds = plain_worlds_and_those_in_streams();
  static const std::vector<Stage> stages = staged(worlds);
  for (const Design& design : with_hints_read(named_design(GetParam()))) {
    const std::vector<Ending> without = run_all(stages, design);
    for (const StatedField& field : stated_fields()) {
      Verdict verdict;
      for (std::size_t i = 0; i < worlds.size(); ++i) {
        EffectWorld world = worlds[i];
        if (!field.state(world)) continue;
        const TaskGraph graph = world.graph();
        verdict.add(world.name, without[i], names(task_remarks(graph, design), field.name),
                    [&] { return run(graph, world.machine, design); });
      }
      EXPECT_EQ(verdict.fault(), "") << field.name << " " << to_word(design.order) << " " << to_word(design.stream_granularity);
    }
  }
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Design& design : named_designs()) names.push_back(design.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(NamedDesigns, Effects, testing::ValuesIn(all_names()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(AxisRemarks, AreTrueUnderOtherAxesToo) {
  const std::vector<Stage> stages = staged(rich_worlds());
  const Design plain;
  int made = 0;
  for (std::uint64_t number = 0; number < 120; ++number) {
    const Design design = random_world(number).design;
    for (const AxisField& field : axis_fields()) {
      Design before = design;
      if (field.is_word()) {
        field.set_word(before, field.word(plain));
      } else {
        before.*field.number = plain.*field.number;
      }
      for (const auto& [name, graph, machine] : stages) {
        if (!passes(design, machine) || !passes(before, machine)) continue;
        if (!names(axis_remarks(graph, machine, design, before), field.name)) continue;
        const Ending with = run(graph, machine, design);
        const Ending without = run(graph, machine, before);
        if (with.refused || without.refused) continue;
        ++made;
        EXPECT_EQ(with, without) << number << " " << field.name << " " << field.text(design) << " in " << name << ": "
                                 << random_world(number).describe();
      }
    }
  }
  EXPECT_GT(made, 500);
}

TEST(EffectWorlds, StateEveryFieldThatScenarioFilesKnow) {
  std::set<std::string> known;
  for (const scenarios::TaskField& field : scenarios::task_fields()) known.emplace(field.name);
  std::set<std::string> tried{"name", "buffer", "uses", "kind"};  // they only name something
  tried.insert("arguments");  // of a scenario's own kernels: a body reads them on a GPU, a prediction the cost that they give it
  tried.insert("split");      // of a file's tasks: a graph has the tasks that it makes
  for (const StatedField& field : stated_fields()) tried.emplace(field.name);
  EXPECT_EQ(tried, known);
}

}  // namespace
}  // namespace tasktwin::sim
