#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace tasktwin::structure {

/// The includes below `root` that point against the arrows between the folders,
/// models ← scenarios, sim, gpu ← verify ← tests, each as "file:line: includes what".
/// An include in quotes that no file below `root` answers is one too: includes are from the root.
std::vector<std::string> broken_arrows(const std::filesystem::path& root);

/// The includes between two folders at or below `root`/`folder` from which a way leads back, each as "file: includes what". Files that lie
/// in `folder` itself are a room as well.
std::vector<std::string> circular_arrows(const std::filesystem::path& root, const std::string& folder);

/// The folders at and below `root`/`folder` that hold more than `most` sources, but for those in `exempt`.
std::vector<std::string> crowded_folders(const std::filesystem::path& root, const std::string& folder, std::size_t most,
                                         const std::set<std::string>& exempt = {});

/// The stems of which two folders at or below `root`/`folder` have a source that is no header, each as "stem: file, file"; those in `twins`
/// are passed over.
std::vector<std::string> repeated_stems(const std::filesystem::path& root, const std::string& folder, const std::set<std::string>& twins);

/// The lines below `root` outside models/runtimes/ that compare a field of a design that chooses its runtime, each as "file:line: text":
/// driver, release, ready_queue, placement or stealing with == or !=, or is_static(), has_workers() and launches_on_device(). Not those of
/// the axes' own tables and of the rules between fields (models/axes/, models/checks/design_check.cpp), nor comments.
std::vector<std::string> runtime_decisions(const std::filesystem::path& root);

/// How many files broken_arrows() reads, so that a scan of nothing is noticed.
std::size_t scanned_files(const std::filesystem::path& root);

}  // namespace tasktwin::structure
