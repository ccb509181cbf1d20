#include "verify/rerun/effects_text.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scenarios/machine_files/machine_file.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::size_t kLongestName = 2000;

/// Both.
std::string together(const std::string& one, const std::string& other) { return one == other ? one : "read_write"; }

std::string pattern_of(const std::string& name) { return name.size() <= kLongestName ? name : name.substr(0, kLongestName) + "*"; }

}  // namespace

std::string effects_text(const std::vector<ObservedKernel>& kernels, const std::string& about) {
  std::map<std::string, ObservedKernel> by_name;
  for (const ObservedKernel& one : kernels) {
    if (one.effects.empty()) continue;
    ObservedKernel& known = by_name[pattern_of(one.name)];
    for (const auto& [place, effect] : one.effects) {
      const auto [found, fresh] = known.effects.try_emplace(place, effect);
      if (!fresh) found->second = together(found->second, effect);
    }
  }
  // A name that others contain comes after them: the first that goes with a kernel counts.
  std::vector<std::pair<std::string, ObservedKernel>> sorted(by_name.begin(), by_name.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const auto& one) { return one.first.size(); });
  std::string text = fmt::format("# What kernels were seen to do with what their arguments point to: {}.\n", about);
  text += sorted.empty() ? "effects: []\n" : "effects:\n";
  for (const auto& [name, kernel] : sorted) {
    std::vector<std::string> effects;
    std::vector<std::string> places;
    for (const auto& [place, effect] : kernel.effects) {
      effects.push_back(effect);
      places.push_back(fmt::format("[{}, {}]", place.first, place.second));
    }
    text += fmt::format("  - kernel: {}\n    pointers: [{}]\n    at: [{}]\n", scenarios::yaml_text(name), fmt::join(effects, ", "),
                        fmt::join(places, ", "));
  }
  return text;
}

}  // namespace tasktwin::verify
