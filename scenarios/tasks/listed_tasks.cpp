#include "scenarios/tasks/listed_tasks.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "models/base/even_share.hpp"
#include "scenarios/document/faults.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"
#include "scenarios/schema/schema_faults.hpp"
#include "scenarios/schema/schema_parts.hpp"
#include "scenarios/tasks/task_fields.hpp"

namespace tasktwin::scenarios {

namespace {

/// Dependencies between blocks of grids that are split.
constexpr std::int64_t kMostSplitEdges = 20'000'000;

bool is_split(const Node& task) {
  const Node* const split = task.find("split");
  return split != nullptr && split->boolean;
}

std::string task_path(std::size_t i) { return "graph.tasks[" + std::to_string(i) + "]"; }

/// One task's map in `graph.tasks`, and its place.
struct Entry {
  const Document& document;
  const Node& node;
  std::string path;

  /// At the field, or at the task where it is missing.
  [[noreturn]] void refuse(std::string_view field, const std::string& why) const {
    const Node::Key* key = node.find_key(field);
    throw InputError(key ? document.at(*key) : document.at(node), path + "." + std::string(field) + ": " + why);
  }
};

/// Names appear in tables, pictures and other programs' files.
void check_one_line(const Entry& entry) {
  for (const std::string_view field : {"name", "kind", "buffer"}) {
    const Node* const text = entry.node.find(field);
    if (text && text->text.find_first_of("\n\t") != std::string::npos) entry.refuse(field, "a name has no line breaks and no tabs");
  }
}

/// What goes with the operation, and what it needs.
void check_operation(const Entry& entry, const Task& task) {
  const auto given = [&entry](std::string_view field) { return entry.node.find(field) != nullptr; };
  const Operation operation = task.operation;
  const std::string word = "operation '" + std::string(to_word(operation)) + "'";
  const auto check = [&](std::string_view field, bool goes, bool needed) {
    if (given(field) && !goes) entry.refuse(field, "does not go with " + word);
    if (given(field) || !needed) return;
    const auto known = std::ranges::find(task_fields(), field, &TaskField::name);
    const bool is_told = known != task_fields().end() && known->schema.contains("description");
    entry.refuse(field, "missing; " + word + " needs it" + (is_told ? ": " + known->schema.at("description").get<std::string>() : ""));
  };
  check("buffer", is_transfer(operation) || is_allocation(operation), is_allocation(operation));
  check("host_memory", touches_host_memory(operation), false);
  check("group", is_collective(operation), is_collective(operation));
  check("root", has_root(operation), has_root(operation));
  check("device", !is_collective(operation), false);
  check("to_device", operation == Operation::kCopyP2p, operation == Operation::kCopyP2p && given("device"));
  if (operation == Operation::kKernel) return;
  for (const TaskField& field : task_fields()) {
    if (field.of_kernels_only) check(field.name, false, false);
  }
  const bool has_bytes = is_transfer(operation) || operation == Operation::kAlloc || is_collective(operation);
  check("bytes", has_bytes, has_bytes);
  check("time_ns", operation == Operation::kHost, operation == Operation::kHost);
}

/// A body that is called by its kind alone may take its time, compute and move bytes, all at once.
void check_free_cost(const Entry& entry) {
  for (const std::string_view field : {"time_ns", "samples_ns", "flops", "bytes"}) {
    if (entry.node.find(field) != nullptr) return;
  }
  entry.refuse("time_ns", "missing; a task of a kind states time_ns, samples_ns, flops or bytes, or several of them");
}

/// Parts of a mixed task with times of their own.
void check_parts(const Entry& entry, const Task& task) {
  for (const std::string_view field : {"time_ns", "sigma_ns", "samples_ns", "flops", "bytes"}) {
    if (entry.node.find(field) != nullptr) entry.refuse(field, "goes without part_times_ns, which are all that its parts take");
  }
  if (task.kernel != Kernel::kSpin)
    entry.refuse("part_times_ns", "goes with kernel 'spin', not with kernel '" + std::string(to_word(task.kernel)) + "'");
}

void check_cost(const Entry& entry, const Task& task) {
  const auto given = [&entry](std::string_view field) { return entry.node.find(field) != nullptr; };
  const bool samples = given("samples_ns");
  if (samples && task.kernel != Kernel::kSpin) {
    entry.refuse("samples_ns", "goes with kernel 'spin', not with kernel '" + std::string(to_word(task.kernel)) + "'");
  }
  for (const std::string_view field : {"time_ns", "sigma_ns"}) {
    if (samples && given(field)) entry.refuse(field, "goes without samples_ns, which are the times themselves");
  }
  if (given("part_times_ns")) return check_parts(entry, task);
  if (given("kind") && !given("kernel")) return check_free_cost(entry);
  const auto faults = cost_faults(
      task.kernel, {.time = given("time_ns") || samples, .sigma = given("sigma_ns"), .flops = given("flops"), .bytes = given("bytes")});
  if (!faults.empty()) entry.refuse(faults.front().field, faults.front().message);
}

void check_spawn_count(const Entry& entry, const TaskTraits& traits) {
  if (traits.spawn_count && traits.spawn_count->front() > traits.spawn_count->back())
    entry.refuse("spawn_count", "the least, " + std::to_string(traits.spawn_count->front()) + ", is above the most, " +
                                    std::to_string(traits.spawn_count->back()));
}

void check_prologue(const Entry& entry, const Task& task, const TaskTraits& traits) {
  for (const std::string_view field : {"prologue_ns", "prologue_bytes"}) {
    if (entry.node.find(field) == nullptr) continue;
    if (task.core_type == CoreType::kMix) entry.refuse(field, "goes with a task of one type of core, not of core_type 'mix'");
    if (traits.probability < 1) entry.refuse(field, "does not go with probability: whether the body runs is not known before it");
  }
}

void check_workers(const Entry& entry, const TaskTraits& traits) {
  if (traits.workers && traits.workers->front() > traits.workers->back())
    entry.refuse("workers", "the first, " + std::to_string(traits.workers->front()) + ", comes after the last, " +
                                std::to_string(traits.workers->back()));
}

/// What contradicts a task's core type or width.
void check_cores(const Entry& entry, const Task& task, const TaskTraits& traits) {
  const bool mix = task.core_type == CoreType::kMix;
  if (mix && traits.blocks > 1) entry.refuse("blocks", "a task of core_type 'mix' occupies one cluster; it must be 1");
  for (const std::string_view field : {"aic", "aiv"}) {
    if (!mix && entry.node.find(field) != nullptr) entry.refuse(field, "goes with core_type 'mix', whose cores it counts");
  }
  const auto cores = static_cast<std::size_t>(traits.aic) + static_cast<std::size_t>(traits.aiv);
  if (!traits.parts.empty() && !mix && !is_split(entry.node))
    entry.refuse("part_times_ns", "goes with core_type 'mix', whose parts they are of, or with split, which makes each a task of its own");
  if (!traits.parts.empty() && mix && traits.parts.size() != cores)
    entry.refuse("part_times_ns", "has " + std::to_string(traits.parts.size()) + " times, but aic and aiv are " +
                                      std::to_string(traits.aic) + " and " + std::to_string(traits.aiv) + ", together " +
                                      std::to_string(cores));
  if (!traits.other_type) return;
  if (mix) entry.refuse("other", "a task of core_type 'mix' runs on a whole cluster only");
  if (traits.blocks > 1) entry.refuse("other", "goes with a task of one block, not of " + std::to_string(traits.blocks));
  if (traits.other_type == task.core_type) entry.refuse("other", "names the task's own core_type");
  if (task.kernel == Kernel::kEmpty) entry.refuse("other", "gives a time, but kernel 'empty' takes none");
}

/// What a grid that is split cannot have: its blocks have nothing to do with each other but their predecessors and successors.
void check_split(const Entry& entry, const ListedTask& listed, const StatedKernels& kernels) {
  const TaskTraits& traits = listed.traits;
  const auto refuse = [&entry](const std::string& why) { entry.refuse("split", why); };
  if (traits.blocks < 2) refuse("goes with a grid, 'blocks' of 2 or more");
  if (traits.cooperative) refuse("does not go with cooperative, whose blocks are there at once; tasks may run one after the other");
  if (traits.cluster > 1) refuse("does not go with cluster, whose blocks start together");
  if (traits.co_resident != 0) refuse("does not go with meets, which is between kernels");
  if (traits.probability < 1) refuse("does not go with probability, which would be drawn for each block");
  if (traits.spawn_count) refuse("does not go with spawn_count: several tasks spawn nothing together");
  if (!is_own(listed.task.kernel)) return;
  const OwnKernel& own = kernels.own().kernels[own_index(listed.task.kernel)];
  if (own.parameters.size() > kMostSplitArguments)
    refuse("goes with kernels of at most " + std::to_string(kMostSplitArguments) + " parameters; kernel " + in_quotes(own.name) + " has " +
           std::to_string(own.parameters.size()));
}

/// Parts that are split are the blocks of a grid, which have times of their own.
void take_parts(const Entry& entry, TaskTraits& traits) {
  const auto parts = static_cast<int>(traits.parts.size());
  if (traits.blocks > 1 && traits.blocks != parts)
    entry.refuse("blocks", "is " + std::to_string(traits.blocks) + ", but part_times_ns has " + std::to_string(parts) +
                               " times, one for each block; leave it out");
  traits.blocks = parts;
}

/// The task's kernel is one that there is, and has what it needs.
void take_kernel(const Entry& entry, StatedKernels& kernels, ListedTask& listed) {
  const Node* const kernel = entry.node.find("kernel");
  const auto own = kernel ? kernels.find(kernel->text) : std::nullopt;
  if (!own) {
    std::vector<std::string_view> words = synthetic_kernels();
    if (kernel && std::ranges::find(words, kernel->text) == words.end()) {
      std::ranges::copy(kernels.names(), std::back_inserter(words));
      throw InputError(entry.document.at(*kernel),
                       entry.path + ".kernel: unknown value " + in_quotes(kernel->text) + suggest(kernel->text, words) +
                           "; the scenario's own stand under 'kernels', and a body of any other name is a 'kind'");
    }
    if (entry.node.find("arguments")) entry.refuse("arguments", "goes with one of the scenario's 'kernels'");
    return check_cost(entry, listed.task);
  }
  for (const std::string_view field : {"time_ns", "sigma_ns", "samples_ns", "threads", "shared_memory_bytes", "registers", "carveout"}) {
    if (entry.node.find(field)) entry.refuse(field, "is for kernel " + in_quotes(kernel->text) + " to say, in 'kernels'");
  }
  kernels.apply(*own, entry.node.find("arguments"), entry.document, entry.node, entry.path, listed.task, listed.traits);
}

ListedTask task_from(const Entry& entry, StatedKernels& kernels) {
  ListedTask listed;
  auto& [task, traits] = listed;
  for (std::size_t i = 0; i < entry.node.keys.size(); ++i) {
    const TaskField& field = *std::ranges::find(task_fields(), entry.node.keys[i].text, &TaskField::name);
    if (field.read) field.read(entry.node.items[i], task, traits);
  }
  check_one_line(entry);
  check_operation(entry, task);
  if (task.operation == Operation::kKernel) {
    take_kernel(entry, kernels, listed);
  } else {
    task.kernel = Kernel::kEmpty;
  }
  check_cores(entry, task, traits);
  if (is_split(entry.node) && !traits.parts.empty()) take_parts(entry, traits);
  check_spawn_count(entry, traits);
  check_workers(entry, traits);
  check_prologue(entry, task, traits);
  if (is_split(entry.node)) check_split(entry, listed, kernels);
  return listed;
}

/// Where the names of a large list would drown the message, only the nearest is named.
std::string near_names(std::string_view word, const std::vector<std::string_view>& names) {
  constexpr std::size_t kMostListed = 20;
  if (names.size() <= kMostListed) return suggest(word, names);
  const auto near = nearest_word(word, names);
  return near ? "; did you mean '" + std::string(*near) + "'? (" + std::to_string(names.size()) + " tasks)"
              : " among " + std::to_string(names.size()) + " tasks";
}

const TaskField& tabled_field(const std::string& name) {
  std::vector<std::string_view> names;
  for (const TaskField& field : task_fields()) {
    if (field.read == nullptr) continue;
    if (field.name == name) return field;
    names.push_back(field.name);
  }
  throw InputError("unknown task field " + in_quotes(name) + suggest(name, names));
}

/// Whether `node` is a whole number that `schema` allows: most of large tables are, and looking at that alone is quick.
bool is_in_range(const TaskField& field, const Node& node) {
  if (node.kind != Node::Kind::kInteger || !field.schema.contains("minimum")) return false;
  return node.integer >= field.schema["minimum"].get<std::int64_t>() && node.integer <= field.schema["maximum"].get<std::int64_t>();
}

/// The names of all tasks, by which they refer to each other.
class Names {
 public:
  Names(const Document& document, const Node& list, Faults& faults) : document_(document) {
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const Node& name = *list.items[i].find("name");
      const auto [before, is_new] = by_name_.emplace(name.text, task_id(i));
      if (!is_new) {
        const Node& first = *list.items[index(before->second)].find("name");
        faults.add(document.at(name), task_path(i) + ".name: " + in_quotes(name.text) + " is already the name of the task in line " +
                                          std::to_string(first.line));
        continue;
      }
      names_.push_back(name.text);
    }
  }

