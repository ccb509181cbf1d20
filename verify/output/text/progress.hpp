#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "verify/system/interrupt.hpp"

namespace tasktwin::verify {

/// "`text`: 12 of 300, 3.4 a second, 1 min 25 s left", at most `width` columns, `text` being shortened; the pace once a part
/// is done and `elapsed` is long enough. Without parts (`total` 0): "`text`, 1 min 25 s so far", once that is a second.
std::string progress_text(std::string_view text, std::size_t done, std::size_t total, std::chrono::duration<double> elapsed,
                          std::size_t width);

/// "85 s" as "1 min 25 s", "3 h 20 min"; whole seconds.
std::string rough_time(std::chrono::duration<double> time);

/// What is being done, on one line of the terminal that is wiped afterwards and redrawn at most fifty times a second; silent
/// where standard error is no terminal, and where quiet is asked for.
class Progress {
 public:
  Progress() = default;
  /// Shows nothing; `part_done` is called after each part, and may throw to end the work.
  explicit Progress(std::function<void()> part_done) : part_done_(std::move(part_done)) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// From here on `parts` parts of work are to come, which lines count and time.
  void expect(std::size_t parts);
  /// `parts` more are done. Throws Interrupted where interrupt_asked().
  void advance(std::size_t parts = 1) {
    done_ += parts;
    if (interrupt_asked()) throw Interrupted();
    if (part_done_) part_done_();
  }
  /// `text` says what is done next.
  void show(std::string_view text);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::size_t done_ = 0;
  std::size_t total_ = 0;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point drawn_{};
  bool shown_ = false;
  std::function<void()> part_done_;
};

}  // namespace tasktwin::verify
