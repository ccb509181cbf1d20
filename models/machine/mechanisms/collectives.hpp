#pragma once

#include <array>

#include "models/machine/fields/field.hpp"

namespace tasktwin::mechanism {

/// Collectives over several devices, as NCCL does them: a kernel a rank, which meets the others' and moves bytes along a ring or a tree.
struct Collectives {
  Nanoseconds group{};
  Nanoseconds call{};
  Nanoseconds latency{};
  Nanoseconds step{};
  Nanoseconds graph_saving{};
  Nanoseconds graph_leave{};
  double efficiency = 1;
  int blocks = 0;
  int block_bytes = 0;

  static constexpr auto fields() {
    using M = Collectives;
    return std::array{
        constant<&M::group>(Payer::kHost, "host time of beginning and ending the group of calls of one collective"),
        constant<&M::call>(Payer::kHost, "host time of the call for one rank, its launch included"),
        constant<&M::latency>(Payer::kDevice, "last rank there to the first bytes moving, and what ending takes"),
        constant<&M::step>(Payer::kDevice, "a step of a ring or tree, in addition to the latency of its link"),
        constant<&M::graph_saving>(Payer::kDevice, "by how much less than in a stream a collective takes as a node of a graph"),
        constant<&M::graph_leave>(Payer::kDevice, "added to graph_launch.gap_ns from a collective to what is none"),
        constant<&M::efficiency>(Payer::kDevice, "part of a link's bandwidth that the bytes themselves get").as_part(),
        constant<&M::blocks>(Payer::kDevice, "blocks of a rank's kernel at most, each of which takes a core; 0 where it takes none")
            .or_none(),
        constant<&M::block_bytes>(Payer::kDevice, "bytes of a collective for which its ranks have a block").or_none(),
    };
  }
};

}  // namespace tasktwin::mechanism
