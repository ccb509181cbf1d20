#include "scenarios/document/yaml_hint.hpp"

namespace tasktwin::scenarios {

namespace {

std::string_view line_of(std::string_view text, int line) {
  for (; line > 0; --line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

bool indented_by_tab(std::string_view line) {
  const std::string_view indent = line.substr(0, line.find_first_not_of(" \t"));
  return indent.find('\t') != std::string_view::npos;
}

}  // namespace

std::string yaml_hint(std::string_view text, int line) {
  for (const int suspect : {line, line - 1}) {
    if (suspect >= 0 && indented_by_tab(line_of(text, suspect)))
      return "; line " + std::to_string(suspect + 1) + " is indented by a tab, where YAML wants spaces";
  }
  return "; is this line indented like those beside it, and has every key before it a ': ', every '{', '[' and quote its end, and every "
         "item its comma?";
}

bool quote_closes(std::string_view text, std::size_t begin) {
  if (begin >= text.size() || (text[begin] != '"' && text[begin] != '\'')) return true;
  const char quote = text[begin];
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 >= text.size() || text[i + 1] != quote) return true;
      ++i;  // '' is one quote
    }
  }
  return false;
}

}  // namespace tasktwin::scenarios
