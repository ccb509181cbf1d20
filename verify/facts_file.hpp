#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/task_graph.hpp"
#include "models/timeline.hpp"
#include "verify/output/json.hpp"

namespace tasktwin::verify {

/// The bytes of a file of at most `limit` bytes. Throws InputError naming it if it is missing, unreadable or larger.
std::string read_whole_file(const std::filesystem::path& path, std::size_t limit);

/// The fields of a recording's JSON file. Every complaint is an InputError that names the file and the field.
class FactsFile {
 public:
  explicit FactsFile(const std::filesystem::path& path);

  const Json& at(const char* name) const;
  bool is_null(const char* name) const { return at(name).is_null(); }
  std::string text(const char* name) const;
  std::int64_t whole(const char* name) const { return whole(at(name), name); }
  double number(const char* name) const;
  /// `absent` where the file does not have the field.
  double number_or(const char* name, double absent) const { return json_.contains(name) ? number(name) : absent; }
  /// At least one, all above 0 ns.
  std::vector<Duration> durations(const char* name) const;
  /// From {"used_bytes", "reserved_bytes"}; absent where the file does not have the field.
  std::optional<MemorySample> memory(const char* name) const;
  /// From runs of equal types: [{"type", "count"}, …].
  std::vector<CoreType> cores(const char* name) const;

  /// Throws that field `name` must be `right`, unless `condition`.
  void require(bool condition, const char* name, const char* right) const;

 private:
  std::int64_t whole(const Json& value, const char* name) const;

  std::filesystem::path path_;
  Json json_;
};

}  // namespace tasktwin::verify
