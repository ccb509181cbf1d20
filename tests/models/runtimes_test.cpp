#include "models/runtimes/runtimes.hpp"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/base/random.hpp"
#include "tests/models/design_refusal.hpp"
#include "tests/support/counting_axes.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin {
namespace {

using testing::HasSubstr;

/// Of those that a design may be in: what it is must not depend on the order of the table.
int forms_of(const Design& d) {
  int forms = 0;
  for (const Runtime* const runtime : runtimes()) {
    if (runtime->driver != d.driver || runtime->release != d.release) continue;
    for (const RuntimeForm& form : runtime->forms) {
      if (form.ready_queue.holds(d.ready_queue) && form.placement.holds(d.placement) && form.stealing.holds(d.stealing) &&
          form.stream_wait.holds(d.stream_wait))
        ++forms;
    }
  }
  return forms;
}

void change(Random& random, Design& design, const AxisField& field) {
  if (field.is_word()) {
    field.set_word(design, field.words[static_cast<std::size_t>(random.between(0, std::ssize(field.words) - 1))]);
  } else {
    design.*field.number = static_cast<int>(random.between(field.min, std::min(field.max, 40)));
  }
}

TEST(Runtimes, AreInTheOrderOfTheirIdsAndListAxesOnce) {
  for (std::size_t i = 0; i < runtimes().size(); ++i) {
    const Runtime& runtime = *runtimes()[i];
    EXPECT_EQ(static_cast<std::size_t>(runtime.id), i);
    std::set<std::string_view> met;
    for (const AxisUse& use : runtime.axes) {
      EXPECT_TRUE(met.insert(use.axis).second) << runtime.name << ": " << use.axis;
      EXPECT_NO_THROW(axis_named(use.axis));
    }
    for (const SectionUse& use : runtime.sections) EXPECT_NE(find_section(use.section), nullptr) << use.section;
  }
}

TEST(Runtimes, AreEachThatOfItsNamedDesigns) {
  for (const Runtime* const runtime : runtimes()) {
    for (const NamedDesign& named : runtime->named) EXPECT_EQ(&runtime_of(named_design(named.name)), runtime) << named.name;
  }
}

TEST(Runtimes, AreExactlyOneForEachLegalDesign) {
  Machine machine = free_machine();
  machine.compute_cores = {{CoreType::kSm, 8}};
  machine.control_cores = {.count = 4, .lanes = 1, .occupied_cores = 1};
  Random random(20);
  std::map<RuntimeId, int> met;
  constexpr std::string_view kDeciding[] = {"driver", "release", "ready_queue", "placement", "stealing", "stream_wait"};
  int legal = 0;
  for (int drawn = 0; drawn < 400'000 && legal < 20'000; ++drawn) {
    Design design = named_designs()[static_cast<std::size_t>(random.between(0, std::ssize(named_designs()) - 1))];
    for (auto changes = random.between(0, 4); changes > 0; --changes) {
      const bool decides = random.between(0, 1) == 0;
      change(random, design,
             decides ? axis_named(kDeciding[random.between(0, std::ssize(kDeciding) - 1)])
                     : axis_fields()[static_cast<std::size_t>(random.between(0, std::ssize(axis_fields()) - 1))]);
    }
    if (refusal(design, machine).empty()) {
      ++legal;
      ++met[runtime_of(design).id];
      EXPECT_EQ(forms_of(design), 1) << runtime_of(design).name;
    }
  }
  EXPECT_EQ(legal, 20'000);
  EXPECT_EQ(met.size(), runtimes().size() - 1) << "a host program is drawn with axes of streams that it refuses";
}

TEST(Runtimes, OfAPartAreThoseOfItsTasks) {
  const Design hybrid = named_design("hybrid");
  EXPECT_EQ(runtime_of(hybrid, {.ready_queue = ReadyQueue::kPerWorker}).id, RuntimeId::kStaticQueues);
  EXPECT_EQ(runtime_of(hybrid, {.ready_queue = ReadyQueue::kShared}).id, RuntimeId::kSharedQueue);
  EXPECT_EQ(runtime_of(hybrid, {.release = Release::kBarrier}).id, RuntimeId::kLayerBarrier);
}

TEST(Runtimes, TheNearestAreNamedWhereAxesContradictEachOther) {
  Design design = named_design("static-queues");
  design.ready_queue = ReadyQueue::kShared;
  EXPECT_THAT(refusal(design, free_machine()), testing::AllOf(HasSubstr("'static-queues' with ready_queue 'per_worker', not 'shared'"),
                                                              HasSubstr("'shared-queue' with placement 'any_idle', not 'heft'")));
}

TEST(Runtimes, NameTheAxesThatCountWhereOneDoesNot) {
  Design design = named_design("shared-queue");
  design.resolvers = 1;
  EXPECT_THAT(refusal(design, free_machine()),
              testing::AllOf(HasSubstr("it counts under 'central-dispatcher' or 'host-dispatcher'"), HasSubstr("claim_size, shards")));
}

}  // namespace
}  // namespace tasktwin
