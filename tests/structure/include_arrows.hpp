#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tasktwin::structure {

/// The includes below `root` that point against the arrows between the folders,
/// models ← scenarios, sim, gpu ← verify ← tests, each as "file:line: includes what".
/// An include in quotes that no file below `root` answers is one too: includes are from the root.
std::vector<std::string> broken_arrows(const std::filesystem::path& root);

/// How many files broken_arrows() reads, so that a scan of nothing is noticed.
std::size_t scanned_files(const std::filesystem::path& root);

}  // namespace tasktwin::structure
