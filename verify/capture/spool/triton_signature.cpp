#include "verify/capture/spool/triton_signature.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tasktwin::verify {

namespace {

constexpr std::string_view kTritonPointer = "!tt.ptr<";
constexpr std::string_view kLocation = " loc(";

/// What cannot be told.
struct Unclear {};

using Roots = std::set<std::size_t>;  ///< the parameters that a pointer may come from

bool may_be_in_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.' || letter == '$';
}

/// The names %a, %b#1 in their order.
std::vector<std::string> values_in(std::string_view text) {
  std::vector<std::string> values;
  for (std::size_t i = text.find('%'); i != std::string_view::npos; i = text.find('%', i)) {
    std::size_t end = i + 1;
    while (end < text.size() && (may_be_in_name(text[end]) || text[end] == '#')) ++end;
    values.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return values;
}

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

/// A line without what it says of places in the source.
std::string_view statement(std::string_view line) { return without_spaces(line.substr(0, line.rfind(kLocation))); }

/// "tt.load" of "%1 = tt.load %0, ...".
std::string_view operation_of(std::string_view line) {
  if (line.starts_with('%')) {
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos) throw Unclear{};
    line = line.substr(equals + 3);
  }
  if (line.starts_with('"')) line.remove_prefix(1);
  std::size_t end = 0;
  while (end < line.size() && may_be_in_name(line[end])) ++end;
  return line.substr(0, end);
}

/// Follows pointers through a kernel, line by line.
class TritonReader {
 public:
  TritonKernel run(std::string_view text) {
    try {
      while (!text.empty() && !over_) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        take(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
      }
      if (over_) kernel_.parameters = parameters();
    } catch (const Unclear&) {
      kernel_.parameters.reset();
    }
    return std::move(kernel_);
  }

 private:
  struct Region {
    std::vector<std::string> carried{};  ///< of a loop: what goes from one round to the next
  };
  struct Parameter {
    std::string type{};  ///< of what it points to, for a pointer
    bool pointer = false, written = false;
  };

  void take(std::string_view line) {
    if (regions_.empty()) {
      const std::size_t function = line.find("tt.func public @");
      if (function != std::string_view::npos) begin(line.substr(function + std::string_view("tt.func public @").size()));
      return;
    }
    line = statement(line);
    if (line.starts_with('}')) {
      regions_.pop_back();
      over_ = regions_.empty();
      if (over_) return;
      if (line.ends_with('{')) regions_.emplace_back();
      return;
    }
    if (line.empty() || line.starts_with('#')) return;
    if (line.starts_with('^')) {
      if (line.find(kTritonPointer) != std::string_view::npos) throw Unclear{};
    } else {
      take_statement(line);
    }
  }

  /// The name, and parameters up to the parenthesis that closes them.
  void begin(std::string_view line) {
    const std::size_t open = line.find('(');
    if (open == std::string_view::npos) throw Unclear{};
    kernel_.name = std::string(line.substr(0, open));
    int depth = 0;
    bool quoted = false;
    std::size_t start = open + 1;
    for (std::size_t i = open; i < line.size(); ++i) {
      const char letter = line[i];
      if (letter == '"') quoted = !quoted;
      if (quoted) continue;
      if (letter == '(' || letter == '<' || letter == '{') ++depth;
      const bool ends = letter == ')' && depth == 1;
      if ((letter == ',' && depth == 1) || ends) {
        if (i > start) parameter(without_spaces(line.substr(start, i - start)));
        start = i + 1;
      }
      if (ends) {
        regions_.emplace_back();
        return;
      }
      if (letter == ')' || letter == '>' || letter == '}') --depth;
    }
    throw Unclear{};
  }

