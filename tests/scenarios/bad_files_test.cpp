#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "models/base/error.hpp"
#include "scenarios/document/document.hpp"
#include "scenarios/files/text_file.hpp"
#include "scenarios/load/scenario.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string message_for(const std::string& path) {
  try {
    load_scenario(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST(BadFiles, EmptyAndBlankFilesAreCalledEmpty) {
  EXPECT_EQ(refusal(""), "is empty");
  EXPECT_EQ(refusal(" \n\t\n"), "is empty");
  EXPECT_EQ(refusal("# nothing\n"), "holds nothing but comments");
}

TEST(BadFiles, BinaryIsSeenAtItsFirstByte) {
  EXPECT_EQ(refusal(std::string("scenario: s\nab\0c", 16)), "2:3: byte 0x00 does not belong in a text file; is this a binary file?");
  EXPECT_EQ(refusal("\x7f"
                    "ELF"),
            "1:1: byte 0x7f does not belong in a text file; is this a binary file?");
}

TEST(BadFiles, InvalidUtf8IsLocated) {
  EXPECT_EQ(refusal("scenario: \xff"), "1:11: byte 0xff is not valid UTF-8");
  EXPECT_EQ(refusal("a: 1\nb: \xc0\xaf"), "2:4: byte 0xc0 is not valid UTF-8") << "overlong";
  EXPECT_EQ(refusal("b: \xed\xa0\x80"), "1:4: byte 0xed is not valid UTF-8") << "surrogate";
  EXPECT_EQ(refusal("b: \xf4\x90\x80\x80"), "1:4: byte 0xf4 is not valid UTF-8") << "beyond Unicode";
  EXPECT_EQ(refusal("b: \xe2\x82"), "1:4: byte 0xe2 is not valid UTF-8") << "cut short";
}

TEST(BadFiles, TruncationIsASyntaxErrorOrAMissingKey) {
  const std::string whole = with_graph("{generator: chain, length: 5}");
  EXPECT_EQ(refusal(whole), "");
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 2)), StartsWith("4:1: not valid YAML: end of map flow not found; is this line"));
  EXPECT_EQ(refusal("{\"scenario\": \"s\", \"graph\": {"), "1:1: a key must be a word; or a bracket before it is not closed");
  EXPECT_EQ(refusal(whole.substr(0, whole.find("graph"))),
            "1:1: graph: missing (tasks written out, operators that are cut into tasks, a generator with its parameters, a file of another "
            "program, or a capture)");
}

TEST(BadFiles, ATabIsSaidToBeOne) {
  EXPECT_THAT(refusal("scenario: s\ngraph:\n\ttasks:\n\t\t- {name: a}\n"),
              EndsWith("; line 3 is indented by a tab, where YAML wants spaces"));
  EXPECT_THAT(refusal("graph:\n  tasks:\n    - {name: a}\n\t- {name: b}\n"),
              EndsWith("; line 4 is indented by a tab, where YAML wants spaces"));
}

TEST(BadFiles, TextThatATerminalWouldObeyIsRefused) {
  const std::string message = "the text has a control character; text may have line breaks and tabs";
  EXPECT_EQ(refusal(with_graph("{generator: chain}") + "description: \"\\e[31mred\"\n"), "5:14: description: " + message);
  EXPECT_EQ(refusal(with_graph("{generator: chain}") + "description: \"a\\tb\\nc\"\n"), "");
  EXPECT_THAT(refusal("\"\\e\": 1\n"), HasSubstr("1:1: " + message));
}

TEST(BadFiles, AQuoteThatNeverClosesIsSaidToBeOne) {
  const std::string message = "description: a quote opens here and never closes";
  EXPECT_EQ(refusal("description: \"ten tasks\nscenario: s\n"), "1:14: " + message);
  EXPECT_EQ(refusal("scenario: s\ndescription: 'ten '' tasks'' \n"), "2:14: " + message) << "'' is a quote in the text";
  EXPECT_EQ(refusal("scenario: s\ndescription: \"ten \\\" tasks\n"), "2:14: " + message) << "so is \\\"";
  EXPECT_EQ(refusal("\"description: x\n"), "1:1: a quote opens here and never closes");
  EXPECT_THAT(refusal("description: \"it's \\\"so\\\"\"\nscenario: 'it''s'\n"), Not(HasSubstr("a quote opens")));
}

TEST(BadFiles, NoPrefixOfAScenarioCrashesOrLoads) {
  const std::string whole = with_graph("{generator: chain, length: 5}");
  for (std::size_t length = 0; length + 2 < whole.size(); ++length) EXPECT_NE(refusal(whole.substr(0, length)), "") << length;
}

TEST(BadFiles, FoldersAndDevicesAreNotRead) {
  const TemporaryFile file("");
  EXPECT_EQ(message_for(file.folder().string()), file.folder().string() + ": is a folder; a file is needed");
  EXPECT_EQ(message_for("/dev/zero"), "/dev/zero: is not a regular file");
}

TEST(BadFiles, AnUnreadableFileIsSaidToBe) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read every file";
  const TemporaryFile file(with_graph("{generator: chain}"));
  std::filesystem::permissions(file.path(), std::filesystem::perms::none);
  EXPECT_EQ(message_for(file.path()), file.path() + ": cannot be opened: Permission denied");
}

