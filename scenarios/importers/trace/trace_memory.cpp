#include "scenarios/importers/trace/trace_memory.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "models/base/name_pattern.hpp"
#include "models/dependences/kernel_signature.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/importers/trace/kernel_effects.hpp"

namespace tasktwin::scenarios {

namespace {

/// Memory from its allocation on.
struct Life {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t number = 0;
  bool host = false;
};

/// Allocations as they go.
class Memory {
 public:
  explicit Memory(const Trace& trace) : events_(trace.allocations) { std::ranges::stable_sort(events_, {}, &TraceAllocation::time); }

  /// Takes what happened until then; `freed` receives what a stream gives back.
  template <class Freed>
  void advance(std::int64_t time, Freed freed) {
    for (; next_ < events_.size() && events_[next_].time <= time; ++next_) {
      const TraceAllocation& event = events_[next_];
      if (event.free) {
        const auto life = lives_.find(event.address);
        if (life == lives_.end()) continue;
        if (event.stream != kNoStream) freed(event, life->second);
        lives_.erase(life);
        continue;
      }
      const auto same = lives_.find(event.address);
      // A library that maps memory that is registered tells of it twice.
      if (same != lives_.end() && same->second.end >= event.address + event.bytes) continue;
      lives_[event.address] = {event.address, event.address + event.bytes, ++count_, event.host};
    }
  }

  std::optional<Life> at(std::uint64_t address) const {
    auto found = lives_.upper_bound(address);
    if (found == lives_.begin()) return std::nullopt;
    --found;
    return address < found->second.end ? std::optional(found->second) : std::nullopt;
  }

 private:
  std::vector<TraceAllocation> events_;
  std::size_t next_ = 0;
  std::uint32_t count_ = 0;
  std::map<std::uint64_t, Life> lives_;
};

/// How a kernel's accesses are known.
enum class Known : std::uint8_t { kStated, kTyped, kByPointer };

/// What kernels of a name do.
struct KernelUses {
  const KernelEffect* effect = nullptr;
  std::vector<ParameterUse> parameters;  ///< by their types
  std::optional<StructureUse> structure;
  std::uint32_t collective_work = 0;
};

class Needs {
 public:
  Needs(const TraceRun& run, const HostProgram& program, std::vector<KernelEffect> effects)
      : run_(run),
        aligned_(program.order.size() == run.calls.size()),
        effects_(std::move(effects)),
        used_(effects_.size(), false),
        met_(effects_.size()),
        memory_(*run.trace) {
    made_.accesses.of.resize(run.ops.size());
    made_.accesses.unknown.assign(run.ops.size(), false);
    made_.accesses.with_host.assign(run.ops.size(), false);
  }

  ProgramNeeds find() {
    for (std::size_t i = 0; i < run_.calls.size(); ++i) take(i);
    for (std::size_t i = 0; i < effects_.size(); ++i) {
      const std::string entry = "effects[" + std::to_string(i) + "].";
      if (!used_[i])
        throw InputError(effects_[i].where, entry + "kernel: no kernel of the program" + (i > 0 ? ", but those of earlier entries," : "") +
                                                " goes by " + in_quotes(effects_[i].kernel));
      for (const PointerPlace& place : effects_[i].places) {
        if (!met_[i].contains({place.parameter, place.offset}))
          throw InputError(effects_[i].where, entry + "at: no kernel that goes by " + in_quotes(effects_[i].kernel) +
                                                  " was launched with a pointer at [" + std::to_string(place.parameter) + ", " +
                                                  std::to_string(place.offset) + "]");
      }
    }
    for (const auto& [stream, order] : run_.trace->stream_orders) {
      const auto number = run_.numbers.find(stream);
      if (number == run_.numbers.end()) continue;
      if (made_.accesses.orders.empty()) made_.accesses.orders.assign(run_.stream_count, StreamOrder::kOwn);
      made_.accesses.orders[number->second] = order;
    }
    made_.dependences = true_dependences(made_.accesses);
    return std::move(made_);
  }

 private:
  void take(std::size_t number) {
    const TraceRun::Call& call = run_.calls[number];
    memory_.advance(call.call.begin, [&](const TraceAllocation& event, const Life& life) {
      FreedMemory freed{.position = number, .stream = stream_of(event.stream), .users = {}};
      for (std::size_t task = 0; task < launched_; ++task) {
        if (uses(task, life)) freed.users.push_back(task_id(task));
      }
      if (!freed.users.empty()) made_.frees.push_back(std::move(freed));
    });
    for (std::uint32_t task = call.first; task < call.first + call.tasks; ++task) take_task(task, call);
    if (call.tasks > 0) launched_ = call.first + call.tasks;
  }

