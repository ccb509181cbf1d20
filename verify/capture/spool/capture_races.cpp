#include "verify/capture/spool/capture_races.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>

#include "models/dependences/kernel_signature.hpp"
#include "verify/capture/spool/call_state.hpp"
#include "verify/capture/spool/kernel_names.hpp"

namespace tasktwin::verify {

namespace {

using spool::Op;

/// Translates calls into steps of the check.
class Steps {
 public:
  Steps(const CaptureIndex& index, const std::vector<CapturedGraph>& graphs) {
    names_ = kernel_names(index.functions);
    for (const std::string& name : names_) {
      uses_.push_back(parameter_uses(name));
      structures_.push_back(structure_use(name));
    }
    for (const spool::StreamRecord* stream : index.streams) kinds_[stream->stream] = stream->kind;
    for (const CapturedGraph& graph : graphs) graphs_[graph.exec] = &graph;
    CallState state;
    for (const CapturedCall& call : index.calls) {
      const ResolvedCall resolved = state.resolve(*call.record);
      if (call.record->result == 0 && !resolved.capturing) take(*call.record, resolved);
    }
  }

  CapturedRaces check() const {
    CapturedRaces found{.races = {}, .unchecked_launches = unchecked_};
    std::map<std::tuple<RaceKind, std::string, std::string>, std::size_t> places;
    for (const Race& race : find_races(steps_, orders_)) {
      const CapturedRace one{race.kind, side(race.first), side(race.second), race.address, 1};
      const auto [place, fresh] = places.try_emplace({race.kind, one.first.what, one.second.what}, found.races.size());
      if (fresh) {
        found.races.push_back(one);
      } else {
        ++found.races[place->second].times;
      }
    }
    return found;
  }

 private:
  void take(const spool::CallRecord& call, const ResolvedCall& resolved) {
    const spool::OtherArguments& a = arguments_of(call);
    switch (call.op) {
      case Op::kKernel:
        work(call, kernel_accesses(call));
        if (resolved.event) add(call, {.kind = OrderStepKind::kRecord, .stream = stream_of(call), .record = call.correlation});
        break;
      case Op::kMemcpy:
      case Op::kMemset:
      case Op::kHostFunction:
        work(call, accesses(call));
        break;
      case Op::kGraphLaunch:
        work(call, graph_accesses(a.object));
        break;
      case Op::kEventRecord:
        add(call, {.kind = OrderStepKind::kRecord, .stream = stream_of(call), .record = call.correlation});
        break;
      case Op::kStreamWaitEvent:
        add(call, {.kind = OrderStepKind::kStreamWait, .stream = stream_of(call), .record = waited(resolved)});
        break;
      case Op::kEventSync:
      case Op::kEventQuery:
        add(call, {.kind = OrderStepKind::kHostWaitRecord, .record = waited(resolved)});
        break;
      case Op::kStreamSync:
      case Op::kStreamQuery:
        add(call, {.kind = OrderStepKind::kHostWaitStream, .stream = stream_of(call)});
        break;
      case Op::kDeviceSync:
        add(call, {.kind = OrderStepKind::kHostWaitAll});
        break;
      case Op::kMalloc:
      case Op::kMallocHost:
      case Op::kMallocManaged:
      case Op::kMemMap:
        add(call, {.kind = OrderStepKind::kAllocate, .address = a.address, .bytes = a.bytes});
        break;
      case Op::kMallocAsync:
        add(call, {.kind = OrderStepKind::kAllocate, .stream = stream_of(call), .address = a.address, .bytes = a.bytes});
        break;
      case Op::kFree:
      case Op::kFreeHost:
      case Op::kMemUnmap:
        add(call, {.kind = OrderStepKind::kFree, .address = a.address});
        break;
      case Op::kFreeAsync:
        add(call, {.kind = OrderStepKind::kFree, .stream = stream_of(call), .address = a.address});
        break;
      default:
        break;
    }
  }

  void add(const spool::CallRecord& call, OrderStep step) {
    steps_.push_back(std::move(step));
    calls_.push_back(&call);
  }

  void work(const spool::CallRecord& call, std::vector<MemoryAccess> accessed) {
    add(call, {.kind = OrderStepKind::kWork,
               .stream = stream_of(call),
               .host_waits = has(call, spool::kBlocking),
               .accesses = std::move(accessed)});
  }

  static std::uint32_t waited(const ResolvedCall& resolved) {
    if (!resolved.record || *resolved.record < 0) return OrderStep::kNone;
    return static_cast<std::uint32_t>(*resolved.record);
  }

