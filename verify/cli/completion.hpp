#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace tasktwin::verify {

/// The word with which the scripts of `tasktwin completion` ask for candidates.
inline constexpr char kCompleteCommand[] = "__complete";

/// The candidates for the last of `words`, which are those after the executable's name up to the cursor: a candidate a
/// line, with its meaning, if any, after a tab; ":files" and ":dirs" mean the paths that begin so. All of it comes from
/// the declared commands and options of `root`. Nothing where nothing fits; throws nothing of what files say.
std::string complete(const CLI::App& root, std::vector<std::string> words);

}  // namespace tasktwin::verify
