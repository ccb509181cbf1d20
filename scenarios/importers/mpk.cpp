#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>

#include "scenarios/formats/json_file.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/importers/parts/imported_graph.hpp"
#include "scenarios/importers/parts/times_by_name.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::int64_t kMostNumber = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kNoEvent = 0x7ffffffffffffffe;  // EVENT_INVALID_ID
constexpr std::uint64_t kPosition = 0xffffffff;         // of an EventId; above it the GPU and NVSHMEM's tag
constexpr std::size_t kEndOfGraph = 0;                  // the event that ends an iteration releases nothing within it

class MpkReader {
 public:
  explicit MpkReader(const JsonPlace& root)
      : tasks_(root.at("all_tasks").list()), events_(root.at("all_events").list()), firsts_(root.find("first_tasks")) {}

  ImportedGraph read() {
    graph_.sources = {"event"};
    arrive_.resize(events_.size());
    release_.resize(events_.size());
    for (std::size_t i = 0; i < tasks_.size(); ++i) read_task(i);
    if (firsts_) {
      for (std::size_t i = 0; i < firsts_->list().size(); ++i) (*firsts_)[i].whole(0, static_cast<std::int64_t>(tasks_.size()) - 1);
    }
    for (std::size_t e = 0; e < events_.size(); ++e) read_event(e);
    remark();
    return std::move(graph_);
  }

 private:
  /// nullopt where the task has none.
  std::optional<std::size_t> event_of(const JsonPlace& task, std::string_view field) const {
    const JsonPlace place = task.at(field);
    const std::uint64_t id = place.id();
    if (id == kNoEvent) return std::nullopt;
    const std::size_t position = id & kPosition;
    if (position >= events_.size()) {
      place.refuse("is event " + std::to_string(position) + ", but all_events has " + std::to_string(events_.size()));
    }
    return position;
  }

  void read_task(std::size_t i) {
    const JsonPlace place = tasks_[i];
    const std::int64_t type = place.at("task_type").whole(0, kMostNumber);
    const auto variant = place.find("variant_id");
    const auto task = graph_.add("task " + std::to_string(i) + " type " + std::to_string(type) +
                                     (variant ? "." + std::to_string(variant->whole(-1, kMostNumber)) : ""),
                                 {.kernel = Kernel::kEmpty}, {.kind = "type " + std::to_string(type)});
    if (const auto event = event_of(place, "trigger_event"); event && *event != kEndOfGraph) arrive_[*event].push_back(task);
    if (const auto event = event_of(place, "dependent_event")) release_[*event].push_back(task);
  }

  void read_event(std::size_t e) {
    const JsonPlace place = events_[e];
    place.at("event_type").whole(0, kMostNumber);
    const std::int64_t triggers = place.at("num_triggers").whole(0, kMostNumber);
    const auto most = static_cast<std::int64_t>(tasks_.size());
    const std::int64_t first = place.at("first_task_id").whole(0, most);
    const std::int64_t last = place.at("last_task_id").whole(0, most);
    if (last < first) place.at("last_task_id").refuse("is " + std::to_string(last) + ", before first_task_id, " + std::to_string(first));
    if (e == kEndOfGraph) return;
    auto& released = release_[e];
    for (std::int64_t task = first; task < last; ++task) released.push_back(static_cast<std::uint32_t>(task));
    std::ranges::sort(released);
    const auto repeated = std::ranges::unique(released);
    released.erase(repeated.begin(), repeated.end());
    if (static_cast<std::int64_t>(arrive_[e].size()) != triggers) ++uneven_;
    join(e);
  }

  void join(std::size_t e) {
    const auto& before = arrive_[e];
    const auto& behind = release_[e];
    if (before.size() > 1 && behind.size() > 1) {
      const auto event = graph_.add("event " + std::to_string(e), {.kernel = Kernel::kEmpty, .operation = Operation::kEvent});
      for (const std::uint32_t task : before) graph_.edges.push_back({task, event});
      for (const std::uint32_t task : behind) graph_.edges.push_back({event, task});
      ++joins_;
      return;
    }
    for (const std::uint32_t from : before) {
      for (const std::uint32_t to : behind) graph_.edges.push_back({from, to});
    }
  }

  void remark() {
    graph_.untimed = "the file has no times: " + counted(tasks_.size(), "empty body");
    if (joins_ > 0)
      graph_.remarks.push_back(
          counted(joins_, "event") +
          " of several arrivals and several tasks: a counter each (operation event), which workers or dispatchers keep");
    if (uneven_ > 0)
      graph_.remarks.push_back(counted(uneven_, "event") +
                               " whose num_triggers is not the number of tasks that name them: the others arrive from other GPUs, or a "
                               "task arrives several times");
  }

  JsonPlace tasks_;
  JsonPlace events_;
  std::optional<JsonPlace> firsts_;
  ImportedGraph graph_;
  std::vector<std::vector<std::uint32_t>> arrive_;  ///< tasks by event
  std::vector<std::vector<std::uint32_t>> release_;
  std::size_t joins_ = 0;
  std::size_t uneven_ = 0;
};

/// The task_graph.json of a Mirage persistent kernel: tasks that arrive at an event, and events that, once all have arrived, release a
/// range of tasks and those that name them as `dependent_event`. An event of one arriver or one released task is edges; of several of both
/// it is one join, a task "event N" with an empty body, never every pair. The file has no times: bodies are empty. Throws InputError with
/// the field's path for what is missing, of another kind or out of range, and for an event that releases a task that does not exist.
ImportedGraph read_mpk(const JsonPlace& root) { return MpkReader(root).read(); }

bool is_mpk(const FileHead& head) {
  return is_json_with(head, {"all_events", "num_triggers"}) || is_json_with(head, {"all_tasks", "trigger_event"});
}

Imported import_mpk(const std::string& path, const ImportOptions& options) {
  const JsonValue json = read_packed_json(path);
  ImportedGraph graph = read_mpk(JsonPlace(path, json));
  if (!options.with.empty()) take_times(graph, options.with);
  return imported(path, std::move(graph), options);
}

constexpr std::array<std::string_view, 3> kMpkOptions{"with", "drop_edges", "core_type"};

}  // namespace

Importer mpk_importer() { return {"mpk", "the task_graph.json of a Mirage persistent kernel", is_mpk, import_mpk, kMpkOptions}; }

}  // namespace tasktwin::scenarios
