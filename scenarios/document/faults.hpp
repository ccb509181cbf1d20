#pragma once

#include <string>
#include <vector>

#include "models/base/error.hpp"

namespace tasktwin::scenarios {

/// A fault in plain words, at its place in a document.
struct Fault {
  int line = 0;
  int column = 0;
  std::string message;
};

/// How many faults of one file are listed; the rest are counted.
inline constexpr std::size_t kMostFaults = 20;

/// All that is wrong with a file, each fault at its place. what() holds the first kMostFaults, one a line, the place in front of each.
class InputFaults : public InputError {
 public:
  /// Contract: there is at least one.
  explicit InputFaults(std::vector<InputError> faults);

  const std::vector<InputError>& all() const { return faults_; }

 private:
  std::vector<InputError> faults_;
};

/// Collects faults where a reader can continue after them.
class Faults {
 public:
  void add(const SourceLocation& where, const std::string& message) { faults_.emplace_back(where, message); }

  /// Runs `work`; what it refuses is collected. Returns whether it came to its end.
  template <class Work>
  bool attempt(Work&& work) {
    try {
      work();
      return true;
    } catch (const InputFaults& several) {
      faults_.insert(faults_.end(), several.all().begin(), several.all().end());
    } catch (const InputError& one) {
      faults_.push_back(one);
    }
    return false;
  }

  const std::vector<InputError>& all() const { return faults_; }

  /// Throws InputFaults if there are any.
  void check() const {
    if (!faults_.empty()) throw InputFaults(faults_);
  }

 private:
  std::vector<InputError> faults_;
};

}  // namespace tasktwin::scenarios