TEST(BadFiles, AMissingFileBringsTheNearestShippedName) {
  EXPECT_THAT(
      message_for("choleski"),
      HasSubstr(
          "choleski: no such file, and no shipped scenario 'choleski'; did you mean 'cholesky'? ('tasktwin scenario list' names all "));
  EXPECT_THAT(message_for("/nowhere/x.yaml"), HasSubstr("/nowhere/x.yaml: no such file"));
}

TEST(BadFiles, AHundredMegabytesOfNestingIsRefusedUnread) {
  const TemporaryFile file("[");
  std::filesystem::resize_file(file.path(), 100'000'000);
  EXPECT_EQ(message_for(file.path()), file.path() + ": has 100000000 bytes; at most 67108864 are read (a generator makes large graphs)");
}

TEST(BadFiles, NestingIsRefusedWhereItGetsTooDeep) {
  EXPECT_EQ(refusal(repeated("[", 10'000'000)), "1:1001: more than 1000 brackets are open here");
  EXPECT_EQ(refusal(repeated("[\n", 10'000'000)), "1001:1: more than 1000 brackets are open here");
  EXPECT_THAT(refusal("a: " + repeated("[", 900) + repeated("]", 900)), EndsWith("nested deeper than 32 levels"));
  EXPECT_THAT(refusal(repeated("- ", 400'000)), EndsWith("nested deeper than 32 levels"));
  EXPECT_THAT(refusal("a:\n" + repeated("- ", 31) + "b"), Not(HasSubstr("nested"))) << "just within";
  EXPECT_THAT(refusal("a:\n" + repeated("- ", 32) + "b"), HasSubstr("nested")) << "just beyond";
}

TEST(BadFiles, WhatTheScannerWouldKeepInMemoryIsBounded) {
  EXPECT_EQ(refusal("[" + repeated("a,", 600'000)), "1:1048577: the line is longer than 1048576 bytes");
  EXPECT_THAT(refusal("[" + repeated("a,\n", 3'000'000)), HasSubstr("a bracket stays open for more than 8388608 bytes"));
  EXPECT_THAT(refusal("a: " + std::string(5000, 'x')), HasSubstr("1:4: a: the text is longer than 4096 bytes"));
  EXPECT_THAT(refusal("a:\n" + repeated("- 1\n", kMaxNodes + 1)), HasSubstr("more than 2000000 values"));
}

TEST(BadFiles, YamlsDarkCornersAreRefused) {
  const std::string base = with_graph("{generator: chain}");
  EXPECT_EQ(refusal(base + "seed: 1\nseed: 2\n"), "6:1: the key 'seed' stands twice in one map (first in line 5)");
  EXPECT_EQ(refusal(with_graph("{generator: chain, length: 1, length: 2}")),
            "4:38: the key 'length' stands twice in one map (first in line 4)");
  EXPECT_EQ(refusal(base + "---\nx: y\n"), "5:1: a second document begins here; a file holds one");
  EXPECT_THAT(refusal("scenario: &a s\nmachine: *a\n"), EndsWith("2:10: machine: aliases (*name) are not supported; write the value out"));
  EXPECT_EQ(refusal(base + "<<: {seed: 3}\n"),
            "5:1: <<: unknown key; valid: buffers, collectives, description, designs, finding, graph, kernels, machine, question, "
            "scenario, seed");
  EXPECT_EQ(refusal(base + "seed: !!int 3\n"), "5:7: seed: tags (tag:yaml.org,2002:int) are not supported");
  EXPECT_EQ(refusal(base + "[a]: 3\n"), "5:1: a key must be a word; or a bracket before it is not closed");
  EXPECT_EQ(refusal(base + "~: 3\n"), "5:1: a key must be a word; or a bracket before it is not closed");
}

TEST(BadFiles, ABombOfAliasesIsRefusedAtItsFirstAlias) {
  std::string bomb = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before + "]\n";
  }
  EXPECT_THAT(refusal(bomb), HasSubstr("2:10: a1[0]: aliases"));
}

TEST(BadFiles, ScalarsAreTypedByTheCoreSchema) {
  const auto typed = [](const std::string& text) { return describe(parse_document("f", "a: " + text).root.items.front()); };
  EXPECT_EQ(typed("yes"), "the text 'yes'");
  EXPECT_EQ(typed("'1'"), "the text '1'");
  EXPECT_EQ(typed("1_000"), "the text '1_000'");
  EXPECT_EQ(typed("1e"), "the text '1e'");
  EXPECT_EQ(typed("0x"), "the text '0x'");
  EXPECT_EQ(typed("."), "the text '.'");
  EXPECT_EQ(typed("True"), "the truth value True");
  EXPECT_EQ(typed("~"), "empty");
  EXPECT_EQ(typed(""), "empty");

  const auto integer = [](const std::string& text) {
    const Document document = parse_document("f", "a: " + text);
    const Node& node = document.root.items.front();
    return node.kind == Node::Kind::kInteger ? node.integer : -1;
  };
  EXPECT_EQ(integer("0x10"), 16);
  EXPECT_EQ(integer("0o17"), 15);
  EXPECT_EQ(integer("007"), 7);
  EXPECT_EQ(integer("+5"), 5);
  EXPECT_EQ(integer("1e3"), 1000);
  EXPECT_EQ(integer("1."), 1);
  EXPECT_EQ(integer("9223372036854775807"), 9223372036854775807);
  EXPECT_EQ(integer("1.5"), -1) << "a real";
  EXPECT_EQ(parse_document("f", "a: -.5e-1").root.items.front().real, -0.05);
}

}  // namespace
}  // namespace tasktwin::scenarios
