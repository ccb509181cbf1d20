#pragma once

#include <optional>
#include <string>

#include "gpu/supported/supported.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::gpu {

// Executors over several devices of one host.

extern const Supported kPeerStreamsSupported;
extern const Supported kPeerGraphSupported;
extern const Supported kPeerQueuesSupported;

/// The one that matches; null where none does.
const Supported* find_peer_supported(const Design& design);

/// Why no executor runs `graph` under `design` over the machine's devices, naming the axis, the task or the machine's devices; nullopt if
/// one does. Known without CUDA. Contract: check_design has passed, and the machine has several devices.
std::optional<std::string> why_unsupported_by_peers(const TaskGraph& graph, const Machine& machine, const Design& design);

}  // namespace tasktwin::gpu
