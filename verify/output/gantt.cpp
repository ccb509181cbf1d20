#include "verify/output/gantt.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "verify/output/text_table.hpp"

namespace tasktwin::verify {

namespace {

using Shares = std::array<double, kKernelCount>;  ///< of one slice of one core, by kernel

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

char slice_character(const Shares& shares, const std::array<char, kKernelCount>& letters) {
  double total = 0;
  for (const double share : shares) total += share;
  if (total <= 0) return '.';
  if (total < 0.5) return ':';
  return letters[static_cast<std::size_t>(std::ranges::max_element(shares) - shares.begin())];
}

}  // namespace

std::string gantt(const TaskGraph& graph, const Timeline& timeline, std::size_t max_rows) {
  const std::size_t cores = timeline.cores.size();
  const auto makespan = static_cast<double>(to_ns(timeline.makespan()));
  if (cores == 0 || makespan <= 0) return "(an empty timeline)\n";

  const std::size_t rows = std::min(cores, max_rows);
  std::vector<std::size_t> chosen(rows);
  std::vector<std::size_t> row_of(cores, rows);
  std::size_t label_width = 0;
  std::vector<std::string> labels(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    chosen[row] = row * cores / rows;
    row_of[chosen[row]] = row;
    labels[row] = fmt::format("{} {}", to_word(timeline.cores[chosen[row]]), chosen[row]);
    label_width = std::max(label_width, labels[row].size());
  }

  const std::size_t width = kPageColumns - label_width - 3;
  const double slice = makespan / static_cast<double>(width);
  std::vector<std::vector<Shares>> shares(rows, std::vector<Shares>(width, Shares{}));
  std::array<bool, kKernelCount> seen{};
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    const TaskTimes& times = timeline.tasks[i];
    if (times.core == kNoCore || !is_present(times.started) || !is_present(times.ended)) continue;
    const std::size_t row = row_of[index(times.core)];
    if (row == rows) continue;
    const auto kernel = static_cast<std::size_t>(graph[task_id(i)].kernel);
    seen[kernel] = true;
    const double begin = static_cast<double>(to_ns(times.started)) / slice;
    const double end = static_cast<double>(to_ns(times.ended)) / slice;
    for (auto column = static_cast<std::size_t>(std::max(0.0, begin)); column < width && static_cast<double>(column) < end; ++column) {
      const auto left = static_cast<double>(column);
      shares[row][column][kernel] += std::min(end, left + 1) - std::max(begin, left);
    }
  }

  const auto letters = kernel_letters();
  std::string text = rows < cores ? fmt::format("{} of {} cores, evenly chosen; ", rows, cores) : fmt::format("{} cores; ", cores);
  text += fmt::format("0 to {}, {} a column\n", format_us(makespan), format_us(slice));
  for (std::size_t row = 0; row < rows; ++row) {
    text += fmt::format("{:>{}} |", labels[row], label_width);
    for (const Shares& column : shares[row]) text += slice_character(column, letters);
    text += "|\n";
  }
  std::string line;
  const auto add_word = [&text, &line](const std::string& word) {
    if (line.size() + word.size() + 2 > kPageColumns) {
      text += line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : "  ") + word;
  };
  for (std::size_t k = 0; k < kKernelCount; ++k) {
    if (seen[k]) add_word(fmt::format("{} {}", letters[k], Words<Kernel>::entries[k].second));
  }
  add_word(": less than half busy");
  add_word(". idle");
  return text + line + '\n';
}

}  // namespace tasktwin::verify
