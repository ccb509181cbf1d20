#include "verify/facts_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "models/error.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxFactsBytes = std::size_t{1} << 24;
constexpr std::size_t kMaxCores = std::size_t{1} << 20;

/// Where in `text` its byte `byte`, counted from 1, stands.
SourceLocation location(const fs::path& path, std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {path.string(), static_cast<int>(std::ranges::count(before, '\n')) + 1, static_cast<int>(before.size() - line_start) + 1};
}

}  // namespace

std::string read_whole_file(const fs::path& path, std::size_t limit) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) throw InputError({path.string()}, error.message());
  if (size > limit) throw InputError({path.string()}, fmt::format("is larger than {} bytes", limit));
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw InputError({path.string()}, "cannot be read");
  return text;
}

FactsFile::FactsFile(const fs::path& path) : path_(path) {
  const std::string text = read_whole_file(path, kMaxFactsBytes);
  try {
    json_ = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw InputError(location(path, text, error.byte), "is not JSON");
  }
  if (!json_.is_object()) throw InputError({path.string()}, "should hold an object");
}

const Json& FactsFile::at(const char* name) const {
  const auto found = json_.find(name);
  if (found == json_.end()) throw InputError({path_.string()}, fmt::format("field '{}' is missing", name));
  return *found;
}

std::string FactsFile::text(const char* name) const {
  require(at(name).is_string(), name, "a text");
  return at(name).get<std::string>();
}

double FactsFile::number(const char* name) const {
  require(at(name).is_number(), name, "a number");
  return at(name).get<double>();
}

std::vector<Duration> FactsFile::durations(const char* name) const {
  require(at(name).is_array() && !at(name).empty(), name, "a list of whole nanoseconds, at least one");
  std::vector<Duration> list;
  for (const Json& item : at(name)) {
    list.emplace_back(whole(item, name));
    require(list.back() > Duration{0}, name, "above 0 ns throughout");
  }
  return list;
}

std::optional<MemorySample> FactsFile::memory(const char* name) const {
  if (!json_.contains(name)) return std::nullopt;
  const Json& object = at(name);
  require(object.is_object() && object.contains("used_bytes") && object.contains("reserved_bytes"), name,
          "an object of used_bytes and reserved_bytes");
  const MemorySample sample{{}, whole(object["used_bytes"], name), whole(object["reserved_bytes"], name)};
  require(sample.used >= 0 && sample.reserved >= 0, name, "of 0 bytes or more");
  return sample;
}

std::vector<CoreType> FactsFile::cores(const char* name) const {
  require(at(name).is_array(), name, "a list of {type, count}");
  std::vector<CoreType> list;
  for (const Json& group : at(name)) {
    require(group.is_object() && group.contains("type") && group.contains("count") && group["type"].is_string(), name,
            "a list of {type, count}");
    const auto type = from_word<CoreType>(group["type"].get<std::string>());
    require(type.has_value(), name, "of the core types sm, aic, aiv");
    const std::int64_t count = whole(group["count"], name);
    require(count > 0 && static_cast<std::size_t>(count) <= kMaxCores - list.size(), name, "a list of {type, count} of 1 to 1048576 cores");
    list.insert(list.end(), static_cast<std::size_t>(count), *type);
  }
  return list;
}

void FactsFile::require(bool condition, const char* name, const char* right) const {
  if (!condition) throw InputError({path_.string()}, fmt::format("field '{}' must be {}", name, right));
}

std::int64_t FactsFile::whole(const Json& value, const char* name) const {
  require(value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX), name, "a whole number");
  return value.get<std::int64_t>();
}

}  // namespace tasktwin::verify
