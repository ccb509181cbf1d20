// What the executors run is said without CUDA: of every design of a random sample, and of the named ones.
#include "gpu/supported/supported.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/executor_cases.hpp"

namespace tasktwin::gpu {
namespace {

using testing::HasSubstr;
using testing::Optional;

std::optional<std::string> refusal(const Design& design) {
  return why_unsupported(random_graph(20, 4, Duration{100}, 1), scenarios::load_machine("nvidia-h200"), design);
}

TEST(Supported, NamedDesignsOfTheGpuAndAxesOfTheirs) {
  for (const std::string& name : kExecutors) EXPECT_EQ(refusal(named_design(name)), std::nullopt) << name;
  const auto changed = [](const char* name, void (*change)(Design&)) {
    Design design = named_design(name);
    change(design);
    check_design(design, scenarios::load_machine("nvidia-h200"));
    return refusal(design);
  };
  EXPECT_EQ(changed("central-dispatcher", [](Design& d) { d.ready_queue = ReadyQueue::kPerDispatcher; }), std::nullopt);
  EXPECT_EQ(changed("central-dispatcher",
                    [](Design& d) {
                      d.ready_queue = ReadyQueue::kSharded;
                      d.stealing = Stealing::kHalf;
                    }),
            std::nullopt);
  EXPECT_EQ(changed("cuda-streams",
                    [](Design& d) {
                      d.stream_granularity = StreamGranularity::kPerTaskType;
                      d.partition = 50;
                    }),
            std::nullopt);
  EXPECT_EQ(changed("cuda-graph",
                    [](Design& d) {
                      d.graph_source = GraphSource::kCapture;
                      d.replays = 2;
                      d.graph_update = GraphUpdate::kReinstantiate;
                    }),
            std::nullopt);
  EXPECT_THAT(changed("central-dispatcher", [](Design& d) { d.resolvers = 1; }), Optional(HasSubstr("resolvers 1")));
  EXPECT_THAT(changed("central-dispatcher", [](Design& d) { d.sweep = Sweep::kBusyCores; }), Optional(HasSubstr("sweep 'busy_cores'")));
}

/// Of a chain of two, whose second task has a prologue.
std::optional<std::string> refusal_of_prologue(const char* named, Kernel kernel, const TaskTraits& traits, Prologues prologues = {}) {
  TaskGraphBuilder builder;
  builder.add_task("first", {.cost = {.time = Duration{1000}}});
  Task task{.cost = {.time = Duration{kernel == Kernel::kSpin ? 1000 : 0}}, .kernel = kernel};
  if (kernel == Kernel::kFma) task.cost.flops = {1'000'000};
  task.traits = builder.add_traits(traits);
  builder.add_task("second", task);
  builder.add_edge(task_id(0), task_id(1));
  Design design = named_design(named);
  design.prologues = prologues;
  return why_unsupported(std::move(builder).build(), scenarios::load_machine("nvidia-h200"), design);
}

TEST(Supported, ProloguesByThemselvesOrInSpinningBodies) {
  const TaskTraits half_a_microsecond{.prologue = Duration{500}};
  for (const char* named : {"cuda-streams", "cuda-graph", "static-queues", "work-stealing", "central-dispatcher"})
    EXPECT_EQ(refusal_of_prologue(named, Kernel::kSpin, half_a_microsecond), std::nullopt) << named;
  for (const char* named : {"cuda-streams", "cuda-graph"})
    EXPECT_EQ(refusal_of_prologue(named, Kernel::kFma, half_a_microsecond), std::nullopt);
  EXPECT_EQ(refusal_of_prologue("static-queues", Kernel::kFma, half_a_microsecond, Prologues::kAhead), std::nullopt);
  EXPECT_THAT(refusal_of_prologue("static-queues", Kernel::kFma, half_a_microsecond),
              Optional(HasSubstr("task 'second' has a prologue before kernel 'fma'")));
  EXPECT_THAT(refusal_of_prologue("cuda-graph", Kernel::kSpin, {.prologue_bytes = 100}), Optional(HasSubstr("prologue_bytes")));
  EXPECT_THAT(refusal_of_prologue("cuda-graph", Kernel::kSpin, {.prologue = Duration{5'000'000'000}}), Optional(HasSubstr("the longest")));
}

TEST(Supported, NoneOnAMachineWithOtherCores) {
  EXPECT_THAT(why_unsupported(chain(2), scenarios::load_machine("ascend-a2a3"), named_design("central-dispatcher")),
              Optional(HasSubstr("compute cores other than 'sm'")));
}

/// Two tasks in a stream each, of which the second has a set of cores to itself.
std::optional<std::string> refusal_of_sets(void (*change)(Design& design), const char* machine = "nvidia-h200") {
  TaskGraphBuilder builder;
  for (const int stream : {0, 1}) {
    Task task{.cost = {.time = Duration{1000}}, .layer = stream};
    task.traits = builder.add_traits({.stream = stream});
    builder.add_task("t" + std::to_string(stream), task);
  }
  const TaskGraph graph = std::move(builder).build();
  Design design = named_design("cuda-streams");
  design.stream_granularity = StreamGranularity::kHinted;
  design.streams = 2;
  design.sets = {{.name = "step", .cores = {0, 31}, .streams = {1}}};
  change(design);
  check_design(design, scenarios::load_machine(machine));
  return why_unsupported(graph, scenarios::load_machine(machine), design);
}

/// Nodes that are not captured, of which those of layer 1 have a set of cores.
void build_nodes(Design& design) {
  design = named_design("cuda-graph");
  design.sets = {{.name = "step", .cores = {0, 31}, .layers = {{1, 1}}}};
}

TEST(SupportedSets, AreThoseOfStreamsAndGraphsOfOneDevice) {
  EXPECT_EQ(refusal_of_sets([](Design&) {}), std::nullopt);
  EXPECT_EQ(refusal_of_sets([](Design& d) {
              const auto sets = d.sets;
              d = named_design("cuda-graph");
              d.graph_source = GraphSource::kCapture;
              d.stream_granularity = StreamGranularity::kHinted;
              d.streams = 2;
              d.sets = sets;
            }),
            std::nullopt);
  EXPECT_EQ(refusal_of_sets(build_nodes), std::nullopt);
  EXPECT_THAT(refusal_of_sets([](Design&) {}, "nvidia-h200x2"),
              Optional(HasSubstr("sets of cores ('step') over several devices are simulated")));
}

TEST(SupportedSets, AreNotSuchAsShareAStreamOrLoseTheirNodes) {
  EXPECT_THAT(refusal_of_sets([](Design& d) {
                d.streams = 1;
                d.sets = {{.name = "step", .cores = {0, 31}, .layers = {{1, 1}}}};
              }),
              Optional(HasSubstr("stream 0 has task 't0' of no set and task 't1' of set 'step'")));
  EXPECT_THAT(refusal_of_sets([](Design& d) {
                build_nodes(d);
                d.graph_predicates = GraphPredicates::kIf;
              }),
              Optional(HasSubstr("sets beside graph_predicates 'if'")));
  EXPECT_THAT(refusal_of_sets([](Design& d) {
                build_nodes(d);
                d.programmatic_launch = ProgrammaticLaunch::kOn;
              }),
              Optional(HasSubstr("graph_source 'capture'")));
  EXPECT_THAT(refusal_of_sets([](Design& d) {
                build_nodes(d);
                d.replays = 2;
                d.graph_update = GraphUpdate::kNodeParams;
              }),
              Optional(HasSubstr("graph_update 'node_params'")));
}

/// Some axis changed to some value of its.
void change(Random& random, Design& design) {
  const auto fields = axis_fields();
  const AxisField& field = fields[static_cast<std::size_t>(random.between(0, std::ssize(fields) - 1))];
  if (field.is_word()) {
    field.set_word(design, field.words[static_cast<std::size_t>(random.between(0, std::ssize(field.words) - 1))]);
  } else {
    design.*field.number = static_cast<int>(random.between(field.min, std::min(field.max, 40)));
  }
}

/// One row for each, with values that the axis has.
TEST(Supported, ListsOnlyValuesThatAnAxisHasAndSaysWhyNoOthers) {
  for (const Runtime* const runtime : runtimes()) {
    for (const AxisUse& use : runtime->axes) {
      const AxisField& field = axis_named(use.axis);
      for (const GpuAxis& on : {use.gpu, use.peers}) {
        for (const std::string_view value : on.values) {
          if (value.empty()) break;
          EXPECT_TRUE(!field.is_word() || std::ranges::find(field.words, value) != field.words.end()) << use.axis << " " << value;
          EXPECT_FALSE(on.why.empty()) << use.axis;
        }
      }
    }
  }
}

TEST(Supported, IsSomeDesignOfEachRuntimeAndEveryRefusalNamesAnAxisOrATask) {
  const Machine machine = scenarios::load_machine("nvidia-h200");
  Random random(7);
  std::map<RuntimeId, int> runs;
  for (int drawn = 0; drawn < 20000; ++drawn) {
    Design design = named_design(kExecutors[static_cast<std::size_t>(random.between(0, std::ssize(kExecutors) - 1))]);
    for (int changes = static_cast<int>(random.between(1, 4)); changes > 0; --changes) change(random, design);
    try {
      check_design(design, machine);
    } catch (const InputError&) {
      continue;
    }
    const Runtime& runtime = runtime_of(design);
    const auto why = why_unsupported(chain(2), machine, design);
    if (!why) {
      ++runs[runtime.id];
      continue;
    }
    if (!runtime.on_gpu) continue;
    const auto named = [&](const AxisField& field) { return why->starts_with(std::string(field.name) + ' '); };
    const auto axis = std::ranges::find_if(axis_fields(), named);
    ASSERT_NE(axis, axis_fields().end()) << *why;
  }
  for (const Runtime* const runtime : runtimes()) {
    const bool drawn = runtime->on_gpu && !runtime->named.empty();
    EXPECT_EQ(runs[runtime->id] > 0, drawn) << runtime->name;
  }
}

}  // namespace
}  // namespace tasktwin::gpu
