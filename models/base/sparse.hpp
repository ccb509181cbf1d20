#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tasktwin {

/// Whether of so many most may lie idle.
constexpr bool is_sparse(std::size_t size) { return size > 4096; }

/// So many values, each as Value{} is at first. Of many, one that nobody has asked for takes no memory, and those that are used lie
/// together: what a run keeps for each core costs nothing for cores that do nothing. References stay right, and a copy keeps those to
/// itself.
template <class Value>
class Sparse {
 public:
  explicit Sparse(std::size_t size) : size_(size), few_(!is_sparse(size)), all_(few_ ? size : 0) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Value& operator[](std::size_t at) { return few_ ? all_[at] : made(static_cast<std::uint32_t>(at)); }
  /// As it is, or one that nobody has asked for.
  const Value& operator[](std::size_t at) const {
    if (few_) return all_[at];
    static const Value kUnused{};
    if (places_.empty()) return kUnused;
    const Place& place = places_[find(static_cast<std::uint32_t>(at))];
    return place.number == 0 ? kUnused : blocks_[(place.number - 1) / kBlock][(place.number - 1) % kBlock];
  }

 private:
  static constexpr std::uint32_t kBlock = 64;  ///< values made together
  struct Place {
    std::uint32_t at = 0;
    std::uint32_t number = 0;  ///< from 1, in the order of use; 0 for none
  };

  /// Where `at` is among places_, or would be. Contract: some are free.
  std::size_t find(std::uint32_t at) const {
    const std::size_t last = places_.size() - 1;
    std::size_t place = static_cast<std::size_t>((at * 0x9e37'79b9'7f4a'7c15U) >> 32) & last;
    while (places_[place].number != 0 && places_[place].at != at) place = (place + 1) & last;
    return place;
  }

  [[gnu::noinline]] Value& made(std::uint32_t at) {
    if (places_.empty()) grow();
    std::size_t place = find(at);
    if (places_[place].number == 0) {
      if (2 * (std::size_t{used_} + 1) > places_.size()) {
        grow();
        place = find(at);
      }
      if (used_ % kBlock == 0) blocks_.emplace_back(kBlock);
      places_[place] = {at, ++used_};
    }
    const std::uint32_t number = places_[place].number - 1;
    return blocks_[number / kBlock][number % kBlock];
  }

  void grow() {
    std::vector<Place> before(std::bit_ceil(std::size_t{4} * kBlock + 4 * std::size_t{used_}));
    before.swap(places_);
    for (const Place& place : before) {
      if (place.number != 0) places_[find(place.at)] = place;
    }
  }

  std::size_t size_;
  bool few_;
  std::vector<Value> all_;     ///< where they are few
  std::vector<Place> places_;  ///< else of those that are used: a hash table, at most half full
  std::vector<std::vector<Value>> blocks_;
  std::uint32_t used_ = 0;
};

}  // namespace tasktwin
