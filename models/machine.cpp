#include "models/machine.hpp"

#include <algorithm>
#include <cmath>

namespace tasktwin {

Duration round_ns(Nanoseconds time) { return Duration{std::llround(time.count())}; }

int Machine::core_count() const {
  int count = 0;
  for (const CoreGroup& group : compute_cores) count += group.count;
  return count;
}

bool Machine::has(CoreType type) const {
  if (type == CoreType::kMix) return has_clusters();
  return std::ranges::any_of(compute_cores, [type](const CoreGroup& group) { return group.type == type && group.count > 0; });
}

bool Machine::has_clusters() const {
  return std::ranges::any_of(compute_cores, [](const CoreGroup& group) { return group.per_cluster > 0 && group.count > 0; });
}

namespace {

template <class Visit>
void for_each_section(Visit&& visit) {
  visit("memory", "the memory that all cores share", &Machine::memory);
  visit("resident_cores", "compute cores on which a worker stays", &Machine::resident_cores);
  visit("first_looks", "all resident cores being there to the first look for work, by wiring", &Machine::first_looks);
  visit("ready_queues", "queues of ready tasks in the memory of the device", &Machine::ready_queues);
  visit("barriers", "barriers that all resident cores meet at", &Machine::barriers);
  visit("device_control", "the loop of control cores on the device: AICPU threads, or warps of a GPU", &Machine::device_control);
  visit("device_mailboxes", "what they and compute cores write to each other", &Machine::device_mailboxes);
  visit("host_control", "the loop of threads of the host in their place", &Machine::host_control);
  visit("host_mailboxes", "what these and compute cores write to each other", &Machine::host_mailboxes);
  visit("host_calls", "calls of the host that launch, record, wait and ask", &Machine::host_calls);
  visit("streams", "kernels that streams start", &Machine::streams);
  visit("launched_kernels", "kernels started for one task each, beside what bodies take on resident cores", &Machine::launched_kernels);
  visit("graph_launch", "CUDA graphs: launching, running, updating and instantiating them", &Machine::graph_launch);
  visit("conditional_nodes", "conditional nodes of CUDA graphs", &Machine::conditional_nodes);
  visit("device_graph_launch", "graphs that a scheduler kernel launches from the device", &Machine::device_graph_launch);
  visit("dynamic_parallelism", "kernels that kernels launch", &Machine::dynamic_parallelism);
  visit("copies", "copies, memsets and host functions in streams", &Machine::copies);
  visit("links", "paths between the memories of host and devices", &Machine::links);
  visit("allocators", "calls that allocate and free device memory", &Machine::allocators);
}

template <class M>
double value(const M& mechanism, const Field<M>& field) {
  if (field.time != nullptr) return (mechanism.*field.time).count();
  return field.rate != nullptr ? mechanism.*field.rate : mechanism.*field.count;
}

template <class M>
void assign(M& mechanism, const Field<M>& field, double value) {
  if (field.time != nullptr) {
    mechanism.*field.time = Nanoseconds(value);
  } else if (field.rate != nullptr) {
    mechanism.*field.rate = value;
  } else {
    mechanism.*field.count = static_cast<int>(std::lround(value));
  }
}

template <class M>
ConstantField of_machine(std::string_view section, std::optional<M> Machine::*held, const Field<M>& field) {
  const std::string name = std::string(field.member) + std::string(suffix(field.unit));
  ConstantField constant{
      .section = section,
      .name = name,
      .key = std::string(section) + "." + name,
      .meaning = field.meaning,
      .unit = field.unit,
      .payer = field.payer,
      .is_part = field.part,
      .get = [held, field](const Machine& machine) { return value(*(machine.*held), field); },
      .set = [held, field](Machine& machine, double to) { assign(*(machine.*held), field, to); },
      .add_cold = {},
  };
  if (field.cold != nullptr)
    constant.add_cold = [held, field](Machine& machine) { *(machine.*held).*field.time += *(machine.*held).*field.cold; };
  return constant;
}

}  // namespace

std::span<const MachineSection> machine_sections() {
  static const std::vector<MachineSection> sections = [] {
    std::vector<MachineSection> all;
    for_each_section([&all](std::string_view name, std::string_view meaning, auto held) {
      all.push_back({name, meaning, [held](const Machine& machine) { return (machine.*held).has_value(); },
                     [held](Machine& machine) { (machine.*held).emplace(); }, [held](Machine& machine) { (machine.*held).reset(); }});
    });
    return all;
  }();
  return sections;
}

const MachineSection* find_section(std::string_view name) {
  const auto found = std::ranges::find(machine_sections(), name, &MachineSection::name);
  return found == machine_sections().end() ? nullptr : &*found;
}

std::span<const ConstantField> constant_fields() {
  static const std::vector<ConstantField> fields = [] {
    std::vector<ConstantField> all;
    for_each_section([&all]<class M>(std::string_view name, std::string_view, std::optional<M> Machine::*held) {
      for (const Field<M>& field : M::fields()) all.push_back(of_machine(name, held, field));
    });
    return all;
  }();
  return fields;
}

const ConstantField* find_constant(std::string_view key) {
  const auto found = std::ranges::find(constant_fields(), key, &ConstantField::key);
  return found == constant_fields().end() ? nullptr : &*found;
}

std::vector<const ConstantField*> constants_of(const Machine& machine) {
  std::vector<const ConstantField*> fields;
  const auto all = constant_fields();
  for (std::size_t i = 0; i < all.size();) {
    const std::string_view section = all[i].section;
    const bool present = find_section(section)->present(machine);
    for (; i < all.size() && all[i].section.data() == section.data(); ++i) {
      if (present) fields.push_back(&all[i]);
    }
  }
  return fields;
}

}  // namespace tasktwin
