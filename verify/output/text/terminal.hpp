#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "models/base/names.hpp"
#include "verify/output/text/progress.hpp"

namespace tasktwin::verify {

/// When to colour what is printed. `auto`: where standard output is a terminal that can and NO_COLOR is not set.
enum class Colour { kAuto, kAlways, kNever };

}  // namespace tasktwin::verify

namespace tasktwin {

template <>
struct Words<verify::Colour> {
  static constexpr std::array entries{
      std::pair{verify::Colour::kAuto, std::string_view{"auto"}},
      std::pair{verify::Colour::kAlways, std::string_view{"always"}},
      std::pair{verify::Colour::kNever, std::string_view{"never"}},
  };
};

}  // namespace tasktwin

namespace tasktwin::verify {

struct TerminalSettings {
  bool quiet = false;  ///< results and errors, nothing else
  Colour colour = Colour::kAuto;
};

/// How everything below behaves from now on, in the whole process. Contract: before anything is printed.
void set_terminal(const TerminalSettings& settings);
bool quiet();

/// Writes to standard output; throws RunError if that fails (a full disk after a redirection).
void print(std::string_view text);
/// Makes sure that descriptors 0 to 2 are taken, so that no file a command opens is mistaken for one of them. Contract: before any is
/// opened.
void open_standard_streams();

/// Throws RunError if anything printed could not be written.
void finish_output();

/// One line on standard error that every user should see, with any format and with --quiet.
void note(std::string_view text);
/// "note: …" on standard error, for what is neither a result nor an error: unless quiet.
void remark(std::string_view text);

enum class Tone { kGood, kBad, kStrong };

/// `text` in colour where that is wanted; else as it is.
std::string coloured(std::string_view text, Tone tone);

}  // namespace tasktwin::verify
