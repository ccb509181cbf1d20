#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/own/toolchain.hpp"
#include "models/graph/own_kernels.hpp"

namespace tasktwin::gpu {

/// The project's kernels with the bodies of a scenario's own linked in: resident ones with all of them, launched ones with one each. What
/// is compiled and linked is kept in a folder of the user's cache for the next process ($XDG_CACHE_HOME/tasktwin, else ~/.cache/tasktwin).
class LinkedKernels {
 public:
  /// Compiles the sources. `buffers`: the addresses of own.buffers on the device. Contract: `own` outlives this. Throws InputError where
  /// they do not compile, RunError where there are no compiler and linker.
  LinkedKernels(const OwnKernels& own, std::vector<void*> buffers);
  ~LinkedKernels();

  /// The kernel of a unit (gpu/own/lto_units.hpp) that is `built_in` without own bodies, for the calls that take kernels' addresses. Linked
  /// when first asked for. Throws InputError where the link fails, RunError for CUDA errors.
  const void* resident(const void* built_in, std::string_view unit) const;
  const void* launched(const void* built_in, std::string_view unit, std::size_t kernel) const;

  const OwnKernel& kernel(std::size_t i) const { return own_.kernels[i]; }
  /// The most that one of the bodies needs, in bytes.
  std::size_t shared_bytes() const;

 private:
  struct Library;
  using Key = std::pair<std::string, std::optional<std::size_t>>;

  const Library& library(std::string_view unit, std::optional<std::size_t> only) const;
  Code cubin(std::string_view unit, std::optional<std::size_t> only) const;

  const OwnKernels& own_;
  std::vector<void*> buffers_;
  int capability_;
  std::vector<KernelSource> sources_;
  std::vector<Code> bodies_;  ///< LTO code, by source
  mutable std::map<Key, std::unique_ptr<Library>> libraries_;
};

}  // namespace tasktwin::gpu
