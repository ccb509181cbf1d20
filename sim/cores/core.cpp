#include "sim/cores/core.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <ranges>
#include <utility>

#include "models/cost/prologue.hpp"
#include "models/cost/workers_beside.hpp"
#include "models/machine/interconnect.hpp"
#include "models/runtimes/prologues_ahead.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/cores/body_costs.hpp"

namespace tasktwin::sim {

namespace {

/// Without the wait for the output, where the core does not wait for it.
PublishCost flushing(PublishCost publish, const WiringInputs& inputs) {
  if (writer_waits(inputs.design.output_flush)) return publish;
  const Nanoseconds flush = inputs.machine.resident_cores->flush;
  publish.fixed = std::max(Nanoseconds{0}, publish.fixed - flush);
  publish.without_successors = std::max(Nanoseconds{0}, publish.without_successors - flush);
  return publish;
}

/// From a core's having the task to its body, less the part that orders its reads, where it does not order them.
Nanoseconds reading(const WiringInputs& inputs) {
  const mechanism::ResidentCores& cores = *inputs.machine.resident_cores;
  return reader_waits(inputs.design.output_flush) ? cores.start : std::max(Nanoseconds{0}, cores.start - cores.ordered_read);
}

std::vector<Duration> publish_times(const TaskGraph& graph, const PublishCost& publish) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) most = std::max(most, graph.out_degree(task_id(i)));
  std::vector<Duration> times;
  for (std::size_t successors = 0; successors <= most; ++successors) times.push_back(publish.of(successors));
  return times;
}

bool adds_to_phases(const TaskGraph& graph, const AsRun& machine) {
  return std::ranges::any_of(graph.tasks(), [&machine](const Task& task) {
    const KernelCost& cost = machine.kernel_cost(task.kernel);
    return cost.publish.count() > 0 || cost.release.count() > 0 || cost.cold.count() > 0 || cost.uncached_cold.count() > 0;
  });
}

/// Whether the time of some of its bodies depends on earlier work of their worker, or on its work meanwhile.
bool depend_on_worker(const TaskGraph& graph, const AsRun& machine) {
  return std::ranges::any_of(graph.tasks(), [&machine](const Task& task) {
    const KernelCost& cost = machine.kernel_cost(task.kernel);
    return cost.again.count() > 0 || cost.pipelined > 1;
  });
}

/// Whether some of its bodies take shares of a core.
bool hold_up_others(const TaskGraph& graph, const AsRun& machine) {
  const auto takes = [&](const Task& task) { return machine.kernel_cost(task.kernel).issue > 0 || task.cost.bytes.count > 0; };
  return graph.has_edge_bytes() || std::ranges::any_of(graph.tasks(), takes);
}

std::span<const CoreType> cores_of(int device, const WiringInputs& inputs) {
  const std::size_t each = inputs.cores.size() / static_cast<std::size_t>(inputs.machine.devices.count());
  return inputs.cores.subspan(static_cast<std::size_t>(device) * each, each);
}

bool parts_differ(const TaskGraph& graph) {
  for (std::size_t i = 0; graph.has_wide_tasks() && i < graph.size(); ++i) {
    if (!graph.traits(task_id(i)).parts.empty()) return true;
  }
  return false;
}

/// The tasks of which some successor waits for other devices as well: its counter is one that these write.
std::vector<bool> leaving(const WiringInputs& inputs) {
  std::vector<bool> leaves;
  if (inputs.machine.devices.count() == 1) return leaves;
  const TaskGraph& graph = inputs.graph;
  leaves.resize(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto predecessors = graph.predecessors(task_id(i));
    const bool shared = std::ranges::any_of(predecessors, [&](TaskId before) { return graph[before].device != graph[task_id(i)].device; });
    if (shared) std::ranges::for_each(predecessors, [&leaves](TaskId before) { leaves[index(before)] = true; });
  }
  return leaves;
}

}  // namespace

