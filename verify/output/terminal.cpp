#include "verify/output/terminal.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <unistd.h>

#include <fmt/format.h>

#include "models/error.hpp"
#include "verify/output/text_table.hpp"

namespace tasktwin::verify {

namespace {

[[noreturn]] void fail_output(int error) {
  throw RunError("cannot write to standard output: " + std::error_code(error, std::generic_category()).message());
}

bool colour_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool refused = no_color != nullptr && *no_color != '\0';
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return !refused && !dumb && ::isatty(STDOUT_FILENO) != 0;
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_output(errno);
}

void finish_output() {
  if (std::fflush(stdout) != 0) fail_output(errno);
}

void note(std::string_view text) { fmt::print(stderr, "{}\n", text); }

std::string coloured(std::string_view text, Tone tone) {
  static const bool wanted = colour_wanted();
  if (!wanted) return std::string(text);
  const int code = tone == Tone::kGood ? 32 : tone == Tone::kBad ? 31 : 1;
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

Progress::~Progress() { clear(); }

void Progress::show(std::string_view text) {
  if (::isatty(STDERR_FILENO) == 0) return;
  const std::string line(text.substr(0, kPageColumns - 1));
  std::fputs(("\r\033[K" + line).c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tasktwin::verify
