#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/document/faults.hpp"
#include "scenarios/document/scalar.hpp"
#include "scenarios/files/byte_source.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/formats/json_file.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/importers/parts/table_rows.hpp"
#include "scenarios/importers/parts/time_units.hpp"

namespace tasktwin::scenarios {

namespace {

/// Lists beside "tasks" that say the order, pair by pair.
constexpr std::array<std::string_view, 3> kEdgeLists{"edges", "links", "dependencies"};
/// What a pair calls the task that comes first and the one that waits for it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kEnds{{{"from", "to"}, {"source", "target"}}};

/// Of {"from": …, "to": …} or […, …] both; nullopt for what is no pair, or two.
std::optional<std::pair<JsonPlace, JsonPlace>> ends_of(const JsonPlace& pair) {
  if (pair.value().is_array() && pair.size() == 2) return std::pair(pair[0], pair[1]);
  if (!pair.value().is_object()) return std::nullopt;
  std::optional<std::pair<JsonPlace, JsonPlace>> ends;
  for (const auto& [from, to] : kEnds) {
    const auto first = pair.find(from);
    const auto second = pair.find(to);
    if (!first && !second) continue;
    if (ends || !first || !second) return std::nullopt;
    ends.emplace(*first, *second);
  }
  return ends;
}

bool is_end(std::string_view key) {
  return std::ranges::any_of(kEnds, [key](const auto& ends) { return ends.first == key || ends.second == key; });
}

class JsonReader {
 public:
  ImportedGraph read(const JsonPlace& root) {
    graph_.sources = {"predecessors"};
    const JsonPlace tasks = root.value().is_array() ? root : root.at("tasks").list();
    if (!root.value().is_array()) look_beside(root);
    bool states_operation = false;
    bool states_order = !edge_lists_.empty();
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      states_operation = states_operation || tasks[i].object().find("operation");
      for (const char* const key : {"predecessors", "after"}) {
        const auto before = tasks[i].find(key);
        states_order = states_order || (before && !(before->value().is_array() && before->value().empty()));
      }
      by_id_ = by_id_ || names_numbers(tasks[i]);
    }
    rows_.begin(states_operation);
    Faults faults;
    for (std::size_t i = 0; i < tasks.size() && faults.all().size() < kMostRowFaults; ++i)
      faults.attempt([&] { read_task(tasks[i], states_order); });
    if (!faults.all().empty()) refuse_with_keys(tasks, faults);
    for (const auto& [key, names] : unread_names_) {
      if (!states_order && names.are_order(tasks.size(), [this](const std::string& name) { return joins_.find(name); }))
        first_with(tasks, key).refuse("names tasks of the table, and " + ask_order(key));
    }
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      auto before = tasks[i].find("predecessors");
      if (before && tasks[i].find("after")) before->refuse("stands beside 'after', which means the same");
      if (!before) before = tasks[i].find("after");
      if (!before) continue;
      for (std::size_t j = 0; j < before->list().size() && faults.all().size() < kMostRowFaults; ++j) {
        faults.attempt([&] {
          const JsonPlace name = (*before)[j];
          const std::uint32_t from = name.value().is_number_integer()
                                         ? task_called(name)
                                         : joins_.find(name.text(), [&](const std::string& why) { name.refuse(why); });
          graph_.edges.push_back({from, static_cast<std::uint32_t>(i)});
        });
      }
    }
    faults.check();
    for (const auto& [key, list] : edge_lists_) add_edges(key, list);
    remark_beside();
    for (const auto& [key, count] : unread_)
      graph_.remarks.push_back("key " + in_quotes(key) + " of " + counted(count, "task") + " is not read" +
                               meant_in_brackets(key, [&](std::string_view column) { return has_key(tasks, column); }));
    rows_.remark(graph_);
    return std::move(graph_);
  }

 private:
  static Node node_of(const JsonPlace& place) {
    const JsonValue& value = place.value();
    if (value.is_number()) return number_node(value.get<double>());
    if (value.is_string()) return text_node(place.text());
    Node node;
    if (value.is_boolean()) {
      node.kind = Node::Kind::kBool;
      node.boolean = value.get<bool>();
    } else if (value.is_array()) {
      node.kind = Node::Kind::kList;
      for (std::size_t i = 0; i < place.size(); ++i) node.items.push_back(node_of(place[i]));
    } else if (value.is_object()) {
      node.kind = Node::Kind::kMap;
      for (const auto& [key, item] : value.items()) {
        node.keys.push_back({key});
        node.items.push_back(node_of(place.at(key)));
      }
    }
    return node;
  }

