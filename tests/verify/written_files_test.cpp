// Files that commands write, where the disk, the folder, the memory or the process comes to its end.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/base/random.hpp"
#include "tests/verify/support/command_folder.hpp"

namespace tasktwin::tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class WrittenFiles : public CommandFolder {};

/// Every command that writes files, by the options that name them; each is to run in the folder.
const std::vector<std::string>& writers() {
  static const std::vector<std::string> commands{
      "simulate tiny.yaml --designs shared-queue --trace out.json",
      "simulate tiny.yaml --designs shared-queue --timeline out.csv",
      "simulate tiny.yaml --designs shared-queue --perfetto out.pftrace",
      "simulate tiny.yaml --designs shared-queue --svg out.svg",
      "simulate tiny.yaml --designs shared-queue --swimlane out",
      "scenario export tiny.yaml --dot out.dot",
      "scenario import swimlane run/chip_swimlane_records.json run/deps.json --output out.yaml",
      "simulate tiny.yaml --trace out.json",
  };
  return commands;
}

class Writers : public CommandFolder {
 protected:
  Writers() { in_folder("tasktwin simulate tiny.yaml --designs shared-queue --swimlane run"); }

  /// Every file in the folder but the inputs, with its text.
  std::map<std::string, std::string> outputs() const {
    std::map<std::string, std::string> found;
    for (const auto& file : fs::recursive_directory_iterator(folder_.path())) {
      const std::string name = fs::relative(file.path(), folder_.path()).string();
      if (file.is_regular_file() && name != "tiny.yaml" && !name.starts_with("run/")) found[name] = read_text(file.path());
    }
    return found;
  }
  void clear() const {
    for (const auto& [name, text] : outputs()) fs::remove(folder_ / name);
  }
};

TEST_F(Writers, AFileSizeLimitLeavesWhatWasThere) {
  for (const std::string& command : writers()) {
    ASSERT_EQ(in_folder("tasktwin " + command).code, 0) << command;
    const auto before = outputs();
    ASSERT_FALSE(before.empty()) << command;
    for (const auto& [name, text] : before) write_text(folder_ / name, "old");
    expect("( ulimit -f 0; tasktwin " + command + " ) 2>&1 | cat; exit ${PIPESTATUS[0]}", 1, "cannot write '");
    for (const auto& [name, text] : outputs()) EXPECT_EQ(text, "old") << command << ": " << name;
    EXPECT_EQ(outputs().size(), before.size()) << command;
    clear();
  }
}

TEST_F(Writers, AFolderThatIsNoneIsSaid) {
  for (const std::string& command : writers()) {
    const std::size_t at = command.rfind(" out");
    const Outcome outcome = in_folder("tasktwin " + command.substr(0, at + 1) + "none/" + command.substr(at + 1));
    EXPECT_EQ(outcome.code, 2) << command << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("no folder")) << command;
    EXPECT_TRUE(outputs().empty());
  }
}

TEST_F(Writers, AFolderThatMayNotBeWrittenToIsSaid) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::create_directory(folder_ / "locked");
  fs::permissions(folder_ / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  for (const std::string& command : writers()) {
    const std::size_t at = command.rfind(" out");
    const Outcome outcome = in_folder("tasktwin " + command.substr(0, at + 1) + "locked/" + command.substr(at + 1));
    EXPECT_EQ(outcome.code, 1) << command;
    EXPECT_THAT(outcome.err, HasSubstr("Permission denied")) << command;
  }
}

TEST_F(Writers, TooLittleMemoryIsSaid) {
  for (const std::string& command : writers()) {
    const Outcome outcome = in_folder("ulimit -v 60000; tasktwin " + command);
    EXPECT_NE(outcome.code, 0) << command;
    EXPECT_TRUE(outputs().empty()) << command;
  }
  write_text(folder_ / "large.yaml",
             "scenario: s\nmachine: nvidia-h200\ngraph: {generator: independent, tasks: 10000000, time_ns: 5}\ndesigns: [shared-queue]\n");
  expect("ulimit -v 500000; tasktwin scenario show large.yaml", 1, "not enough memory");
}

TEST_F(Writers, KeepTheModeOfWhatTheyReplace) {
  for (const std::string& command : writers()) {
    ASSERT_EQ(in_folder("tasktwin " + command).code, 0) << command;
    for (const auto& [name, text] : outputs()) ::chmod((folder_ / name).c_str(), 0640);
    ASSERT_EQ(in_folder("umask 077; tasktwin " + command).code, 0) << command;
    for (const auto& [name, text] : outputs()) {
      struct stat status {};
      ASSERT_EQ(::stat((folder_ / name).c_str(), &status), 0);
      EXPECT_EQ(status.st_mode & 0777U, 0640U) << command << ": " << name;
    }
    clear();
  }
}

/// Starts a command that writes, and kills it after `delay`.
void kill_after(const fs::path& folder, const std::string& command, std::chrono::microseconds delay) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
    if (::chdir(folder.c_str()) != 0) ::_exit(126);
    ::execl("/bin/sh", "sh", "-c", ("exec '" TASKTWIN_EXECUTABLE "' " + command).c_str(), nullptr);
    ::_exit(127);
  }
  std::this_thread::sleep_for(delay);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
}

