#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/explain/observed_path.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::verify {

/// What a machine can be imagined without: an arm of an ablation, in which what it costs is nothing.
enum class Arm : std::uint8_t {
  kDispatch,   ///< control cores' and workers' own work with tasks: taking in, resolving, queues, handing over, submitting
  kPolling,    ///< looking for completions
  kHops,       ///< signalling latency between control cores, cores, streams and nodes
  kHost,       ///< the host's calls, and launches on their way
  kBandwidth,  ///< bodies slowing each other down at the memory
  kFences,     ///< writing completions so that others see them
};
}  // namespace tasktwin::verify

template <>
struct tasktwin::Words<tasktwin::verify::Arm> {
  using Arm = tasktwin::verify::Arm;
  static constexpr std::array entries{
      std::pair{Arm::kDispatch, std::string_view{"dispatch"}},   std::pair{Arm::kPolling, std::string_view{"polling"}},
      std::pair{Arm::kHops, std::string_view{"hops"}},           std::pair{Arm::kHost, std::string_view{"host"}},
      std::pair{Arm::kBandwidth, std::string_view{"bandwidth"}}, std::pair{Arm::kFences, std::string_view{"fences"}},
  };
};

namespace tasktwin::verify {

/// The machine with all constants of the arm at nothing. Those that it does not have, or does not state, are left alone.
Machine without(Machine machine, Arm arm);

/// The arms named in `words` ("polling,hops", or "all"), in the order of Arm. Throws InputError for another word, said of `option`.
std::vector<Arm> arms_named(std::string_view words, std::string_view option);

/// A scenario's run under a design, imagined without one of the causes on its path.
struct Hypothetical {
  scenarios::Scenario scenario;
  Design design;
  std::vector<Duration> bodies = {};  ///< by TaskId, in place of what kernels' bodies take; empty for what they do

  Duration makespan(std::uint64_t seed) const;
};

/// Bodies and constants take nothing, cores are many times as many, queues and windows have no end, the host waits on the device, a barrier
/// is no barrier. Contract: the cause is not `rest`, `replays`.
Hypothetical without(const scenarios::Scenario& scenario, const Design& design, PathCause cause);

}  // namespace tasktwin::verify
