#pragma once

#include <span>

#include "models/design/design.hpp"
#include "models/explain/observed_path.hpp"

namespace tasktwin {

/// The observed critical path of kernels that the host launches, into streams or as the nodes of a graph, back from the last end:
///
/// - A kernel's blocks that started after others on the same core did waited for these: waves of the grid where they are its own, else no
///   room.
/// - From `received`, when nothing but the device held it back any more, to its start it had no room: the holder is whose block left the
///   core it took, or else whose end let it be resident. Where that was not observed, the block that left the core is used instead.
/// - It came to the device after what ended last of its predecessors and of its stream, after its launch, or, where it could have come
///   earlier, with the kernel before it in its hardware queue; the holder is the first in that queue that could not come earlier by itself.
/// - The host was launching since it was last blocked; it was blocked until a kernel ended. One that the launched kernel needs is on the
///   path. Of a captured program it is the thread that launched it, call by call: its own time before the call, of which calls that order
///   nothing are taken to come last.
/// - A collective ran from when all its ranks had room. The rank that came last is on the path; while it alone was missing, it held up the
///   others.
///
/// As observed_path; `design.driver` is `streams` or `cuda_graph`.
ObservedPath kernel_path(const TaskGraph& graph, const Design& design, const Timeline& timeline, std::span<const Duration> alone,
                         std::span<const Duration> reads, const HostProgram* program);

}  // namespace tasktwin
