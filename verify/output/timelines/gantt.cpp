#include "verify/output/timelines/gantt.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "models/explain/occupancy.hpp"
#include "models/graph/kernel_labels.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/output/timelines/traced_run.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::size_t kOperationCount = Words<Operation>::entries.size();
/// By Operation, from copy_h2d on.
constexpr std::array<char, kOperationCount - 1> kOperationLetters{'>', '<', '=', '0', '+', '-', '@', '!', '*', '&', '%', '$', '^', '~'};
static_assert(kOperationLetters.back() != 0, "each operation has a letter");

/// What a row of a core can show: the kernels, then the operations that are none.
class Bodies {
 public:
  explicit Bodies(const TaskGraph& graph) : graph_(graph), kernels_(graph), letters_(letters_of(kernels_)) {}

  std::size_t of(TaskId id) const {
    const Task& task = graph_[id];
    return task.operation == Operation::kKernel ? kernels_.of(id) : kernels_.count() + static_cast<std::size_t>(task.operation) - 1;
  }
  std::string_view word(std::size_t body) const {
    return body < kernels_.count() ? kernels_.name(body) : Words<Operation>::entries[body - kernels_.count() + 1].second;
  }
  const std::vector<char>& letters() const { return letters_; }

 private:
  static std::vector<char> letters_of(const KernelLabels& kernels);

  const TaskGraph& graph_;
  KernelLabels kernels_;
  std::vector<char> letters_;
};

/// Of kernels the first letter of the word that no earlier kernel of the table has, in upper case; digits from 1 once they run out, and
/// question marks once those do.
std::vector<char> Bodies::letters_of(const KernelLabels& kernels) {
  std::vector<char> letters(kernels.count());
  std::string taken;
  char spare = '1';
  for (std::size_t k = 0; k < kernels.count(); ++k) {
    char letter = 0;
    for (const char c : kernels.name(k)) {
      const auto upper = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : 0);
      if (upper != 0 && taken.find(upper) == std::string::npos) {
        letter = upper;
        break;
      }
    }
    letters[k] = letter != 0 ? letter : spare <= '9' ? spare++ : '?';
    taken += letters[k];
  }
  letters.insert(letters.end(), kOperationLetters.begin(), kOperationLetters.end());
  return letters;
}

/// By StepKind.
constexpr std::array<char, Words<StepKind>::entries.size()> kStepLetters{'p', 'c', 'r', 'd', 's', 't', 'w'};
constexpr char kBusyLetter = '#';

/// Of a slice: less is a rounding error at its edge.
constexpr double kNothing = 1e-9;

/// Rows of equal slices of time; each row collects how much of a slice goes to which letter.
class Rows {
 public:
  Rows(std::vector<std::string> labels, double slice, std::size_t width, std::vector<char> letters)
      : labels_(std::move(labels)),
        slice_(slice),
        width_(width),
        letters_(std::move(letters)),
        shares_(labels_.size() * width * letters_.size()),
        seen_(letters_.size()) {}

  void add(std::size_t row, std::size_t letter, TimePoint from, TimePoint to) {
    const double begin = static_cast<double>(to_ns(from)) / slice_;
    const double end = static_cast<double>(to_ns(to)) / slice_;
    seen_[letter] = true;
    for (auto column = static_cast<std::size_t>(std::max(0.0, begin)); column < width_ && static_cast<double>(column) < end; ++column) {
      const auto left = static_cast<double>(column);
      shares_[(row * width_ + column) * letters_.size() + letter] += std::min(end, left + 1) - std::max(begin, left);
    }
  }

  bool seen(std::size_t letter) const { return seen_[letter]; }

  std::string to_string(std::size_t label_width) const {
    std::string text;
    for (std::size_t row = 0; row < labels_.size(); ++row) {
      text += fmt::format("{:>{}} |", labels_[row], label_width);
      for (std::size_t column = 0; column < width_; ++column) text += character(row, column);
      text += "|\n";
    }
    return text;
  }

 private:
  char character(std::size_t row, std::size_t column) const {
    const auto first = shares_.begin() + static_cast<std::ptrdiff_t>((row * width_ + column) * letters_.size());
    const auto last = first + static_cast<std::ptrdiff_t>(letters_.size());
    double total = 0;
    for (auto share = first; share != last; ++share) total += *share;
    if (total <= kNothing) return '.';
    if (total < 0.5) return ':';
    return letters_[static_cast<std::size_t>(std::max_element(first, last) - first)];
  }