  std::uint32_t stream_of(std::int32_t as_traced) const {
    const auto found = run_.numbers.find(as_traced);
    return found == run_.numbers.end() ? 0 : found->second;
  }

  bool uses(std::size_t task, const Life& life) const {
    return std::ranges::any_of(made_.accesses.of[task],
                               [&life](const TaskAccess& access) { return access.begin < life.end && life.begin < access.end; });
  }

  const TraceMemoryUse* use_of(const TraceRun::Call& call, const TraceOp& op) const {
    if (call.call.kind != TraceCallKind::kGraphLaunch) {
      const auto found = run_.trace->uses.find(op.correlation);
      return found == run_.trace->uses.end() ? nullptr : &found->second;
    }
    const auto graph = run_.trace->graphs.find(call.call.graph);
    if (graph == run_.trace->graphs.end()) return nullptr;
    const auto node = std::ranges::find(graph->second.nodes, op.node, &TraceGraph::Node::id);
    return node == graph->second.nodes.end() ? nullptr : &node->uses;
  }

  void take_task(std::uint32_t task, const TraceRun::Call& call) {
    const TraceOp& op = run_.ops[task];
    const TraceMemoryUse* const use = use_of(call, op);
    made_.accesses.with_host[task] = touches_host_memory(op.operation) || op.migration;
    if (use == nullptr || use->unknown || op.migration || !aligned_) return take_unknown(task);
    if (op.operation != Operation::kKernel || use->target != 0) return take_copy(task, op, *use);
    take_kernel(task, op, *use);
  }

  void take_unknown(std::uint32_t task) {
    if (made_.accesses.unknown[task]) return;
    made_.accesses.unknown[task] = true;
    ++made_.unknown;
  }

  void take_copy(std::uint32_t task, const TraceOp& op, const TraceMemoryUse& use) {
    // A copy from or to an array has no address there.
    if (use.target == 0 || (use.source == 0 && op.operation != Operation::kMemset)) return take_unknown(task);
    const std::uint64_t bytes = use.rows_apart ? 0 : use.bytes;
    const auto tensor = [&use](std::size_t i) { return i < use.tensors.size() ? use.tensors[i] : TraceMemoryUse::Tensor{}; };
    const bool copies = use.source != 0;
    if (copies) touch(task, {use.source, bytes, {.read = true}, tensor(0)});
    touch(task, {use.target, bytes, {.write = true}, tensor(copies ? 1 : 0)});
    if (!made_.accesses.unknown[task]) ++made_.exact;
  }

  void take_kernel(std::uint32_t task, const TraceOp& op, const TraceMemoryUse& use) {
    const KernelUses& uses = uses_of(op.name);
    // A file of effects says what is done with what pointers point to, not what is reached from there.
    const auto has = [&uses](ParameterUse one) { return std::ranges::find(uses.parameters, one) != uses.parameters.end(); };
    if (has(ParameterUse::kAnything)) return take_unknown(task);
    if (has(ParameterUse::kHandle) && uses.effect == nullptr && !use.pointers.empty()) return take_unknown(task);
    const auto has_work = [&uses](const TraceMemoryUse::Pointer& one) { return one.offset >= uses.collective_work; };
    if (uses.collective_work > 0 && std::ranges::none_of(use.pointers, has_work)) return take_unknown(task);
    Known known = uses.effect != nullptr ? Known::kStated : uses.parameters.empty() && !uses.structure ? Known::kByPointer : Known::kTyped;
    if (uses.effect != nullptr && uses.effect->places.empty() && use.pointers.size() < uses.effect->pointers.size())
      throw InputError(uses.effect->where, "pointers: has " + std::to_string(uses.effect->pointers.size()) + " words, but " +
                                               in_quotes(short_kernel_name(run_.trace->texts[op.name])) + " was launched with " +
                                               std::to_string(use.pointers.size()) + " pointers");
    if (uses.effect != nullptr) {
      for (const TraceMemoryUse::Pointer& one : use.pointers)
        met_[static_cast<std::size_t>(uses.effect - effects_.data())].emplace(one.parameter, one.offset);
    }
    const std::vector<PointerUse> structured = uses_of_structure(uses, use.pointers);
    for (std::size_t i = 0; i < use.pointers.size(); ++i) {
      std::uint64_t bytes = 0;
      const PointerEffect one = structured.empty() ? use_of_pointer(uses, use.pointers, i, bytes, known) : effect(structured[i].use);
      const auto tensor = i < use.tensors.size() ? use.tensors[i] : TraceMemoryUse::Tensor{};
      if (one.read || one.write) touch(task, {use.pointers[i].address, bytes, one, tensor});
    }
    if (made_.accesses.unknown[task]) return;
    ++(known == Known::kStated ? made_.stated : known == Known::kTyped ? made_.typed : made_.by_pointer);
  }

