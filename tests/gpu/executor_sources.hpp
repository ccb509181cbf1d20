#pragma once

#include <set>
#include <string>

namespace tasktwin::gpu {

/// The axes that an executor's sources read: those of gpu/executors/`file`, of the headers that they include from gpu/ and of the sources
/// beside those, of gpu/executor.cpp, and of gpu/supported/`support`. More than the executor reads, where it shares sources with others.
std::set<std::string> axes_read(const std::string& file, const std::string& support);

}  // namespace tasktwin::gpu
