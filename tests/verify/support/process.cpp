#include "tests/verify/support/process.hpp"

#include <cstdlib>

#include <sys/wait.h>

#include "tests/verify/support/cases.hpp"

namespace tasktwin::tests {

namespace {

/// Runs `command`, a line of the shell, with its output kept apart.
Outcome run(const std::string& command) {
  const TemporaryFolder folder;
  const std::string out = (folder / "out").string();
  const std::string err = (folder / "err").string();
  const int status = std::system(("( export CUDA_VISIBLE_DEVICES=-1; " + command + " ) </dev/null >'" + out + "' 2>'" + err + "'").c_str());
  return {WIFEXITED(status) && WEXITSTATUS(status) < 128 ? WEXITSTATUS(status) : -1, read_text(out), read_text(err)};
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

Outcome tasktwin(const std::string& arguments, const std::string& before) {
  return run(before + " '" TASKTWIN_EXECUTABLE "' " + arguments);
}

Outcome bash(const std::string& command, const std::filesystem::path& folder) {
  const std::string path = std::filesystem::path(TASKTWIN_EXECUTABLE).parent_path().string();
  return run("cd " + quoted(folder.string()) + " && PATH=" + quoted(path) + ":\"$PATH\" exec bash -c " + quoted(command));
}

}  // namespace tasktwin::tests
