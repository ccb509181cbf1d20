#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/units.hpp"
#include "scenarios/document/file_limits.hpp"
#include "scenarios/files/byte_source.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/formats/text_lines.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/importers/parts/imported_graph.hpp"
#include "scenarios/importers/parts/time_units.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::size_t kDummies = 2;

class StgReader {
 public:
  StgReader(const std::string& file, std::string_view text, Duration unit) : file_(file), lines_(file, text), unit_(unit) {}

  ImportedGraph read() {
    graph_.sources = {"predecessor"};
    std::size_t wanted = 0;
    bool counted_line = false;
    while (lines_.next()) {
      if (lines_.fields().empty() || lines_.fields().front().text.starts_with('#')) continue;
      if (!counted_line) {
        if (lines_.fields().size() > 1) lines_.refuse(lines_.fields()[1].column, "the first line must hold the number of tasks alone");
        wanted = static_cast<std::size_t>(whole(0, 0, kMaxTasks)) + kDummies;
        counted_line = true;
      } else {
        if (graph_.nodes.size() == wanted) lines_.refuse(1, "the first line says " + said(wanted) + "; this line is one more");
        read_task(wanted);
      }
    }
    if (!counted_line) throw InputError({file_}, "is empty");
    if (graph_.nodes.size() + kDummies == wanted && ends_with_exit()) {
      graph_.remarks.push_back("the first line counts the two dummies: " + std::to_string(graph_.nodes.size()) + " tasks with them");
    } else if (graph_.nodes.size() < wanted) {
      throw InputError({file_, lines_.number(), 1}, "the file ends after " + counted(graph_.nodes.size(), "line") +
                                                        " of tasks, but the first line says " + said(wanted) + "; is it truncated?");
    }
    graph_.remarks.push_back("times have no unit: one is taken as " + std::to_string(to_ns(unit_)) + " ns");
    return std::move(graph_);
  }

 private:
  static std::string said(std::size_t wanted) {
    return std::to_string(wanted - kDummies) + " tasks and the two dummies make " + std::to_string(wanted);
  }

  /// Whether the last task takes no time and every other has a successor among those that are there, as the exit alone does.
  bool ends_with_exit() const {
    const std::size_t tasks = graph_.nodes.size();
    std::vector<bool> is_awaited(tasks, false);
    for (const ImportedGraph::Edge& edge : graph_.edges) {
      if (edge.from >= tasks) return false;
      is_awaited[edge.from] = true;
    }
    return tasks > kDummies && graph_.nodes.back().task.cost.time == Duration{} && !is_awaited.back() &&
           std::count(is_awaited.begin(), is_awaited.end(), true) == static_cast<std::ptrdiff_t>(tasks - 1);
  }

  std::int64_t whole(std::size_t field, std::int64_t min, std::int64_t max) const {
    const auto& [text, column] = lines_.fields()[field];
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max) {
      lines_.refuse(column, "is " + in_quotes(text) + "; must be a whole number, " + std::to_string(min) + " to " + std::to_string(max));
    }
    return value;
  }

  void read_task(std::size_t wanted) {
    const auto& fields = lines_.fields();
    constexpr std::size_t kHead = 3;
    if (fields.size() < kHead)
      lines_.refuse(1, "a task is 'id time predecessors id ...'; this line has " + counted(fields.size(), "field"));
    const auto id = static_cast<std::int64_t>(graph_.nodes.size());
    if (whole(0, 0, kMaxTasks) != id) {
      lines_.refuse(fields[0].column,
                    "the task is " + std::string(fields[0].text) + ", but tasks stand in order and this is number " + std::to_string(id));
    }
    Task task;
    task.cost.time = whole(1, 0, kMostImportedNs / to_ns(unit_)) * unit_;
    if (task.cost.time == Duration{}) task.kernel = Kernel::kEmpty;
    const auto before = static_cast<std::size_t>(whole(2, 0, static_cast<std::int64_t>(wanted)));
    if (fields.size() != kHead + before) {
      lines_.refuse(fields[2].column,
                    "says " + counted(before, "predecessor") + ", but " + std::to_string(fields.size() - kHead) + " follow");
    }
    for (std::size_t i = kHead; i < fields.size(); ++i) {
      const std::int64_t from = whole(i, 0, static_cast<std::int64_t>(wanted) - 1);
      graph_.edges.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(id), 0, lines_.number()});
    }
    graph_.add(std::to_string(id), task);
  }

  const std::string& file_;
  TextLines lines_;
  Duration unit_;
  ImportedGraph graph_;
};

/// A graph of the Standard Task Graph Set (www.kasahara.cs.waseda.ac.jp/schedule/): first the number of tasks without the two dummies,
/// then a line a task, `id time predecessors id id …`, from the entry 0 to the exit; '#' begins a comment. Times have no unit there:
/// each is `unit` long. Where the number counts the two dummies, which shows by the file ending with its exit, a remark says so. Throws
/// InputError with line and column for everything else.
ImportedGraph read_stg(const std::string& file, std::string_view text, Duration unit) { return StgReader(file, text, unit).read(); }

bool is_stg(const FileHead& head) {
  if (head.extension == ".stg") return true;
  const std::string file;
  TextLines lines(file, head.text);
  const auto next = [&lines](std::size_t fields) {
    while (lines.next()) {
      if (lines.fields().empty() || lines.fields().front().text.starts_with('#')) continue;
      return lines.fields().size() == fields && std::ranges::all_of(lines.fields(), [](const LineField& field) {
               return field.text.find_first_not_of("0123456789") == std::string_view::npos;
             });
    }
    return false;
  };
  return next(1) && next(3) && lines.fields()[0].text == "0" && lines.fields()[2].text == "0";
}

Imported import_stg(const std::string& path, const ImportOptions& options) {
  const std::string word = options.time_unit.empty() ? "us" : options.time_unit;
  const auto unit = ns_of_unit(word);
  if (!unit) throw InputError("time_unit: is " + in_quotes(word) + suggest(word, std::array<std::string_view, 4>{"ns", "us", "ms", "s"}));
  return imported(path, read_stg(path, read_unpacked(path), Duration{static_cast<std::int64_t>(*unit)}), options);
}

constexpr std::array<std::string_view, 3> kStgOptions{"time_unit", "drop_edges", "core_type"};

}  // namespace

Importer stg_importer() { return {"stg", "a graph of the Standard Task Graph Set", is_stg, import_stg, kStgOptions}; }

}  // namespace tasktwin::scenarios
