// tasktwin_timelines SCENARIO DESIGN: the timelines of three seeds, all of them as text. scripts/determinism.sh holds those of builds by
// other compilers, and with sanitizers, against each other.
#include <algorithm>
#include <iostream>
#include <string_view>

#include "models/base/error.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/scenario.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/timeline_text.hpp"

int main(int argc, char** argv) {
  using namespace tasktwin;
  constexpr std::uint64_t kSeeds = 3;
  if (argc != 3) {
    std::cerr << "usage: tasktwin_timelines SCENARIO DESIGN\n";
    return 2;
  }
  try {
    const scenarios::Scenario scenario = scenarios::load_scenario(argv[1]);
    const auto own = std::ranges::find(scenario.designs, std::string_view(argv[2]), &Design::name);
    const Design& design = own == scenario.designs.end() ? named_design(argv[2]) : *own;
    for (std::uint64_t seed = scenario.seed; seed < scenario.seed + kSeeds; ++seed)
      std::cout << sim::to_text(sim::simulate(scenario.graph, scenario.machine, design, {.seed = seed}).timeline);
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
  return std::cout.flush() ? 0 : 1;
}
