#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tasktwin {

/// Bytes of the UTF-8 sequence that begins `text`, or 0 if it is none (RFC 3629: no surrogates, nothing overlong).
std::size_t utf8_length(std::string_view text);

/// `text` with U+FFFD in place of each byte that is no UTF-8: what terminals, files and other languages take for text.
std::string well_formed(std::string_view text);

}  // namespace tasktwin
