#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <cuda.h>

namespace tasktwin::gpu::rerun {

/// What memory the program has, from its calls. Contract: used by one thread at a time.
class ProgramMemory {
 public:
  enum class Kind : std::uint8_t { kDevice, kHost, kManaged, kOtherProcess };
  struct Block {
    std::uint64_t base = 0;
    std::size_t bytes = 0;
    Kind kind = Kind::kDevice;
    CUcontext context = nullptr;
  };

  void add(const Block& block) {
    if (block.bytes > 0) blocks_[block.base] = block;
  }
  /// The block that is no longer there; of size 0 where none was known.
  Block remove(std::uint64_t base) {
    const auto found = blocks_.find(base);
    if (found == blocks_.end()) return {};
    const Block block = found->second;
    blocks_.erase(found);
    return block;
  }
  /// The block that has this address, or null.
  const Block* find(std::uint64_t address) const {
    auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin()) return nullptr;
    const Block& block = (--after)->second;
    return address < block.base + block.bytes ? &block : nullptr;
  }
  const std::map<std::uint64_t, Block>& blocks() const { return blocks_; }

 private:
  std::map<std::uint64_t, Block> blocks_;
};

}  // namespace tasktwin::gpu::rerun