  /// The task that `word`, which is at `path`, names.
  TaskId find(const Node& word, const std::string& path) const {
    const auto found = by_name_.find(word.text);
    if (found == by_name_.end())
      throw InputError(document_.at(word), path + ": no task is called " + in_quotes(word.text) + near_names(word.text, names_));
    return found->second;
  }

  /// Of a name that is made here.
  void refuse_other(const std::string& made, const char* what, const Document& document, const Node& at, const std::string& path) const {
    if (by_name_.contains(made))
      throw InputError(document.at(at), path + ": its " + what + " is called " + in_quotes(made) + ", as another task is");
  }

 private:
  const Document& document_;
  std::unordered_map<std::string_view, TaskId> by_name_;
  std::vector<std::string_view> names_;
};

/// Refuses an edge against the order of the layers that both of its tasks state.
void check_layers(const Document& document, const Node& list, TaskId before, TaskId after, const Node& word, const std::string& path) {
  const Node* const first = list.items[index(before)].find("layer");
  const Node* const second = list.items[index(after)].find("layer");
  if (!first || !second || first->integer <= second->integer) return;
  throw InputError(document.at(word), path + ": " + in_quotes(word.text) + " is in layer " + first->text + ", behind layer " +
                                          second->text + " of the task that waits for it");
}

/// The tasks that a listed one is: itself, the ranks of a collective by device, or the blocks of a grid that is split.
using Placed = std::vector<std::pair<std::int32_t, TaskId>>;

/// Between tasks of one device; a task whose device the other has none on is joined to all that have none on its own.
/// `split`: the tasks of `from` are blocks of a grid, from each of which a share of the bytes comes.
void add_edges(TaskGraphBuilder& builder, const Placed& from, const Placed& to, Bytes bytes, bool split) {
  const auto has = [](const Placed& placed, std::int32_t device) {
    return std::ranges::find(placed, device, &Placed::value_type::first) != placed.end();
  };
  for (std::size_t k = 0; k < from.size(); ++k) {
    const auto& [device, before] = from[k];
    const bool has_device = has(to, device);
    const Bytes own = split ? Bytes{even_share(bytes.count, k, from.size())} : bytes;
    for (const auto& [other, after] : to) {
      if (device == other || (!has_device && !has(from, other))) builder.add_edge(before, after, own);
    }
  }
}

void add_predecessors(TaskGraphBuilder& builder, const Document& document, const Node& list, const Names& names,
                      const std::vector<Placed>& placed, TaskId id, std::int64_t& split_edges, Faults& faults) {
  const Node& after = *list.items[index(id)].find("after");
  std::unordered_set<TaskId> before;
  for (std::size_t j = 0; j < after.items.size(); ++j) {
    const Node& item = after.items[j];
    const bool is_word = item.kind == Node::Kind::kText;
    const Node& word = is_word ? item : *item.find("task");
    const std::string path = task_path(index(id)) + ".after[" + std::to_string(j) + "]";
    faults.attempt([&] {
      const TaskId predecessor = names.find(word, is_word ? path : path + ".task");
      if (!before.insert(predecessor).second) throw InputError(document.at(word), path + ": " + in_quotes(word.text) + " is listed twice");
      check_layers(document, list, predecessor, id, word, path);
      const Node* stated = is_word ? nullptr : item.find("bytes");
      const Bytes bytes{stated ? stated->integer : 0};
      const Placed& from = placed[index(predecessor)];
      const Placed& to = placed[index(id)];
      const bool split = is_split(list.items[index(predecessor)]);
      if (split) split_edges += static_cast<std::int64_t>(from.size() * to.size());
      if (split_edges > kMostSplitEdges)
        throw InputError(document.at(word), path + ": with the " + std::to_string(from.size()) + " blocks of " + in_quotes(word.text) +
                                                ", which is split, the graph has more than " + std::to_string(kMostSplitEdges) +
                                                " dependencies between blocks; a task of kernel 'empty' between the two grids saves most");
      add_edges(builder, from, to, bytes, split);
    });
  }
}

/// That a collective's devices are different ones, and its root one of them.
void check_group(const Document& document, const Node& group, const Node* root, const std::string& path) {
  std::set<std::int64_t> devices;
  for (const Node& device : group.items) {
    if (!devices.insert(device.integer).second)
      throw InputError(document.at(device), path + ".group: device " + device.text + " stands twice; a collective has a rank a device");
  }
  if (root && !devices.contains(root->integer))
    throw InputError(document.at(*root), path + ".root: device " + root->text + " is none of the group");
}

/// Numbers buffers by their names as these come, from 1 on.
class Buffers {
 public:
  std::int32_t number(const std::string& name) {
    const auto [found, added] = numbers_.emplace(name, static_cast<std::int32_t>(names_.size()) + 1);
    if (added) names_.push_back(name);
    return found->second;
  }
  std::vector<std::string> take_names() { return std::move(names_); }

