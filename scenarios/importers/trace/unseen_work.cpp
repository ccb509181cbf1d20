#include "scenarios/importers/trace/unseen_work.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <string>
#include <unordered_map>
#include <vector>

#include "scenarios/importers/trace/trace_remarks.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::string_view kNotThere = "work that is not in the file";
constexpr std::string_view kBefore = "work before the range";
/// No launch takes longer by itself; nor do launches of a file whose clocks differ, of which most then do.
constexpr std::int64_t kLongNs = 1'000'000;
constexpr std::int64_t kLongerThanMost = 10;
/// From the launch to that work, and from that to what waited for it: as quick as devices are.
constexpr std::int64_t kLatencyNs = 5'000;
constexpr std::int64_t kGapNs = 1'500;

/// An operation whose device was idle, by the file, from its launch on.
struct Late {
  std::uint32_t op;
  const TraceCall* call;
  std::int64_t by;  ///< ns from the return of its call
};

class Adding {
 public:
  Adding(Trace& trace, const TraceWindow& window)
      : trace_(trace), window_(window), is_capture_(!trace.uses.empty()), calls_(outermost_calls(trace)) {
    for (const TraceCall& call : trace.calls) correlation_ = std::max(correlation_, call.correlation);
    for (const TraceOp& op : trace.ops) correlation_ = std::max(correlation_, op.correlation);
  }

  void add() {
    const std::vector<std::pair<TraceOp, std::string>> rests = rests_of_earlier_work();
    const std::vector<Late> late = unexplained();
    add_rests(rests);
    add_before(late);
    if (before_.empty()) return;
    trace_.shapes.push_back({.blocks = 1, .threads = 32});
    std::vector<TraceCall> calls;
    for (const TraceCall& call : trace_.calls) {
      const auto [first, last] = before_.equal_range(&call);
      for (auto one = first; one != last; ++one) calls.push_back(one->second);
      calls.push_back(call);
    }
    trace_.calls = std::move(calls);
  }

 private:
  /// How a remark on `count` of them ends. Operations of captures keep their numbers, by which plans and reruns go.
  std::string what_stands(const std::string& what, std::size_t count, std::string_view name) const {
    if (is_capture_) return what + " counts as launching, since plans number the operations of a capture";
    return what + " stands " + (count == 1 ? "before it" : "before each") + " as a kernel called '" + std::string(name) +
           "' under every design";
  }

  /// What `call` launches, ahead of another call.
  void insert(TraceOp op, TraceCall call, const TraceCall& ahead_of, std::string_view name) {
    if (is_capture_) return;
    op.correlation = call.correlation = ++correlation_;
    op.name = trace_.texts.number(name);
    op.shape = static_cast<std::uint32_t>(trace_.shapes.size());
    op.unseen = true;
    trace_.ops.push_back(op);
    before_.emplace(&ahead_of, call);
  }

  const TraceCall* call_of(const TraceOp& op) const {
    const auto found = calls_.find(op.correlation);
    return found == calls_.end() ? nullptr : found->second;
  }

  bool is_within(const TraceOp& op) const {
    const TraceCall* const call = call_of(op);
    return window_.contains(call ? call->begin : op.start);
  }

  /// With the name of the operation that was the last.
  std::vector<std::pair<TraceOp, std::string>> rests_of_earlier_work() const {
    std::map<std::pair<std::int32_t, std::int32_t>, const TraceOp*> last;  // by device and stream, of what was launched before
    std::map<std::pair<std::int32_t, std::int32_t>, bool> used;            // by the window
    for (const TraceOp& op : trace_.ops) {
      if (op.migration) continue;
      const TraceCall* const call = call_of(op);
      const std::pair at(op.device, op.stream);
      if (is_within(op)) used[at] = true;
      if ((call ? call->begin : op.start) >= window_.begin || op.end <= window_.begin) continue;
      const TraceOp*& known = last[at];
      if (known == nullptr || known->end < op.end) known = &op;
    }
    std::vector<std::pair<TraceOp, std::string>> rests;
    for (const auto& [at, op] : last) {
      if (!used.contains(at)) continue;
      rests.push_back({{.start = window_.begin, .end = op->end, .stream = op->stream, .device = op->device},
                       short_kernel_name(trace_.texts[op->name])});
    }
    return rests;
  }

