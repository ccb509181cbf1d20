#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace tasktwin::verify {

/// `text` as a gzip file (RFC 1952) without name or time stamp: the same text gives the same bytes.
std::string gzip(std::string_view text);
/// `text` in the zlib format (RFC 1950), in the same way.
std::string zlib_deflate(std::string_view text);

/// Unpacks a gzip file, handing each piece of what is inside to `take`, which may throw where it has seen enough. Throws InputError naming
/// `source` if `bytes` is no gzip file, is truncated or damaged, or if something follows it.
void gunzip(std::string_view bytes, const std::filesystem::path& source, const std::function<void(std::string_view piece)>& take);

}  // namespace tasktwin::verify
