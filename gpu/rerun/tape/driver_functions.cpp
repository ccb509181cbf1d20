#include "gpu/rerun/tape/driver_functions.hpp"

#include <dlfcn.h>

namespace tasktwin::gpu::rerun {

void* find_driver_function(const char* name) {
  // The process has it already, or CUDA would not have loaded this library.
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return library ? ::dlsym(library, name) : nullptr;
}

}  // namespace tasktwin::gpu::rerun
