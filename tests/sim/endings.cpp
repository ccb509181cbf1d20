#include "tests/sim/endings.hpp"

#include <ostream>

#include "models/base/error.hpp"
#include "sim/simulator.hpp"

namespace tasktwin::sim {

void PrintTo(const Ending& ending, std::ostream* out) {
  *out << (ending.timeline ? std::to_string(to_ns(ending.timeline->makespan())) + " ns" : ending.refused ? "refused" : "no end");
}

Ending run(const TaskGraph& graph, const Machine& machine, const Design& design) {
  try {
    return {.timeline = simulate(graph, machine, design).timeline};
  } catch (const InputError&) {
    return {.refused = true};
  } catch (const RunError&) {
    return {};
  }
}

std::vector<Design> with_each_value(const Design& design, const AxisField& field) {
  std::vector<Design> changed;
  const auto keep = [&](const Design& one) {
    if (field.text(one) != field.text(design)) changed.push_back(one);
  };
  Design one = design;
  for (const std::string_view word : field.words) {
    field.set_word(one, word);
    one.replay = one.placement == Placement::kReplay ? "run.csv" : "";
    keep(one);
  }
  for (const int number : {0, 1, 2, 3, 7, 50}) {
    if (field.is_word() || number < field.min || number > field.max) continue;
    one.*field.number = number;
    keep(one);
  }
  return changed;
}

std::vector<Stage> staged(const std::vector<EffectWorld>& worlds) {
  std::vector<Stage> stages;
  for (const EffectWorld& world : worlds) stages.push_back({world.name, world.graph(), world.machine});
  return stages;
}

}  // namespace tasktwin::sim
