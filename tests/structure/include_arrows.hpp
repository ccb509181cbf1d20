#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tasktwin::structure {

/// The includes below `root` that point against the arrows between the folders,
/// models ← scenarios, sim, gpu ← verify ← tests, each as "file:line: includes what".
/// An include in quotes that no file below `root` answers is one too: includes are from the root.
std::vector<std::string> broken_arrows(const std::filesystem::path& root);

/// The includes between two folders below `root`/`folder` from which a way leads back, each as "file: includes what": wings stand on each
/// other in one order. Files of `folder` itself may include all of them and are not seen.
std::vector<std::string> circular_arrows(const std::filesystem::path& root, const std::string& folder);

/// The folders at and below `root`/`folder` that hold more than `most` sources.
std::vector<std::string> crowded_folders(const std::filesystem::path& root, const std::string& folder, std::size_t most);

/// How many files broken_arrows() reads, so that a scan of nothing is noticed.
std::size_t scanned_files(const std::filesystem::path& root);

}  // namespace tasktwin::structure
