#include "gpu/own/source_rules.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace tasktwin::gpu {

namespace {

/// What a body writes in place of a word.
constexpr std::array kInPlaceOf{
    std::pair{std::string_view{"threadIdx"}, std::string_view{"block.thread"}},
    std::pair{std::string_view{"blockDim"}, std::string_view{"block.threads"}},
    std::pair{std::string_view{"blockIdx"}, std::string_view{"block.index"}},
    std::pair{std::string_view{"gridDim"}, std::string_view{"block.count"}},
    std::pair{std::string_view{"__syncthreads"}, std::string_view{"block.sync()"}},
    std::pair{std::string_view{"__shared__"}, std::string_view{"a part of block.shared"}},
    std::pair{std::string_view{"this_thread_block"}, std::string_view{"block"}},
    std::pair{std::string_view{"this_grid"}, std::string_view{"a task for each block, and edges between tasks"}},
};

/// The same text with blanks in place of comments and of what stands in quotes.
std::string without_comments(std::string text) {
  enum class In { kCode, kLine, kComment, kQuotes } in = In::kCode;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (in == In::kCode) {
      if (c == '/' && (next == '/' || next == '*')) in = next == '/' ? In::kLine : In::kComment;
      if (c == '"' || (c == '\'' && (i == 0 || std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0))) {
        in = In::kQuotes;
        quote = c;
      }
      if (in == In::kCode) continue;
    } else if (in == In::kQuotes && c == '\\') {
      if (next != '\n') text[i++] = ' ';
    } else if ((in == In::kQuotes && (c == quote || c == '\n')) || (in == In::kLine && c == '\n')) {
      in = In::kCode;
    } else if (in == In::kComment && c == '*' && next == '/') {
      text[i++] = ' ';
      in = In::kCode;
    }
    if (i < text.size() && text[i] != '\n') text[i] = ' ';
  }
  return text;
}

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The next word from `at` on, and where it begins; empty at the end.
std::string_view next_word(std::string_view text, std::size_t& at) {
  while (at < text.size() && !is_letter(text[at])) ++at;
  std::size_t end = at;
  while (end < text.size() && is_letter(text[end])) ++end;
  return text.substr(at, end - at);
}

/// Whether a function that begins at `at` is called so: its name stands before the first parenthesis that follows a word of its own.
bool declares(std::string_view text, std::size_t at, const std::set<std::string_view>& names, std::string_view& found) {
  const std::size_t body = std::min(text.find_first_of("{;", at), text.size());
  for (std::string_view word = next_word(text, at); at < body && !word.empty(); word = next_word(text, at)) {
    at += word.size();
    if (names.contains(word)) {
      found = word;
      return true;
    }
  }
  return false;
}

class Source {
 public:
  Source(std::string file, std::string text, std::set<std::string_view> entries)
      : file_(std::move(file)), text_(without_comments(std::move(text))), entries_(std::move(entries)) {}

  std::vector<BrokenRule> broken() {
    std::size_t at = 0;
    for (std::string_view word = next_word(text_, at); !word.empty(); word = next_word(text_, at)) {
      const std::size_t begin = at;
      at += word.size();
      std::string_view entry;
      if (word == "__global__" && declares(text_, at, entries_, entry)) {
        add(begin, "the entry '" + std::string(entry) + "' is a __global__ kernel; a body is a __device__ function", true);
        continue;
      }
      const auto found = std::ranges::find(kInPlaceOf, word, [](const auto& one) { return one.first; });
      if (found == kInPlaceOf.end() || !met_.insert(found->first).second) continue;
      add(begin, std::string(word) + " is a worker's own where workers run bodies: write " + std::string(found->second), false);
    }
    return std::move(rules_);
  }

 private:
  void add(std::size_t at, std::string text, bool refused) {
    const auto begin = text_.begin();
    const auto line = std::count(begin, begin + static_cast<std::ptrdiff_t>(at), '\n');
    const std::size_t before = text_.rfind('\n', at);
    const std::size_t column = at - (before == std::string::npos ? 0 : before + 1);
    rules_.push_back({file_, static_cast<int>(line) + 1, static_cast<int>(column) + 1, std::move(text), refused});
  }

  std::string file_;
  std::string text_;
  std::set<std::string_view> entries_;
  std::set<std::string_view> met_;  ///< words, each of which is told once
  std::vector<BrokenRule> rules_;
};

}  // namespace

std::vector<BrokenRule> broken_rules(const OwnKernels& own) {
  std::vector<BrokenRule> rules;
  std::set<std::string_view> met;
  for (const OwnKernel& kernel : own.kernels) {
    if (!met.insert(kernel.source).second) continue;
    std::ifstream file(kernel.source, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    std::set<std::string_view> entries;
    for (const OwnKernel& other : own.kernels) {
      if (other.source == kernel.source) entries.insert(other.entry);
    }
    std::ranges::move(Source(kernel.source, std::move(text), std::move(entries)).broken(), std::back_inserter(rules));
  }
  return rules;
}

}  // namespace tasktwin::gpu
