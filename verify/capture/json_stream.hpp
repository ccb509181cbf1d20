#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "verify/output/files/atomic_file.hpp"

namespace tasktwin::verify {

/// A JSON file that is written as it comes, gzipped where its name ends in .gz. Throws RunError if it cannot be written.
class JsonStream {
 public:
  explicit JsonStream(const std::filesystem::path& path);
  ~JsonStream();
  JsonStream(const JsonStream&) = delete;
  JsonStream& operator=(const JsonStream&) = delete;

  /// Text without changes.
  template <class... Arguments>
  void raw(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), text, std::forward<Arguments>(arguments)...);
    if (text_.size() >= kChunk) flush(false);
  }
  /// In quotes, with what JSON does not allow in them escaped.
  void string(std::string_view text);

  void commit();

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 18;
  struct Deflater;

  void flush(bool last);

  AtomicFile file_;
  std::unique_ptr<Deflater> deflater_;  ///< null: uncompressed
  fmt::memory_buffer text_;
};

}  // namespace tasktwin::verify
