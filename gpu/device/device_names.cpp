#include <cctype>

#include "gpu/device/device_machine.hpp"

namespace tasktwin::gpu {

std::vector<int> carveouts_of(const Capability& gpu) {
  std::vector<int> kib{0, 8, 16, 32, 64, 100};
  const bool small = gpu.major >= 12 || (gpu.major == 8 && gpu.minor != 0 && gpu.minor != 7);
  if (small) return kib;
  kib.insert(kib.end(), {132, 164});
  if (gpu.major >= 9) kib.insert(kib.end(), {196, 228});
  return kib;
}

std::string machine_name(std::string_view device) {
  std::string name;
  for (const char c : device) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "gpu" : name;
}

}  // namespace tasktwin::gpu
