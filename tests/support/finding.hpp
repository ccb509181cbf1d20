#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

namespace tasktwin {

/// Whether the finding that a scenario ships says the number in place of '#' in `phrase`, a part of it, as `simulated` rounded to as many
/// decimals as `decimals` says.
inline testing::AssertionResult says(const std::string& finding, std::string phrase, double simulated, int decimals = 0) {
  char number[64];
  std::snprintf(number, sizeof number, "%.*f", decimals, simulated);
  phrase.replace(phrase.find('#'), 1, number);
  if (finding.find(phrase) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "the finding does not say: " << phrase;
}

}  // namespace tasktwin