Cores::Cores(const WiringInputs& inputs, const PublishCost& publish, Listener& listener, Units units, int device)
    : graph_(inputs.graph),
      machine_(inputs.machine),
      costs_(inputs.costs),
      types_(cores_of(device, inputs)),
      first_(static_cast<std::size_t>(device) * types_.size()),
      per_core_(inputs.design.workers_per_core),
      events_(inputs.events),
      listener_(listener),
      paths_(MemoryPaths::of_workers(inputs.machine.constants(), types_.first(types_.size() / static_cast<std::size_t>(per_core_)))),
      bodies_(inputs.calendar, *inputs.machine.memory, inputs.costs.any_bytes(),
              inputs.design.prefetch > 0 ? 2 * types_.size() : types_.size(), *this, inputs.bandwidth_solver, paths_),
      cores_(types_.size()),
      mailboxes_(types_.size(), inputs.design.mailbox_depth),
      units_(units),
      start_(round_ns(reading(inputs) + (units == Units::kOne ? Nanoseconds{0} : inputs.machine.resident_cores->hand_off))),
      kernels_differ_(adds_to_phases(inputs.graph, inputs.machine)),
      publish_cost_(flushing(publish, inputs)),
      publish_(publish_times(inputs.graph, publish_cost_)),
      ahead_(inputs.graph.has_prologues() && !inputs.costs.given() && prologues_ahead(inputs.design)),
      plain_(inputs.costs.same_everywhere() && !inputs.costs.any_bytes() && !ahead_ && !depend_on_worker(inputs.graph, inputs.machine)),
      spawns_(graph_.has_spawns() && !runtime_of(inputs.design).dispatched()),
      wide_(graph_.has_wide_tasks()),
      started_(wide_ ? cores_.size() : 0),
      gang_(inputs.design.gang),
      gangs_(wide_ && gang_ != Gang::kApart ? graph_.size() : 0),
      doorbells_(inputs.design.early_dispatch != EarlyDispatch::kOff ? graph_.size() : 0, kAbsent),
      leaves_(leaving(inputs)),
      ran_on_(graph_.has_edge_bytes() ? graph_.size() : 0, kNoCore),
      parts_begun_(parts_differ(graph_) ? graph_.size() : 0) {
  plain_ = plain_ && parts_begun_.empty();
  if (inputs.machine.devices.count() > 1 && inputs.design.peer_data == PeerData::kRead && graph_.has_edge_bytes())
    reads_.emplace(inputs.calendar, graph_, machine_, device, static_cast<InputReads::Listener&>(*this));
  if (per_core_ == 1 || costs_.given() || !hold_up_others(graph_, machine_)) return;
  bodies_.share_cores(types_.size() / static_cast<std::size_t>(per_core_), types_.size(), Bodies::Leaves::kAtItsEnd);
}

Cores::State Cores::state() const { return {bodies_.state(), cores_, mailboxes_, code_, ran_on_}; }

void Cores::resume(const State& state) {
  bodies_.resume(state.bodies);
  cores_ = state.cores;
  mailboxes_ = state.mailboxes;
  code_ = state.code;
  ran_on_ = state.ran_on;
}

void Cores::receive(CoreId id, TaskId task, TimePoint received) {
  events_.received(task, id, received);
  if (!ran_on_.empty()) ran_on_[index(task)] = std::min(ran_on_[index(task)], id);  // kNoCore is after all cores
  Core& core = cores_[local(id)];
  assert(core.count < mailboxes_.depth());
  const std::uint8_t part = parts_begun_.empty() ? std::uint8_t{0} : next_part(id, task);
  const std::uint32_t place = std::uint32_t{core.first} + core.count++;
  mailboxes_.at(local(id), place < mailboxes_.depth() ? place : place - mailboxes_.depth()) = {received.time_since_epoch(), task, part};
  run(id);
}

std::uint8_t Cores::next_part(CoreId id, TaskId task) {
  const TaskTraits& traits = graph_.traits(task);
  if (traits.parts.empty()) return 0;
  const bool matrix = types_[local(id)] == CoreType::kAic;
  std::uint8_t& begun = parts_begun_[index(task)][matrix ? 0 : 1];
  const int part = begun++ % (matrix ? traits.aic : traits.aiv);  // in each replay anew
  return static_cast<std::uint8_t>(matrix ? part : traits.aic + part);
}

void Cores::receive_early(CoreId id, TaskId task, TimePoint received) {
  doorbells_[index(task)] = TimePoint::max();
  receive(id, task, received);
}

void Cores::ring(CoreId id, TaskId task, TimePoint heard) {
  doorbells_[index(task)] = heard;
  run(id);
}

