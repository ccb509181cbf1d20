#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tasktwin::scenarios {

/// The largest input file. Bigger task graphs come from generators.
inline constexpr std::size_t kMaxFileBytes = 64u << 20;
/// The longest line: the YAML scanner keeps a whole line's tokens in memory.
inline constexpr std::size_t kMaxLineBytes = 1u << 20;
/// How many brackets may be open at once, and for how many bytes: the YAML scanner keeps all tokens between an outermost
/// bracket and its end in memory.
inline constexpr int kMaxOpenBrackets = 1000;
inline constexpr std::size_t kMaxBracketBytes = 8u << 20;

/// Reads a text file whole. Throws InputError with line and column if it is missing, unreadable, a folder, empty, too
/// big, binary, not UTF-8 or nested beyond reason.
std::string read_text_file(const std::string& path);

/// Reads a regular file whole, whatever is in it. Throws InputError if it is missing, unreadable, a folder or of more bytes, with
/// `hint` at the end of the message.
std::string read_whole_file(const std::string& path, std::size_t most_bytes, const std::string& hint = "");

/// The same checks on text that is already there; `file` is what messages call it.
void check_text(const std::string& file, const std::string& text);

/// What is wrong with the first byte that belongs in no text: a zero, or one that is no UTF-8. Absent where there is none.
std::optional<std::string> wrong_byte(std::string_view text);

}  // namespace tasktwin::scenarios
