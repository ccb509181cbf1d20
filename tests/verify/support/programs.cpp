#include "tests/verify/support/programs.hpp"

#include <cstdlib>
#include <stdexcept>

#include "tests/verify/support/cases.hpp"

namespace tasktwin::tests {

bool has_program(const std::string& name) { return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0; }

std::string output_of(const std::string& command) {
  const TemporaryFolder folder;
  const std::string out = (folder / "out").string();
  const std::string err = (folder / "err").string();
  const int status = std::system(("( " + command + " ) </dev/null >'" + out + "' 2>'" + err + "'").c_str());
  if (status != 0) throw std::runtime_error(command + ": " + read_text(err));
  return read_text(out);
}

std::string in_shell(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

}  // namespace tasktwin::tests