 private:
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::vector<std::string> names_;
};

}  // namespace

std::size_t listed_place(const Node& list, TaskId task) {
  std::size_t place = 0;
  for (std::size_t before = 0; place + 1 < list.items.size(); ++place) {
    const Node* const group = list.items[place].find("group");
    const bool split = is_split(list.items[place]);
    const Node* const blocks = split ? list.items[place].find("blocks") : nullptr;
    const Node* const parts = split ? list.items[place].find("part_times_ns") : nullptr;
    before += group ? group->items.size() : parts ? parts->items.size() : blocks ? static_cast<std::size_t>(blocks->integer) : 1;
    if (before > index(task)) break;
  }
  return place;
}

namespace {

/// A task for each block of a grid that is split, with what a block takes; of parts, each on a core of its type.
Placed add_blocks(TaskGraphBuilder& builder, StatedKernels& kernels, const std::string& name, const ListedTask& grid) {
  Placed blocks;
  const auto count = static_cast<std::size_t>(grid.traits.blocks);
  for (std::size_t k = 0; k < count; ++k) {
    auto [task, traits] = grid;
    traits.blocks = 1;
    traits.split_of = grid.traits.blocks;
    if (!grid.traits.parts.empty()) {
      task.cost.time = grid.traits.parts[k];
      if (task.core_type == CoreType::kMix)
        task.core_type = k < static_cast<std::size_t>(grid.traits.aic) ? CoreType::kAic : CoreType::kAiv;
      traits.parts.clear();
      traits.aic = traits.aiv = 0;
    }
    traits.output = even_share(grid.traits.output, k, count);
    if (is_own(task.kernel)) kernels.number_block(task, k, count);
    task.traits = builder.add_traits(traits);
    blocks.emplace_back(task.device, builder.add_task(name + "." + std::to_string(k), task));
  }
  return blocks;
}

}  // namespace