  /// Numbered densely, as they come.
  std::uint32_t stream_of(const spool::CallRecord& call) {
    const auto [found, fresh] = numbers_.try_emplace(call.stream, static_cast<std::uint32_t>(orders_.size()));
    if (fresh) {
      const auto kind = kinds_.find(call.stream);
      const bool own = kind == kinds_.end() || kind->second == spool::StreamKind::kNonBlocking;
      orders_.push_back(own                                          ? StreamOrder::kOwn
                        : kind->second == spool::StreamKind::kLegacy ? StreamOrder::kLegacy
                                                                     : StreamOrder::kBlocking);
    }
    return found->second;
  }

  std::vector<MemoryAccess> kernel_accesses(const spool::CallRecord& call) {
    std::vector<MemoryAccess> accessed;
    if (call.has_kernel == 0) return accessed;
    const spool::KernelArguments& kernel = kernel_of(call);
    const bool known = kernel.function < uses_.size() && !uses_[kernel.function].empty();
    if (!known) {
      unchecked_ += kernel.pointer_count > 0 ? 1 : 0;
      return accessed;
    }
    if (const auto& structure = structures_[kernel.function]; structure && !structure->partly_filled)
      return structure_accesses(call, *structures_[kernel.function]);
    const std::vector<ParameterUse>& uses = uses_[kernel.function];
    for (const spool::PointerArgument* p = pointers_of(call); p != pointers_of(call) + kernel.pointer_count; ++p) {
      if (p->offset != 0 || p->parameter >= uses.size()) continue;
      const ParameterUse use = uses[p->parameter];
      if (use != ParameterUse::kReadOnly && use != ParameterUse::kReadWrite) continue;
      accessed.push_back({p->address, p->address + 1, use == ParameterUse::kReadWrite});
    }
    return accessed;
  }

  static std::vector<MemoryAccess> structure_accesses(const spool::CallRecord& call, const StructureUse& use) {
    std::vector<MemoryAccess> accessed;
    const std::span pointers(pointers_of(call), kernel_of(call).pointer_count);
    std::vector<ParameterWord> words;
    for (const spool::PointerArgument& one : pointers) words.push_back({one.parameter, one.offset});
    const std::vector<PointerUse> uses = pointer_uses(use, words);
    for (std::size_t i = 0; i < pointers.size(); ++i) {
      if (!uses[i].operand) continue;
      accessed.push_back({pointers[i].address, pointers[i].address + 1, uses[i].use == ParameterUse::kReadWrite});
    }
    return accessed;
  }

  static std::vector<MemoryAccess> accesses(const spool::CallRecord& call) {
    const spool::OtherArguments& a = arguments_of(call);
    std::vector<MemoryAccess> accessed;
    if (a.bytes == 0) return accessed;
    const std::uint64_t bytes = has(call, spool::kRowsApart) ? 1 : a.bytes;
    if (a.source != 0) accessed.push_back({a.source, a.source + bytes, false});
    if (a.address != 0) accessed.push_back({a.address, a.address + bytes, true});
    return accessed;
  }

  std::vector<MemoryAccess> graph_accesses(std::uint64_t exec) {
    std::vector<MemoryAccess> all;
    const auto graph = graphs_.find(exec);
    if (graph == graphs_.end()) return all;
    for (const CapturedNode& node : graph->second->nodes) {
      if (!node.call) continue;
      const std::vector<MemoryAccess> one = node.call->has_kernel != 0 ? kernel_accesses(*node.call) : accesses(*node.call);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }

  RaceSide side(std::size_t step) const {
    const spool::CallRecord& call = *calls_[step];
    const bool kernel = call.has_kernel != 0 && kernel_of(call).function < names_.size();
    return {call.correlation, kernel ? names_[kernel_of(call).function] : std::string(spool::kOpWords[static_cast<std::size_t>(call.op)]),
            call.stream};
  }

  std::vector<std::string> names_;
  std::vector<std::vector<ParameterUse>> uses_;
  std::vector<std::optional<StructureUse>> structures_;
  std::unordered_map<std::uint32_t, spool::StreamKind> kinds_;
  std::unordered_map<std::uint64_t, const CapturedGraph*> graphs_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
  std::vector<StreamOrder> orders_;
  std::vector<OrderStep> steps_;
  std::vector<const spool::CallRecord*> calls_;
  std::uint64_t unchecked_ = 0;
};

}  // namespace

CapturedRaces captured_races(const CaptureIndex& index, const std::vector<CapturedGraph>& graphs) { return Steps(index, graphs).check(); }

}  // namespace tasktwin::verify
