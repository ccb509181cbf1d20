#pragma once

#include <stdexcept>
#include <string>

namespace tasktwin {

/// Where in an input file something is wrong. Lines and columns count from 1; 0 means the whole file.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
};

/// The user's input or usage is wrong: the command line prints it and exits with 2.
/// The message says which field, what value, and what would be right; where it is about a field, it begins with the field's path and ": ".
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
  InputError(const SourceLocation& where, const std::string& message) : std::runtime_error(prefix(where) + message), where_(where) {}

  /// Its file is empty where the input is no file.
  const SourceLocation& where() const { return where_; }

 private:
  static std::string prefix(const SourceLocation& where) {
    std::string text = where.file;
    if (where.line > 0) text += ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
    return text.empty() ? text : text + ": ";
  }

  SourceLocation where_;
};

/// Something outside the input failed (a full disk, a GPU fault): printed plainly, exit code 1.
class RunError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tasktwin