void Cores::run(CoreId id) {
  Core& core = cores_[local(id)];
  while (core.count > 0 && !core.running) {
    const auto [received, task, part] = head(id);
    TimePoint ready = std::max(TimePoint{received}, core.ended) + start_;
    if (!doorbells_.empty()) {
      if (doorbells_[index(task)] == TimePoint::max()) return;
      ready = std::max(ready, doorbells_[index(task)]);
    }
    if (wide_ && starts_together(gang_, graph_[task].core_type) && width(graph_, machine_.constants(), task) > 1) {
      core.running = true;
      join_gang(id, task, ready);
    } else {
      begin(id, task, ready);
    }
  }
}

void Cores::join_gang(CoreId id, TaskId task, TimePoint ready) {
  Cohort& gang = gangs_[index(task)];
  gang.start = std::max(gang.start, ready);
  gang.cores.push_back(id);
  if (gang.cores.size() < static_cast<std::size_t>(width(graph_, machine_.constants(), task))) return;
  for (const CoreId core : std::exchange(gang.cores, {})) {
    cores_[local(core)].running = false;
    begin(core, task, gang.start);
    if (core != id) run(core);
  }
}

void Cores::begin(CoreId id, TaskId task, TimePoint start) {
  events_.started(task, start);
  if (wide_) started_[local(id)] = start;
  if (!reads_ || remote_inputs(graph_, task).empty()) return work(id, task, start);
  cores_[local(id)].running = true;
  reads_->begin(static_cast<std::uint32_t>(local(id)), task, start);
}

void Cores::inputs_read(std::uint32_t runner, TimePoint now) {
  const CoreId id = core_id(first_ + runner);
  work(id, head(id).task, now);
  run(id);
}

void Cores::work(CoreId id, TaskId task, TimePoint start) {
  const Kernel kernel = graph_[task].kernel;
  const Duration still = kernels_differ_ ? code_.wait(machine_.kernel_cost(kernel), kernel, start) : Duration{0};
  const TimePoint end = plain_ && !bodies_.shares_cores() ? start + still + costs_.fixed(task) : start_body(id, task, start + still);
  cores_[local(id)].running = true;
  if (is_present(end)) end_body(id, task, end);
}

TimePoint Cores::start_body(CoreId id, TaskId task, TimePoint start) {
  BodyCost cost = this->cost(id, task);
  cores_[local(id)].last = graph_[task].kernel;
  if (loads_) {
    loads_->begin(id, task, start);
    cost.bytes.count -= loads_->spared(task).count;
    cost.fixed = std::max(cost.fixed, loads_->reading(task));
  }
  const auto runner = static_cast<std::uint32_t>(local(id));
  const std::size_t core = core_of(id);
  if (bodies_.shares_cores()) {
    const Kernel kernel = graph_[task].kernel;
    if (kernel == Kernel::kStream)
      cost = limited_by_ring(machine_.constants(), kWholeCoreThreads, shared_bytes_beside(machine_.core_limits, per_core_), cost);
    const BodyShare share = body_share(machine_, kernel, body_threads(graph_, task), cost);
    if (share.issue > 0 || share.reading > 0) {
      bodies_.start(runner, cost, start, paths_.of[core], core_id(core), share);
      return kAbsent;
    }
  }
  return bodies_.start(runner, cost, start, paths_.of[core]);
}

void Cores::body_ended(std::uint32_t runner, TimePoint end) {
  if (runner >= cores_.size()) return page_came(runner, end);
  const CoreId id = core_id(first_ + runner);
  end_body(id, head(id).task, end);
  run(id);
}

void Cores::page_came(std::uint32_t loader, TimePoint now) {
  const CoreId id{static_cast<std::uint32_t>(loader - cores_.size())};
  const std::optional<TaskId> task = loads_->piece_came(id, now);
  Core& core = cores_[local(id)];
  if (!task || !is_present(core.read) || head(id).task != *task) return;
  end_body(id, *task, std::exchange(core.read, kAbsent));
  run(id);
}

/// `end` is without the pages, which it may still have to wait for.
void Cores::end_body(CoreId id, TaskId task, TimePoint end) {
  Core& core = cores_[local(id)];
  if (loads_ && loads_->bytes(task).count > 0) {
    const TimePoint loaded = loads_->loaded(task);
    if (!is_present(loaded)) {
      core.read = end;
      return;
    }
    end = std::max(end, loaded + loads_->hop());
  }
  core.running = false;
  finish(id, task, end);
}

