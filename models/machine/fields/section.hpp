#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tasktwin {

/// A mechanism that a machine may have, by its name in machine files. A read of one that is not there was let through by a check that
/// asks for too little (check_mechanisms): an error of the program, which says so instead of continuing with what happens to lie there.
template <class M>
class Section {
 public:
  explicit constexpr Section(std::string_view name) : name_(name) {}
  Section(const Section&) = default;
  /// What is assigned keeps no name of its own.
  Section& operator=(const Section& other) {
    held_ = other.held_;
    return *this;
  }
  Section& operator=(const M& mechanism) {
    held_ = mechanism;
    return *this;
  }
  ~Section() = default;

  std::string_view name() const { return name_; }
  bool has_value() const { return held_.has_value(); }
  explicit operator bool() const { return has_value(); }

  const M& operator*() const {
    check();
    return *held_;
  }
  M& operator*() {
    check();
    return *held_;
  }
  const M* operator->() const { return &**this; }
  M* operator->() { return &**this; }

  /// The mechanism where it is `read`; else one that takes no time, be there one or not.
  M or_zero_unless(bool read) const { return read ? **this : M{}; }

  M& emplace() { return held_.emplace(); }
  void reset() { held_.reset(); }

 private:
  void check() const {
    if (!held_) throw std::logic_error("a machine without '" + std::string(name_) + "' is asked for it");
  }

  std::string_view name_;
  std::optional<M> held_;
};

}  // namespace tasktwin