/// kill -9 at random moments: every file is the old one or the new one, and the next run leaves nothing else. TASKTWIN_KILLS says how
/// often.
TEST_F(Writers, AreOldOrNewAndWholeWhenKilled) {
  const char* const said = std::getenv("TASKTWIN_KILLS");
  const int kills = said != nullptr ? std::atoi(said) : 40;
  const auto commands = static_cast<int>(writers().size());
  Random random(11);
  for (int c = 0; c < commands; ++c) {
    const std::string& command = writers()[static_cast<std::size_t>(c)];
    const auto begun = std::chrono::steady_clock::now();
    ASSERT_EQ(in_folder("tasktwin " + command).code, 0) << command;
    const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begun);
    const auto fresh = outputs();
    for (int i = c; i < kills; i += commands) {
      for (const auto& [name, text] : fresh) write_text(folder_ / name, "old");
      // Most of a run comes before it writes: the last part gets most of the kills.
      const double when = 1 - random.uniform() * random.uniform();
      kill_after(folder_.path(), command, std::chrono::microseconds(static_cast<std::int64_t>(static_cast<double>(whole.count()) * when)));
      for (const auto& [name, text] : outputs()) {
        if (name.find(".tasktwin-part-") != std::string::npos) continue;
        EXPECT_TRUE(text == "old" || text == fresh.at(name)) << command << ": " << name;
      }
    }
    ASSERT_EQ(in_folder("tasktwin " + command).code, 0) << command;
    EXPECT_EQ(outputs(), fresh) << command << " leaves something behind";
    clear();
  }
}

TEST_F(WrittenFiles, WhatAKilledRunLeftGoesWithTheNext) {
  write_text(folder_ / ".tasktwin-part-1-0", "half");
  write_text(folder_ / "victim", "old");
  fs::create_symlink(folder_ / "victim", folder_ / ".tasktwin-part-1-1");
  expect("tasktwin simulate tiny.yaml --designs shared-queue --timeline t.csv", 0, "wrote t.csv");
  EXPECT_FALSE(fs::exists(folder_ / ".tasktwin-part-1-0"));
  EXPECT_EQ(read_text(folder_ / "victim"), "old");
}

TEST_F(WrittenFiles, WhatOneRunWritesAnotherDoesNotTakeForALeftover) {
  std::string together;
  for (int i = 0; i < 6; ++i)
    together += "tasktwin simulate tiny.yaml --designs shared-queue --timeline t" + std::to_string(i) + ".csv >/dev/null & ";
  EXPECT_EQ(in_folder(together + "wait").code, 0);
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(fs::exists(folder_ / ("t" + std::to_string(i) + ".csv")));
  EXPECT_EQ(folder_.file_count(), 7U);
}

TEST_F(WrittenFiles, AFullDiskReplacesNeitherOfTwoFiles) {
  if (in_folder("mkdir m && mount -t tmpfs -o size=8k tmpfs m").code != 0) GTEST_SKIP() << "mounting a file system needs root";
  in_folder("mkdir m/sw; echo OLD > m/sw/deps.json; echo OLD > m/sw/chip_swimlane_records.json");
  const Outcome outcome = in_folder("tasktwin simulate example --designs shared-queue --swimlane m/sw");
  const std::string deps = read_text(folder_ / "m/sw/deps.json");
  const std::string records = read_text(folder_ / "m/sw/chip_swimlane_records.json");
  in_folder("umount m");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(deps, "OLD\n");
  EXPECT_EQ(records, "OLD\n");
}

TEST_F(WrittenFiles, AnInputIsNeverOverwritten) {
  expect("tasktwin simulate tiny.yaml --designs static-queues --timeline t.csv", 0, "wrote t.csv");
  std::string replaying(kTinyScenario);
  replaying.replace(replaying.find("designs:"), std::string::npos,
                    "designs: [{name: rp, from: static-queues, placement: replay, replay: t.csv}]\n");
  write_text(folder_ / "replay.yaml", replaying);
  const std::string timeline = read_text(folder_ / "t.csv");
  in_folder("ln t.csv hard.csv; ln -s t.csv soft.csv; mkdir sub");
  for (const char* output : {"t.csv", "hard.csv", "soft.csv", "sub/../t.csv", "replay.yaml"}) {
    for (const char* option : {"--trace", "--timeline", "--svg", "--perfetto"})
      expect(std::string("tasktwin simulate replay.yaml ") + option + " " + output, 2, "is also an input; choose another file");
  }
  expect("tasktwin scenario export replay.yaml --dot t.csv", 2, "is also an input");
  expect("tasktwin simulate tiny.yaml --designs shared-queue --swimlane run", 0, "");
  for (const char* output : {"run/deps.json", "run/chip_swimlane_records.json"})
    expect(std::string("tasktwin scenario import swimlane run/chip_swimlane_records.json run/deps.json --output ") + output, 2,
           "is also an input");
  EXPECT_EQ(read_text(folder_ / "t.csv"), timeline);
  EXPECT_EQ(read_text(folder_ / "replay.yaml"), replaying);
}

}  // namespace
}  // namespace tasktwin::tests
