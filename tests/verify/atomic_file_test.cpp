#include "verify/output/files/atomic_file.hpp"

#include <csignal>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/verify/support/cases.hpp"

namespace tasktwin::verify {
namespace {

namespace fs = std::filesystem;
using tests::TemporaryFolder;

TEST(AtomicFile, ShowsNothingUnderItsNameBeforeCommit) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "result");
  file.write("whole");
  EXPECT_FALSE(fs::exists(folder / "result"));
  file.commit();
  EXPECT_EQ(tests::read_text(folder / "result"), "whole");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(AtomicFile, LeavesTheOldFileAndNothingElseWhenDropped) {
  const TemporaryFolder folder;
  tests::write_text(folder / "result", "old");
  {
    AtomicFile file(folder / "result");
    file.write(std::string(3 << 20, 'x'));
  }
  EXPECT_EQ(tests::read_text(folder / "result"), "old");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(AtomicFile, NeverWritesThroughALinkThatStandsBesideIt) {
  const TemporaryFolder folder;
  tests::write_text(folder / "victim", "old");
  constexpr int kLinks = 100;  // at the names that come next
  for (int i = 0; i < kLinks; ++i) {
    fs::create_symlink(folder / "victim", folder / (".tasktwin-part-" + std::to_string(::getpid()) + "-" + std::to_string(i)));
  }
  write_file(folder / "result", "new");
  EXPECT_EQ(tests::read_text(folder / "result"), "new");
  EXPECT_EQ(tests::read_text(folder / "victim"), "old");
  EXPECT_EQ(folder.file_count(), 2U + kLinks);
}

TEST(AtomicFile, LeavesNothingWhereTheProcessIsKilled) {
  const TemporaryFolder folder;
  const int nameless = ::open(folder.path().c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (nameless < 0) GTEST_SKIP() << "this file system has no files without a name";
  ::close(nameless);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    AtomicFile file(folder / "result");
    file.write(std::string(3 << 20, 'x'));
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(AtomicFile, WritesBehindASymbolicLink) {
  const TemporaryFolder folder;
  tests::write_text(folder / "real", "old");
  fs::create_symlink(folder / "real", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(tests::read_text(folder / "real"), "new");
}

TEST(AtomicFile, SaysThatTheDiskIsFull) {
  EXPECT_THAT([] { write_file("/dev/full", "text"); },
              testing::ThrowsMessage<RunError>("cannot write '/dev/full': No space left on device"));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(AtomicFile, SaysThatTheFolderIsMissing) {
  const TemporaryFolder folder;
  const std::string path = (folder / "no/file").string();
  EXPECT_THAT([&] { write_file(path, "text"); },
              testing::ThrowsMessage<RunError>(testing::HasSubstr("there is no folder '" + (folder / "no").string() + "'")));
}

TEST(AtomicFile, RefusesAFolder) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { write_file(folder.path(), "text"); }, testing::ThrowsMessage<RunError>(testing::HasSubstr("Is a directory")));
}

}  // namespace
}  // namespace tasktwin::verify
