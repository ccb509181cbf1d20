#include "scenarios/document/faults.hpp"

#include <algorithm>
#include <utility>

#include "scenarios/document/fault_messages.hpp"

namespace tasktwin::scenarios {

namespace {

std::string first_of(const std::vector<InputError>& faults) {
  std::string text;
  for (std::size_t i = 0; i < faults.size() && i < kMostFaults; ++i) text += (i == 0 ? "" : "\n") + std::string(faults[i].what());
  return faults.size() <= kMostFaults ? text : text + "\nand " + std::to_string(faults.size() - kMostFaults) + " more";
}

}  // namespace

std::string fault_messages(const InputError& error) {
  constexpr std::size_t kMostBytes = 12'000;  // of all together; what one alone may have is capped where it is printed
  const std::string head = "error: ";
  const auto* const several = dynamic_cast<const InputFaults*>(&error);
  if (several == nullptr) return head + error.what();
  const std::vector<InputError>& all = several->all();
  std::string text = head + all.front().what();
  std::size_t told = 1;
  for (; told < std::min(all.size(), kMostFaults) && text.size() < kMostBytes; ++told) text += '\n' + head + all[told].what();
  return told == all.size() ? text : text + "\nand " + std::to_string(all.size() - told) + " more";
}

InputFaults::InputFaults(std::vector<InputError> faults) : InputError(first_of(faults)), faults_(std::move(faults)) {}

}  // namespace tasktwin::scenarios
