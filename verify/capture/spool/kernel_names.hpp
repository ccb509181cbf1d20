#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tasktwin::verify {

/// Names of kernels as people write them, of C++ demangled. Those of Triton get the parameters that Triton's caches show, as in
/// "add_kernel(f32 const*, f32*, i32)": `const` what it only reads, `**` all where it follows pointers that it loads, `?` what differs from
/// one kernel of the name to another.
std::vector<std::string> kernel_names(const std::vector<std::string>& functions, const std::vector<std::filesystem::path>& caches);
/// With the caches that Triton and PyTorch use by default, or that the environment names.
std::vector<std::string> kernel_names(const std::vector<std::string>& functions);

}  // namespace tasktwin::verify
