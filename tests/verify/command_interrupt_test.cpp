#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/verify/support/cases.hpp"
#include "tests/verify/support/pseudo_terminal.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/system/interrupt.hpp"

namespace tasktwin::tests {
namespace {

using testing::HasSubstr;

constexpr std::chrono::seconds kPatience{60};

/// How a process ended, and what it said.
struct Ending {
  int status = 0;
  std::string said;
  bool by(int signal) const { return WIFSIGNALED(status) && WTERMSIG(status) == signal; }
};

[[noreturn]] void become_tasktwin(std::vector<std::string> arguments) {
  ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
  ::setenv("TERM", "xterm", 1);
  std::string executable = TASKTWIN_EXECUTABLE;
  std::vector<char*> argv{executable.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(argv.front(), argv.data());
  ::_exit(127);
}

/// Runs tasktwin on a terminal of its own, and types Ctrl-C there once it has said `cue`.
Ending interrupted_at(const std::string& cue, const std::vector<std::string>& arguments) {
  Ending ending;
  winsize size{.ws_row = 24, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) become_tasktwin(arguments);
  bool typed = false;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  std::array<char, 4096> chunk{};
  while (std::chrono::steady_clock::now() < deadline) {
    pollfd ready{.fd = terminal, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, 100) == 0) continue;
    const ssize_t count = ::read(terminal, chunk.data(), chunk.size());
    if (count <= 0) break;  // the other end is closed: the process has ended
    ending.said.append(chunk.data(), static_cast<std::size_t>(count));
    if (typed || ending.said.find(cue) == std::string::npos) continue;
    typed = true;
    EXPECT_EQ(::write(terminal, "\003", 1), 1);
  }
  if (!typed) ::kill(child, SIGKILL);
  ::waitpid(child, &ending.status, 0);
  ::close(terminal);
  return ending;
}

TEST(Interrupt, CtrlCWipesTheProgressLineAndLeavesNoFile) {
  if (const auto why = why_no_pseudo_terminal()) GTEST_SKIP() << *why;
  const TemporaryFolder folder;
  // So many runs that they are not over before Ctrl-C comes.
  const Ending ending = interrupted_at("simulating example", {"simulate", "example", "--runs", "100000", "--timeline",
                                                              (folder / "t.csv").string(), "--trace", (folder / "t.json").string()});
  EXPECT_TRUE(ending.by(SIGINT)) << "a shell makes 130 of it; status " << ending.status;
  const std::string told = ending.said.substr(ending.said.rfind(verify::kWipeLine));
  EXPECT_THAT(told, HasSubstr("interrupted: 0 of 4"));
  EXPECT_THAT(told, testing::Not(HasSubstr("simulating")));
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(Interrupt, QuietShowsNoProgressOnATerminal) {
  if (const auto why = why_no_pseudo_terminal()) GTEST_SKIP() << *why;
  const Ending ending = interrupted_at("never said", {"simulate", "example", "--runs", "20", "--quiet"});
  EXPECT_TRUE(WIFEXITED(ending.status));
  EXPECT_EQ(WEXITSTATUS(ending.status), 0);
  EXPECT_THAT(ending.said, testing::Not(HasSubstr("simulating")));
  EXPECT_THAT(ending.said, testing::Not(HasSubstr("reading")));
  EXPECT_THAT(ending.said, HasSubstr("cuda-streams"));
}

TEST(Interrupt, ATerminalGetsProgressWithCountsAndThenNothingOfItIsLeft) {
  if (const auto why = why_no_pseudo_terminal()) GTEST_SKIP() << *why;
  const Ending ending = interrupted_at("never said", {"simulate", "example", "--runs", "20"});
  EXPECT_TRUE(WIFEXITED(ending.status));
  EXPECT_THAT(ending.said, HasSubstr("simulating example under cuda-streams: 1 of 80"));
  const std::size_t wiped = ending.said.rfind(verify::kWipeLine);
  ASSERT_NE(wiped, std::string::npos);
  EXPECT_THAT(ending.said.substr(wiped), testing::Not(HasSubstr("simulating")));
}

TEST(Interrupt, FinishedRowsAreTold) {
  if (const auto why = why_no_pseudo_terminal()) GTEST_SKIP() << *why;
  const TemporaryFolder folder;
  write_text(folder / "tiny.yaml", kTinyScenario);
  const std::string file = (folder / "tiny.yaml").string();
  const std::string second = "under central-dispatcher";
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"simulate", file, "--runs", "5000"},
                                             {"compare", file, "--runs", "5000"},
                                             {"sweep", file, "--runs", "5000", "--vary", "seed=1,2"}}) {
    const Ending ending = interrupted_at(second, arguments);
    EXPECT_TRUE(ending.by(SIGINT)) << arguments.front() << ": " << ending.said;
    const std::string told = ending.said.substr(ending.said.rfind(verify::kWipeLine));
    EXPECT_THAT(told, HasSubstr("cuda-streams")) << arguments.front();
    EXPECT_THAT(told, testing::ContainsRegex("interrupted: [12] of [48]")) << arguments.front();
    EXPECT_THAT(told, testing::Not(HasSubstr("shared-queue"))) << arguments.front();
  }
}

