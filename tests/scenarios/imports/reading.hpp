#pragma once

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "models/base/error.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/importers/parts/imported_graph.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {

/// What `format` reads from a file of this text.
inline Imported read_as(const std::string& format, const std::string& text, const ImportOptions& options = {},
                        const std::string& name = "file") {
  const TemporaryFile file(text, name);
  return import_file(file.path(), format, options);
}

/// What it refuses such a file with, the file's name left out; "" if it does not.
inline std::string refused_as(const std::string& format, const std::string& text, const ImportOptions& options = {}) {
  const TemporaryFile file(text, "file");
  try {
    import_file(file.path(), format, options);
  } catch (const InputError& error) {
    const std::string message = error.what();
    return message.starts_with(file.path()) ? message.substr(file.path().size() + 1) : message;
  }
  return "";
}

/// "from>to", with ":bytes" where there are any.
inline std::set<std::string> edges_of(const TaskGraph& graph) {
  std::set<std::string> all;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    std::size_t e = 0;
    for (const TaskId from : graph.predecessors(task_id(i))) {
      const auto bytes = graph.has_edge_bytes() ? graph.input_bytes(task_id(i))[e] : 0;
      all.insert(std::string(graph.name(from)) + ">" + std::string(graph.name(task_id(i))) +
                 (bytes > 0 ? ":" + std::to_string(bytes) : ""));
      ++e;
    }
  }
  return all;
}

inline TaskId task_called(const TaskGraph& graph, const std::string& name) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.name(task_id(i)) == name) return task_id(i);
  }
  throw std::runtime_error("no task " + name);
}

inline std::int64_t time_of(const TaskGraph& graph, const std::string& name) { return to_ns(graph[task_called(graph, name)].cost.time); }

inline bool has_remark(const Imported& imported, const std::string& part) {
  return std::any_of(imported.remarks.begin(), imported.remarks.end(),
                     [&part](const std::string& remark) { return remark.find(part) != std::string::npos; });
}

}  // namespace tasktwin::scenarios
