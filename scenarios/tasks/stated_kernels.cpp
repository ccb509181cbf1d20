#include "scenarios/tasks/stated_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>

#include "scenarios/document/faults.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/files/text_file.hpp"
#include "scenarios/files/text_hash.hpp"
#include "scenarios/tasks/table_by_size.hpp"

namespace tasktwin::scenarios {

namespace {

[[noreturn]] void refuse(const Document& document, const Node& at, const std::string& path, const std::string& why) {
  throw InputError(document.at(at), path + ": " + why);
}

/// Whether `text` has `name` as a word of its own.
bool has_word(std::string_view text, std::string_view name) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]))) return true;
  }
  return false;
}

template <class Named>
std::optional<std::size_t> place_of(const std::vector<Named>& list, std::string_view name) {
  const auto found = std::ranges::find(list, name, &Named::name);
  return found == list.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - list.begin()));
}

template <class Named>
std::vector<std::string_view> names_of(const std::vector<Named>& list) {
  std::vector<std::string_view> names;
  for (const Named& one : list) names.push_back(one.name);
  return names;
}

}  // namespace

Duration StatedCost::time_at(std::int64_t value) const { return Duration{std::llround(at_size(table, static_cast<double>(value)))}; }

StatedKernels::StatedKernels(const Document& document) {
  Faults faults;
  if (const Node* buffers = document.root.find("buffers")) faults.attempt([&] { read_buffers(document, *buffers); });
  const Node* kernels = document.root.find("kernels");
  for (std::size_t i = 0; kernels && i < kernels->items.size(); ++i)
    faults.attempt([&] { read_kernel(document, kernels->items[i], "kernels[" + std::to_string(i) + "]"); });
  faults.check();
}

std::vector<std::string_view> StatedKernels::names() const { return names_of(own_.kernels); }

std::optional<std::size_t> StatedKernels::find(std::string_view name) const { return place_of(own_.kernels, name); }

void StatedKernels::read_buffers(const Document& document, const Node& list) {
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Node& map = list.items[i];
    const std::string path = "buffers[" + std::to_string(i) + "]";
    OwnBuffer buffer{
        .name = map.find("name")->text, .type = *from_word<ElementType>(map.find("type")->text), .count = map.find("count")->integer};
    if (place_of(own_.buffers, buffer.name)) refuse(document, map, path + ".name", in_quotes(buffer.name) + " is a buffer already");
    if (const Node* fill = map.find("fill")) buffer.fill = *from_word<BufferFill>(fill->text);
    const Node* range = map.find("range");
    const bool whole = buffer.type == ElementType::kInteger || buffer.type == ElementType::kByte;
    const bool ranged = whole && buffer.fill == BufferFill::kUniform;
    if (range && !ranged) refuse(document, *range, path + ".range", "goes with whole numbers and fill 'uniform'");
    if (!range && ranged)
      refuse(document, map, path + ".range", "missing; whole numbers under fill 'uniform' are drawn from 0 to below it");
    if (range) buffer.range = range->integer;
    const Node* scale = map.find("scale");
    if (scale && (whole || buffer.fill != BufferFill::kUniform))
      refuse(document, *scale, path + ".scale", "goes with floating-point numbers and fill 'uniform'");
    if (scale) buffer.scale = static_cast<float>(scale->real);
    own_.buffers.push_back(std::move(buffer));
  }
}

