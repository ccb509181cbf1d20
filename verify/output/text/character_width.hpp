#pragma once

#include <cstddef>
#include <string_view>

namespace tasktwin::verify {

/// A piece of text that a terminal shows as one: a character with its bytes, or an escape sequence.
struct Glyph {
  std::size_t bytes = 1;
  std::size_t columns = 1;
};

/// The first glyph of `text`, UTF-8 and not empty. East Asian wide characters and emoji take two columns, combining marks and
/// escape sequences for colour none; a byte that is no UTF-8 takes one. Ranges: Unicode 15, EastAsianWidth.txt (W, F) and the
/// general categories Mn and Cf of the blocks that text is likely to have.
Glyph first_glyph(std::string_view text);

}  // namespace tasktwin::verify