void Cores::finish(CoreId id, TaskId task, TimePoint end) {
  Core& core = cores_[local(id)];
  core.first = static_cast<std::uint8_t>(mailboxes_.after(core.first));
  --core.count;
  const TimePoint taken = std::max(end, core.published);
  core.ended = end;
  core.published = taken + publishing(task);
  const TimePoint slot_free = units_ == Units::kOne ? core.published : taken;
  events_.ended(task, end);
  events_.published(task, core.published);
  if (wide_ && width(graph_, machine_.constants(), task) > 1) events_.block_ran({task, id, started_[local(id)], end, core.published});
  listener_.will_publish({id, task, end, slot_free, core.published});
}

namespace {

/// A body in a worker that fetches and publishes meanwhile.
BodyCost pipelined(const AsRun& machine, const KernelCost& kernel, BodyCost cost) {
  if (kernel.pipelined <= 1) return cost;
  const auto longer = [&kernel](Duration time) { return round_ns(kernel.pipelined * Nanoseconds{static_cast<double>(to_ns(time))}); };
  return {longer(cost.overhead), longer(cost.fixed), cost.bytes, cost.alone_rate(*machine.memory) / kernel.pipelined};
}

}  // namespace

/// With the bytes that come from predecessors on other cores, and without what it finds there of the body before it.
BodyCost Cores::cost(CoreId id, TaskId task) const {
  BodyCost cost = costs_.on(task, types_[local(id)]);
  if (ahead_) cost.overhead -= prologue_alone(machine_.constants(), graph_.traits(task));
  const std::vector<Duration>& parts = graph_.traits(task).parts;
  if (!parts.empty() && graph_[task].cost.time.count() > 0) {
    const double part = static_cast<double>(parts[head(id).part].count()) / static_cast<double>(graph_[task].cost.time.count());
    cost.fixed = Duration{std::llround(static_cast<double>(cost.fixed.count()) * part)};
  }
  const Kernel kernel = graph_[task].kernel;
  if (units_ != Units::kOne && !costs_.given()) cost = pipelined(machine_, machine_.kernel_cost(kernel), cost);
  if (cores_[local(id)].last == kernel) cost.overhead -= std::min(cost.overhead, round_ns(machine_.kernel_cost(kernel).again));
  const auto bytes = graph_.input_bytes(task);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const TaskId predecessor = graph_.predecessors(task)[static_cast<std::ptrdiff_t>(i)];
    if (graph_[predecessor].device != graph_[task].device && reads_) continue;                          // read before
    if (!publish_cost_.in_messages.empty() && publish_cost_.in_messages[index(predecessor)]) continue;  // come with its message
    const CoreId before = ran_on_[index(predecessor)];
    if (before == kNoCore || core_of(before) != core_of(id)) cost.bytes.count += bytes[i];
  }
  return cost;
}

Duration Cores::publishing(TaskId task) const {
  const std::size_t successors = publish_cost_.counts.empty() ? graph_.out_degree(task) : publish_cost_.counts[index(task)];
  Duration publishing = publish_[successors];
  if (!publish_cost_.in_messages.empty() && publish_cost_.in_messages[index(task)] && successors > 0)
    publishing -= std::min(publishing, round_ns(publish_cost_.message_less));
  if (!leaves_.empty() && leaves_[index(task)])
    publishing = std::max(Duration{0}, publishing + round_ns(machine_.peers->system_release - publish_cost_.fixed));
  if (kernels_differ_ && publish_cost_.of_kernel != nullptr && (successors > 0 || publish_cost_.always))
    publishing += round_ns(machine_.kernel_cost(graph_[task].kernel).*publish_cost_.of_kernel);
  if (!spawns_) return publishing;
  const auto spawned = std::ranges::count_if(graph_.successors(task), [&](TaskId successor) { return graph_.spawner(successor) == task; });
  const mechanism::ResidentCores& times = *machine_.resident_cores;
  const auto batches = (spawned + times.lanes - 1) / times.lanes;
  return publishing + round_ns(static_cast<double>(batches) * times.spawn);
}

}  // namespace tasktwin::sim
