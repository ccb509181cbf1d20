#pragma once

#include <string>
#include <string_view>

#include "scenarios/formats/json_place.hpp"

namespace tasktwin::scenarios {

/// What the reader accepts.
inline constexpr std::size_t kMaxJsonBytes = std::size_t{256} << 20;
inline constexpr std::size_t kMaxJsonDepth = 64;
inline constexpr std::size_t kMaxJsonValues = std::size_t{16} << 20;

/// Reads a JSON file of another program, or of a run before. Throws InputError for what read_whole_file refuses and, with line and column,
/// for a syntax error, text that is no UTF-8, a key that occurs twice in an object, a number beyond 64 bits, and excessive depth or size.
JsonValue read_json_file(const std::string& path, std::size_t most_bytes = kMaxJsonBytes);

/// The same of a file that gzip may have packed (ByteSource).
JsonValue read_packed_json(const std::string& path);

/// The same from text; `file` is what messages call it.
JsonValue parse_json(const std::string& file, std::string_view text);

/// `json` as text that reads well: lists of rows and of records have one a line. Contract: as deep as read_json_file lets pass.
std::string json_file_text(const JsonValue& json);

}  // namespace tasktwin::scenarios
