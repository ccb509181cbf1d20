#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "models/base/names.hpp"
#include "models/base/units.hpp"

namespace tasktwin {

struct Machine;

/// A constant of a machine in nanoseconds, not yet rounded.
using Nanoseconds = std::chrono::duration<double, std::nano>;

/// Upper bound of a constant in files, so that sums of times stay within 64 bits.
inline constexpr double kMaxConstant = 1e9;
/// Of one that counts something.
inline constexpr double kMaxCount = 1e6;

/// Half away from zero: the one place where computed costs become whole nanoseconds.
Duration round_ns(Nanoseconds time);

/// Whose time a constant is; decides what scales it when a machine is met by a design (as_run).
enum class Payer {
  kHost,           ///< the host's processors: scales with the pace of the host
  kDriver,         ///< the driver and the operating system, which mostly wait for others: the host's pace does not matter
  kControlCode,    ///< a control core's own instructions: scales with control_cores.code_scale
  kControlMemory,  ///< a control core waiting for memory
  kDevice,
};

/// What a machine can be imagined without: constants that are nothing together.
enum class CostGroup : std::uint8_t {
  kDispatch,   ///< control cores' and workers' own work with tasks: taking in, resolving, queues, handing over, submitting
  kPolling,    ///< looking for completions
  kHops,       ///< signalling latency between control cores, cores, streams and nodes
  kHost,       ///< the host's calls, and launches on their way
  kBandwidth,  ///< bodies slowing each other down at the memory
  kFences,     ///< writing completions so that others see them
};

template <>
struct Words<CostGroup> {
  static constexpr std::array entries{
      std::pair{CostGroup::kDispatch, std::string_view{"dispatch"}},   std::pair{CostGroup::kPolling, std::string_view{"polling"}},
      std::pair{CostGroup::kHops, std::string_view{"hops"}},           std::pair{CostGroup::kHost, std::string_view{"host"}},
      std::pair{CostGroup::kBandwidth, std::string_view{"bandwidth"}}, std::pair{CostGroup::kFences, std::string_view{"fences"}},
  };
};

enum class Unit { kNanoseconds, kGigabytesPerSecond, kRatio, kCount };

/// What a name in a machine file ends with, such as "_ns".
constexpr std::string_view suffix(Unit unit) {
  constexpr std::string_view suffixes[] = {"_ns", "_gb_per_s", "_ratio", ""};
  return suffixes[static_cast<int>(unit)];
}

/// The name of a data member, as the source spells it.
template <auto Member>
constexpr std::string_view member_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("Member = ") + 9);
  text = text.substr(0, text.find_first_of(";])"));
  return text.substr(text.rfind(':') + 1);
}

/// The group of times whose row names none: the payer's own work; what the device does may be anything.
constexpr std::optional<CostGroup> group_of(Payer payer) {
  switch (payer) {
    case Payer::kHost:
    case Payer::kDriver:
      return CostGroup::kHost;
    case Payer::kControlCode:
    case Payer::kControlMemory:
      return CostGroup::kDispatch;
    case Payer::kDevice:
      break;
  }
  return std::nullopt;
}

/// The time that the constant has on `machine`; none where the machine lacks its mechanism. Defined in models/machine/machine.cpp.
template <auto Member>
Nanoseconds time_on(const Machine& machine);

/// A constant of mechanism `M`: its one description, which files, schemas, documentation, calibration and sensitivity share.
template <class M>
struct Field {
  std::string_view member;  ///< its name in a machine file, less the unit's suffix
  Unit unit = Unit::kNanoseconds;
  Payer payer = Payer::kDevice;
  std::string_view meaning;
  Nanoseconds M::*time = nullptr;
  double M::*rate = nullptr;
  int M::*count = nullptr;
  Nanoseconds M::*cold = nullptr;  ///< added to it in a run that finds the cache empty
  std::optional<CostGroup> group = std::nullopt;
  std::array<Nanoseconds (*)(const Machine&), 2> calls = {};  ///< of the host, with which a latency begins: it grows as they do

  bool part = false;      ///< a share of something, at most 1
  bool none = false;      ///< a count that may be 0
  bool may_lack = false;  ///< a machine that does not state it is read as with 0

  constexpr Field added_when_cold(Nanoseconds M::*constant) const {
    Field field = *this;
    field.cold = constant;
    return field;
  }
  constexpr Field in(CostGroup of) const {
    Field field = *this;
    field.group = of;
    return field;
  }
  /// For a time that no run takes.
  constexpr Field in_no_group() const {
    Field field = *this;
    field.group = std::nullopt;
    return field;
  }
  template <auto... Calls>
  constexpr Field begins_with() const {
    Field field = *this;
    field.calls = {&time_on<Calls>...};
    return field;
  }
  constexpr Field as_ratio() const {
    Field field = *this;
    field.unit = Unit::kRatio;
    return field;
  }
  constexpr Field as_part() const {
    Field field = as_ratio();
    field.part = true;
    return field;
  }
  constexpr Field or_none() const {
    Field field = *this;
    field.none = true;
    return field;
  }
  constexpr Field or_unstated() const {
    Field field = *this;
    field.may_lack = true;
    return field;
  }
};

template <class M, class Value>
M mechanism_of(Value M::*);

template <auto Member>
constexpr auto constant(Payer payer, std::string_view meaning) {
  using M = decltype(mechanism_of(Member));
  Field<M> field{.member = member_name<Member>(), .payer = payer, .meaning = meaning};
  if constexpr (requires { field.time = Member; }) {
    field.time = Member;
    field.group = group_of(payer);
  } else if constexpr (requires { field.rate = Member; }) {
    field.rate = Member;
    field.unit = Unit::kGigabytesPerSecond;
  } else {
    field.count = Member;
    field.unit = Unit::kCount;
  }
  return field;
}

}  // namespace tasktwin
