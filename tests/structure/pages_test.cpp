#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "tests/structure/markdown.hpp"

namespace tasktwin::tests {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFrontDoorLines = 150;

/// Every page of the project, by its path from the root.
std::map<fs::path, Page> all_pages() {
  std::map<fs::path, Page> pages;
  for (const char* page : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) pages[page] = read_page(page);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator("docs")) {
    if (entry.path().extension() == ".md") pages[entry.path()] = read_page(entry.path());
  }
  return pages;
}

/// Where a link of `page` leads: a path from the root, and an anchor or "". Those to other hosts are not looked at.
std::pair<fs::path, std::string> destination(const Page& page, const std::string& target) {
  const std::size_t hash = target.find('#');
  const std::string file = target.substr(0, hash);
  const fs::path path = file.empty() ? page.path : (page.path.parent_path() / file).lexically_normal();
  return {path, hash == std::string::npos ? "" : target.substr(hash + 1)};
}

bool elsewhere(const std::string& target) { return target.find("://") != std::string::npos; }

TEST(Pages, TheReadmeIsAFrontDoor) { EXPECT_LE(read_page("README.md").lines, kFrontDoorLines); }

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Pages, TheReadmeSaysWhatTheRefereeFound) {
  const std::string page = text_of("docs/referee.md");
  std::smatch all;
  const std::regex row(R"(\| all \| (\d+) \| (\d+) \| ([\d.]+ %) \| ([\d.]+ %) \|)");
  ASSERT_TRUE(std::regex_search(page, all, row));
  const std::string rest = "that others published](docs/referee.md), failures included | " + all.str(3) + " | " + all.str(4) + " |";
  const std::string line = "| [" + all.str(2) + " rows of " + all.str(1) + " sources " + rest;
  EXPECT_NE(text_of("README.md").find(line), std::string::npos) << line;
}

TEST(Pages, EveryLinkLeadsToAFileAndAHeadingThatAreThere) {
  const std::map<fs::path, Page> pages = all_pages();
  for (const auto& [path, page] : pages) {
    for (const PageLink& link : page.links) {
      if (elsewhere(link.target)) continue;
      const auto [file, anchor] = destination(page, link.target);
      EXPECT_TRUE(fs::exists(file)) << path.string() << ':' << link.line << ": " << link.target;
      const auto there = pages.find(file);
      if (!anchor.empty() && there != pages.end()) {
        EXPECT_TRUE(there->second.anchors.contains(anchor)) << path.string() << ':' << link.line << ": no heading #" << anchor;
      }
    }
  }
}

TEST(Pages, EachIsReachedFromTheIndex) {
  const std::map<fs::path, Page> pages = all_pages();
  std::vector<fs::path> reached{"docs/index.md"};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const auto page = pages.find(reached[i]);
    if (page == pages.end()) continue;
    for (const PageLink& link : page->second.links) {
      if (elsewhere(link.target)) continue;
      const fs::path file = destination(page->second, link.target).first;
      if (std::ranges::find(reached, file) == reached.end()) reached.push_back(file);
    }
  }
  for (const auto& [path, page] : pages)
    EXPECT_TRUE(std::ranges::find(reached, path) != reached.end()) << path.string() << " is not reached from docs/index.md";
}

/// A here-document's end is found in the first column only, so that a block can be copied from the file as it stands.
TEST(Pages, CommandsStandInTheFirstColumn) {
  for (const auto& [path, page] : all_pages()) {
    for (const CodeBlock& block : page.blocks) EXPECT_FALSE(block.indented) << path.string() << ':' << block.line;
  }
}

/// Names of the tree's source files, without their folders.
std::set<std::string> source_names() {
  std::set<std::string> names;
  for (const char* room : {"models", "scenarios", "sim", "gpu", "verify", "python", "tests", "examples"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(room)) names.insert(entry.path().filename().string());
  }
  return names;
}

TEST(Pages, FilesOfTheTreeThatTheyNameAreThere) {
  constexpr std::string_view kOfPaths = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
  const std::set<std::string> sources = source_names();
  std::size_t found = 0;
  for (const auto& [path, page] : all_pages()) {
    if (path == "CHANGELOG.md") continue;  // names what there was
    for (const std::string& word : page.code) {
      if (fs::path(word).extension() == ".cpp" && word.find_first_of("/ <*{") == std::string::npos) {
        EXPECT_TRUE(sources.contains(word)) << path.string() << ": " << word;
      }
      const std::string room = word.substr(0, word.find('/'));
      const bool of_the_tree = room.size() < word.size() && fs::is_directory(room) && room != "build" && room != "out" && room != "bundle";
      if (!of_the_tree || word.find_first_not_of(kOfPaths) != std::string::npos) continue;  // <name>, *, {a,b}
      EXPECT_TRUE(fs::exists(word)) << path.string() << ": " << word;
      ++found;
    }
  }
  EXPECT_GT(found, 20U);
}

}  // namespace
}  // namespace tasktwin::tests
