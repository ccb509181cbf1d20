#pragma once

#include <string>
#include <string_view>

namespace tasktwin::verify {

/// Writes to standard output; throws RunError if that fails (a full disk behind a redirection).
void print(std::string_view text);
/// Throws RunError if anything printed could not be written.
void finish_output();

/// One line on standard error that every user should see, whatever the format.
void note(std::string_view text);

enum class Tone { kGood, kBad, kStrong };

/// `text` in colour, where standard output is a terminal and NO_COLOR is not set; else as it is.
std::string coloured(std::string_view text, Tone tone);

/// What is being done, on one line of a terminal that is wiped afterwards; silent in a pipe.
class Progress {
 public:
  Progress() = default;
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::string_view text);
  void clear();

 private:
  bool shown_ = false;
};

}  // namespace tasktwin::verify