  std::vector<std::string> labels_;
  double slice_;
  std::size_t width_;
  std::vector<char> letters_;
  std::vector<double> shares_;
  std::vector<bool> seen_;
};

/// Evenly chosen ones of those that did anything, at most `most`.
std::vector<std::size_t> choose(const std::vector<bool>& active, std::size_t most) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < active.size(); ++i) {
    if (active[i]) all.push_back(i);
  }
  std::vector<std::size_t> chosen(std::min(all.size(), most));
  for (std::size_t row = 0; row < chosen.size(); ++row) chosen[row] = all[row * all.size() / chosen.size()];
  return chosen;
}

/// "24 of 131 cores, evenly chosen, of which 5 were idle throughout and are left out; ", as far as it applies.
std::string counted(std::size_t shown, const std::vector<bool>& active, std::string_view what) {
  const auto idle = static_cast<std::size_t>(std::ranges::count(active, false));
  std::string text = shown + idle < active.size() ? fmt::format("{} of {} {}, evenly chosen", shown, active.size(), what)
                                                  : fmt::format("{} {}", active.size(), what);
  if (idle > 0) text += fmt::format(", {} idle throughout left out", idle);
  return text + "; ";
}

/// The least of 1, 2 and 5 times a power of ten that is at least `value`.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= value) return digit * power;
  }
  return 10 * power;
}

/// Marks under `width` columns of `slice` ns each, at round times in µs.
std::string axis(double slice, std::size_t width) {
  constexpr double kColumnsAMark = 12;
  constexpr double kNsAUs = 1e3;
  const double step = round_up(slice * kColumnsAMark / kNsAUs);
  std::string line;
  for (int mark = 0;; ++mark) {
    const auto column = static_cast<std::size_t>(std::lround(mark * step * kNsAUs / slice));
    const std::string label = fmt::format("'{:.12g}{}", mark * step, mark == 0 ? " µs" : "");
    if (column + columns(label) > width) return line;
    line += std::string(column - columns(line), ' ') + label;
  }
}

std::size_t widest(const std::vector<std::string>& labels) {
  std::size_t width = 0;
  for (const std::string& label : labels) width = std::max(width, label.size());
  return width;
}

/// Words in lines that fit the page.
class Legend {
 public:
  void add(const std::string& word) {
    if (line_.size() + word.size() + 2 > page_columns()) {
      text_ += line_ + '\n';
      line_.clear();
    }
    line_ += (line_.empty() ? "" : "  ") + word;
  }
  std::string to_string() const { return text_ + line_ + '\n'; }

 private:
  std::string text_;
  std::string line_;
};

/// The rows of a drawing, and the label of each.
struct Shown {
  std::vector<bool> active;         ///< by core or control thread: did anything
  std::vector<std::size_t> chosen;  ///< the core or control thread of each row
  std::vector<std::string> labels;
};

Shown shown_cores(const Timeline& timeline, const std::vector<Occupancy>& bodies, std::size_t max_rows) {
  Shown shown{std::vector<bool>(timeline.cores.size()), {}, {}};
  for (const Occupancy& body : bodies) shown.active[index(body.core)] = true;
  shown.chosen = choose(shown.active, max_rows);
  for (const std::size_t core : shown.chosen)
    shown.labels.push_back(
        fmt::format("{} {}", timeline.on_streams ? "stream" : to_word(timeline.cores[core]), core_number(timeline, core)));
  return shown;
}

bool has_steps(const Timeline& timeline) { return timeline.steps.size() == timeline.dispatchers.size() && !timeline.steps.empty(); }

Shown shown_controls(const Timeline& timeline, std::size_t max_rows) {
  Shown shown{std::vector<bool>(timeline.dispatchers.size()), {}, {}};
  for (std::size_t i = 0; i < shown.active.size(); ++i)
    shown.active[i] = !timeline.dispatchers[i].empty() || (has_steps(timeline) && !timeline.steps[i].empty());
  shown.chosen = choose(shown.active, max_rows);
  for (const std::size_t control : shown.chosen) {
    shown.labels.push_back(
        fmt::format("{} {}", control < timeline.roles.size() ? to_word(timeline.roles[control]) : "dispatcher", control));
  }
  return shown;
}