  /// "%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc(...)".
  void parameter(std::string_view text) {
    const std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos) throw Unclear{};
    const std::string name(text.substr(0, colon));
    std::string_view type = text.substr(colon + 2);
    type = type.substr(0, std::min(type.find(" {"), type.find(kLocation)));
    if (type.starts_with("!tt.tensordesc")) throw Unclear{};  // becomes several parameters
    Parameter made{.type = std::string(type)};
    if (type.starts_with(kTritonPointer)) {
      made.pointer = true;
      made.type = std::string(type.substr(kTritonPointer.size(), type.find_first_of(",>") - kTritonPointer.size()));
      if (made.type.find('<') != std::string::npos) {  // to pointers
        made.type = "void";
        follows_ = true;
      }
      roots_[name] = {parameters_.size()};
    }
    parameters_.push_back(made);
  }

  Roots roots_of(const std::string& value) const {
    const auto found = roots_.find(value);
    return found == roots_.end() ? Roots{} : found->second;
  }

  void take_statement(std::string_view line) {
    const std::string_view operation = operation_of(line);
    std::vector<std::string> values = values_in(line);
    std::string result;
    if (line.starts_with('%')) {
      result = values.front();
      values.erase(values.begin());
      for (auto known = roots_.lower_bound(result); known != roots_.end() && known->first.starts_with(result);) {
        const bool same = known->first == result || known->first[result.size()] == '#';
        known = same ? roots_.erase(known) : std::next(known);
      }
    }
    Roots all;
    for (const std::string& value : values) all.merge(roots_of(value));
    const bool opens = line.ends_with('{');
    if (operation == "scf.for") {
      loop(line, result);
    } else {
      if (operation == "scf.yield") {
        yield(values);
      } else {
        single(operation, line, result, values, all);
      }
      if (opens) regions_.emplace_back();
    }
  }

  void single(std::string_view operation, std::string_view line, const std::string& result, const std::vector<std::string>& values,
              const Roots& all) {
    static const std::set<std::string_view> kPassedOn{
        "tt.splat",           "tt.addptr", "tt.broadcast", "tt.expand_dims", "tt.reshape",   "tt.trans",
        "tt.bitcast",         "tt.join",   "tt.cat",       "tt.split",       "arith.select", "tt.make_tensor_descriptor",
        "tt.make_tensor_ptr", "tt.advance"};
    static const std::set<std::string_view> kLoads{"tt.load", "tt.descriptor_load", "tt.descriptor_gather"};
    static const std::set<std::string_view> kWrites{
        "tt.store", "tt.atomic_rmw", "tt.atomic_cas", "tt.descriptor_store", "tt.descriptor_scatter", "tt.descriptor_reduce"};
    if (operation == "tt.int_to_ptr") {
      follows_ = true;
      return;
    }
    if (kWrites.contains(operation)) {
      if (values.empty()) throw Unclear{};
      for (const std::size_t root : operation.starts_with("tt.atomic") ? all : roots_of(values.front())) parameters_[root].written = true;
      return;
    }
    if (kLoads.contains(operation)) {
      // What is loaded as a pointer is followed.
      if (line.find("!tt.ptr<!tt.ptr<") != std::string_view::npos) follows_ = true;
      return;
    }
    if (kPassedOn.contains(operation)) {
      if (!all.empty()) roots_[result] = all;
      return;
    }
    // Any other operation neither takes nor gives pointers, as far as is known here.
    if (!all.empty() || line.find(kTritonPointer) != std::string_view::npos) throw Unclear{};
  }

  /// "%r:2 = scf.for %i = %a to %b step %c iter_args(%p = %x, %q = %y) -> (...) : i32 {".
  void loop(std::string_view line, const std::string& result) {
    Region region;
    constexpr std::string_view kCarried = "iter_args(";
    const std::size_t begin = line.find(kCarried);
    if (begin != std::string_view::npos) {
      const std::string_view list = line.substr(begin + kCarried.size());
      const std::vector<std::string> values = values_in(list.substr(0, list.find(')')));
      if (values.size() % 2 != 0) throw Unclear{};
      for (std::size_t i = 0; i < values.size(); i += 2) {
        const Roots roots = roots_of(values[i + 1]);
        roots_.erase(values[i]);
        if (!roots.empty()) {
          roots_[values[i]] = roots;
          roots_[values.size() == 2 ? result : result + '#' + std::to_string(i / 2)] = roots;
        }
        region.carried.push_back(values[i]);
      }
    }
    regions_.push_back(std::move(region));
  }

  /// A loop's pointers are to come from where they came from in the first round.
  void yield(const std::vector<std::string>& values) const {
    const std::vector<std::string>& carried = regions_.back().carried;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Roots now = roots_of(values[i]);
      if (now.empty()) continue;
      const Roots before = i < carried.size() ? roots_of(carried[i]) : Roots{};
      if (!std::ranges::includes(before, now)) throw Unclear{};
    }
  }

  std::vector<std::string> parameters() const {
    std::vector<std::string> made;
    for (const Parameter& one : parameters_) {
      const std::string_view after = !one.pointer ? "" : follows_ ? "**" : one.written ? "*" : " const*";
      made.push_back(one.type + std::string(after));
    }
    return made;
  }

  TritonKernel kernel_;
  std::vector<Parameter> parameters_;
  std::map<std::string, Roots> roots_;
  std::vector<Region> regions_;
  bool over_ = false, follows_ = false;
};

}  // namespace

TritonKernel read_triton_kernel(std::string_view text) { return TritonReader().run(text); }

}  // namespace tasktwin::verify
