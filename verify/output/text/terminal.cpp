#include "verify/output/text/terminal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/utf8.hpp"

namespace tasktwin::verify {

namespace {

[[noreturn]] void fail_output(int error) {
  throw RunError("cannot write to standard output: " + std::error_code(error, std::generic_category()).message());
}

TerminalSettings& settings() {
  static TerminalSettings settings;
  return settings;
}

constexpr std::size_t kLongestNote = 16u << 10;

/// Bytes at the start of `text` that a terminal would obey: a control character, or one that turns the direction of writing.
std::size_t obeyed_bytes(std::string_view text) {
  const auto byte = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  if ((byte(0) < 0x20 && byte(0) != '\n' && byte(0) != '\t') || byte(0) == 0x7F) return 1;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return 2;                       // U+0080 to U+009F
  if (byte(0) == 0xE2 && byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) return 3;   // U+202A to U+202E
  return byte(0) == 0xE2 && byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9 ? 3 : 0;  // U+2066 to U+2069
}

/// Bytes of one of coloured()'s sequences at the start of `text`.
std::size_t colour_bytes(std::string_view text) {
  for (const std::string_view sequence : {"\033[0m", "\033[1m", "\033[31m", "\033[32m"}) {
    if (text.starts_with(sequence)) return sequence.size();
  }
  return 0;
}

/// `text` without what a terminal would obey, and without bytes that are no UTF-8: names and paths in it are anybody's.
std::string harmless(std::string_view text, bool with_colours) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t colour = with_colours ? colour_bytes(text) : 0;
    const std::size_t obeyed = colour > 0 ? 0 : obeyed_bytes(text);
    const std::size_t shown = colour + obeyed > 0 ? colour : utf8_length(text);
    const std::size_t taken = std::max<std::size_t>(1, obeyed + shown);
    safe += shown == 0 ? "\xEF\xBF\xBD" : text.substr(0, taken);
    text.remove_prefix(taken);
  }
  return safe;
}

std::string cut(std::string text) {
  if (text.size() <= kLongestNote) return text;
  std::size_t length = kLongestNote;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0u) == 0x80u) --length;
  return text.substr(0, length) + "…";
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
  const std::string shown = harmless(text, colour_wanted());
  if (std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size()) fail_output(errno);
  finish_output();
}

void finish_output() {
  if (std::fflush(stdout) != 0) fail_output(errno);
}

void open_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The other way round: what is done with it fails as it would with a closed one.
    ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void note(std::string_view text) {
  const std::string line = cut(harmless(text, false)) + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);  // where standard error cannot be written, the exit code still shows it
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
