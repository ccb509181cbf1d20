#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/formats/json_place.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// A file of measurements, verify/recorded/<machine>/*.jsonl: a line {"format", "axes"} with every axis as it is by default in the build
/// that wrote the file, then an entry a line, whose designs say only the axes in which they differ. So no later default changes what was
/// measured.
class RecordedLines {
 public:
  /// None.
  RecordedLines() = default;
  /// Throws InputError naming file and line for a line that is no JSON, and for a first one of another format.
  RecordedLines(const std::filesystem::path& path, std::string_view text);

  /// Of the entries.
  std::size_t size() const { return lines_.empty() ? 0 : lines_.size() - 1; }
  /// Contract: i < size(), and the lines outlive it.
  scenarios::JsonPlace operator[](std::size_t i) const { return {lines_[i + 1].place, lines_[i + 1].value}; }
  /// In the file.
  static std::size_t line_number(std::size_t i) { return i + 2; }

  /// Every axis of a design of which `place`, in an entry, holds those that differ: a JSON object.
  std::string axes(const scenarios::JsonPlace& place) const;

 private:
  struct Line {
    std::string place;  ///< "FILE:LINE"
    scenarios::JsonValue value;
  };
  std::vector<Line> lines_;
};

/// None where there is no such file. Throws InputError as the constructor does, and for a file that cannot be read or is too large.
RecordedLines read_recorded_lines(const std::filesystem::path& path);

/// Of `axes`, a JSON object, those that are not as they are by default.
Json differing_axes(const std::string& axes);

/// The text of such a file.
std::string recorded_lines_text(const std::vector<Json>& entries);

/// While it lives, other processes wait to add to files in `folder`. Throws RunError where the file system cannot do that.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace tasktwin::verify
