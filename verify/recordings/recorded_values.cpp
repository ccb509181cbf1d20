#include "verify/recordings/recorded_values.hpp"

#include <limits>

#include "models/base/names.hpp"
#include "scenarios/files/quoted.hpp"

namespace tasktwin::verify {

using scenarios::JsonPlace;

namespace {

constexpr std::int64_t kMostCores = std::int64_t{1} << 20;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr double kMostNs = 1e15;
constexpr double kMostResidual = 0x1p62;  // what read_json_file lets pass

}  // namespace

std::vector<Duration> durations_from(const JsonPlace& place) {
  const auto size = static_cast<std::int64_t>(place.list().size());
  if (size == 0 || size > kMostRuns) {
    place.refuse("has " + std::to_string(size) + " entries; must have 1 to " + std::to_string(kMostRuns) + " times in ns");
  }
  std::vector<Duration> list;
  for (std::size_t i = 0; i < place.size(); ++i) list.emplace_back(place[i].whole(1, kLongestRunNs));
  return list;
}

Nanoseconds nanoseconds_from(const JsonPlace& place) { return Nanoseconds{place.number(0, kMostNs)}; }

MemorySample memory_from(const JsonPlace& place) {
  place.object_of({"used_bytes", "reserved_bytes"});
  return {{}, place.at("used_bytes").whole(0, kMostBytes), place.at("reserved_bytes").whole(0, kMostBytes)};
}

std::vector<CoreType> cores_from(const JsonPlace& place) {
  std::vector<CoreType> list;
  for (std::size_t i = 0; i < place.list().size(); ++i) {
    const JsonPlace group = place[i].object_of({"type", "count"});
    const JsonPlace word = group.at("type");
    const auto type = from_word<CoreType>(word.text());
    if (!type) word.refuse("is " + scenarios::in_quotes(word.text()) + suggest(word.text(), all_words<CoreType>()));
    const std::int64_t left = kMostCores - static_cast<std::int64_t>(list.size());
    list.insert(list.end(), static_cast<std::size_t>(group.at("count").whole(1, left)), *type);
  }
  return list;
}

std::string axes_from(const JsonPlace& place) {
  for (const auto& [axis, value] : place.object().value().items()) {
    if (axis == "parts" || axis == "sets") {
      place.at(axis).list();
    } else if (value.is_structured()) {
      place.at(axis).refuse("must be a word or a number");
    }
  }
  return place.value().dump();
}

std::int64_t count_from(const JsonPlace& place) { return place.whole(0, kMost); }

double residual_from(const JsonPlace& place) { return place.number(0, kMostResidual); }

std::string hash_from(const JsonPlace& place) {
  constexpr std::size_t kDigits = 16;
  std::string text = place.text();
  if (text.size() != kDigits || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    place.refuse("is " + scenarios::in_quotes(text) + "; must be a hash of 16 hexadecimal digits");
  return text;
}

}  // namespace tasktwin::verify
