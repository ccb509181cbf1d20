#include "scenarios/faults.hpp"

#include <utility>

namespace tasktwin::scenarios {

namespace {

std::vector<std::string> first_of(const std::vector<std::string>& faults) {
  if (faults.size() <= kMostFaults) return faults;
  std::vector<std::string> told(faults.begin(), faults.begin() + kMostFaults);
  told.push_back("and " + std::to_string(faults.size() - kMostFaults) + " more");
  return told;
}

std::string lines(const std::vector<std::string>& faults) {
  std::string text;
  for (const std::string& fault : first_of(faults)) text += (text.empty() ? "" : "\n") + fault;
  return text;
}

}  // namespace

InputFaults::InputFaults(std::vector<std::string> faults) : InputError(lines(faults)), faults_(std::move(faults)) {}

std::vector<std::string> told_faults(const InputError& error) {
  const auto* several = dynamic_cast<const InputFaults*>(&error);
  return several ? first_of(several->all()) : std::vector<std::string>{error.what()};
}

}  // namespace tasktwin::scenarios
