#include "sim/cores/body_costs.hpp"

#include <algorithm>
#include <string>

#include "models/base/error.hpp"
#include "models/cost/body_spread.hpp"

namespace tasktwin::sim {

namespace {

/// Longest body taken; sums of them stay exact.
constexpr double kLongestBody = 0x1p50;

void check(const BodyCost& cost, const TaskGraph& graph, const Machine& machine, TaskId task) {
  if (cost.bytes.count == 0 && cost.fixed >= Duration{0} && cost.overhead >= Duration{0} &&
      std::max(cost.fixed, cost.overhead) <= Duration{static_cast<std::int64_t>(kLongestBody)})
    return;
  const double rate = std::min(cost.alone_rate(*machine.memory), machine.memory->bandwidth);
  const double transfer = rate > 0 ? static_cast<double>(cost.bytes.count) / rate : 0;
  const double longest = std::max({static_cast<double>(to_ns(cost.fixed)), static_cast<double>(to_ns(cost.overhead)), transfer});
  if (to_ns(cost.fixed) >= 0 && to_ns(cost.overhead) >= 0 && cost.bytes.count >= 0 && longest <= kLongestBody) return;
  throw InputError("task '" + std::string(graph.name(task)) + "': its body would take " + std::to_string(longest) + " ns on machine '" +
                   machine.name + "'; it must be 0 to 2^50 ns (13 days)");
}

BodyCost drawn_cost(const TaskGraph& graph, const AsRun& machine, std::uint64_t seed, std::span<const Duration> given, TaskId task,
                    CoreType on) {
  const bool is_kernel = graph[task].operation == Operation::kKernel;
  const bool is_given = !given.empty() && given[index(task)] >= Duration{0} && is_kernel;
  BodyCost body = is_given ? BodyCost{.fixed = given[index(task)]} : body_cost(machine.constants(), graph, task, on, seed);
  if (is_kernel && !is_given) {
    const Task& like = graph[task];
    const KernelCost& kernel = machine.kernel_cost(like.kernel);
    body.overhead += round_ns(uncached_time(kernel, flops_of_pass(kernel, like, graph.problem())));
    if (graph.traits(task).blocks == 1) body = drawn_body(kernel, body, seed, graph.draw(task), 0);
  }
  check(body, graph, machine.constants(), task);
  return body;
}

}  // namespace

BodyCosts::BodyCosts(const TaskGraph& graph, const AsRun& machine, std::uint64_t seed, std::span<const Duration> given)
    : graph_(&graph), given_(!given.empty()) {
  fixed_.reserve(graph.size());
  overhead_.reserve(graph.size());
  any_bytes_ = graph.has_edge_bytes();
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskId task = task_id(i);
    add(drawn_cost(graph, machine, seed, given, task, graph[task].core_type));
    const std::optional<CoreType>& other = graph.traits(task).other_type;
    if (!other) continue;
    other_.resize(graph.size());
    other_[i] = drawn_cost(graph, machine, seed, given, task, *other);
  }
}

BodyCosts BodyCosts::changed_in(const TaskGraph& graph, std::span<const TaskId> changed, const AsRun& machine, std::uint64_t seed) const {
  BodyCosts costs = *this;
  costs.graph_ = &graph;
  for (const TaskId task : changed) {
    const BodyCost cost = drawn_cost(graph, machine, seed, {}, task, graph[task].core_type);
    costs.fixed_[index(task)] = cost.overhead + cost.fixed;
    costs.overhead_[index(task)] = cost.overhead;
    if (!other_.empty() && graph.traits(task).other_type)
      costs.other_[index(task)] = drawn_cost(graph, machine, seed, {}, task, *graph.traits(task).other_type);
  }
  return costs;
}

void BodyCosts::add(const BodyCost& cost) {
  fixed_.push_back(cost.overhead + cost.fixed);
  overhead_.push_back(cost.overhead);
  any_bytes_ |= cost.bytes.count > 0;
  if (cost.bytes.count == 0 && cost.rate == 0 && !any_drawn()) return;
  drawn_.reserve(fixed_.capacity());
  drawn_.resize(fixed_.size());
  drawn_.back() = {cost.bytes, cost.rate};
}

BodyCosts BodyCosts::of(std::span<const TaskId> original, const TaskGraph& part, const std::vector<bool>& holds) const {
  BodyCosts costs(part);
  costs.any_bytes_ = any_bytes_;
  costs.given_ = given_;
  const auto cost = [&holds](const BodyCost& full, TaskId task) { return holds[index(task)] ? full : BodyCost{.overhead = full.overhead}; };
  for (const TaskId task : original) {
    costs.holds_.push_back(holds[index(task)]);
    costs.add(cost((*this)[task], task));
    if (!other_.empty()) costs.other_.push_back(cost(other_[index(task)], task));
  }
  return costs;
}

}  // namespace tasktwin::sim
