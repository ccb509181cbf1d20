#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "verify/explain/what_if.hpp"

namespace tasktwin::verify {

/// The options of `simulate` and `compare` that ask what another way would bring.
class WhatIfOptions {
 public:
  void add(CLI::App& app);
  bool wanted() const { return wanted_.wanted(); }
  const WhatIf& value() const { return wanted_; }
  /// As they were given, for what reproduces a result.
  std::vector<std::string> words() const;

 private:
  CLI::App* app_ = nullptr;
  WhatIf wanted_;
};

/// The option --unprofiled alone, for commands that take no other change.
void add_unprofiled(CLI::App& app, std::optional<Duration>& unprofiled);

}  // namespace tasktwin::verify
