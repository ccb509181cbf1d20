#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tasktwin::verify {

/// `text` as a gzip file (RFC 1952) without name or time stamp: the same text gives the same bytes.
std::string gzip(std::string_view text);
/// `text` in the zlib format (RFC 1950), likewise.
std::string zlib_deflate(std::string_view text);

/// Throws InputError naming `source` if `bytes` is no gzip file, is truncated or damaged, or unpacks to more than `limit` bytes.
std::string gunzip(std::string_view bytes, const std::filesystem::path& source, std::size_t limit);

}  // namespace tasktwin::verify
