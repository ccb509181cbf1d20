#include "scenarios/faults.hpp"

#include <utility>

namespace tasktwin::scenarios {

namespace {

std::string first_of(const std::vector<InputError>& faults) {
  std::string text;
  for (std::size_t i = 0; i < faults.size() && i < kMostFaults; ++i) text += (i == 0 ? "" : "\n") + std::string(faults[i].what());
  return faults.size() <= kMostFaults ? text : text + "\nand " + std::to_string(faults.size() - kMostFaults) + " more";
}

}  // namespace

InputFaults::InputFaults(std::vector<InputError> faults) : InputError(first_of(faults)), faults_(std::move(faults)) {}

}  // namespace tasktwin::scenarios
