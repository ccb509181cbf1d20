#include <dlfcn.h>

#include "gpu/capture/driver.hpp"

namespace tasktwin::gpu::capture {

namespace {

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
}

Driver load() {
  Driver driver;
  // The process has it already, or CUDA would not have loaded this library.
  void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!library) return driver;
  find(library, "cuFuncGetParamInfo", driver.func_get_param_info);
  find(library, "cuKernelGetParamInfo", driver.kernel_get_param_info);
  find(library, "cuStreamGetPriority", driver.stream_get_priority);
  find(library, "cuStreamGetFlags", driver.stream_get_flags);
  find(library, "cuDeviceGetAttribute", driver.device_get_attribute);
  find(library, "cuDeviceGetName", driver.device_get_name);
  find(library, "cuDeviceTotalMem_v2", driver.device_total_mem);
  find(library, "cuDriverGetVersion", driver.driver_get_version);
  find(library, "cuGraphNodeGetType", driver.graph_node_get_type);
  return driver;
}

}  // namespace

const Driver& Driver::get() {
  static const Driver driver = load();
  return driver;
}

DeviceRecord describe_device(CUdevice device) {
  const Driver& driver = Driver::get();
  if (!driver.device_get_attribute || !driver.device_get_name || !driver.device_total_mem) return {};
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    driver.device_get_attribute(&value, which, device);
    return static_cast<std::uint32_t>(value);
  };
  DeviceRecord record{};
  std::size_t memory = 0;
  driver.device_total_mem(&memory, device);
  record.memory_bytes = memory;
  record.device = static_cast<std::uint32_t>(device);
  record.major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  record.minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  record.max_threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  record.max_threads_per_multiprocessor = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  record.registers_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  record.registers_per_multiprocessor = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  record.warp_size = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  record.shared_bytes_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  record.shared_bytes_per_block_opt_in = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  record.shared_bytes_per_multiprocessor = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  record.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  driver.device_get_name(record.name.data(), static_cast<int>(record.name.size()), device);
  return record;
}

}  // namespace tasktwin::gpu::capture
