#include "models/runtimes/runtimes.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "models/base/error.hpp"

namespace tasktwin {

namespace {

bool is(const RuntimeForm& form, const Design& d) {
  return form.ready_queue.holds(d.ready_queue) && form.placement.holds(d.placement) && form.stealing.holds(d.stealing) &&
         form.stream_wait.holds(d.stream_wait);
}

/// "'a', 'b' or 'c'"
std::string either_of(std::span<const std::string> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

template <class E>
std::string quoted(AnyOf<E> set) {
  std::vector<std::string> words;
  for (const auto& [value, word] : Words<E>::entries) {
    if (set.holds(value)) words.push_back("'" + std::string(word) + "'");
  }
  return either_of(words);
}

/// In which axes a design differs from a runtime's form.
struct Differences {
  int count = 0;
  std::string text;  ///< "driver 'streams', not 'persistent', and …"

  template <class E>
  void add(std::string_view axis, AnyOf<E> right, E found) {
    if (right.holds(found)) return;
    text += (++count == 1 ? "" : ", and ") + std::string(axis) + " " + quoted(right) + ", not '" + std::string(to_word(found)) + "'";
  }
};

Differences differences(const Runtime& runtime, const RuntimeForm& form, const Design& d) {
  Differences found;
  found.add("driver", AnyOf{runtime.driver}, d.driver);
  found.add("release", AnyOf{runtime.release}, d.release);
  found.add("ready_queue", form.ready_queue, d.ready_queue);
  found.add("placement", form.placement, d.placement);
  found.add("stealing", form.stealing, d.stealing);
  found.add("stream_wait", form.stream_wait, d.stream_wait);
  return found;
}

/// Why the design is of no runtime: what those of its driver that differ in the fewest axes ask for.
std::string why_of_none(const Design& design) {
  int fewest = std::numeric_limits<int>::max();
  std::vector<std::string> nearest;
  for (const Runtime* const runtime : kRuntimes) {
    if (runtime->driver != design.driver) continue;
    for (const RuntimeForm& form : runtime->forms) {
      const Differences one = differences(*runtime, form, design);
      if (one.count > fewest) continue;
      if (one.count < fewest) nearest.clear();
      fewest = one.count;
      nearest.push_back("'" + std::string(runtime->name) + "' with " + one.text);
    }
  }
  return "no runtime has these axes together; the nearest is " + either_of(nearest);
}

struct Table {
  std::vector<Design> designs;
  std::vector<std::string_view> meanings;

  void add(const Runtime& runtime, const NamedDesign& named) {
    Design design{.name = std::string(named.name), .driver = runtime.driver, .release = runtime.release};
    if (named.set != nullptr) named.set(design);
    designs.push_back(std::move(design));
    meanings.push_back(named.meaning);
  }
};

const Table& named_table() {
  static const Table table = [] {
    Table all;
    const auto add_first = [&all](const Runtime& runtime) {
      if (!runtime.named.empty()) all.add(runtime, runtime.named.front());
    };
    for (const Runtime* const runtime : kRuntimes) {
      if (runtime->on_gpu) add_first(*runtime);
    }
    for (const Runtime* const runtime : kRuntimes) {
      for (const NamedDesign& further : runtime->named.subspan(std::min<std::size_t>(1, runtime->named.size()))) all.add(*runtime, further);
    }
    for (const Runtime* const runtime : kRuntimes) {
      if (!runtime->on_gpu) add_first(*runtime);
    }
    return all;
  }();
  return table;
}

/// Where an axis counts that a runtime does not list, and what that one lists.
std::string why_not_listed(const Runtime& runtime, std::string_view axis) {
  std::vector<std::string> others;
  for (const Runtime* const other : kRuntimes) {
    if (find_use(*other, axis) != nullptr) others.push_back("'" + std::string(other->name) + "'");
  }
  std::string listed;
  for (const AxisField& field : axis_fields()) {
    if (find_use(runtime, field.name) != nullptr) listed += (listed.empty() ? "" : ", ") + std::string(field.name);
  }
  return "it counts under " + either_of(others) + ", not under '" + std::string(runtime.name) + "', which reads " + listed;
}

}  // namespace

const Runtime* find_runtime(const Design& design) {
  for (const Runtime* const runtime : kRuntimes) {
    if (runtime->driver != design.driver || runtime->release != design.release) continue;
    if (std::ranges::any_of(runtime->forms, [&](const RuntimeForm& form) { return is(form, design); })) return runtime;
  }
  return nullptr;
}

const Runtime& runtime_of(const Design& design) {
  if (const Runtime* const found = find_runtime(design)) return *found;
  throw InputError("design '" + design.name + "': " + why_of_none(design));
}

const Runtime& runtime_of(const Design& design, const DesignPart& part) {
  Design own = design;
  own.parts.clear();
  if (part.release) own.release = *part.release;
  if (part.placement) own.placement = *part.placement;
  if (part.ready_queue) own.ready_queue = *part.ready_queue;
  if (own.ready_queue == ReadyQueue::kShared) own.placement = Placement::kAnyIdle;
  if (own.release == Release::kBarrier) own.ready_queue = ReadyQueue::kPerWorker;
  return runtime_of(own);
}

bool lists_some(const Design& design) { return design.ready_queue == ReadyQueue::kPerWorkerAndShared; }

bool has_queue_a_dispatcher(const Design& design) {
  return design.ready_queue == ReadyQueue::kPerDispatcher || design.ready_queue == ReadyQueue::kSharded;
}

bool asks_for_past_runs(const Design& design) { return design.placement == Placement::kLocality || design.own.placement; }

bool has_lists(const Design& design) { return runtime_of(design).resident() && is_static(design.placement); }

bool states_runtime(std::string_view axis) { return axis == "driver" || axis == "release"; }

const AxisUse* find_use(const Runtime& runtime, std::string_view axis) {
  const auto found = std::ranges::find(runtime.axes, axis, &AxisUse::axis);
  return found == runtime.axes.end() ? nullptr : &*found;
}

bool counts(const AxisField& axis, const Design& design) {
  if (states_runtime(axis.name)) return true;
  const AxisUse* const use = find_use(runtime_of(design), axis.name);
  return use != nullptr && (use->when == nullptr || use->when->holds(design));
}

void check_axes(const Design& design) {
  static const Design plain;
  const Runtime& runtime = runtime_of(design);
  for (const AxisField& field : axis_fields()) {
    if (field.is_default(design) || counts(field, design)) continue;
    const AxisUse* const use = find_use(runtime, field.name);
    throw InputError("design '" + design.name + "': " + std::string(field.name) + " has no effect here: " +
                     (use != nullptr ? "it needs " + std::string(use->when->needs) : why_not_listed(runtime, field.name)) +
                     "; leave it out, or set it to " + field.quoted(plain) + " where it comes from another design");
  }
}

std::span<const Design> named_designs() { return named_table().designs; }

std::span<const std::string_view> named_design_meanings() { return named_table().meanings; }

const Design& named_design(std::string_view name) {
  const auto designs = named_designs();
  const auto found = std::ranges::find(designs, name, &Design::name);
  if (found != designs.end()) return *found;
  std::vector<std::string_view> names;
  for (const Design& design : designs) names.push_back(design.name);
  throw InputError("unknown design '" + std::string(name) + "'" + suggest(name, names));
}

}  // namespace tasktwin
