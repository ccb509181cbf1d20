#include "tests/verify/support/pseudo_terminal.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tasktwin::tests {

std::optional<std::string> why_no_pseudo_terminal() {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || ::unlockpt(terminal) != 0) return "there are no pseudo-terminals here";
  const int other_end = ::ioctl(terminal, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  int number = -1;
  ::ioctl(terminal, TIOCGPTN, &number);
  struct stat ours {};
  struct stat named {};
  const bool same = other_end >= 0 && ::fstat(other_end, &ours) == 0 &&
                    ::stat(("/dev/pts/" + std::to_string(number)).c_str(), &named) == 0 && ours.st_dev == named.st_dev &&
                    ours.st_ino == named.st_ino;
  if (other_end >= 0) ::close(other_end);
  ::close(terminal);
  if (!same) return "/dev/pts is not the system's own: its terminals are another's";
  return std::nullopt;
}

}  // namespace tasktwin::tests