  /// Whether the task says by whole numbers, which are ids, what it waits for.
  static bool names_numbers(const JsonPlace& task) {
    for (const char* const key : {"predecessors", "after"}) {
      const auto before = task.find(key);
      if (before && before->value().is_array() && !before->value().empty() && before->value().front().is_number_integer()) return true;
    }
    return false;
  }

  void look_beside(const JsonPlace& root) {
    for (const auto& [key, value] : root.value().items()) {
      if (key == "tasks") continue;
      if (std::ranges::find(kEdgeLists, key) == kEdgeLists.end()) {
        beside_.emplace_back(key, root.at(key));
        continue;
      }
      edge_lists_.emplace_back(key, root.at(key).list());
      graph_.sources.push_back(key);
    }
  }

  /// The task that has the word as its name or its id; two of them where these differ.
  std::set<std::uint32_t> tasks_called(const JsonPlace& end) const {
    if (!end.value().is_string() && !end.value().is_number_integer()) return {};
    const std::string word = word_of(end);
    std::set<std::uint32_t> found;
    if (const auto named = joins_.find(word)) found.insert(*named);
    if (const auto with_id = ids_.find(word)) found.insert(*with_id);
    return found;
  }

  static std::string word_of(const JsonPlace& end) { return end.value().is_number_integer() ? end.value().dump() : end.text(); }

  std::uint32_t task_called(const JsonPlace& end) const {
    const std::set<std::uint32_t> found = tasks_called(end);
    if (found.empty()) end.refuse("no task is called " + in_quotes(word_of(end)));
    if (found.size() > 1) end.refuse(in_quotes(word_of(end)) + " is the name of one task and the id of another");
    return *found.begin();
  }

