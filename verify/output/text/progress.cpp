#include "verify/output/text/progress.hpp"

#include <algorithm>
#include <cstdio>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/system/interrupt.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::chrono::milliseconds kRedraw{20};
constexpr std::chrono::duration<double> kWorthSaying{1};  // before that a pace is a guess
constexpr std::size_t kNarrowest = 20;

/// One less than the terminal has: the last column would start a new line on some.
std::size_t line_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kPageColumns - 1;
  return std::clamp<std::size_t>(size.ws_col, kNarrowest, kPageColumns) - 1;
}

std::string pace(std::size_t done, std::chrono::duration<double> elapsed) {
  const double rate = static_cast<double>(done) / elapsed.count();
  return rate >= 1 ? fmt::format("{:.1f} a second", rate) : fmt::format("{:.1f} s each", 1 / rate);
}

}  // namespace

std::string rough_time(std::chrono::duration<double> time) {
  constexpr long long kMinute = 60;
  constexpr long long kHour = 3600;
  const auto seconds = static_cast<long long>(time.count());
  if (seconds < kMinute) return fmt::format("{} s", seconds);
  if (seconds < kHour) return fmt::format("{} min {} s", seconds / kMinute, seconds % kMinute);
  return fmt::format("{} h {} min", seconds / kHour, seconds % kHour / kMinute);
}

std::string progress_text(std::string_view text, std::size_t done, std::size_t total, std::chrono::duration<double> elapsed,
                          std::size_t width) {
  std::string rest;
  if (total == 0) {
    if (elapsed >= kWorthSaying) rest = fmt::format(", {} so far", rough_time(elapsed));
  } else {
    rest = fmt::format(": {} of {}", std::min(done + 1, total), total);
    if (done > 0 && done < total && elapsed >= kWorthSaying) {
      const auto left = elapsed * (static_cast<double>(total - done) / static_cast<double>(done));
      rest += fmt::format(", {}, {} left", pace(done, elapsed), rough_time(left));
    }
  }
  const std::size_t room = width > columns(rest) ? width - columns(rest) : 0;
  return shorten(shorten(text, room) + rest, width);
}

Progress::~Progress() { clear(); }

void Progress::expect(std::size_t parts) {
  done_ = 0;
  total_ = parts;
  begun_ = Clock::now();
}

void Progress::show(std::string_view text) {
  if (part_done_ || quiet() || ::isatty(STDERR_FILENO) == 0) return;
  const Clock::time_point now = Clock::now();
  if (shown_ && now - drawn_ < kRedraw) return;
  drawn_ = now;
  shown_ = true;
  set_line_to_wipe(true);
  std::fputs((std::string(kWipeLine) + progress_text(text, done_, total_, now - begun_, line_width())).c_str(), stderr);
  std::fflush(stderr);
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs(kWipeLine, stderr);
  std::fflush(stderr);
  set_line_to_wipe(false);
  shown_ = false;
}

}  // namespace tasktwin::verify
