#include "gpu/own/linked_kernels.hpp"

#include <algorithm>

#include <cuda_runtime_api.h>

#include "gpu/cuda/cuda_error.hpp"
#include "gpu/cuda/footprints.hpp"
#include "gpu/own/code_cache.hpp"
#include "gpu/own/interface_text.hpp"
#include "gpu/own/lto_units.hpp"

namespace tasktwin::gpu {

namespace {

constexpr int kRegistersOfMultiprocessor = 65536;
constexpr int kMostRegisters = 255;

int device_capability() {
  int device = 0;
  int major = 0;
  int minor = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "asking for the GPU's properties");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "asking for the GPU's properties");
  return 10 * major + minor;
}

/// As many as leave room for a block of `threads`; they are allocated by eight.
int most_registers(int threads) { return std::min(kMostRegisters, kRegistersOfMultiprocessor / threads / 8 * 8); }

}  // namespace

struct LinkedKernels::Library {
  explicit Library(const Code& cubin) {
    check(cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), "loading the scenario's kernels");
  }
  ~Library() { static_cast<void>(cudaLibraryUnload(library)); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  cudaLibrary_t library = nullptr;
};

LinkedKernels::LinkedKernels(const OwnKernels& own, std::vector<void*> buffers)
    : own_(own), buffers_(std::move(buffers)), capability_(device_capability()), sources_(body_sources(own)) {
  const Toolchain& tools = Toolchain::get();
  for (const KernelSource& source : sources_) {
    CodeKey key;
    key.add(tools.versions()).add(std::to_string(capability_)).add(kInterfaceText).add(source.text).add(source.includes);
    bodies_.push_back(kept_code(key, ".ltoir", [&] { return tools.compile(source, capability_); }));
  }
}

LinkedKernels::~LinkedKernels() = default;

std::size_t LinkedKernels::shared_bytes() const {
  return static_cast<std::size_t>(std::ranges::max_element(own_.kernels, {}, &OwnKernel::shared_memory)->shared_memory);
}

Code LinkedKernels::cubin(std::string_view unit, std::optional<std::size_t> only) const {
  const Toolchain& tools = Toolchain::get();
  const LtoUnit& kernels = lto_unit(unit);
  const KernelSource dispatch = dispatch_source(own_, only);
  const int registers = only ? most_registers(own_.kernels[*only].threads) : kMostRegisters;
  CodeKey key;
  key.add(tools.versions()).add(std::to_string(capability_)).add(std::to_string(registers)).add_code(kernels.code).add(dispatch.text);
  for (const Code& body : bodies_) key.add_code(body);
  return kept_code(key, ".cubin", [&] {
    const Code choice = tools.compile(dispatch, capability_);
    std::vector<std::span<const char>> objects{kernels.code, choice};
    for (const Code& body : bodies_) objects.emplace_back(body);
    return tools.link(objects, capability_, registers);
  });
}

const LinkedKernels::Library& LinkedKernels::library(std::string_view unit, std::optional<std::size_t> only) const {
  std::unique_ptr<Library>& library = libraries_[{std::string(unit), only}];
  if (library) return *library;
  auto loaded = std::make_unique<Library>(cubin(unit, only));
  void* table = nullptr;
  std::size_t bytes = 0;
  const cudaError_t found = cudaLibraryGetGlobal(&table, &bytes, loaded->library, kBuffersName);
  if (found == cudaErrorSymbolNotFound) {   // bodies that take no buffer have none to pass
    static_cast<void>(cudaGetLastError());  // else it would be found at the next launch
  } else if (!buffers_.empty()) {
    check(found, "looking for the table of buffers");
    check(cudaMemcpy(table, buffers_.data(), buffers_.size() * sizeof(void*), cudaMemcpyHostToDevice), "telling kernels of the buffers");
  }
  library = std::move(loaded);
  return *library;
}

namespace {

const void* kernel_like(const void* built_in, cudaLibrary_t library) {
  const char* name = nullptr;
  check(cudaFuncGetName(&name, built_in), "asking for a kernel's name");
  cudaKernel_t kernel = nullptr;
  check(cudaLibraryGetKernel(&kernel, library, name), std::string("looking for kernel ") + name);
  return reinterpret_cast<const void*>(kernel);
}

}  // namespace

const void* LinkedKernels::resident(const void* built_in, std::string_view unit) const {
  return kernel_like(built_in, library(unit, std::nullopt).library);
}

const void* LinkedKernels::launched(const void* built_in, std::string_view unit, std::size_t kernel) const {
  const bool is_new = !libraries_.contains({std::string(unit), kernel});
  const void* const linked = kernel_like(built_in, library(unit, kernel).library);
  if (is_new) allow_any_block(linked);
  return linked;
}

}  // namespace tasktwin::gpu
