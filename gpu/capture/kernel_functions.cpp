#include "gpu/capture/kernel_functions.hpp"

#include <cstring>
#include <string_view>

#include "gpu/capture/driver.hpp"

namespace tasktwin::gpu::capture {

namespace {

constexpr std::size_t kMaxParameters = 4096;

void read_parameters(CUfunction handle, Function& function) {
  const Driver& driver = Driver::get();
  const auto ask = [&](std::size_t index, ParameterPlace& place) {
    // A CUkernel may take a CUfunction's place; the one question fails then, and the other does not.
    if (driver.func_get_param_info && driver.func_get_param_info(handle, index, &place.offset, &place.bytes) == CUDA_SUCCESS) return true;
    return driver.kernel_get_param_info &&
           driver.kernel_get_param_info(reinterpret_cast<CUkernel>(handle), index, &place.offset, &place.bytes) == CUDA_SUCCESS;
  };
  for (ParameterPlace place{}; function.parameters.size() < kMaxParameters && ask(function.parameters.size(), place);)
    function.parameters.push_back(place);
  function.parameters_known = driver.func_get_param_info != nullptr;
}

const std::byte* parameter_buffer(void** extra) {
  const std::byte* buffer = nullptr;
  for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<const std::byte*>(extra[1]);
  }
  return buffer;
}

}  // namespace

std::uint32_t KernelFunctions::id(const char* name, ThreadLog& log) {
  const std::string_view shown = cut(name ? name : "(unnamed)");
  const std::lock_guard lock(mutex_);
  const auto [found, fresh] = ids_.try_emplace(std::string(shown), static_cast<std::uint32_t>(ids_.size()));
  if (fresh) log.write(FunctionRecord{{}, found->second, static_cast<std::uint32_t>(shown.size())}, shown);
  return found->second;
}

const Function& KernelFunctions::find(CUfunction handle, const char* name, ThreadLog& log) {
  auto made = std::make_unique<Function>();
  made->id = id(name, log);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [other, function] : functions_[handle]) {
      if (other == name || function->id == made->id) return *function;
    }
  }
  read_parameters(handle, *made);
  const std::lock_guard lock(mutex_);
  return *functions_[handle].emplace_back(name, std::move(made)).second;
}

bool collect_pointers(const CallDetails& details, const Function& function, AddressSpan memory, KernelArguments& kernel,
                      std::span<PointerArgument> pointers) {
  kernel.pointer_count = kernel.pointers_left_out = 0;
  const std::byte* const buffer = details.parameters ? nullptr : parameter_buffer(details.extra);
  const bool has_values = details.parameters || buffer;
  if (!function.parameters_known || (!function.parameters.empty() && !has_values)) return false;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const ParameterPlace& place = function.parameters[i];
    const auto* const value = details.parameters ? static_cast<const std::byte*>(details.parameters[i]) : buffer + place.offset;
    for (std::size_t at = 0; at + 8 <= place.bytes; at += 8) {
      std::uint64_t address = 0;
      std::memcpy(&address, value + at, sizeof address);
      if (address < memory.lowest || address >= memory.highest) continue;
      if (kernel.pointer_count == pointers.size()) {
        ++kernel.pointers_left_out;
        continue;
      }
      pointers[kernel.pointer_count++] = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(at), address};
    }
  }
  return true;
}

}  // namespace tasktwin::gpu::capture
