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

TerminalSettings& settings() {
  static TerminalSettings settings;
  return settings;
}

constexpr std::size_t kLongestNote = 64u << 10;

/// `text` without what a terminal would obey: names and paths in it are anybody's.
std::string harmless(std::string_view text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // In UTF-8 the control characters from U+0080 to U+009F are 0xC2 and a byte below 0xA0.
    const bool second_set = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (second_set) ++i;
    const bool obeyed = second_set || (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F;
    safe += obeyed ? "\xEF\xBF\xBD" : std::string(1, text[i]);
  }
  return safe.size() <= kLongestNote ? safe : shorten(safe, kLongestNote);
}

bool colour_wanted() {
  if (settings().colour != Colour::kAuto) return settings().colour == Colour::kAlways;
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool refused = no_color != nullptr && *no_color != '\0';
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return !refused && !dumb && ::isatty(STDOUT_FILENO) != 0;
}

}  // namespace

void set_terminal(const TerminalSettings& wanted) { settings() = wanted; }

bool quiet() { return settings().quiet; }

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_output(errno);
}

void finish_output() {
  if (std::fflush(stdout) != 0) fail_output(errno);
}

void note(std::string_view text) {
  const std::string line = harmless(text) + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);  // where standard error cannot be written, the exit code still tells
}

void remark(std::string_view text) {
  if (!quiet()) note(fmt::format("note: {}", text));
}

std::string coloured(std::string_view text, Tone tone) {
  if (!colour_wanted()) return std::string(text);
  const int code = tone == Tone::kGood ? 32 : tone == Tone::kBad ? 31 : 1;
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

}  // namespace tasktwin::verify
