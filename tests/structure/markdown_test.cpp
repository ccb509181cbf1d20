#include <fstream>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/structure/markdown.hpp"

namespace tasktwin::tests {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

Page page_of(const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "markdown_test.md";
  std::ofstream(path) << text;
  Page page = read_page(path);
  std::filesystem::remove(path);
  return page;
}

TEST(Markdown, MakesAnchorsOfHeadings) {
  const Page page = page_of("# The `host` path, in 5 µs\n## Add a policy\n## Twice\n## Twice\n```sh\n# no heading\n```\n");
  EXPECT_THAT(page.anchors, UnorderedElementsAre("the-host-path-in-5-µs", "add-a-policy", "twice", "twice-1"));
}

TEST(Markdown, FindsLinksAndWordsOfCodeOutsideOfBlocks) {
  const Page page = page_of("See [this](a.md#b) and ![that](c.svg), `not [this](d.md)`.\n```\n[nor](e.md)\n```\n");
  ASSERT_EQ(page.links.size(), 2U);
  EXPECT_EQ(page.links[0].target, "a.md#b");
  EXPECT_EQ(page.links[1].target, "c.svg");
  EXPECT_THAT(page.code, ElementsAre("not [this](d.md)"));
}

TEST(Markdown, KeepsBlocksAsTheyStand) {
  const Page page = page_of("a\n```sh\ncat <<END\n  x\nEND\n```\n1. b\n   ```\n   c\n   ```\n");
  ASSERT_EQ(page.blocks.size(), 2U);
  EXPECT_EQ(page.blocks[0].language, "sh");
  EXPECT_EQ(page.blocks[0].text, "cat <<END\n  x\nEND\n");
  EXPECT_EQ(page.blocks[0].line, 2U);
  EXPECT_FALSE(page.blocks[0].indented);
  EXPECT_TRUE(page.blocks[1].indented);
}

TEST(Markdown, RefusesABlockThatDoesNotEnd) { EXPECT_THROW(page_of("```sh\nls\n"), std::runtime_error); }

}  // namespace
}  // namespace tasktwin::tests
