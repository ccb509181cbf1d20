#include "scenarios/listed_tasks.hpp"

#include <algorithm>
#include <unordered_map>

#include "scenarios/generators/body.hpp"

namespace tasktwin::scenarios {

namespace {

std::int64_t integer_or(const Node& map, std::string_view key, std::int64_t fallback) {
  const Node* node = map.find(key);
  return node ? node->integer : fallback;
}

Task task_from(const Document& document, const Node& node, const std::string& path) {
  Task task;
  if (const Node* kernel = node.find("kernel")) task.kernel = *from_word<Kernel>(kernel->text);
  if (const Node* core_type = node.find("core_type")) task.core_type = *from_word<CoreType>(core_type->text);
  const auto faults = cost_faults(task.kernel, {.time = node.find("time_ns") != nullptr,
                                                .sigma = node.find("sigma_ns") != nullptr,
                                                .flops = node.find("flops") != nullptr,
                                                .bytes = node.find("bytes") != nullptr});
  if (!faults.empty()) {
    const CostFault& fault = faults.front();
    const Node::Key* key = node.find_key(fault.field);
    throw InputError(key ? document.at(*key) : document.at(node), path + "." + std::string(fault.field) + ": " + fault.message);
  }
  task.cost = {.time = Duration{integer_or(node, "time_ns", 0)},
               .flops = {integer_or(node, "flops", 0)},
               .bytes = {integer_or(node, "bytes", 0)},
               .sigma_ns = static_cast<std::uint32_t>(integer_or(node, "sigma_ns", 0))};
  task.priority = static_cast<std::int32_t>(integer_or(node, "priority", 0));
  task.layer = static_cast<std::int32_t>(integer_or(node, "layer", 0));
  return task;
}

/// Where the names of a large list would drown the message, only the nearest is named.
std::string near_names(std::string_view word, const std::vector<std::string_view>& names) {
  constexpr std::size_t kMostListed = 20;
  if (names.size() <= kMostListed) return suggest(word, names);
  const auto near = nearest_word(word, names);
  return near ? "; did you mean '" + std::string(*near) + "'? (" + std::to_string(names.size()) + " tasks)"
              : " among " + std::to_string(names.size()) + " tasks";
}

}  // namespace

TaskGraphBuilder listed_tasks(const Document& document, const Node& list) {
  TaskGraphBuilder builder;
  std::unordered_map<std::string_view, TaskId> by_name;
  std::vector<std::string_view> names;
  const auto path = [](std::size_t i) { return "graph.tasks[" + std::to_string(i) + "]"; };
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Node& name = *list.items[i].find("name");
    const TaskId id = builder.add_task(name.text, task_from(document, list.items[i], path(i)));
    const auto [before, is_new] = by_name.emplace(name.text, id);
    if (!is_new) {
      const Node& first = *list.items[index(before->second)].find("name");
      throw InputError(document.at(name), path(i) + ".name: " + in_quotes(name.text) + " is already the name of the task in line " +
                                              std::to_string(first.line));
    }
    names.push_back(name.text);
  }
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Node* after = list.items[i].find("after");
    if (!after) continue;
    std::vector<TaskId> predecessors;
    for (std::size_t j = 0; j < after->items.size(); ++j) {
      const Node& word = after->items[j];
      const auto place = [&] { return path(i) + ".after[" + std::to_string(j) + "]: "; };
      const auto found = by_name.find(word.text);
      if (found == by_name.end())
        throw InputError(document.at(word), place() + "no task is called " + in_quotes(word.text) + near_names(word.text, names));
      predecessors.push_back(found->second);
      builder.add_edge(found->second, task_id(i));
    }
    std::vector<TaskId> sorted = predecessors;
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice == sorted.end()) continue;
    const auto again = std::find(std::next(std::ranges::find(predecessors, *twice)), predecessors.end(), *twice);
    const auto j = static_cast<std::size_t>(again - predecessors.begin());
    throw InputError(document.at(after->items[j]),
                     path(i) + ".after[" + std::to_string(j) + "]: " + in_quotes(after->items[j].text) + " is listed twice");
  }
  return builder;
}

}  // namespace tasktwin::scenarios
