#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/graph/own_kernels.hpp"

namespace tasktwin::gpu {

/// A source for NVRTC.
struct KernelSource {
  std::string name;                       ///< what the compiler's messages call it
  std::string text;                       ///< it may include <tasktwin/kernel.hpp>
  std::vector<std::string> folders = {};  ///< where its own includes are looked for
  std::string includes = {};              ///< the text of what it includes from there, for what is kept from one process to the next
};

/// The scenario's sources, each once, and after each a function for each of its kernels by which dispatch_source() calls the entry with a
/// task's arguments; what a compiler says of a call that does not fit names the scenario's own line. Throws InputError where one cannot be
/// read.
std::vector<KernelSource> body_sources(const OwnKernels& own);

/// What the project's kernels call (gpu/bodies/open_bodies.cuh): runs the kernel of a task, of all or of `only` that one, and has the
/// addresses of the buffers, kBuffersName.
KernelSource dispatch_source(const OwnKernels& own, std::optional<std::size_t> only);

/// A variable of the environment; where it is there, bodies are not compiled into the kernels that call them.
inline constexpr const char* kBodiesApart = "TASKTWIN_BODIES_APART";

inline constexpr const char* kBuffersName = "tasktwin_buffers";

}  // namespace tasktwin::gpu