Rows core_rows(const Bodies& kinds, const Shown& shown, const std::vector<Occupancy>& bodies, double slice, std::size_t width) {
  Rows rows(shown.labels, slice, width, kinds.letters());
  std::vector<std::size_t> row_of(shown.active.size(), shown.chosen.size());
  for (std::size_t row = 0; row < shown.chosen.size(); ++row) row_of[shown.chosen[row]] = row;
  for (const Occupancy& body : bodies) {
    const std::size_t row = row_of[index(body.core)];
    if (row < shown.chosen.size()) rows.add(row, kinds.of(body.task), body.started, body.ended);
  }
  return rows;
}

Rows control_rows(const Timeline& timeline, const Shown& shown, double slice, std::size_t width) {
  const bool steps = has_steps(timeline);
  Rows rows(shown.labels, slice, width,
            steps ? std::vector<char>(kStepLetters.begin(), kStepLetters.end()) : std::vector<char>{kBusyLetter});
  for (std::size_t row = 0; row < shown.chosen.size(); ++row) {
    if (steps) {
      for (const Step& step : timeline.steps[shown.chosen[row]]) rows.add(row, static_cast<std::size_t>(step.kind), step.begin, step.end);
    } else {
      for (const Span& span : timeline.dispatchers[shown.chosen[row]]) rows.add(row, 0, span.begin, span.end);
    }
  }
  return rows;
}

std::string legend_text(const Bodies& kinds, const Rows& cores, const Rows& controls, bool any_control, bool steps) {
  Legend legend;
  for (std::size_t kind = 0; kind < kStepLetters.size() && steps; ++kind) {
    if (controls.seen(kind)) legend.add(fmt::format("{} {}", kStepLetters[kind], Words<StepKind>::entries[kind].second));
  }
  if (any_control && !steps) legend.add(fmt::format("{} busy", kBusyLetter));
  for (std::size_t body = 0; body < kinds.letters().size(); ++body) {
    if (cores.seen(body)) legend.add(fmt::format("{} {}", kinds.letters()[body], kinds.word(body)));
  }
  legend.add(": less than half busy");
  legend.add(". idle");
  return legend.to_string();
}

}  // namespace

std::string gantt(const TaskGraph& graph, const Timeline& timeline, std::size_t max_rows) {
  const auto makespan = static_cast<double>(to_ns(timeline.makespan()));
  if (timeline.cores.empty() || makespan <= 0) return "(an empty timeline)\n";

  const std::vector<Occupancy> bodies = occupancies(timeline);
  const Shown cores = shown_cores(timeline, bodies, max_rows);
  const Shown controls = shown_controls(timeline, max_rows);
  const std::size_t label_width = std::max(widest(cores.labels), widest(controls.labels));
  const std::size_t page = page_columns();
  const std::size_t width = page - std::min(label_width + 3, page - 1);
  const double slice = makespan / static_cast<double>(width);
  const Bodies kinds(graph);
  const Rows drawn_cores = core_rows(kinds, cores, bodies, slice, width);
  const Rows drawn_controls = control_rows(timeline, controls, slice, width);

  std::string text = timeline.dispatchers.empty() ? "" : counted(controls.chosen.size(), controls.active, "control threads");
  text += counted(cores.chosen.size(), cores.active, timeline.on_streams ? "streams" : timeline.workers_per_core > 1 ? "workers" : "cores");
  const auto absent = std::ranges::count_if(timeline.tasks, [](const TaskTimes& times) { return !is_present(times.started); });
  if (absent > 0) text += fmt::format("{} tasks that did not come to be are left out; ", format_count(absent));
  text = wrap(text + fmt::format("0 to {}, {} a column", format_us(makespan), format_us(slice))) + '\n';
  text += drawn_controls.to_string(label_width) + drawn_cores.to_string(label_width);
  text += std::string(label_width + 2, ' ') + axis(slice, width) + '\n';
  return text + legend_text(kinds, drawn_cores, drawn_controls, !controls.chosen.empty(), has_steps(timeline));
}

}  // namespace tasktwin::verify
