#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace tasktwin::tests {

/// A field as a path of keys; behind "[]" stands each element of a list. In documentation "*" stands for any name.
using FieldPath = std::vector<std::string>;

std::string to_text(const FieldPath& path);

/// What docs/reference/json.md says: by heading, its fields, with those of shared objects in place of the rows that refer to them.
std::map<std::string, std::vector<FieldPath>> documented_fields(std::string_view page);

/// The fields of JSON values.
struct ObservedFields {
  std::set<FieldPath> leaves;
  std::set<FieldPath> empty;  ///< null, or a list or an object of nothing

  /// Those of an object, or of each object of a list, but for "format".
  void add(const nlohmann::json& result);
};

/// Of `observed`, those that no documented field is or begins with.
std::vector<std::string> undocumented(const ObservedFields& observed, const std::vector<FieldPath>& documented);
/// Of `documented`, those that were not observed.
std::vector<std::string> never_seen(const ObservedFields& observed, const std::vector<FieldPath>& documented);

}  // namespace tasktwin::tests
