#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tasktwin::verify {

/// One axis of a sweep: a place in the scenario file and the values it takes.
struct Variation {
  std::string path;
  std::vector<std::string> values;
};

/// Reads "path=v1,v2,…"; commas within brackets, braces and quotes belong to a value. Throws InputError for another form,
/// no value or an empty one.
Variation parse_variation(std::string_view text);

/// What a table calls each variation: its last key; on a line above the key before it, where that is the one design that varies or
/// tells two alike apart.
std::vector<std::string> column_names(const std::vector<Variation>& variations);

/// For each value of `variation` its place in a sorted table: numbers ascend, other values stay as they were given.
std::map<std::string, std::size_t> places(const Variation& variation);

/// Every combination of the variations' values, the last varying fastest: for each, a value a variation.
/// Throws InputError if there are more than `most`, or if two variations are of one path.
std::vector<std::vector<std::string>> combinations(const std::vector<Variation>& variations, std::size_t most);

}  // namespace tasktwin::verify
