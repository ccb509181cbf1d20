#include "tests/structure/markdown.hpp"

#include <cctype>
#include <fstream>
#include <stdexcept>

namespace tasktwin::tests {

namespace {

constexpr std::string_view kFence = "```";

/// The anchor of a heading: lower case, blanks as hyphens, of other ASCII only letters, digits, '-' and '_'.
std::string slug(std::string_view heading) {
  std::string text;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') {
      text += '-';
    } else if (byte >= 0x80 || std::isalnum(byte) != 0 || c == '-' || c == '_') {
      text += static_cast<char>(byte < 0x80 ? std::tolower(byte) : byte);
    }
  }
  return text;
}

/// A second heading of the same words gets "-1", and so on.
void add_anchor(std::set<std::string>& anchors, const std::string& anchor) {
  std::string unique = anchor;
  for (int i = 1; !anchors.insert(unique).second; ++i) unique = anchor + '-' + std::to_string(i);
}

/// Takes the words in backticks out of `line`.
std::string without_code(const std::string& line, std::vector<std::string>& code) {
  std::string rest;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t open = line.find('`', at);
    const std::size_t close = open == std::string::npos ? open : line.find('`', open + 1);
    if (close == std::string::npos) return rest + line.substr(at);
    rest += line.substr(at, open - at);
    code.push_back(line.substr(open + 1, close - open - 1));
    at = close + 1;
  }
  return rest;
}

void add_links(const std::string& line, std::size_t number, std::vector<PageLink>& links) {
  for (std::size_t at = line.find("]("); at != std::string::npos; at = line.find("](", at + 1)) {
    const std::size_t close = line.find(')', at);
    if (close != std::string::npos) links.push_back({line.substr(at + 2, close - at - 2), number});
  }
}

}  // namespace

Page read_page(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("there is no page " + path.string());
  Page page;
  page.path = path;
  bool within_block = false;
  for (std::string line; std::getline(file, line);) {
    ++page.lines;
    const std::size_t first = line.find_first_not_of(' ');
    const bool fence = first != std::string::npos && line.compare(first, kFence.size(), kFence) == 0;
    if (fence && !within_block) page.blocks.push_back({line.substr(first + kFence.size()), "", page.lines, first > 0});
    if (fence) {
      within_block = !within_block;
    } else if (within_block) {
      page.blocks.back().text += line + '\n';
    } else if (line.starts_with('#')) {
      add_anchor(page.anchors, slug(line.substr(line.find_first_not_of("# "))));
    } else {
      add_links(without_code(line, page.code), page.lines, page.links);
    }
  }
  if (within_block) throw std::runtime_error(path.string() + ":" + std::to_string(page.blocks.back().line) + ": this block does not end");
  return page;
}

}  // namespace tasktwin::tests