void StatedKernels::read_kernel(const Document& document, const Node& map, const std::string& path) {
  OwnKernel kernel{
      .name = map.find("name")->text, .source = {}, .source_hash = {}, .entry = {}, .parameters = {}, .stated_in = document.file};
  kernel.stated_line = map.line;
  const Node& name = *map.find("name");
  if (from_word<Kernel>(kernel.name)) refuse(document, name, path + ".name", in_quotes(kernel.name) + " is a kernel of tasktwin's own");
  if (find(kernel.name)) refuse(document, name, path + ".name", in_quotes(kernel.name) + " is a kernel already");
  if (own_.kernels.size() == kMostOwnKernels)
    refuse(document, name, path, "is one too many; at most " + std::to_string(kMostOwnKernels) + " kernels are allowed");

  const Node& source = *map.find("source");
  kernel.source = (std::filesystem::path(document.file).parent_path() / source.text).string();
  const Node* entry = map.find("entry");
  kernel.entry = entry ? entry->text : kernel.name;
  std::string text;
  try {
    text = read_text_file(kernel.source);
  } catch (const InputError& wrong) {
    refuse(document, source, path + ".source", wrong.what());
  }
  kernel.source_hash = text_hash(text);
  if (!has_word(text, kernel.entry))
    refuse(document, entry ? *entry : source, path + ".entry", "there is no function " + in_quotes(kernel.entry) + " in " + kernel.source);
  if (const Node* threads = map.find("threads")) kernel.threads = static_cast<int>(threads->integer);
  if (const Node* shared = map.find("shared_memory_bytes")) kernel.shared_memory = shared->integer;
  if (const Node* carveout = map.find("carveout")) kernel.carveout = static_cast<int>(carveout->integer);
  presets_.emplace_back();
  if (const Node* parameters = map.find("parameters")) read_parameters(document, *parameters, path + ".parameters", kernel);
  costs_.emplace_back();
  if (const Node* cost = map.find("cost")) read_cost(document, *cost, path + ".cost", kernel);
  own_.kernels.push_back(std::move(kernel));
}

void StatedKernels::read_parameters(const Document& document, const Node& list, const std::string& path, OwnKernel& kernel) {
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Node& map = list.items[i];
    const std::string here = path + "[" + std::to_string(i) + "]";
    OwnKernel::Parameter parameter{map.find("name")->text, *from_word<ArgumentType>(map.find("type")->text)};
    if (place_of(kernel.parameters, parameter.name))
      refuse(document, map, here + ".name", in_quotes(parameter.name) + " is a parameter already");
    const Node* preset = map.find("value");
    presets_.back().push_back(preset ? std::optional(word_of(parameter, *preset, document, here + ".value")) : std::nullopt);
    kernel.parameters.push_back(std::move(parameter));
  }
}

void StatedKernels::read_cost(const Document& document, const Node& map, const std::string& path, const OwnKernel& kernel) {
  StatedCost& cost = costs_.back();
  if (const Node* flops = map.find("flops")) cost.flops = flops->integer;
  if (const Node* bytes = map.find("bytes")) cost.bytes = bytes->integer;
  if (const Node* rate = map.find("flops_per_ns")) cost.flops_per_ns = rate->real;
  const Node* by = map.find("by");
  const Node* table = map.find("table");
  if (!by != !table) refuse(document, by ? *by : *table, path, "'by' and 'table' go together");
  if (!by) return;
  cost.by = place_of(kernel.parameters, by->text);
  if (!cost.by || kernel.parameters[*cost.by].type != ArgumentType::kInteger)
    refuse(document, *by, path + ".by", in_quotes(by->text) + " is no integer parameter" + suggest(by->text, names_of(kernel.parameters)));
  for (const Node& point : table->items) {
    const std::pair at{point.find("value")->integer, point.find("time_ns")->integer};
    if (!cost.table.empty() && at.first <= cost.table.back().first) refuse(document, point, path + ".table", "values must rise");
    cost.table.push_back(at);
  }
}

std::uint32_t StatedKernels::word_of(const OwnKernel::Parameter& parameter, const Node& value, const Document& document,
                                     const std::string& path) const {
  using Limits = std::numeric_limits<std::int32_t>;
  const auto wanted = [&](const std::string& what) { refuse(document, value, path, "is " + describe(value) + "; must be " + what); };
  switch (parameter.type) {
    case ArgumentType::kInteger:
      if (value.kind != Node::Kind::kInteger || value.integer < Limits::min() || value.integer > Limits::max())
        wanted("a whole number of 32 bits");
      return static_cast<std::uint32_t>(value.integer);
    case ArgumentType::kFloat:
      if (value.kind != Node::Kind::kInteger && value.kind != Node::Kind::kReal) wanted("a number");
      return std::bit_cast<std::uint32_t>(static_cast<float>(value.real));
    case ArgumentType::kBuffer:
      break;
  }
  if (value.kind != Node::Kind::kText) wanted("the name of a buffer");
  const auto buffer = place_of(own_.buffers, value.text);
  if (!buffer) refuse(document, value, path, "no buffer is called " + in_quotes(value.text) + suggest(value.text, names_of(own_.buffers)));
  return static_cast<std::uint32_t>(*buffer);
}

