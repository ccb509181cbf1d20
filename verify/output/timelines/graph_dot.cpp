#include "verify/output/timelines/graph_dot.hpp"

#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "models/base/utf8.hpp"
#include "models/graph/own_kernels.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

/// By CoreType.
constexpr std::array<std::string_view, kCoreTypeCount> kShapes{"box", "box", "ellipse", "diamond"};
/// Light tints of Okabe and Ito's colours, which the colour-blind tell apart and black text stands out on; by kernel, repeated.
constexpr std::array<std::string_view, 8> kTints{"#f2f2f2", "#f7cf7f", "#aad9f4", "#7fceb9", "#eaae7f", "#e5bbd3", "#f7f1a0", "#7fb8d8"};

/// In quotes, as UTF-8. Graphviz reads \N, \G and the like, and HTML's entities, in labels: a name must mean itself.
std::string dot_text(std::string_view text) {
  std::string safe = "\"";
  for (const char c : well_formed(text)) {
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '\n') {
      safe += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      safe += ' ';
    } else {
      if (c == '"' || c == '\\') safe += '\\';
      safe += c;
    }
  }
  return safe + '"';
}

/// In quotes, for readers that take a backslash before a quote or another one for nothing: what scenario import has names from.
std::string quoted(std::string_view text) {
  std::string safe = "\"";
  for (const char c : well_formed(text)) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c == '\n' ? ' ' : c;
  }
  return safe + '"';
}

/// What another program cannot read from the label.
std::string own_attributes(const TaskGraph& graph, TaskId id) {
  const Task& task = graph[id];
  const TaskTraits& traits = graph.traits(id);
  std::string text = " task=" + quoted(graph.name(id));
  const auto add = [&text](std::string_view name, std::int64_t value, std::int64_t absent = 0) {
    if (value != absent) text += fmt::format(" {}={}", name, value);
  };
  add("time_ns", task.cost.time.count());
  add("flops", task.cost.flops.count);
  add("bytes", task.cost.bytes.count);
  add("blocks", traits.blocks, 1);
  add("sigma_ns", task.cost.sigma_ns);
  add("estimate_ns", traits.estimate.count(), -1);
  add("prologue_ns", traits.prologue.count());
  add("prologue_bytes", traits.prologue_bytes);
  add("threads", traits.threads);
  add("registers", traits.registers);
  add("shared_memory_bytes", traits.shared_memory);
  add("stream", traits.stream);
  add("output_bytes", traits.output);
  add("scope", traits.scope);
  add("priority", task.priority);
  add("layer", task.layer);
  if (task.operation != Operation::kKernel) text += fmt::format(" operation=\"{}\"", to_word(task.operation));
  if (traits.probability < 1) text += fmt::format(" probability={}", traits.probability);
  return text;
}

/// "gemm, 1.5 µs, 2 000 flop, 64 bytes, 4 blocks, cooperative", without what is nothing.
std::string body_text(const TaskGraph& graph, TaskId id) {
  const Task& task = graph[id];
  const TaskTraits& traits = graph.traits(id);
  std::string text(task.operation == Operation::kKernel ? graph.kernel_name(id) : to_word(task.operation));
  if (task.cost.time > Duration{}) text += ", " + format_us(task.cost.time);
  if (task.cost.flops.count > 0) text += ", " + format_count(task.cost.flops.count) + " flop";
  if (task.cost.bytes.count > 0) text += ", " + format_count(task.cost.bytes.count) + " bytes";
  if (traits.blocks > 1) text += ", " + format_count(traits.blocks) + " blocks";
  if (traits.cooperative) text += ", cooperative";
  if (traits.probability < 1) text += fmt::format(", with probability {:.3g}", traits.probability);
  return text;
}

std::string node_line(const TaskGraph& graph, TaskId id) {
  const Task& task = graph[id];
  const std::string label = fmt::format("{}\n{}", graph.name(id), body_text(graph, id));
  return fmt::format("  t{} [label={} shape={} fillcolor=\"{}\" core_type=\"{}\" kernel={}{}];\n", index(id), dot_text(label),
                     kShapes.at(static_cast<std::size_t>(task.core_type)), kTints.at(static_cast<std::size_t>(task.kernel) % kTints.size()),
                     to_word(task.core_type), dot_text(std::string(graph.kernel_name(id))), own_attributes(graph, id));
}

