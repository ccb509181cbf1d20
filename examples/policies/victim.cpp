// Whom a thief tries, and how much it takes: first its neighbour, then the longest queue, then nobody; and a third of what is there.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "models/policies/plug_in.hpp"

using namespace tasktwin;

namespace {

class NeighbourThenLongest final : public VictimPolicy {
 public:
  std::optional<std::size_t> next_victim(std::size_t thief, std::uint64_t /*round*/, std::size_t attempt,
                                         std::span<const std::size_t> lengths) const override {
    const std::size_t neighbour = (thief + 1) % lengths.size();
    if (attempt == 0 && neighbour != thief) return neighbour;
    if (attempt > 1) return std::nullopt;
    std::optional<std::size_t> longest;
    for (std::size_t queue = 0; queue < lengths.size(); ++queue) {
      if (queue != thief && lengths[queue] > (longest ? lengths[*longest] : 0)) longest = queue;
    }
    return longest;
  }
};

}  // namespace

const PolicyAbi tasktwin_policy_abi{};

void tasktwin_policies(PolicyTable& table) {
  table
      .add("neighbour",
           MakeVictim([](std::uint64_t /*seed*/, const PolicyParameters&) { return std::make_unique<NeighbourThenLongest>(); }))
      .like = "most_loaded";  // it reads the lengths of all queues, which takes the thief time
  table.add("third", StealSizeRule([](std::uint32_t there, const PolicyParameters&) { return (there + 2) / 3; }));
}
