#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tasktwin::scenarios {

/// What is most likely after a YAML parser's complaint about `line` of `text` (counted from 0), to be put after its message: a
/// tab that indents the line or the one before it, or else an indent, bracket, comma or quote.
std::string yaml_hint(std::string_view text, int line);

/// Whether the quoted scalar that begins at byte `begin` of `text` has its second quote. True where none begins there.
bool quote_closes(std::string_view text, std::size_t begin);

}  // namespace tasktwin::scenarios
