#include <charconv>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/load/scenario.hpp"
#include "sim/simulator.hpp"

/// What tests/bench/python_overhead.py does from Python: as many runs as its argument says of a scenario with each of its overrides, under
/// the scenario's only design. Prints the processor time in seconds, and the sum of the makespans.
int main(int argc, char** argv) {
  using namespace tasktwin;
  const std::string_view argument = argc > 2 ? argv[2] : "";
  std::uint64_t runs = 0;
  std::from_chars(argument.data(), argument.data() + argument.size(), runs);
  if (runs == 0) {
    std::cerr << "usage: tasktwin_python_reference SCENARIO RUNS [OVERRIDE…]\n";
    return 2;
  }
  const scenarios::Scenario scenario = scenarios::load_scenario(argv[1], std::vector<std::string>(argv + 3, argv + argc));
  sim::simulate(scenario.graph, scenario.machine, scenario.designs.front());  // the engine is made
  const std::clock_t begin = std::clock();
  std::int64_t sum = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed)
    sum += to_ns(sim::simulate(scenario.graph, scenario.machine, scenario.designs.front(), {.seed = seed}).timeline.makespan());
  std::cout << static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC << ' ' << sum << '\n';
}