TEST(Interrupt, ThatNoRowIsFinishedIsToldToo) {
  if (const auto why = why_no_pseudo_terminal()) GTEST_SKIP() << *why;
  const TemporaryFolder folder;
  write_text(folder / "tiny.yaml", kTinyScenario);
  std::string renamed(kTinyScenario);
  renamed.replace(renamed.find("scenario: tiny"), 14, "scenario: other");
  write_text(folder / "other.yaml", renamed);
  const std::string file = (folder / "tiny.yaml").string();
  const std::string other = (folder / "other.yaml").string();
  const auto told = [](const std::string& cue, const std::vector<std::string>& arguments) {
    const Ending ending = interrupted_at(cue, arguments);
    EXPECT_TRUE(ending.by(SIGINT)) << arguments.front() << ": " << ending.said;
    return ending.said;
  };
  for (const std::string command : {"simulate", "compare"}) {
    EXPECT_THAT(told("under cuda-streams", {command, file, "--runs", "5000"}), HasSubstr("interrupted: 0 of 4")) << command;
    EXPECT_THAT(told("simulating other under", {command, file, other, "--runs", "5000", "--designs", "cuda-streams"}),
                HasSubstr("interrupted: 1 of 2"))
        << command << ", in the second scenario";
  }
  EXPECT_THAT(told("under cuda-streams", {"sweep", file, "--runs", "5000", "--vary", "seed=1,2"}),
              testing::ContainsRegex("interrupted: [01] of 8"));
}

TEST(Interrupt, ASearchTellsThePointsThatRanAndHowToGoOn) {
  if (const auto why = why_no_pseudo_terminal()) GTEST_SKIP() << *why;
  const TemporaryFolder folder;
  write_text(folder / "tiny.yaml", kTinyScenario);
  const std::string results = (folder / "r.db").string();
  std::vector<std::string> search{"search",    (folder / "tiny.yaml").string(),
                                  "--designs", "shared-queue",
                                  "--vary",    "seed=",
                                  "--method",  "grid",
                                  "--runs",    "200",
                                  "--results", results};
  for (int seed = 1; seed <= 400; ++seed) search[5] += (seed == 1 ? "" : ",") + std::to_string(seed);
  const Ending ending = interrupted_at("searching: 2", search);
  EXPECT_TRUE(ending.by(SIGINT)) << ending.said;
  const std::string told = ending.said.substr(ending.said.rfind(verify::kWipeLine));
  EXPECT_THAT(told, HasSubstr("makespan"));
  // The design as the scenario has it is a point too.
  EXPECT_THAT(told, testing::ContainsRegex("interrupted: [0-9]+ points of 401; --resume .*r.db goes on"));
}

TEST(Interrupt, AVerificationTellsTheCasesThatItHasJudged) {
  if (const auto why = why_no_pseudo_terminal()) GTEST_SKIP() << *why;
  const Ending ending = interrupted_at("predictions against recorded", {"verify", "--recorded", "--format", "text"});
  EXPECT_TRUE(ending.by(SIGINT)) << ending.said;
  if (ending.said.find("cases") == std::string::npos) return;  // none was judged by then
  EXPECT_THAT(ending.said, testing::ContainsRegex("interrupted: [0-9]+ of [0-9]+"));
}

/// Ends a child by `signal` while a file is half written and a progress line may stand.
Ending ended_while_writing(int signal, const std::filesystem::path& file, bool line) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    verify::clean_up_on_interrupt();
    verify::set_line_to_wipe(line);
    verify::AtomicFile half(file);
    half.write("text");
    std::raise(signal);
    ::_exit(0);
  }
  ::close(ends[1]);
  Ending ending;
  std::array<char, 256> chunk{};
  for (ssize_t count = 0; (count = ::read(ends[0], chunk.data(), chunk.size())) > 0;)
    ending.said.append(chunk.data(), static_cast<std::size_t>(count));
  ::close(ends[0]);
  ::waitpid(child, &ending.status, 0);
  return ending;
}

TEST(Interrupt, RemovesWhatIsHalfWritten) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TemporaryFolder folder;
    write_text(folder / "kept", "before");
    const Ending ending = ended_while_writing(signal, folder / "kept", false);
    EXPECT_TRUE(ending.by(signal));
    EXPECT_EQ(ending.said, "");
    EXPECT_EQ(folder.file_count(), 1U);
    EXPECT_EQ(read_text(folder / "kept"), "before");
  }
  const TemporaryFolder folder;
  EXPECT_EQ(ended_while_writing(SIGINT, folder / "new", true).said, verify::kWipeLine);
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(Interrupt, StaysIgnoredWhereItWasIgnored) {
  const TemporaryFolder folder;
  const auto before = std::signal(SIGINT, SIG_IGN);
  const Ending ending = ended_while_writing(SIGINT, folder / "new", false);
  std::signal(SIGINT, before);
  EXPECT_TRUE(WIFEXITED(ending.status)) << "as under nohup";
}

TEST(BrokenPipe, EndsQuietlyWhateverTheParentDoesWithTheSignal) {
  for (const auto disposition : {SIG_DFL, SIG_IGN}) {
    const TemporaryFolder folder;
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      std::signal(SIGPIPE, disposition);
      ::close(ends[0]);  // nobody reads
      ::dup2(ends[1], STDOUT_FILENO);
      if (std::freopen((folder / "err").c_str(), "w", stderr) == nullptr) ::_exit(126);
      become_tasktwin({"scenario", "list"});
    }
    ::close(ends[0]);
    ::close(ends[1]);
    Ending ending;
    ::waitpid(child, &ending.status, 0);
    EXPECT_TRUE(ending.by(SIGPIPE)) << ending.status;
    EXPECT_EQ(read_text(folder / "err"), "");
  }
}

}  // namespace
}  // namespace tasktwin::tests