TaskGraphBuilder listed_tasks(const Document& document, const Node& list, StatedKernels& kernels) {
  Faults faults;
  const Names names(document, list, faults);
  TaskGraphBuilder builder;
  Buffers buffers;
  std::vector<Placed> placed(list.items.size());
  std::int32_t collectives = 0;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    ListedTask listed;
    faults.attempt([&] { listed = task_from({document, list.items[i], task_path(i)}, kernels); });
    if (const Node* buffer = list.items[i].find("buffer")) listed.task.args[0] = buffers.number(buffer->text);
    if (const Node* uses = list.items[i].find("uses")) {
      std::set<std::int32_t> numbers;
      for (const Node& used : uses->items) numbers.insert(buffers.number(used.text));
      listed.traits.uses.assign(numbers.begin(), numbers.end());
    }
    listed.task.traits = builder.add_traits(listed.traits);
    const std::string& name = list.items[i].find("name")->text;
    const Node* const group = list.items[i].find("group");
    if (const Node* split = list.items[i].find("split"); split && split->boolean && listed.traits.blocks > 1) {
      for (int k = 0; k < listed.traits.blocks; ++k)
        faults.attempt([&] { names.refuse_other(name + "." + std::to_string(k), "block", document, *split, task_path(i) + ".split"); });
      faults.attempt([&] { placed[i] = add_blocks(builder, kernels, name, listed); });
      continue;
    }
    if (!group) {
      placed[i] = {{listed.task.device, builder.add_task(name, listed.task)}};
      continue;
    }
    listed.task.args[1] = ++collectives;
    for (const Node& device : group->items) {
      listed.task.device = static_cast<std::int32_t>(device.integer);
      const std::string rank = name + "@" + device.text;
      faults.attempt([&] { names.refuse_other(rank, "rank", document, *group, task_path(i) + ".group"); });
      placed[i].emplace_back(listed.task.device, builder.add_task(rank, listed.task));
    }
    faults.attempt([&] { check_group(document, *group, list.items[i].find("root"), task_path(i)); });
  }
  std::int64_t split_edges = 0;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    if (list.items[i].find("after")) add_predecessors(builder, document, list, names, placed, task_id(i), split_edges, faults);
    if (const Node* spawner = list.items[i].find("spawned_by"))
      faults.attempt([&] {
        const TaskId parent = names.find(*spawner, task_path(i) + ".spawned_by");
        if (is_split(list.items[index(parent)]))
          throw InputError(document.at(*spawner), task_path(i) + ".spawned_by: " + in_quotes(spawner->text) +
                                                      " is split, so that several tasks end in its place; name one that is not");
        for (const auto& [device, child] : placed[i]) builder.set_spawner(child, placed[index(parent)].front().second);
      });
  }
  faults.check();
  builder.name_buffers(buffers.take_names());
  if (!kernels.empty()) builder.set_problem(kernels.own());
  return builder;
}

