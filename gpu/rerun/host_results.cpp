#include "gpu/rerun/host_results.hpp"

namespace tasktwin::gpu::rerun {

void HostResults::expect() {
  for (const Operation& one : tape_.operations) {
    if (one.host_side == HostSide::kTarget) expected_.emplace_back(one.host->data(), one.host->data() + one.host->bytes());
  }
  unstable_.assign(expected_.size(), false);
}

std::vector<std::uint64_t> HostResults::differing() const {
  std::vector<std::uint64_t> counts;
  for (const Operation& one : tape_.operations) {
    if (one.host_side != HostSide::kTarget) continue;
    const std::vector<std::byte>& expected = expected_[counts.size()];
    const std::byte* const now = one.host->data();
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < one.host->bytes(); ++i) bytes += now[i] != expected[i] ? 1 : 0;
    counts.push_back(bytes);
  }
  return counts;
}

void HostResults::learn(const std::vector<std::uint64_t>& differing) {
  for (std::size_t i = 0; i < differing.size(); ++i) {
    if (differing[i] == 0 || unstable_[i]) continue;
    unstable_[i] = true;
    unreproducible_bytes_ += differing[i];
  }
}

std::uint64_t HostResults::unexpected(const std::vector<std::uint64_t>& differing) const {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < differing.size(); ++i) bytes += unstable_[i] ? 0 : differing[i];
  return bytes;
}

}  // namespace tasktwin::gpu::rerun
