#include "tests/verify/support/process.hpp"

#include <cstdlib>

#include <sys/wait.h>

#include "tests/verify/support/cases.hpp"

namespace tasktwin::tests {

Outcome tasktwin(const std::string& arguments, const std::string& before) {
  const TemporaryFolder folder;
  const std::string out = (folder / "out").string();
  const std::string err = (folder / "err").string();
  const std::string command = "( export CUDA_VISIBLE_DEVICES=-1; " + before + " '" TASKTWIN_EXECUTABLE "' " + arguments +
                              " ) </dev/null >'" + out + "' 2>'" + err + "'";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) && WEXITSTATUS(status) < 128 ? WEXITSTATUS(status) : -1, read_text(out), read_text(err)};
}

}  // namespace tasktwin::tests
