#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/rerun/tape/tape.hpp"

namespace tasktwin::gpu::rerun {

/// What an iteration copies to the host, against what the original order leaves there.
class HostResults {
 public:
  /// Contract: `tape` outlives it.
  explicit HostResults(const Tape& tape) : tape_(tape) {}

  /// What is there now is what is expected.
  void expect();
  /// How many bytes differ now, of each copy.
  std::vector<std::uint64_t> differing() const;
  /// The original order left these differences: copies that have some cannot be expected.
  void learn(const std::vector<std::uint64_t>& differing);
  /// Bytes of copies that can be expected.
  std::uint64_t unexpected(const std::vector<std::uint64_t>& differing) const;
  std::uint64_t unreproducible_bytes() const { return unreproducible_bytes_; }

 private:
  const Tape& tape_;
  std::vector<std::vector<std::byte>> expected_;
  std::vector<bool> unstable_;  ///< by copy
  std::uint64_t unreproducible_bytes_ = 0;
};

}  // namespace tasktwin::gpu::rerun
