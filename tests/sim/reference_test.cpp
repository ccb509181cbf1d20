// The simulator against the plain reference, all phases, on random graphs, machines and axes.
#include <gtest/gtest.h>

#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/oracles/simulation.hpp"
#include "tests/sim/random_cases.hpp"
#include "tests/sim/timeline_text.hpp"

namespace tasktwin::sim {
namespace {

constexpr std::uint64_t kCases = 1000;

class AgainstReference : public testing::TestWithParam<std::string> {};

TEST_P(AgainstReference, EveryPhaseOfEveryTaskIsTheSame) {
  for (std::uint64_t number = 0; number < kCases; ++number) {
    const RandomCase drawn = random_case(named_design(GetParam()), number);
    const Timeline expected = oracles::simulate(drawn.graph, drawn.machine, drawn.design, drawn.seed);
    const Timeline actual = simulate(drawn.graph, drawn.machine, drawn.design, {.seed = drawn.seed}).timeline;
    ASSERT_EQ(expected, actual) << drawn.describe() << "\n" << first_differences(expected, actual);
  }
}

INSTANTIATE_TEST_SUITE_P(Designs, AgainstReference,
                         testing::Values("cuda-streams", "central-dispatcher", "static-queues", "shared-queue", "work-stealing",
                                         "layer-barrier"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace tasktwin::sim