  void add_rests(const std::vector<std::pair<TraceOp, std::string>>& rests) {
    if (rests.empty()) return;
    const TraceCall* first = nullptr;
    for (const TraceCall& call : trace_.calls) {
      if (window_.contains(call.begin) && (first == nullptr || call.begin < first->begin)) first = &call;
    }
    if (first == nullptr) return;
    TraceCall call;
    call.begin = call.end = window_.begin;
    call.thread = first->thread;
    call.name = trace_.texts.number("");
    std::int64_t longest = 0;
    std::string name;
    for (const auto& [rest, last] : rests) {
      if (rest.end - rest.start > longest) name = last;
      longest = std::max(longest, rest.end - rest.start);
      insert(rest, call, *first, kBefore);
    }
    trace_.remarks.push_back((rests.size() == 1 ? "a stream was" : std::to_string(rests.size()) + " streams were") +
                             " busy with earlier launches when the range began (" + in_ms(longest) + " more, to the end of '" + name +
                             "'): " + what_stands("the rest of that", rests.size(), kBefore));
  }

  /// The first operation of each launch in the window before which nothing of its device and of the window ended since the launch began,
  /// where that took far longer than a launch does.
  std::vector<Late> unexplained() const {
    std::map<std::int32_t, std::vector<std::int64_t>> ends;  // by device
    std::unordered_map<std::int64_t, std::uint32_t> first;   // by correlation, the op that started first
    for (std::uint32_t i = 0; i < trace_.ops.size(); ++i) {
      const TraceOp& op = trace_.ops[i];
      ends[op.device].push_back(op.end);
      if (op.migration || call_of(op) == nullptr) continue;
      const auto [found, is_new] = first.emplace(op.correlation, i);
      if (!is_new && op.start < trace_.ops[found->second].start) found->second = i;
    }
    for (auto& [device, own] : ends) std::ranges::sort(own);
    std::vector<Late> late;
    std::vector<std::int64_t> usual;
    for (const std::uint32_t i : first | std::views::values) {
      const TraceOp& op = trace_.ops[i];
      const TraceCall& launch = *call_of(op);
      const std::vector<std::int64_t>& own = ends[op.device];
      const auto ended = std::ranges::lower_bound(own, launch.begin);
      if (!is_within(op) || (ended != own.end() && *ended <= op.start)) continue;
      usual.push_back(op.start - launch.end);
      if (launch.kind != TraceCallKind::kGraphLaunch) late.push_back({i, &launch, op.start - launch.end});
    }
    if (late.empty()) return late;
    const auto middle = usual.begin() + static_cast<std::ptrdiff_t>((usual.size() - 1) / 2);
    std::ranges::nth_element(usual, middle);
    const std::int64_t least =
        usual.size() == 1 ? kLongNs : std::max(kLongNs, kLongerThanMost * *middle);  // of one nobody knows what is usual
    std::erase_if(late, [least](const Late& one) { return one.by < least; });
    std::ranges::sort(late, {}, &Late::op);
    return late;
  }

  void add_before(const std::vector<Late>& late) {
    if (late.empty()) return;
    const auto longest = std::ranges::max_element(late, {}, &Late::by);
    const std::string name = short_kernel_name(trace_.texts[trace_.ops[longest->op].name]);
    for (const Late& one : late) {
      const TraceOp op = trace_.ops[one.op];
      TraceCall call = *one.call;
      const TraceOp work{.start = call.end + kLatencyNs, .end = op.start - kGapNs, .stream = op.stream, .device = op.device};
      call.begin = call.end = std::max(window_.begin, call.begin - 1);  // calls go by their begin
      call.kind = TraceCallKind::kOther;
      call.own_undisturbed = call.call_undisturbed = -1;
      call.cooperative = false;
      insert(work, call, *one.call, kNotThere);
    }
    const bool alone = late.size() == 1;
    trace_.remarks.push_back((alone ? "an operation begins" : std::to_string(late.size()) + " operations begin") +
                             " long after the launch, and nothing in the file kept " + (alone ? "it" : "them") + " ('" + name + "' by " +
                             in_ms(longest->by) +
                             "): " + what_stands("what its stream waited for, which the file does not have,", late.size(), kNotThere));
  }

  Trace& trace_;
  const TraceWindow& window_;
  bool is_capture_;
  std::unordered_map<std::int64_t, const TraceCall*> calls_;  ///< the outermost, by correlation
  std::int64_t correlation_ = 0;                              ///< the highest
  std::multimap<const TraceCall*, TraceCall> before_;         ///< what is called ahead of each
};

}  // namespace

void add_unseen_work(Trace& trace, const TraceWindow& window) { Adding(trace, window).add(); }

}  // namespace tasktwin::scenarios
