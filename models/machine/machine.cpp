#include "models/machine/machine.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace tasktwin {

/// As std::llround, halves away from zero, in a third of its time: it is called several times a task.
Duration round_ns(Nanoseconds time) {
  const auto whole = static_cast<std::int64_t>(time.count());
  const double rest = time.count() - static_cast<double>(whole);  // exact: beyond 2^52 there is none
  return Duration{whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0)};
}

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
  visit("the memory that all cores share", &Machine::memory);
  visit("compute cores on which a worker stays", &Machine::resident_cores);
  visit("their loaders, which bring inputs of tasks to come into shared memory", &Machine::page_loads);
  visit("all resident cores being there to the first look for work", &Machine::first_poll);
  visit("queues of ready tasks in the memory of the device", &Machine::ready_queues);
  visit("barriers that all resident cores meet at", &Machine::barriers);
  visit("the loop of control cores on the device: AICPU threads, or warps of a GPU", &Machine::device_control);
  visit("messages between control cores and compute cores", &Machine::device_mailboxes);
  visit("how far cores are from each other", &Machine::distances);
  visit("hardware queues that compare dependencies and hand over", &Machine::group_queue);
  visit("the host building a graph and bringing it to the device", &Machine::host_build);
  visit("the loop of threads of the host in their place", &Machine::host_control);
  visit("messages between threads of the host and compute cores", &Machine::host_mailboxes);
  visit("calls of the host that launch, record, wait and ask", &Machine::host_calls);
  visit("kernels that streams start", &Machine::streams);
  visit("kernels started for one task each, in addition to the costs of bodies on resident cores", &Machine::launched_kernels);
  visit("CUDA graphs: launching, running, updating and instantiating them", &Machine::graph_launch);
  visit("conditional nodes of CUDA graphs", &Machine::conditional_nodes);
  visit("graphs that a scheduler kernel launches from the device", &Machine::device_graph_launch);
  visit("kernels that kernels launch", &Machine::dynamic_parallelism);
  visit("copies, memsets and host functions in streams", &Machine::copies);
  visit("paths between the memories of host and devices", &Machine::links);
  visit("calls that allocate and free device memory", &Machine::allocators);
  visit("what devices of one host reach of each other", &Machine::peers);
  visit("links between hosts", &Machine::network);
  visit("collectives over several devices", &Machine::collectives);
}

}  // namespace

template <auto Member>
Nanoseconds time_on(const Machine& machine) {
  Nanoseconds time{0};
  for_each_section([&machine, &time]<class M>(std::string_view, Section<M> Machine::*held) {
    if constexpr (std::is_same_v<M, decltype(mechanism_of(Member))>) {
      if (machine.*held) time = *(machine.*held).*Member;
    }
  });
  return time;
}

namespace {

template <class M>
std::string_view name_of(Section<M> Machine::*held) {
  static const Machine machine;
  return (machine.*held).name();
}

/// `Of`: where the mechanism's constants are declared, itself or a base.
template <class M, class Of>
double value(const M& mechanism, const Field<Of>& field) {
  if (field.time != nullptr) return (mechanism.*field.time).count();
  return field.rate != nullptr ? mechanism.*field.rate : mechanism.*field.count;
}

template <class M, class Of>
void assign(M& mechanism, const Field<Of>& field, double value) {
  if (field.time != nullptr) {
    mechanism.*field.time = Nanoseconds(value);
  } else if (field.rate != nullptr) {
    mechanism.*field.rate = value;
  } else {
    mechanism.*field.count = static_cast<int>(std::lround(value));
  }
}

template <class M, class Of>
ConstantField of_machine(Section<M> Machine::*held, const Field<Of>& field) {
  const std::string_view section = name_of(held);
  const std::string name = std::string(field.member) + std::string(suffix(field.unit));
  ConstantField constant{
      .section = section,
      .name = name,
      .key = std::string(section) + "." + name,
      .meaning = field.meaning,
      .unit = field.unit,
      .payer = field.payer,
      .group = field.group,
      .min = field.unit == Unit::kCount && !field.none ? 1.0 : 0.0,
      .max = field.unit == Unit::kCount ? kMaxCount
             : field.part               ? 1.0
                                        : kMaxConstant,
      .may_lack = field.may_lack,
      .get = [held, field](const Machine& machine) { return value(*(machine.*held), field); },
      .set = [held, field](Machine& machine, double to) { assign(*(machine.*held), field, to); },
      .add_cold = {},
      .calls = {},
  };
  if (field.cold != nullptr)
    constant.add_cold = [held, field](Machine& machine) { *(machine.*held).*field.time += *(machine.*held).*field.cold; };
  if (field.calls.front() != nullptr) {
    constant.calls = [calls = field.calls](const Machine& machine) {
      Nanoseconds time{0};
      for (const auto call : calls) time += call != nullptr ? call(machine) : Nanoseconds{0};
      return time;
    };
  }
  return constant;
}

}  // namespace

std::span<const MachineSection> machine_sections() {
  static const std::vector<MachineSection> sections = [] {
    std::vector<MachineSection> all;
    for_each_section([&all](std::string_view meaning, auto held) {
      all.push_back({name_of(held), meaning, [held](const Machine& machine) { return (machine.*held).has_value(); },
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
    for_each_section([&all]<class M>(std::string_view, Section<M> Machine::*held) {
      for (const auto& field : M::fields()) all.push_back(of_machine(held, field));
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
