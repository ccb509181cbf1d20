#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "scenarios/files/byte_source.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/formats/text_lines.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/importers/parts/imported_graph.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr double kNsPerMs = 1e6;

/// A value with its place.
struct Value {
  std::string text;
  int line = 0;
  int column = 0;
};

/// What a record depends on: ids, of its rank where they do not say theirs.
struct Depends {
  Value ids;
  std::string rank;
};

class StarPuReader {
 public:
  StarPuReader(const std::string& file, std::string_view text) : file_(file), lines_(file, text) {}

  ImportedGraph read() {
    graph_.sources = {"DependsOn"};
    while (lines_.next()) {
      if (lines_.fields().empty()) {
        finish_record();
      } else {
        read_field();
      }
    }
    finish_record();
    join();
    remark();
    return std::move(graph_);
  }

 private:
  [[noreturn]] void refuse(const Value& at, const std::string& why) const { throw InputError({file_, at.line, at.column}, why); }

  void read_field() {
    const std::string_view line = lines_.line();
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) lines_.refuse(1, "a line of a record is 'Field: value'");
    const std::size_t value = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
    const std::string name(line.substr(0, colon));
    const auto [before, is_new] =
        record_.emplace(name, Value{std::string(line.substr(value)), lines_.number(), static_cast<int>(value) + 1});
    if (!is_new) lines_.refuse(1, in_quotes(name) + " stands twice in a record, first in line " + std::to_string(before->second.line));
  }

  const Value* find(const char* name) const {
    const auto found = record_.find(name);
    return found == record_.end() ? nullptr : &found->second;
  }

  std::optional<double> number(const char* name) const {
    const Value* value = find(name);
    if (!value) return std::nullopt;
    const auto read = decimal(value->text);
    if (!read) refuse(*value, std::string(name) + " is " + in_quotes(value->text) + "; must be a number");
    return read;
  }

  Duration duration() {
    const auto start = number("StartTime");
    const auto end = number("EndTime");
    if (!start || !end) return {};
    if (*end < *start) refuse(*find("EndTime"), "EndTime is " + find("EndTime")->text + ", before StartTime, " + find("StartTime")->text);
    const auto ns = whole_amount(*end - *start, kNsPerMs, kMostImportedNs);
    if (!ns) refuse(*find("EndTime"), "the task takes longer than 1e17 ns; times of tasks.rec are in ms");
    return Duration{*ns};
  }

  void finish_record() {
    if (record_.empty()) return;
    const Value* id = find("JobId");
    if (!id) id = find("SubmitOrder");
    if (const Value* control = find("Control")) {
      ++controls_[control->text];
      if (id) {
        std::optional<Depends>& on = no_tasks_[of_rank(id->text)];
        if (const Value* depends = find("DependsOn")) on = Depends{*depends, rank()};
      }
      record_.clear();
      return;
    }
    if (!id) throw InputError({file_, record_.begin()->second.line, 1}, "the record that ends here has neither JobId nor SubmitOrder");
    const auto position = static_cast<std::uint32_t>(graph_.nodes.size());
    if (!by_id_.emplace(of_rank(id->text), position).second) refuse(*id, "the task " + in_quotes(id->text) + " stands twice");
    Task task;
    const bool ran = find("StartTime") && find("EndTime");
    task.cost.time = duration();
    if (task.cost.time == Duration{}) task.kernel = Kernel::kEmpty;
    not_run_ += ran ? 0 : 1;
    if (const auto priority = number("Priority")) task.priority = static_cast<std::int32_t>(std::clamp(*priority, -2e9, 2e9));
    const Value* name = find("Name");
    const bool named = name && !name->text.empty();
    graph_.add(named ? name->text : "task " + id->text, task, {.kind = named ? name->text : ""});
    if (const Value* depends = find("DependsOn")) depends_.emplace_back(position, Depends{*depends, rank()});
    for (const auto& [field, into] : {std::pair{"WorkerId", &workers_}, std::pair{"MPIRank", &ranks_}}) {
      if (const Value* value = find(field)) into->insert(value->text);
    }
    record_.clear();
  }

  std::string rank() const {
    const Value* rank = find("MPIRank");
    return rank ? rank->text : "";
  }

  /// Newer files have the rank in the id, "1_8"; older ones count anew on each.
  static std::string of_rank(const std::string& id, const std::string& rank) {
    return rank.empty() || id.find('_') != std::string::npos ? id : rank + '_' + id;
  }
  std::string of_rank(const std::string& id) const { return of_rank(id, rank()); }

  void join() {
    for (const auto& [task, on] : depends_) {
      std::set<std::string> seen;
      join(task, on, seen);
    }
  }

  /// Orders the task after those that `on` names, and after what records of Control that it names depend on; `seen`: these.
  void join(std::uint32_t task, const Depends& on, std::set<std::string>& seen) {
    std::vector<const Depends*> open{&on};
    while (!open.empty()) {
      const auto& [ids, own_rank] = *open.back();
      open.pop_back();
      TextLines words(file_, ids.text);
      words.next();
      for (const auto& [word, column] : words.fields()) {
        const Value at{std::string(word), ids.line, ids.column + column - 1};
        const std::string id = of_rank(at.text, own_rank);
        if (const auto found = by_id_.find(id); found != by_id_.end()) {
          graph_.edges.push_back({found->second, task, 0, ids.line});
          continue;
        }
        const auto none = no_tasks_.find(id);
        if (none == no_tasks_.end()) refuse(at, "DependsOn names the task " + in_quotes(at.text) + ", which the file does not have");
        on_no_tasks_ += &ids == &on.ids ? 1 : 0;
        if (seen.insert(id).second && none->second) open.push_back(&*none->second);
      }
    }
  }

  void remark() {
    for (const auto& [what, count] : controls_)
      graph_.remarks.push_back(counted(count, "record") + " of 'Control: " + what + "' left out: no tasks");
    if (on_no_tasks_ > 0)
      graph_.remarks.push_back(on_no_tasks_ == 1
                                   ? "1 dependency on such a record taken to be on what the record depends on"
                                   : std::to_string(on_no_tasks_) + " dependencies on such records taken to be on what these depend on");
    if (not_run_ > 0) graph_.remarks.push_back(counted(not_run_, "task") + " without StartTime and EndTime: empty bodies");
    if (workers_.size() > 1)
      graph_.remarks.push_back("placement on " + counted(workers_.size(), "worker") + " is not kept: tasks run on cores of one kind");
    if (ranks_.size() > 1) graph_.remarks.push_back("tasks of " + counted(ranks_.size(), "MPI rank") + " are taken as of one machine");
  }

  const std::string& file_;
  TextLines lines_;
  std::map<std::string, Value> record_;
  ImportedGraph graph_;
  std::unordered_map<std::string, std::uint32_t> by_id_;
  std::vector<std::pair<std::uint32_t, Depends>> depends_;  ///< by task
  std::map<std::string, std::size_t> controls_;             ///< records by their Control
  std::map<std::string, std::optional<Depends>> no_tasks_;  ///< ids of these, and what they depend on
  std::size_t on_no_tasks_ = 0;                             ///< dependencies
  std::set<std::string> workers_;
  std::set<std::string> ranks_;
  std::size_t not_run_ = 0;
};

