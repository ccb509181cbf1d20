#pragma once

#include <array>

#include "models/machine/fields/field.hpp"
#include "models/machine/mechanisms/copies.hpp"

namespace tasktwin::mechanism {

/// What devices of one host reach of each other.
struct Peers {
  double link_bandwidth = 0;
  Nanoseconds link_latency{};
  Nanoseconds copy_setup{};
  Nanoseconds copy_latency{};
  double read_bandwidth = 0;
  double core_read_bandwidth = 0;
  Nanoseconds read_latency{};
  Nanoseconds flag_hop{};
  Nanoseconds system_release{};
  Nanoseconds event_hop{};
  Nanoseconds copy_hop{};
  Nanoseconds graph_hop{};
  Nanoseconds graph_begin{};
  Nanoseconds set_device{};

  static constexpr auto fields() {
    using M = Peers;
    return std::array{
        constant<&M::link_bandwidth>(Payer::kDevice, "bandwidth, each way, of a device's port into the switch, or of the link of a pair"),
        constant<&M::link_latency>(Payer::kDevice, "first byte sent to its being there"),
        constant<&M::copy_setup>(Payer::kDevice, "an engine is held by each copy between devices before its bytes move"),
        constant<&M::copy_latency>(Payer::kDevice, "call for a copy between devices begun to an engine taking it, everything idle")
            .begins_with<&Copies::call>(),
        constant<&M::read_bandwidth>(Payer::kDevice, "bandwidth at which all cores of a device together read another's memory"),
        constant<&M::core_read_bandwidth>(Payer::kDevice, "bandwidth at which one core reads it"),
        constant<&M::read_latency>(Payer::kDevice, "load from another device's memory, there and back"),
        constant<&M::flag_hop>(Payer::kDevice,
                               "flag released into another device's memory to a core there that polls its own memory seeing it"),
        constant<&M::system_release>(Payer::kDevice, "of that, the release, after which the worker that makes it continues"),
        constant<&M::event_hop>(Payer::kDevice, "kernel ends to one of another device that awaits its event starting"),
        constant<&M::graph_hop>(Payer::kDevice, "likewise between two nodes of one graph"),
        constant<&M::copy_hop>(Payer::kDevice, "copy between devices ends to a kernel of the other that awaits its event starting"),
        constant<&M::graph_begin>(Payer::kDevice, "added to graph_launch.latency_ns of a graph with nodes of several devices")
            .in(CostGroup::kHost),
        constant<&M::set_device>(Payer::kHost, "host time of making another device the current one"),
    };
  }
};

}  // namespace tasktwin::mechanism
