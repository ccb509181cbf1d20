#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace tasktwin::verify {

/// A folder of its own, removed with all that is in it when this goes. Throws std::system_error where it cannot be made.
class TemporaryFolder {
 public:
  /// Its path begins with `beginning`.
  explicit TemporaryFolder(const std::filesystem::path& beginning) : path_(beginning.string() + "-XXXXXX") {
    if (!::mkdtemp(path_.data()))
      throw std::system_error(errno, std::generic_category(), "cannot make a folder beside " + beginning.string());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tasktwin::verify