std::uint32_t StatedKernels::row_of(const ArgumentRow& row) {
  const auto [found, is_new] = rows_.emplace(row, static_cast<std::uint32_t>(own_.arguments.size()));
  if (is_new) own_.arguments.push_back(row);
  return found->second;
}

void StatedKernels::take_measured(std::size_t kernel, std::vector<std::pair<std::int64_t, std::int64_t>> table, int registers) {
  StatedCost& cost = costs_[kernel];
  cost.registers = registers;
  cost.measured = true;
  cost.table = std::move(table);
  if (cost.table.empty()) cost.by.reset();
}

void StatedKernels::apply(std::size_t kernel, const Node* given, const Document& document, const Node& at, const std::string& path,
                          Task& task, TaskTraits& traits) {
  const OwnKernel& own = own_.kernels[kernel];
  const std::string called = "kernel " + in_quotes(own.name);
  for (std::size_t i = 0; given && i < given->keys.size(); ++i) {
    const std::string& key = given->keys[i].text;
    if (!place_of(own.parameters, key)) {
      throw InputError(document.at(given->keys[i]),
                       path + ".arguments." + key + ": " + called + " has no such parameter" + suggest(key, names_of(own.parameters)));
    }
  }
  ArgumentRow row{};
  for (std::size_t i = 0; i < own.parameters.size(); ++i) {
    const std::string here = path + ".arguments." + own.parameters[i].name;
    const Node* value = given ? given->find(own.parameters[i].name) : nullptr;
    if (!value && !presets_[kernel][i]) refuse(document, given ? *given : at, here, "missing; " + called + " needs it");
    row[i] = value ? word_of(own.parameters[i], *value, document, here) : *presets_[kernel][i];
  }
  task.kernel = own_kernel(kernel);
  task.args = {static_cast<std::int32_t>(row_of(row))};
  const StatedCost& cost = costs_[kernel];
  if (task.cost.flops.count == 0) task.cost.flops = {cost.flops};
  if (task.cost.bytes.count == 0) task.cost.bytes = {cost.bytes};
  if (cost.by) {
    const auto value = static_cast<std::int32_t>(row[*cost.by]);
    task.cost.time = cost.time_at(value);
    if (value < cost.table.front().first || value > cost.table.back().first)
      ++beyond_.try_emplace(kernel, Beyond{.first = value}).first->second.tasks;
  }
  const bool says_none = task.cost.flops.count == 0 && task.cost.bytes.count == 0 && !cost.by && !cost.measured;
  if (says_none && without_cost_.insert(kernel).second)
    refuse(document, at, path + ".flops",
           "missing, and bytes too; neither the task nor " + called +
               " says what its body costs: 'cost' of the kernel says it for all its tasks");
  traits.threads = own.threads;
  traits.registers = cost.registers;
  traits.shared_memory = own.shared_memory;
  traits.carveout = own.carveout;
}

std::vector<std::string> StatedKernels::beyond_tables() const {
  std::vector<std::string> remarks;
  for (const auto& [kernel, beyond] : beyond_) {
    const StatedCost& cost = costs_[kernel];
    const std::string& by = own_.kernels[kernel].parameters[*cost.by].name;
    remarks.push_back("the table of kernel '" + own_.kernels[kernel].name + "' is of " + by + " from " +
                      std::to_string(cost.table.front().first) + " to " + std::to_string(cost.table.back().first) + ", but " +
                      std::to_string(beyond.tasks) + (beyond.tasks == 1 ? " task has another, " : " tasks have others, the first ") + by +
                      " " + std::to_string(beyond.first) + ": the time of the nearest row is taken");
  }
  return remarks;
}

void StatedKernels::number_block(Task& task, std::size_t k, std::size_t blocks) {
  OwnKernel& own = own_.kernels[own_index(task.kernel)];
  own.split = true;
  ArgumentRow row = own_.arguments[static_cast<std::size_t>(task.args[0])];
  row[kMostSplitArguments] = static_cast<std::uint32_t>(k);
  row[kMostSplitArguments + 1] = static_cast<std::uint32_t>(blocks);
  task.args[0] = static_cast<std::int32_t>(row_of(row));
}

}  // namespace tasktwin::scenarios
