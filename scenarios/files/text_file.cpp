#include "scenarios/files/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "models/base/error.hpp"
#include "models/base/utf8.hpp"
#include "scenarios/files/files_read.hpp"

namespace tasktwin::scenarios {

namespace {

std::string hex(unsigned char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  return {'0', 'x', digits[byte >> 4], digits[byte & 15]};
}

}  // namespace

std::string read_whole_file(const std::string& path, std::size_t most_bytes, const std::string& hint) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (status.type() == std::filesystem::file_type::not_found) throw InputError({path}, "no such file");
  if (failure) throw InputError({path}, "cannot be read: " + failure.message());
  if (status.type() == std::filesystem::file_type::directory) throw InputError({path}, "is a folder; a file is needed");
  if (status.type() != std::filesystem::file_type::regular) throw InputError({path}, "is not a regular file");
  const auto size = std::filesystem::file_size(path, failure);
  if (failure) throw InputError({path}, "cannot be read: " + failure.message());
  if (size > most_bytes) {
    throw InputError({path}, "has " + std::to_string(size) + " bytes; at most " + std::to_string(most_bytes) + " are read" + hint);
  }
  note_read(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError({path}, std::string("cannot be opened: ") + std::strerror(errno));
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  if (file.bad() || static_cast<std::size_t>(file.gcount()) != size) throw InputError({path}, "could not be read to its end");
  return text;
}

std::string read_text_file(const std::string& path) {
  std::string text = read_whole_file(path, kMaxFileBytes, " (a generator makes large graphs)");
  check_text(path, text);
  return text;
}

std::optional<std::string> wrong_byte(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = text[i] == '\0' ? 0 : utf8_length(text.substr(i, 4));
    if (length == 0)
      return "byte " + hex(static_cast<unsigned char>(text[i])) +
             (text[i] == '\0' ? " does not belong in a text file" : " is not valid UTF-8");
    i += length;
  }
  return std::nullopt;
}

void check_text(const std::string& file, const std::string& text) {
  const std::string_view view(text);
  if (view.find_first_not_of(" \t\r\n") == std::string_view::npos) throw InputError({file}, "is empty");
  int line = 1;
  std::size_t line_start = 0;
  int open = 0;
  std::size_t opened_at = 0;
  for (std::size_t i = 0; i < view.size();) {
    const auto byte = static_cast<unsigned char>(view[i]);
    const SourceLocation here{file, line, static_cast<int>(i - line_start) + 1};
    if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) {
      throw InputError(here, "byte " + hex(byte) + " does not belong in a text file; is this a binary file?");
    }
    if (i - line_start >= kMaxLineBytes) throw InputError(here, "the line is longer than " + std::to_string(kMaxLineBytes) + " bytes");
    if (byte == '[' || byte == '{') {
      if (open++ == 0) opened_at = i;
    }
    if ((byte == ']' || byte == '}') && open > 0) --open;
    if (open > kMaxOpenBrackets) throw InputError(here, "more than " + std::to_string(kMaxOpenBrackets) + " brackets are open here");
    if (open > 0 && i - opened_at > kMaxBracketBytes) {
      throw InputError(here, "a bracket stays open for more than " + std::to_string(kMaxBracketBytes) +
                                 " bytes; write a long list with one '- ' a line");
    }
    if (byte == '\r' && (i + 1 == view.size() || view[i + 1] != '\n'))
      throw InputError(here, "a carriage return without a line feed behind it; lines end with a line feed, or with both");
    const std::size_t length = utf8_length(view.substr(i, 4));
    if (length == 0) throw InputError(here, "byte " + hex(byte) + " is not valid UTF-8");
    if (byte == 0xC2 && static_cast<unsigned char>(view[i + 1]) < 0xA0)
      throw InputError(
          here, "the control character U+00" + hex(static_cast<unsigned char>(view[i + 1])).substr(2) + " does not belong in a text file");
    i += length;
    if (byte == '\n') {
      ++line;
      line_start = i;
    }
  }
}

}  // namespace tasktwin::scenarios
