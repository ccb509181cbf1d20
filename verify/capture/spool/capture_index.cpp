#include "verify/capture/spool/capture_index.hpp"

#include <algorithm>
#include <optional>

namespace tasktwin::verify {

namespace {

struct OpenRange {
  const spool::RangeBeginRecord* begin;
  std::uint32_t thread;
};

/// Pairs begins and ends of ranges.
class Ranges {
 public:
  explicit Ranges(std::vector<CapturedRange>& out) : out_(out) {}

  void begin(const spool::RangeBeginRecord& record, std::uint32_t thread) { open_.push_back({&record, thread}); }

  /// A pop ends what its thread pushed last in that domain, an end the range with its id, on any thread.
  void end(const spool::RangeEndRecord& record, std::uint32_t thread) {
    if (record.id != 0) {
      started_ends_[record.id] = record.time_ns;
      return;
    }
    const auto fits = [&](const OpenRange& one) {
      return one.thread == thread && one.begin->id == 0 && one.begin->domain == record.domain;
    };
    const auto found = std::find_if(open_.rbegin(), open_.rend(), fits);
    if (found == open_.rend()) return;
    put(*found, record.time_ns);
    open_.erase(std::next(found).base());
  }

  /// What no one ended lasts until `last_ns`.
  void finish(std::uint64_t last_ns) {
    for (const OpenRange& one : open_) {
      const auto end = started_ends_.find(one.begin->id);
      put(one, one.begin->id != 0 && end != started_ends_.end() ? end->second : last_ns);
    }
  }

 private:
  void put(const OpenRange& one, std::uint64_t end_ns) {
    out_.push_back({std::string(text_behind(*one.begin)), one.begin->time_ns, std::max(end_ns, one.begin->time_ns), one.thread,
                    one.begin->domain, one.begin->id == 0});
  }

  std::vector<CapturedRange>& out_;
  std::vector<OpenRange> open_;
  std::map<std::uint64_t, std::uint64_t> started_ends_;
};

}  // namespace

CaptureIndex::CaptureIndex(const SpoolFile& spool_file) : file(spool_file) {
  using Kind = spool::RecordKind;
  Ranges pairs(ranges);
  file.visit([&](const spool::RecordHead& record, std::uint32_t thread) {
    switch (record.kind) {
      case Kind::kThread:
        threads[thread] = as<spool::ThreadRecord>(record).name.data();
        break;
      case Kind::kCall:
        calls.push_back({&as<spool::CallRecord>(record), thread});
        last_ns = std::max(last_ns, calls.back().record->end_ns);
        break;
      case Kind::kFunction: {
        const auto& function = as<spool::FunctionRecord>(record);
        if (functions.size() <= function.function) functions.resize(function.function + 1);
        functions[function.function] = text_behind(function);
        break;
      }
      case Kind::kStream:
        streams.push_back(&as<spool::StreamRecord>(record));
        break;
      case Kind::kDevice:
        devices.push_back(&as<spool::DeviceRecord>(record));
        break;
      case Kind::kApiName: {
        const auto& name = as<spool::ApiNameRecord>(record);
        api_names[{name.driver, name.cbid}] = text_behind(name);
        break;
      }
      case Kind::kGraphNode:
      case Kind::kNodeClone:
      case Kind::kEdge:
      case Kind::kGraphExec:
        graph_steps.push_back({as<spool::EdgeRecord>(record).time_ns, &record});  // all four begin with their time
        break;
      case Kind::kRangeBegin:
        pairs.begin(as<spool::RangeBeginRecord>(record), thread);
        last_ns = std::max(last_ns, as<spool::RangeBeginRecord>(record).time_ns);
        break;
      case Kind::kRangeEnd:
        pairs.end(as<spool::RangeEndRecord>(record), thread);
        last_ns = std::max(last_ns, as<spool::RangeEndRecord>(record).time_ns);
        break;
      default:
        break;
    }
  });
  pairs.finish(last_ns);
  std::ranges::stable_sort(calls, {}, [](const CapturedCall& call) { return call.record->begin_ns; });
  std::ranges::stable_sort(graph_steps, {}, &GraphStep::time_ns);
}

}  // namespace tasktwin::verify
