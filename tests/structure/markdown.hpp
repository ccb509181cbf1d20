#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace tasktwin::tests {

/// A fenced block of a page.
struct CodeBlock {
  std::string language;  ///< the word behind the fence; may be empty
  std::string text;      ///< its lines, each with its end
  std::size_t line = 0;  ///< of the fence, from 1
  bool indented = false;
};

/// A link as it stands there, "file.md#heading"; also of a picture.
struct PageLink {
  std::string target;
  std::size_t line = 0;
};

/// What tests read of a page in Markdown.
struct Page {
  std::filesystem::path path;
  std::size_t lines = 0;
  std::set<std::string> anchors;  ///< of its headings, as GitHub makes them
  std::vector<PageLink> links;    ///< outside of code
  std::vector<std::string> code;  ///< words in backticks, outside of blocks
  std::vector<CodeBlock> blocks;
};

/// Throws std::runtime_error where there is no such file, or a block does not end.
Page read_page(const std::filesystem::path& path);

}  // namespace tasktwin::tests
