#include "sim/workers/gathering.hpp"

#include <algorithm>

#include "models/machine/clusters.hpp"
#include "models/run/fallback.hpp"

namespace tasktwin::sim {

Gathering::Gathering(const WiringInputs& inputs, Listener& listener)
    : graph_(inputs.graph),
      times_(inputs.machine.control),
      calendar_(inputs.calendar),
      events_(inputs.events),
      listener_(listener),
      cores_(inputs.cores),
      comes_(round_ns(inputs.machine.mailboxes.publish)),
      hops_(inputs.machine.mailboxes, inputs.chance, inputs.cores.size()) {
  if (inputs.design.fallback != Fallback::kTask || !first_beyond_workers(graph_, inputs.machine.constants(), inputs.design)) return;
  taken_.resize(graph_.size());
  for (std::size_t i = 0; i < graph_.size(); ++i) taken_[i] = beyond_workers(graph_, inputs.machine.constants(), inputs.design, task_id(i));
  clusters_ = clusters(inputs.machine.compute_cores, cores_);
  for (std::size_t core = 0; core < cores_.size(); ++core) by_type_[static_cast<std::size_t>(cores_[core])].push_back(core_id(core));
  id_ = events_.add_control_core(ControlRole::kScheduler);
}

void Gathering::ready(TaskId task, TimePoint now) {
  const TimePoint begin = std::max(now + comes_, free_);
  const std::vector<CoreId> cores = next_cores(task);
  const Nanoseconds taking_in = times_.poll + times_.poll_per_core + times_.complete;
  for (std::size_t nth = 0; nth < cores.size(); ++nth) {
    free_ = begin + round_ns(taking_in + static_cast<double>(nth + 1) * times_.dispatch);
    events_.dispatched(task, free_, id_);
    deliveries_.push_back({cores[nth], task});
    const auto core = static_cast<std::uint32_t>(index(cores[nth]));
    calendar_.schedule(hops_.arrival(core, task, free_), EventKind::kArrived, static_cast<std::uint32_t>(deliveries_.size() - 1), *this);
  }
  events_.busy(id_, begin, free_);
  events_.step(id_, StepKind::kDispatch, begin, free_);
}

std::vector<CoreId> Gathering::next_cores(TaskId task) {
  const TaskTraits& traits = graph_.traits(task);
  std::vector<CoreId> cores;
  if (graph_[task].core_type != CoreType::kMix) {
    const auto type = static_cast<std::size_t>(graph_[task].core_type);
    for (int block = 0; block < traits.blocks; ++block) cores.push_back(by_type_[type][turn_[type]++ % by_type_[type].size()]);
    return cores;
  }
  const std::vector<CoreId>& cluster = clusters_[cluster_++ % clusters_.size()];
  if (traits.aic + traits.aiv == 0) return cluster;
  int aic = traits.aic;
  int aiv = traits.aiv;
  for (const CoreId core : cluster) {
    int& wanted = cores_[index(core)] == CoreType::kAic ? aic : aiv;
    if (wanted-- > 0) cores.push_back(core);
  }
  return cores;
}

void Gathering::handle(EventKind /*kind*/, std::uint32_t subject, TimePoint now) {
  const auto [core, task] = deliveries_[subject];
  listener_.handed(core, task, now);
}

}  // namespace tasktwin::sim