/// The edges into `id`, which have their bytes.
std::string edge_lines(const TaskGraph& graph, TaskId id) {
  std::string text;
  const auto spawner = graph.spawner(id);
  const auto bytes = graph.input_bytes(id);
  std::size_t position = 0;
  for (const TaskId predecessor : graph.predecessors(id)) {
    const std::int64_t count = bytes.empty() ? 0 : bytes[position];
    ++position;
    std::string attributes = spawner == predecessor ? "style=dashed" : "";
    if (count > 0) attributes += fmt::format("{}label=\"{} bytes\" bytes={}", attributes.empty() ? "" : " ", format_count(count), count);
    if (spawner == predecessor) attributes += " spawns=true";
    fmt::format_to(std::back_inserter(text), "  t{} -> t{}{};\n", index(predecessor), index(id),
                   attributes.empty() ? "" : " [" + attributes + "]");
  }
  return text;
}

}  // namespace

std::vector<std::pair<std::string_view, std::size_t>> lost_in_dot(const TaskGraph& graph) {
  struct Field {
    std::string_view name;
    bool (*differs)(const Task&, const TaskTraits&);
  };
  static constexpr std::array kFields{
      Field{"operation", [](const Task& task, const TaskTraits&) { return task.operation != Operation::kKernel; }},
      Field{"device", [](const Task& task, const TaskTraits&) { return task.device > 0; }},
      Field{"samples_ns", [](const Task&, const TaskTraits& traits) { return !traits.samples.empty(); }},
      Field{"part_times_ns", [](const Task&, const TaskTraits& traits) { return !traits.parts.empty(); }},
      Field{"aic, aiv", [](const Task&, const TaskTraits& traits) { return traits.aic != 0 || traits.aiv != 0; }},
      Field{"other", [](const Task&, const TaskTraits& traits) { return traits.other_type.has_value(); }},
      Field{"carveout", [](const Task&, const TaskTraits& traits) { return traits.carveout >= 0; }},
      Field{"cluster", [](const Task&, const TaskTraits& traits) { return traits.cluster != 1; }},
      Field{"cooperative", [](const Task&, const TaskTraits& traits) { return traits.cooperative; }},
      Field{"meets", [](const Task&, const TaskTraits& traits) { return traits.co_resident != 0; }},
      Field{"probability", [](const Task&, const TaskTraits& traits) { return traits.probability < 1; }},
      Field{"spawn_count", [](const Task&, const TaskTraits& traits) { return traits.spawn_count.has_value(); }},
      Field{"workers", [](const Task&, const TaskTraits& traits) { return traits.workers.has_value(); }},
      Field{"uses", [](const Task&, const TaskTraits& traits) { return !traits.uses.empty(); }},
      Field{"host_memory", [](const Task&, const TaskTraits& traits) { return traits.pageable; }},
      Field{"shard", [](const Task&, const TaskTraits& traits) { return traits.shard >= 0; }},
  };
  std::vector<std::pair<std::string_view, std::size_t>> lost;
  for (const Field& field : kFields) {
    std::size_t tasks = 0;
    for (std::size_t i = 0; i < graph.size(); ++i) tasks += field.differs(graph[task_id(i)], graph.traits(task_id(i))) ? 1 : 0;
    if (tasks > 0) lost.emplace_back(field.name, tasks);
  }
  // By them a decode step's and a scenario's own kernels take their times.
  if (!std::holds_alternative<DecodeProblem>(graph.problem()) && !std::holds_alternative<OwnKernels>(graph.problem())) return lost;
  std::size_t tasks = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph[task_id(i)];
    tasks += own_kernel_of(graph.problem(), task.kernel) != nullptr || task.args != decltype(Task::args){} ? 1 : 0;
  }
  if (tasks > 0) lost.emplace_back("arguments", tasks);
  return lost;
}

void write_graph_dot(const std::filesystem::path& path, const TaskGraph& graph, std::string_view name) {
  AtomicFile file(path);
  file.write(fmt::format("digraph {} {{\n  node [style=filled fontname=\"sans-serif\"];\n", dot_text(name)));
  for (std::size_t i = 0; i < graph.size(); ++i) file.write(node_line(graph, task_id(i)));
  for (std::size_t i = 0; i < graph.size(); ++i) file.write(edge_lines(graph, task_id(i)));
  file.write("}\n");
  file.commit();
}

}  // namespace tasktwin::verify
