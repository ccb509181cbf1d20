#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/own/own_sources.hpp"

namespace tasktwin::gpu {

/// Where CUDA is, if it is anywhere: its headers are found there, and its libraries where the loader does not know them.
std::vector<std::filesystem::path> cuda_folders();

/// NVRTC's options for LTO code of `source`, that of a compute capability such as 90.
std::vector<std::string> nvrtc_options(const KernelSource& source, int capability);

/// What a compiler said of a source.
struct CompilerMessage {
  std::string file = {};  ///< empty where `text` is all that it said, in a form of its own
  int line = 0;
  std::string text = {};
};

/// What compiled, and what it found.
struct SourceCheck {
  std::string compiler;                      ///< "NVRTC 13.0", "nvcc"
  std::vector<CompilerMessage> errors = {};  ///< none where all sources compile
};

/// The errors of a log of NVRTC's or nvcc's; all of it as one without a file where none has a form that is known.
std::vector<CompilerMessage> errors_in(const std::string& log);

/// Compiles the sources of a scenario's own kernels, with the calls of their entries, for that compute capability: no GPU is needed, and
/// nothing is kept. By NVRTC where its library can be opened ($TASKTWIN_NVRTC names another), else by nvcc where it is in $PATH. Throws
/// InputError where a source cannot be read, RunError where there is neither compiler.
SourceCheck check_sources(const OwnKernels& own, int capability);

}  // namespace tasktwin::gpu
