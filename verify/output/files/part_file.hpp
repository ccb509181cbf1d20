#pragma once

#include <filesystem>
#include <optional>

#include "verify/system/interrupt.hpp"

namespace tasktwin::verify {

/// A file before it replaces its target, in the target's folder: new, not shared, never through a link. It has no name where the file
/// system can do so, until name(); dropped, it goes. One that a killed process left is removed when the next is made in its folder: no
/// process holds its lock.
class PartFile {
 public:
  /// Where errno says why it could not be made, descriptor() is below 0.
  explicit PartFile(const std::filesystem::path& folder);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  int descriptor() const { return descriptor_; }
  /// Gives it a name. Returns whether it has one; errno says why not.
  bool name();
  const std::filesystem::path& path() const { return path_; }
  /// Nothing is left under that name.
  void moved();

 private:
  void take_next_path();
  int make_named();

  std::filesystem::path folder_;
  std::filesystem::path path_;  ///< empty while it has no name
  std::optional<HalfWritten> half_written_;
  int descriptor_ = -1;
};

}  // namespace tasktwin::verify