TaskGraphBuilder checked_tasks(const Node& list) {
  schema::Json fields;
  for (const TaskField& field : task_fields()) fields[std::string(field.name)] = field.schema;
  const schema::Json tasks = schema::list("", schema::map("", std::move(fields), {"name"}), 0);
  require(tasks, tasks, list, "graph.tasks");
  StatedKernels none;
  return listed_tasks({}, list, none);
}

void check_tabled_field(const std::string& name, const Node& value, const std::string& path) {
  const TaskField& field = tabled_field(name);
  if (!is_in_range(field, value)) require(field.schema, field.schema, value, path + "." + name);
}

ListedTask tabled_task(const Node& row, const std::string& path) {
  StatedKernels none;
  return task_from({{}, row, path}, none);
}

TaskGraphBuilder tabled_tasks(std::size_t count, std::span<const TaskColumn> columns) {
  const Document document;
  std::vector<const TaskField*> fields;
  Node row;
  row.kind = Node::Kind::kMap;
  for (const TaskColumn& column : columns) {
    fields.push_back(&tabled_field(column.field));
    row.keys.push_back({column.field});
    row.items.emplace_back();
  }
  TaskGraphBuilder builder;
  StatedKernels none;
  for (std::size_t i = 0; i < count; ++i) {
    const Entry entry{document, row, task_path(i)};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].same && i > 0) continue;
      row.items[c] = columns[c].value(i);
      if (!is_in_range(*fields[c], row.items[c]))
        require(fields[c]->schema, fields[c]->schema, row.items[c], entry.path + "." + columns[c].field);
    }
    auto [task, traits] = task_from(entry, none);
    task.traits = builder.add_traits(traits);
    builder.add_task("t" + std::to_string(i), task);
  }
  return builder;
}

}  // namespace tasktwin::scenarios
