// What the executors run is said without CUDA: of every design of a random sample, and of the named ones.
#include "gpu/supported/supported.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/gpu/executor_cases.hpp"
#include "tests/gpu/executor_sources.hpp"

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

TEST(Supported, NoneOnAMachineWithOtherCores) {
  EXPECT_THAT(why_unsupported(chain(2), scenarios::load_machine("ascend-a2a3"), named_design("central-dispatcher")),
              Optional(HasSubstr("compute cores other than 'sm'")));
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

struct Sources {
  const Supported* supported;
  const char* executor;
  const char* support;
};
constexpr Sources kSources[] = {
    {&kCudaStreamsSupported, "cuda_streams.cpp", "launched.cpp"},
    {&kCudaGraphSupported, "cuda_graph.cpp", "launched.cpp"},
    {&kDeviceGraphLaunchSupported, "device_graph_launch.cpp", "launched.cpp"},
    {&kDynamicParallelismSupported, "dynamic_parallelism.cpp", "launched.cpp"},
    {&kHostDispatcherSupported, "host_dispatcher.cpp", "host_dispatcher.cpp"},
    {&kCentralDispatcherSupported, "central_dispatcher.cpp", "central_dispatcher.cpp"},
    {&kHybridSupported, "hybrid.cpp", "worker_queues.cpp"},
    {&kStaticQueuesSupported, "static_queues.cpp", "worker_queues.cpp"},
    {&kSharedQueueSupported, "shared_queue.cpp", "worker_queues.cpp"},
    {&kWorkStealingSupported, "work_stealing.cpp", "worker_queues.cpp"},
    {&kLayerBarrierSupported, "layer_barrier.cpp", "layer_barrier.cpp"},
};

const std::set<std::string>& reads(const Supported& supported) {
  static std::map<const Supported*, std::set<std::string>> known;
  const auto sources = std::ranges::find(kSources, &supported, &Sources::supported);
  const auto [found, is_new] = known.try_emplace(&supported);
  if (is_new) found->second = axes_read(sources->executor, sources->support);
  return found->second;
}

TEST(Supported, ListsAxesThatTheExecutorsSourcesReadWhereTheyLeaveAChoice) {
  ASSERT_EQ(std::size(kSources), all_supported().size());
  for (const Sources& sources : kSources) {
    for (const AxisSupport& listed : sources.supported->axes) {
      const auto field = std::ranges::find(axis_fields(), listed.axis, &AxisField::name);
      ASSERT_NE(field, axis_fields().end()) << listed.axis;
      const bool decides = listed.axis == "ready_queue" || listed.axis == "placement";  // which executor it is
      const bool one_value = !listed.values[0].empty() && listed.values[1].empty();
      if (decides || one_value) continue;
      EXPECT_TRUE(reads(*sources.supported).contains(std::string(listed.axis))) << sources.executor << ": " << listed.axis;
    }
  }
}

/// One row for each, with values that the axis has.
TEST(Supported, ListsEachAxisOnceAndOnlyWithValuesThatItHas) {
  for (const Sources& sources : kSources) {
    std::set<std::string_view> met;
    for (const AxisSupport& listed : sources.supported->axes) {
      EXPECT_TRUE(met.insert(listed.axis).second) << sources.executor << ": " << listed.axis;
      const auto field = std::ranges::find(axis_fields(), listed.axis, &AxisField::name);
      for (const std::string_view value : listed.values) {
        if (value.empty()) break;
        EXPECT_TRUE(!field->is_word() || std::ranges::find(field->words, value) != field->words.end()) << listed.axis << " " << value;
        EXPECT_FALSE(listed.why.empty()) << listed.axis;
      }
    }
  }
}

TEST(Supported, IsOfEveryDesignDecidedByOneExecutorAndEveryRefusalNamesAnAxisOrATask) {
  const Machine machine = scenarios::load_machine("nvidia-h200");
  Random random(7);
  std::map<const Supported*, int> runs;
  for (int drawn = 0; drawn < 20000; ++drawn) {
    Design design = named_design(kExecutors[static_cast<std::size_t>(random.between(0, std::ssize(kExecutors) - 1))]);
    for (int changes = static_cast<int>(random.between(1, 4)); changes > 0; --changes) change(random, design);
    try {
      check_design(design, machine);
    } catch (const InputError&) {
      continue;
    }
    const Supported* const supported = find_supported(design);
    ASSERT_NE(supported, nullptr) << to_word(design.driver) << " " << to_word(design.release) << " " << to_word(design.ready_queue);
    const auto why = why_unsupported(chain(2), machine, design);
    if (!why) {
      ++runs[supported];
      continue;
    }
    const auto named = [&](const AxisField& field) { return why->starts_with(std::string(field.name) + ' '); };
    const auto axis = std::ranges::find_if(axis_fields(), named);
    ASSERT_NE(axis, axis_fields().end()) << *why;
    if (why->find("does not read it") == std::string::npos) continue;
    EXPECT_FALSE(reads(*supported).contains(std::string(axis->name))) << *why << ", but its sources do, under " << design.name;
  }
  for (const Supported* const supported : all_supported()) EXPECT_GT(runs[supported], 0);
}

}  // namespace
}  // namespace tasktwin::gpu