/// The tasks.rec of a StarPU run (starpu_fxt_tool): records of `Field: value`, separated by blank lines. Taken are Name, JobId or
/// SubmitOrder, DependsOn, StartTime and EndTime in ms, and Priority; ids are those of the record's MPIRank. A record with Control, by
/// which the program told the runtime something, is no task and is left out, which a remark counts. A record without times did not run: its
/// body is empty, which a remark counts, as it does workers and ranks, which are not kept. Throws InputError with line and column for a
/// line of another form, a field that occurs twice in a record, an id that occurs twice or is unknown, and times that are no numbers or out
/// of order.
ImportedGraph read_starpu(const std::string& file, std::string_view text) { return StarPuReader(file, text).read(); }

bool is_starpu(const FileHead& head) {
  const std::string_view first = head.text.substr(0, head.text.find('\n'));
  const std::size_t colon = first.find(": ");
  const bool field = colon != std::string_view::npos && first.find_first_of(" {[\"") >= colon;
  return field && (head.text.find("\nJobId: ") != std::string_view::npos || head.text.find("\nSubmitOrder: ") != std::string_view::npos);
}

Imported import_starpu(const std::string& path, const ImportOptions& options) {
  return imported(path, read_starpu(path, read_unpacked(path)), options);
}

constexpr std::array<std::string_view, 2> kStarPuOptions{"drop_edges", "core_type"};

}  // namespace

Importer starpu_importer() { return {"starpu", "the tasks.rec of a StarPU run", is_starpu, import_starpu, kStarPuOptions}; }

}  // namespace tasktwin::scenarios
