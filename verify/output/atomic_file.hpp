#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "verify/output/interrupt.hpp"

namespace tasktwin::verify {

/// A file that appears under its name only once it is whole: written without a name where the file system can, else beside, then
/// renamed by commit(). Dropped without commit(), it leaves nothing behind, as it does when Ctrl-C ends the process. A device or a pipe
/// cannot be renamed to and is written directly. Every failure (full disk, unwritable or missing folder) is a RunError that says what the
/// system said.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view text);
  /// Brings all that was written to the disk: of several files that belong together each is settled before the first is committed.
  void settle();
  void commit();

 private:
  int create_beside() const;
  void name() const;
  void flush();
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;    ///< as the user named it
  std::filesystem::path target_;  ///< behind symbolic links
  std::filesystem::path beside_;  ///< empty where the target is written directly
  std::optional<HalfWritten> half_written_;
  int descriptor_ = -1;
  bool nameless_ = false;  ///< until commit() names it `beside_`
  std::string buffer_;
};

/// Writes all of `text` to `path` in one go.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace tasktwin::verify
