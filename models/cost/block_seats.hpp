#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/cost/footprint.hpp"
#include "models/design/core_shares.hpp"
#include "models/machine/limits.hpp"

namespace tasktwin {

/// What a block takes of its core while it is there.
struct BlockNeeds {
  bool whole_core = false;
  std::int64_t threads = 0;
  std::int64_t registers = 0;
  std::int64_t shared_memory = 0;  ///< bytes, including those that the hardware reserves
  Carveout carveout{};             ///< how it would have its core divided
};

/// A task that states no footprint takes a whole core, any other what models/cost/occupancy.hpp says.
BlockNeeds block_needs(const TaskTraits& traits, const CoreLimits& limits);

/// The cores and what is left on each. What a core shares between shared memory and cache is divided by the first block that comes to it
/// while it is empty, and stays so while it holds any block (models/cost/footprint.hpp). A block goes to the core of its type and share
/// with room and the fewest blocks, the lowest id first, which is what CoreGroup::memory_ports goes by; the rule of the hardware is not
/// documented. (On an H200 a kernel beside another took the cores that the next blocks of the other would have taken.) A block of type
/// `mix` takes all cores of the first cluster that is empty. The blocks of a cluster of a launch take a core each of one
/// CoreGroup::cluster_groups.
class BlockSeats {
 public:
  /// `cores`, of the machine's `groups`, and the `shares` they belong to (models/design/core_shares.hpp), by CoreId; without shares all
  /// belong to share 0. Contract: no clusters where there are several.
  BlockSeats(const CoreLimits& limits, std::span<const CoreGroup> groups, std::span<const CoreType> cores,
             std::span<const std::uint8_t> shares = {});

  /// The core that the block now sits on, of a cluster the first; kNoCore where none has room.
  CoreId take(CoreType type, const BlockNeeds& needs, int share = 0);
  /// The same for the blocks of a cluster, whose cores are appended to `taken`; false where they do not all find room in one group.
  bool take_cluster(CoreType type, const BlockNeeds& needs, int size, int share, std::vector<CoreId>& taken);
  /// Contract: as it was taken.
  void give_back(CoreId core, CoreType type, const BlockNeeds& needs);

  /// The cores that a block of `type` on `core` takes.
  std::span<const CoreId> taken(CoreId core, CoreType type) const;

 private:
  struct Core {
    std::size_t pool = 0;
    CoreId id{};
    std::uint32_t cluster = 0;
    std::uint32_t blocks = 0;
    bool whole = false;
    std::int64_t threads = 0;
    std::int64_t registers = 0;
    std::int64_t shared_memory = 0;
    std::int64_t divided = 0;  ///< bytes of shared memory, where it holds a block
  };
  using CoreSet = std::vector<std::uint64_t>;  ///< a bit a core

  /// The cores of one type in one share.
  static std::size_t pool(CoreType type, int share) {
    return static_cast<std::size_t>(share) * kCoreTypeCount + static_cast<std::size_t>(type);
  }
  bool has_room(const Core& core, const BlockNeeds& needs) const;
  CoreId find(std::size_t pool, const BlockNeeds& needs) const;
  CoreId find_cluster() const;
  void change(CoreId core, CoreType type, const BlockNeeds& needs, int sign);
  void add(Core& core, const BlockNeeds& needs, int sign);
  void toggle(const Core& core);

  CoreLimits limits_;
  std::vector<Core> cores_;  ///< by CoreId
  std::vector<std::vector<CoreId>> clusters_;
  std::vector<std::vector<CoreId>> groups_;  ///< within which blocks of a launch's cluster start together
  std::array<std::vector<CoreSet>, kMostShares * kCoreTypeCount>
      by_blocks_;  ///< by pool and number of blocks: the cores that hold that many
};

}  // namespace tasktwin
