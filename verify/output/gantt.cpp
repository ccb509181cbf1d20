#include "verify/output/gantt.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "models/explain/occupancy.hpp"
#include "verify/output/text_table.hpp"

namespace tasktwin::verify {

namespace {

/// The first letter of each kernel's word that no earlier kernel of the table has, in upper case; digits once they run out.
std::array<char, kKernelCount> kernel_letters() {
  std::array<char, kKernelCount> letters{};
  std::string taken;
  char spare = '0';
  for (std::size_t k = 0; k < kKernelCount; ++k) {
    char letter = 0;
    for (const char c : Words<Kernel>::entries[k].second) {
      const auto upper = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : 0);
      if (upper != 0 && taken.find(upper) == std::string::npos) {
        letter = upper;
        break;
      }
    }
    letters[k] = letter != 0 ? letter : spare++;
    taken += letters[k];
  }
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

/// Evenly chosen ones of `count`, at most `most`.
std::vector<std::size_t> choose(std::size_t count, std::size_t most) {
  std::vector<std::size_t> chosen(std::min(count, most));
  for (std::size_t row = 0; row < chosen.size(); ++row) chosen[row] = row * count / chosen.size();
  return chosen;
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
    if (line_.size() + word.size() + 2 > kPageColumns) {
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

}  // namespace

std::string gantt(const TaskGraph& graph, const Timeline& timeline, std::size_t max_rows) {
  const auto makespan = static_cast<double>(to_ns(timeline.makespan()));
  if (timeline.cores.empty() || makespan <= 0) return "(an empty timeline)\n";

  const std::vector<std::size_t> cores = choose(timeline.cores.size(), max_rows);
  const std::vector<std::size_t> controls = choose(timeline.dispatchers.size(), max_rows);
  std::vector<std::string> core_labels;
  std::vector<std::size_t> row_of(timeline.cores.size(), cores.size());
  for (const std::size_t core : cores) {
    row_of[core] = core_labels.size();
    core_labels.push_back(fmt::format("{} {}", to_word(timeline.cores[core]), core));
  }
  std::vector<std::string> control_labels;
  for (const std::size_t control : controls) {
    control_labels.push_back(
        fmt::format("{} {}", control < timeline.roles.size() ? to_word(timeline.roles[control]) : "dispatcher", control));
  }

  const std::size_t label_width = std::max(widest(core_labels), widest(control_labels));
  const std::size_t width = kPageColumns - label_width - 3;
  const double slice = makespan / static_cast<double>(width);

  const auto letters = kernel_letters();
  Rows core_rows(core_labels, slice, width, {letters.begin(), letters.end()});
  for (const Occupancy& occupancy : occupancies(timeline)) {
    const std::size_t row = row_of[index(occupancy.core)];
    if (row < cores.size()) core_rows.add(row, static_cast<std::size_t>(graph[occupancy.task].kernel), occupancy.started, occupancy.ended);
  }
  const bool steps = timeline.steps.size() == timeline.dispatchers.size() && !timeline.steps.empty();
  Rows control_rows(control_labels, slice, width,
                    steps ? std::vector<char>(kStepLetters.begin(), kStepLetters.end()) : std::vector<char>{kBusyLetter});
  for (std::size_t row = 0; row < controls.size(); ++row) {
    if (steps) {
      for (const Step& step : timeline.steps[controls[row]])
        control_rows.add(row, static_cast<std::size_t>(step.kind), step.begin, step.end);
    } else {
      for (const Span& span : timeline.dispatchers[controls[row]]) control_rows.add(row, 0, span.begin, span.end);
    }
  }

  const auto counted = [](std::size_t shown, std::size_t all, std::string_view what) {
    return shown < all ? fmt::format("{} of {} {}, evenly chosen; ", shown, all, what) : fmt::format("{} {}; ", all, what);
  };
  std::string text = controls.empty() ? "" : counted(controls.size(), timeline.dispatchers.size(), "control threads");
  text += counted(cores.size(), timeline.cores.size(), "cores");
  const auto absent = std::ranges::count_if(timeline.tasks, [](const TaskTimes& times) { return !is_present(times.started); });
  if (absent > 0) text += fmt::format("{} tasks that did not come to be are left out; ", format_count(absent));
  text += fmt::format("0 to {}, {} a column\n", format_us(makespan), format_us(slice));
  text += control_rows.to_string(label_width) + core_rows.to_string(label_width);

  Legend legend;
  for (std::size_t kind = 0; kind < kStepLetters.size() && steps; ++kind) {
    if (control_rows.seen(kind)) legend.add(fmt::format("{} {}", kStepLetters[kind], Words<StepKind>::entries[kind].second));
  }
  if (!controls.empty() && !steps) legend.add(fmt::format("{} busy", kBusyLetter));
  for (std::size_t k = 0; k < kKernelCount; ++k) {
    if (core_rows.seen(k)) legend.add(fmt::format("{} {}", letters[k], Words<Kernel>::entries[k].second));
  }
  legend.add(": less than half busy");
  legend.add(". idle");
  return text + legend.to_string();
}

}  // namespace tasktwin::verify
