#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tasktwin::verify {

/// What one launch of a kernel was seen to do with what its arguments point to.
struct ObservedKernel {
  std::string name{};  ///< as C++ has it
  /// By the number of the parameter and the offset in it: read, write or read_write.
  std::map<std::pair<int, int>, std::string> effects{};
};

/// A file of effects (scenarios/importers/trace/kernel_effects.hpp): an entry a name, with all that any of its launches did. What is no
/// pointer in some launches may be none at all: numbers happen to be addresses. `about`: what was looked at, for a comment.
std::string effects_text(const std::vector<ObservedKernel>& kernels, const std::string& about);

}  // namespace tasktwin::verify
