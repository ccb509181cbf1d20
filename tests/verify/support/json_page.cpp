#include "tests/verify/support/json_page.hpp"

#include <algorithm>
#include <sstream>

namespace tasktwin::tests {

namespace {

struct Row {
  FieldPath path;
  std::string shared;  ///< heading of the shared object that it stands for; empty for none
};

FieldPath split(const std::string& text) {
  FieldPath path;
  std::istringstream stream(text);
  for (std::string key; std::getline(stream, key, '.');) path.push_back(key);
  return path;
}

/// "| `a.b` | meaning |", or "| (a) | see [a](#a) |" for the fields of a shared object as the result's own.
Row row_of(const std::string& line) {
  Row row;
  if (line[2] == '`') row.path = split(line.substr(3, line.find('`', 3) - 3));
  constexpr std::string_view kSee = "| see [";
  if (const auto see = line.find(kSee); see != std::string::npos) {
    const std::size_t begin = see + kSee.size();
    row.shared = line.substr(begin, line.find(']', begin) - begin);
  }
  return row;
}

bool key_matches(const std::string& documented, const std::string& key) {
  const auto star = documented.find('*');
  if (star == std::string::npos) return documented == key;
  const std::string_view rest = std::string_view(documented).substr(star + 1);
  return key.size() >= documented.size() - 1 && key.starts_with(documented.substr(0, star)) && key.ends_with(rest);
}

/// Whether the first keys of `documented`, as many as `path` has, are its.
bool begins_with(const FieldPath& documented, const FieldPath& path) {
  return documented.size() >= path.size() &&
         std::equal(path.begin(), path.end(), documented.begin(), [](const auto& key, const auto& says) { return key_matches(says, key); });
}

bool matches(const FieldPath& documented, const FieldPath& path) {
  return documented.size() == path.size() && begins_with(documented, path);
}

void walk(const nlohmann::json& value, const FieldPath& path, ObservedFields& found) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, below] : value.items()) {
      FieldPath further = path;
      further.push_back(key);
      walk(below, further, found);
    }
  } else if (value.is_array()) {
    FieldPath further = path;
    if (further.empty()) further.emplace_back();
    further.back() += "[]";
    if (value.empty()) found.empty.insert(further);
    for (const nlohmann::json& element : value) walk(element, further, found);
  } else {
    (value.empty() ? found.empty : found.leaves).insert(path);  // null and {} are empty, numbers and texts are not
  }
}

}  // namespace

std::string to_text(const FieldPath& path) {
  std::string text;
  for (const std::string& key : path) text += (text.empty() ? "" : ".") + key;
  return text;
}

std::map<std::string, std::vector<FieldPath>> documented_fields(std::string_view page) {
  std::map<std::string, std::vector<Row>> rows;
  std::string heading;
  std::istringstream stream{std::string(page)};
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("## ") || line.starts_with("### ")) heading = line.substr(line.find(' ') + 1);
    if (line.starts_with("| `") || line.starts_with("| (")) rows[heading].push_back(row_of(line));
  }
  std::map<std::string, std::vector<FieldPath>> fields;
  for (const auto& [name, own] : rows) {
    for (const Row& row : own) {
      if (row.shared.empty()) {
        fields[name].push_back(row.path);
        continue;
      }
      for (const Row& below : rows[row.shared]) {
        FieldPath path = row.path;
        path.insert(path.end(), below.path.begin(), below.path.end());
        fields[name].push_back(path);
      }
    }
  }
  return fields;
}

void ObservedFields::add(const nlohmann::json& result) {
  if (result.is_array() && std::ranges::all_of(result, &nlohmann::json::is_object)) {
    for (const nlohmann::json& one : result) add(one);
    return;
  }
  nlohmann::json fields = result;
  if (fields.is_object()) fields.erase("format");
  walk(fields, {}, *this);
}

std::vector<std::string> undocumented(const ObservedFields& observed, const std::vector<FieldPath>& documented) {
  std::vector<std::string> found;
  for (const FieldPath& leaf : observed.leaves) {
    if (std::ranges::none_of(documented, [&](const FieldPath& one) { return matches(one, leaf); })) found.push_back(to_text(leaf));
  }
  for (const FieldPath& empty : observed.empty) {
    if (std::ranges::none_of(documented, [&](const FieldPath& one) { return begins_with(one, empty); })) found.push_back(to_text(empty));
  }
  return found;
}

std::vector<std::string> never_seen(const ObservedFields& observed, const std::vector<FieldPath>& documented) {
  std::vector<std::string> missing;
  for (const FieldPath& one : documented) {
    const auto is_it = [&](const FieldPath& path) { return matches(one, path); };
    if (std::ranges::none_of(observed.leaves, is_it) && std::ranges::none_of(observed.empty, is_it)) missing.push_back(to_text(one));
  }
  return missing;
}

}  // namespace tasktwin::tests
