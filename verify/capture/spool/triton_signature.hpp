#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tasktwin::verify {

/// A kernel as Triton's intermediate language (a .ttir file of its cache) has it.
struct TritonKernel {
  std::string name;  ///< empty where the text holds no kernel
  /// As parameters of C++: a pointer is to `const` where all that is done with it is to load; all are pointers to pointers where the kernel
  /// follows one that it has loaded. Nullopt where that cannot be told.
  std::optional<std::vector<std::string>> parameters;
};

TritonKernel read_triton_kernel(std::string_view text);

}  // namespace tasktwin::verify
