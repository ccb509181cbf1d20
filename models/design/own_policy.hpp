#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace tasktwin {

struct PolicyEntry;  // models/policies/plug_in.hpp

/// Numbers that a policy is given by name.
using PolicyParameters = std::map<std::string, double, std::less<>>;

/// A policy that is none of tasktwin's: of a shared object, or a callable of Python.
struct OwnPolicy {
  std::string file;                               ///< the shared object, as the scenario names it; empty for a callable
  std::string name;                               ///< of those that it defines
  PolicyParameters parameters = {};               ///< those that the design states
  std::shared_ptr<const PolicyEntry> entry = {};  ///< never null
  bool draws = false;                             ///< whether it gives other answers for other seeds

  /// As tables write it: "mine.so:aged(weight=2)".
  std::string text() const;

  friend bool operator==(const OwnPolicy&, const OwnPolicy&) = default;
};

/// What decides in place of a word of the axis that each is named after. The axis itself then has the word of a policy of the same kind,
/// whose costs are the model's (set_own).
struct OwnPolicies {
  std::optional<OwnPolicy> order = {};
  std::optional<OwnPolicy> placement = {};
  std::optional<OwnPolicy> stealing = {};
  std::optional<OwnPolicy> victim = {};
  std::optional<OwnPolicy> fill = {};

  friend bool operator==(const OwnPolicies&, const OwnPolicies&) = default;
};

}  // namespace tasktwin
