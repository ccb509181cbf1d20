#include "scenarios/document/faults.hpp"

#include <cctype>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "scenarios/document/fault_messages.hpp"

namespace tasktwin::scenarios {

namespace {

/// Of faults that differ only in their places, in numbers and in what they quote, so many are listed.
constexpr std::size_t kMostAlike = 3;

std::string kind_of(std::string_view what) {
  std::string kind;
  bool quoted = false;
  for (const char c : what) {
    if (c == '\'') quoted = !quoted;
    if (!quoted && !std::isdigit(static_cast<unsigned char>(c))) kind += c;
  }
  return kind;
}

/// One a line, `head` in front of each, up to kMostFaults, or more than `bytes` of text; of several alike the first, and how many more.
std::string listed(const std::vector<InputError>& faults, const std::string& head, std::size_t bytes) {
  std::map<std::string, std::size_t> alike;
  std::vector<std::string> kinds;
  for (const InputError& fault : faults) {
    kinds.push_back(kind_of(fault.what()));
    ++alike[kinds.back()];
  }
  std::map<std::string, std::size_t> told;
  std::string text;
  std::size_t lines = 0;
  std::size_t accounted = 0;
  for (std::size_t i = 0; i < faults.size() && lines < kMostFaults && (lines == 0 || text.size() < bytes); ++i) {
    const std::size_t all = alike.at(kinds[i]);
    if (told[kinds[i]]++ >= kMostAlike) continue;
    text += (lines++ == 0 ? "" : "\n") + head + faults[i].what();
    ++accounted;
    if (told[kinds[i]] < kMostAlike || all == kMostAlike) continue;
    text += " (and " + std::to_string(all - kMostAlike) + " more like this)";
    accounted += all - kMostAlike;
  }
  return accounted == faults.size() ? text : text + "\nand " + std::to_string(faults.size() - accounted) + " more";
}

}  // namespace

std::string fault_messages(const InputError& error) {
  constexpr std::size_t kMostBytes = 12'000;  // of all together; what one alone may have is capped where it is printed
  const std::string head = "error: ";
  const auto* const several = dynamic_cast<const InputFaults*>(&error);
  return several == nullptr ? head + error.what() : listed(several->all(), head, kMostBytes);
}

InputFaults::InputFaults(std::vector<InputError> faults)
    : InputError(listed(faults, "", std::numeric_limits<std::size_t>::max())), faults_(std::move(faults)) {}

}  // namespace tasktwin::scenarios