  void add_edges(const std::string& key, const JsonPlace& list) {
    std::map<std::string, std::size_t> unread;
    const auto source = static_cast<std::uint16_t>(std::ranges::find(graph_.sources, key) - graph_.sources.begin());
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto ends = ends_of(list[i]);
      if (!ends) list[i].refuse(R"(must be a pair of tasks: {"from": …, "to": …}, {"source": …, "target": …} or […, …])");
      graph_.edges.push_back({task_called(ends->first), task_called(ends->second), 0, 0, source});
      if (!list[i].value().is_object()) continue;
      for (const auto& [field, value] : list[i].value().items()) {
        if (!is_end(field)) ++unread[field];
      }
    }
    for (const auto& [field, count] : unread)
      graph_.remarks.push_back("key " + in_quotes(field) + " of " + counted(count, "pair") + " of " + in_quotes(key) + " is not read");
  }

  /// Keys beside "tasks" that are not read. Where it is pairs of tasks it is refused.
  void remark_beside() {
    const auto is_task = [this](const JsonPlace& end) { return !tasks_called(end).empty(); };
    for (const auto& [key, at] : beside_) {
      std::size_t pairs = 0;
      for (std::size_t i = 0; at.value().is_array() && i < at.size(); ++i) {
        const auto ends = ends_of(at[i]);
        pairs += ends && is_task(ends->first) && is_task(ends->second) ? 1 : 0;
      }
      if (pairs > 0 && pairs == at.size())
        at.refuse("names pairs of tasks, and is not read; did you mean 'edges'? Name it so, or leave it out");
      graph_.remarks.push_back("key " + in_quotes(key) + " beside 'tasks' is not read");
    }
  }

  /// By which pairs may name the task.
  void take_id(const JsonPlace& id) {
    const auto row = static_cast<std::uint32_t>(graph_.nodes.size());
    if (id.value().is_string() || id.value().is_number_integer())
      ids_.row_called(word_of(id), row, [&](const std::string& why) { id.refuse(why); });
    else
      id.refuse("must be a text or a whole number");
  }

  /// Of a key that is not read: a list of names, or one.
  void take_names(const std::string& key, const JsonPlace& at) {
    const JsonValue& value = at.value();
    UnreadNames& names = unread_names_[key];
    if (at.is_null() || (value.is_array() && value.empty()) || (value.is_string() && at.text().empty())) return;
    const auto row = static_cast<std::uint32_t>(graph_.nodes.size());
    if (value.is_string()) return names.add(row, parts_of(at.text(), kBetweenNames));
    std::vector<std::string> list;
    for (std::size_t i = 0; value.is_array() && i < at.size(); ++i) {
      if (!at[i].value().is_string()) return names.add(row, {});
      list.push_back(at[i].text());
    }
    names.add(row, std::move(list));
  }

  static bool has_key(const JsonPlace& tasks, std::string_view key) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (tasks[i].find(key)) return true;
    }
    return false;
  }

  /// What is wrong with tasks, after keys that may be meant to be others: tasks can be wrong for want of these.
  [[noreturn]] void refuse_with_keys(const JsonPlace& tasks, const Faults& of_tasks) const {
    Faults faults;
    for (const auto& [key, count] : unread_) {
      if (const auto meant = meant_column(key, [&](std::string_view column) { return has_key(tasks, column); }))
        faults.attempt([&] {
          first_with(tasks, key).refuse("the key " + in_quotes(key) + " is not read; did you mean " + in_quotes(std::string(*meant)) + "?");
        });
    }
    for (const InputError& fault : of_tasks.all()) faults.attempt([&] { throw InputError(fault); });
    throw InputFaults(faults.all());
  }

  static JsonPlace first_with(const JsonPlace& tasks, const std::string& key) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (const auto at = tasks[i].find(key)) return *at;
    }
    return tasks;
  }

  void read_task(const JsonPlace& place, bool states_order) {
    TableRow row;
    int times = 0;
    const auto is_id = [this](const std::string& key) { return key == "id" && (by_id_ || !edge_lists_.empty()); };
    for (const auto& [key, value] : place.object().value().items()) {
      if (!is_table_column(key) && !is_id(key)) ++unread_[key];
    }
    for (const auto& [key, value] : place.value().items()) {
      const JsonPlace at = place.at(key);
      if (!is_table_column(key) && !states_order && may_be_order(key)) at.refuse(ask_order(key));
      if (is_id(key)) take_id(at);
      if (!is_table_column(key) && !states_order) take_names(key, at);
      if (key == "operation") row.operation = at.text();
      if (const auto unit = ns_of_column(key)) {
        row.time_ns = at.number() * *unit;
        if (++times > 1) at.refuse("the task has several times; one of time_ns, time_us, time_ms and time_s is right");
      } else if (key == "kind") {
        rows_.take_kind(row, at.text(), [&at](std::string_view, const std::string& why) { at.refuse(why); });
      } else if (table_field(key)) {
        row.set(key, node_of(at));
      }
    }
    const JsonPlace name = place.at("name");
    row.name = name.text();
    joins_.row_called(row.name, static_cast<std::uint32_t>(graph_.nodes.size()), [&](const std::string& why) { name.refuse(why); });
    rows_.add(graph_, row, [&](std::string_view column, const std::string& why) {
      for (const auto& [key, value] : place.value().items()) {
        if (column == "time_ns" && ns_of_column(key)) place.at(key).refuse(why);
      }
      place.find(column).value_or(place).refuse((place.find(column) ? "" : std::string(column) + ": ") + why);
    });
  }

  ImportedGraph graph_;
  TableNames joins_;
  TableNames ids_;
  bool by_id_ = false;  ///< tasks are called by their ids in each other's predecessors
  std::vector<std::pair<std::string, JsonPlace>> edge_lists_;
  std::vector<std::pair<std::string, JsonPlace>> beside_;  ///< "tasks" and these, by their keys
  TableRows rows_;
  std::map<std::string, std::size_t> unread_;
  std::map<std::string, UnreadNames> unread_names_;
};

/// The table of csv_table.cpp as JSON: a list of objects with these keys, or an object with such a list under "tasks"; `predecessors` is a
/// list of names. Beside "tasks", "edges", "links" or "dependencies" may list pairs of tasks by their names, or by an `id` of theirs; other
/// keys there are not read, which a remark says, and refused where they list such pairs.
ImportedGraph read_json_table(const JsonPlace& root) { return JsonReader().read(root); }

bool is_json(const FileHead& head) {
  const auto has = [&head](std::string_view key) { return is_json_with(head, {key}); };
  return has("name") && std::ranges::any_of(kTableTells, has) && !has("scenario") && !has("traceEvents");
}

Imported import_json(const std::string& path, const ImportOptions& options) {
  const JsonValue json = read_packed_json(path);
  return imported(path, read_json_table(JsonPlace(path, json)), options);
}

}  // namespace

Importer json_importer() {
  return {"json", "a list of tasks as JSON: name, operation, time_us, predecessors", is_json, import_json, kTableOptions};
}

}  // namespace tasktwin::scenarios
