#pragma once

#include <cstdint>
#include <unordered_map>

namespace tasktwin::gpu {

/// The pages of device memory that allocations lie in, told from their addresses.
class LivePages {
 public:
  /// Bytes; of 0 for 1.
  explicit LivePages(std::int64_t page) : page_(page > 0 ? static_cast<std::uint64_t>(page) : 1) {}

  void add(std::uint64_t address, std::int64_t bytes) {
    for (std::uint64_t page = address / page_; page <= last(address, bytes); ++page) ++users_[page];
  }
  /// Contract: added before.
  void remove(std::uint64_t address, std::int64_t bytes) {
    for (std::uint64_t page = address / page_; page <= last(address, bytes); ++page) {
      if (--users_[page] == 0) users_.erase(page);
    }
  }
  std::int64_t bytes() const { return static_cast<std::int64_t>(users_.size() * page_); }

 private:
  std::uint64_t last(std::uint64_t address, std::int64_t bytes) const { return (address + static_cast<std::uint64_t>(bytes) - 1) / page_; }

  std::uint64_t page_;
  std::unordered_map<std::uint64_t, int> users_;  ///< by page
};

}  // namespace tasktwin::gpu
