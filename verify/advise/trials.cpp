#include "verify/advise/trials.hpp"

#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/importers/parts/imported.hpp"
#include "scenarios/load/assemble.hpp"
#include "verify/explain/what_if.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/admission.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

Trials::Trials(const scenarios::Scenario& program, const Design& design, std::uint64_t drawn_by, Progress& progress)
    : scenario(program), captured(design), seed(drawn_by), progress_(progress) {
  const CapturedBase base = captured_base(scenario, captured);
  advice.design = captured.name;
  advice.makespan = base.makespan;
  advice.host = base.host;
  allocations = base.allocations;
  syncs = base.syncs;
  advice.knows_memory = scenario.needs != nullptr;
  for (const HostThread& thread : scenario.program->threads) {
    for (const HostCall& call : thread.calls) {
      if (scenario.program->names[call.name].starts_with(kModuleLoading)) preparing += call.call;
      for (const NamedTime& part : call.within) {
        const std::string& name = scenario.program->names[part.name];
        if (allocates(name) || name.starts_with(kModuleLoading)) preparing += part.time;
      }
    }
  }
}

bool Trials::propose(Proposal proposal, const scenarios::Scenario& changed, const Design& design) {
  progress_.show(fmt::format("trying {}", proposal.what));
  const auto cannot = [&](const std::exception& why) {
    advice.remarks.push_back(fmt::format("{} could not be tried: {}", proposal.what, why.what()));
    return false;
  };
  try {
    scenarios::check_runnable(changed.graph, changed.machine, design);
    check_admission(changed, design);
    proposal.makespan = predict_makespan(changed, design, seed);
  } catch (const InputError& refused) {
    return cannot(refused);
  } catch (const RunError& stands_still) {
    return cannot(stands_still);
  }
  ++advice.tried;
  advice.proposals.push_back(std::move(proposal));
  return true;
}

bool Trials::propose_schedule(Proposal proposal, scenarios::Scenario changed, const Design& design) {
  const auto shared = std::make_shared<const scenarios::Scenario>(std::move(changed));
  if (!proposal.plan) proposal.plan = [shared, design] { return plan_file_of(*shared, design); };
  return propose(std::move(proposal), *shared, design);
}

scenarios::Scenario Trials::needed(bool reuse) const {
  scenarios::Scenario needed = scenario;
  needed.graph = with_needed_edges(scenario, {.unordered = !shows_all_order(*scenario.program), .reuse = reuse});
  if (needed.imported && !reuse) needed.imported->own_memory = true;
  return needed;
}

std::string Trials::unordered() const {
  const std::size_t races = advice.order->unordered.size();
  if (races == 0) return "every dependence is ordered by the program too";
  if (shows_all_order(*scenario.program))
    return fmt::format("{} dependences that the program's calls do not order either are left so: parts of one allocation, or races", races);
  return fmt::format("{} dependences that the program's calls do not order, as in a race, are kept in its order", races);
}

std::string Trials::graphs_assume(bool whole) const {
  std::string text =
      fmt::format("assumes the same shapes and addresses each time, and nothing inside that allocates{}; here {} calls allocate or free",
                  whole ? " or blocks" : "", allocations);
  if (whole) text += fmt::format(" and {} block", syncs);
  if (share(preparing, advice.makespan) >= kWorthwhile)
    text += fmt::format(
        "; {} of what the host takes now is in calls that allocate or free and in loading modules, which have to be over before",
        format_us(preparing));
  return text;
}

std::string Trials::uncertain() const {
  return fmt::format("of the run's path {} is the host's{}", format_us(advice.host),
                     scenario.host_pace == 1 ? ", a profiler's part included, which '--unprofiled' can take out" : "");
}

}  // namespace tasktwin::verify
