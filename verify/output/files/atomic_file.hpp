#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "verify/output/files/part_file.hpp"

namespace tasktwin::verify {

/// Whether a file may take the place of one that this run has read.
enum class Replaces : std::uint8_t { kNothingRead, kWhatWasRead };

/// A file that appears under its name only once it is whole: written as a PartFile, which commit() puts in its place, with the mode and
/// owner of the old file. Dropped without commit(), it leaves nothing, as it does when Ctrl-C ends the process. A device or a
/// pipe cannot be replaced and is written directly. Every failure (full disk, unwritable or missing folder) is a RunError that says what
/// the system said; a file that was read in this run (scenarios/files/files_read.hpp) is an InputError.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path, Replaces replaces = Replaces::kNothingRead);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  friend void commit_together(std::span<const std::unique_ptr<AtomicFile>> files);

  void check_target() const;
  void check_not_read() const;
  void keep_mode() const;
  void flush();
  /// Does all that a full disk could prevent, but for putting it in its place.
  void settle();
  void put_in_place();
  /// Takes it out of its place again, where the file that was there is kept.
  void take_back();
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;    ///< as the user named it
  std::filesystem::path target_;  ///< with symbolic links resolved
  Replaces replaces_;
  std::optional<PartFile> part_;  ///< absent where the target is written directly
  int device_ = -1;               ///< where it is
  bool exchanged_ = false;        ///< the file that was there has the part's name now
  bool placed_ = false;
  std::string buffer_;
};

/// A file to be, whole.
struct FileText {
  std::filesystem::path path;
  std::string_view text;
};

/// Writes files that belong together: all, or, where one cannot be written, none.
void write_files(std::span<const FileText> files, Replaces replaces = Replaces::kNothingRead);

/// Writes all of `text` to `path` in one go.
void write_file(const std::filesystem::path& path, std::string_view text, Replaces replaces = Replaces::kNothingRead);

}  // namespace tasktwin::verify
