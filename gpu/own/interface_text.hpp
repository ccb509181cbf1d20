#pragma once

namespace tasktwin::gpu {

/// The text of gpu/own/interface.cuh, which sources include as <tasktwin/kernel.hpp>.
extern const char* const kInterfaceText;

}  // namespace tasktwin::gpu
