#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "models/base/units.hpp"

namespace tasktwin::sim {

/// Kernels that wait for each other while they run (TaskTraits::co_resident), on one device or on several: no body of a group begins before
/// all its blocks have a core.
class Meetings {
 public:
  /// A device, whose blocks they are.
  class Guests {
   public:
    virtual void begin_body(std::uint32_t block, TimePoint now) = 0;

   protected:
    ~Guests() = default;
  };

  void expect(int group, std::uint32_t blocks) { groups_[group].to_come += blocks; }

  /// The block has a core; bodies of the whole group begin with its last block. Contract: it is one of those expected.
  void come(int group, Guests& device, std::uint32_t block, TimePoint now) {
    Group& meeting = groups_[group];
    meeting.there.emplace_back(&device, block);
    if (--meeting.to_come > 0) return;
    for (const auto& [guests, there] : std::exchange(meeting.there, {})) guests->begin_body(there, now);
  }

 private:
  struct Group {
    std::uint32_t to_come = 0;                             ///< blocks that have no core yet
    std::vector<std::pair<Guests*, std::uint32_t>> there;  ///< blocks that wait for those
  };
  std::map<int, Group> groups_;
};

}  // namespace tasktwin::sim
