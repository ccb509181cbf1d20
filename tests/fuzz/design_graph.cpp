// A random graph, machine and design, of which the input is the number: the simulator against the reference that looks at each nanosecond.
#include <array>
#include <cstring>

#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/oracles/simulation.hpp"
#include "tests/sim/random_cases.hpp"

using namespace tasktwin;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array kFamilies{"cuda-streams", "central-dispatcher", "static-queues", "shared-queue", "layer-barrier"};
  std::uint64_t number = 0;
  if (size < 1 + sizeof number) return 0;
  std::memcpy(&number, data + 1, sizeof number);
  const sim::RandomCase drawn = sim::random_case(named_design(kFamilies[data[0] % kFamilies.size()]), number);
  const Timeline expected = oracles::simulate(drawn.graph, drawn.machine, drawn.design, drawn.seed);
  const Timeline actual = sim::simulate(drawn.graph, drawn.machine, drawn.design, {.seed = drawn.seed}).timeline;
  fuzz::expect(expected == actual);
  fuzz::planted_bug(drawn.design.ready_queue == ReadyQueue::kSharded && drawn.graph.size() > 10);
  return 0;
}