  const KernelUses& uses_of(std::uint32_t name) {
    const auto [found, fresh] = kernels_.try_emplace(name);
    if (!fresh) return found->second;
    const std::string& text = run_.trace->texts[name];
    found->second.parameters = parameter_uses(text);
    found->second.structure = structure_use(text);
    found->second.collective_work = collective_work(text);
    for (std::size_t i = 0; i < effects_.size(); ++i) {
      if (found->second.effect != nullptr || !matches(effects_[i].kernel, text)) continue;
      found->second.effect = &effects_[i];
      used_[i] = true;
    }
    return found->second;
  }

  static PointerEffect effect(ParameterUse use) { return {.read = use != ParameterUse::kNone, .write = use == ParameterUse::kReadWrite}; }

  /// Empty where the kernel is none of those, or a file of effects says what it does.
  static std::vector<PointerUse> uses_of_structure(const KernelUses& uses, const std::vector<TraceMemoryUse::Pointer>& pointers) {
    if (!uses.structure || uses.effect != nullptr) return {};
    std::vector<ParameterWord> words;
    for (const TraceMemoryUse::Pointer& one : pointers)
      words.push_back({static_cast<std::uint32_t>(one.parameter), static_cast<std::uint32_t>(one.offset)});
    return pointer_uses(*uses.structure, words);
  }

  /// What a structure holds that nobody knows may be written.
  static PointerEffect use_of_pointer(const KernelUses& uses, const std::vector<TraceMemoryUse::Pointer>& pointers, std::size_t i,
                                      std::uint64_t& bytes, Known& known) {
    constexpr PointerEffect kAny{.read = true, .write = true};
    if (uses.effect != nullptr) {
      std::size_t word = i;
      if (!uses.effect->places.empty()) {
        const auto& places = uses.effect->places;
        word =
            static_cast<std::size_t>(std::ranges::find(places, PointerPlace{pointers[i].parameter, pointers[i].offset}) - places.begin());
      }
      if (word < uses.effect->bytes.size()) bytes = uses.effect->bytes[word];
      return word < uses.effect->pointers.size() ? uses.effect->pointers[word] : kAny;
    }
    const auto parameter = static_cast<std::size_t>(pointers[i].parameter);
    const ParameterUse typed = parameter < uses.parameters.size() ? uses.parameters[parameter] : ParameterUse::kNone;
    const bool plain = pointers[i].offset == 0 && (typed == ParameterUse::kReadOnly || typed == ParameterUse::kReadWrite);
    if (!plain) known = Known::kByPointer;
    return plain ? effect(typed) : kAny;
  }

  struct Touch {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;  ///< from there on; 0: the whole allocation
    PointerEffect effect = {};
    TraceMemoryUse::Tensor tensor = {};
  };

  void touch(std::uint32_t task, const Touch& touched) {
    const std::optional<Life> life = life_of(touched);
    if (life && life->host) made_.accesses.with_host[task] = true;
    std::vector<TaskAccess>& own = made_.accesses.of[task];
    const std::uint64_t begin = touched.bytes == 0 && life ? life->begin : touched.address;
    const std::uint64_t end = touched.bytes > 0 ? touched.address + touched.bytes : life ? life->end : touched.address;
    if (begin == end) return take_unknown(task);
    const std::uint32_t number = life ? life->number : 0;
    if (touched.effect.read) own.push_back({begin, end, false, number});
    if (touched.effect.write) own.push_back({begin, end, true, number});
  }

  /// A tensor's where it is known: less than the allocation, which a caching allocator has divided.
  std::optional<Life> life_of(const Touch& touched) const {
    std::optional<Life> life = memory_.at(touched.address);
    if (touched.tensor.life == 0 || touched.tensor.offset > touched.address) return life;
    const std::uint64_t begin = touched.address - touched.tensor.offset;
    return Life{begin, begin + touched.tensor.bytes, kTensorLife | touched.tensor.life, life && life->host};
  }

  const TraceRun& run_;
  bool aligned_;  ///< the program has the run's calls, one for one
  std::vector<KernelEffect> effects_;
  std::vector<bool> used_;                                            ///< by effect
  std::vector<std::set<std::pair<std::int64_t, std::int64_t>>> met_;  ///< by effect: places of pointers that its kernels were launched with
  Memory memory_;
  std::map<std::uint32_t, KernelUses> kernels_;  ///< by name
  std::uint32_t launched_ = 0;                   ///< tasks so far
  ProgramNeeds made_;
};

}  // namespace

ProgramNeeds program_needs(const TraceRun& run, const HostProgram& program, const std::string& effects) {
  return Needs(run, program, effects.empty() ? std::vector<KernelEffect>{} : read_kernel_effects(effects)).find();
}

}  // namespace tasktwin::scenarios
