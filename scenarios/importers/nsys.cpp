#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>

#include "models/base/error.hpp"
#include "scenarios/formats/sqlite_file.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/importers/trace/trace.hpp"

namespace tasktwin::scenarios {

namespace {

using namespace std::string_view_literals;

const std::string kPrefix = "CUPTI_ACTIVITY_KIND_";

/// ENUM_CUPTI_SYNC_TYPE, ENUM_CUDA_MEMCPY_OPER and ENUM_CUDA_MEM_KIND.
constexpr std::int64_t kSyncEvent = 1;
constexpr std::int64_t kSyncStreamWait = 2;
struct CopyKind {
  std::int64_t number;
  std::string_view way;
  Operation operation;
  bool migration = false;  ///< of pages of unified memory
};
/// A copy within the device takes no link; one within the host's memory takes neither link nor core.
constexpr std::array kCopyKinds{
    CopyKind{1, "HtoD", Operation::kCopyH2d},        CopyKind{2, "DtoH", Operation::kCopyD2h},
    CopyKind{3, "HtoA", Operation::kCopyH2d},        CopyKind{4, "AtoH", Operation::kCopyD2h},
    CopyKind{5, "AtoA", Operation::kKernel},         CopyKind{6, "AtoD", Operation::kKernel},
    CopyKind{7, "DtoA", Operation::kKernel},         CopyKind{8, "DtoD", Operation::kKernel},
    CopyKind{9, "HtoH", Operation::kHost},           CopyKind{10, "PtoP", Operation::kCopyP2p},
    CopyKind{11, "HtoD", Operation::kCopyH2d, true}, CopyKind{12, "DtoH", Operation::kCopyD2h, true},
    CopyKind{13, "PtoP", Operation::kCopyP2p, true},
};
/// Of a kind that is none of these.
constexpr CopyKind kUnknownCopy{0, "of unknown kind", Operation::kKernel};
constexpr std::int64_t kPageable = 0;

class NsysReader {
 public:
  explicit NsysReader(const std::string& path) : file_(path) {}

  Trace read() {
    file_.rows("StringIds", {"id", "value"}, [this](const SqliteRow& row) { strings_.emplace(row.integer(0), row.text(1)); });
    devices();
    kernels();
    copies();
    memsets();
    calls();
    joins();
    ranges();
    hint();
    return std::move(trace_);
  }

  bool is_export() const {
    return file_.has_table("StringIds") && (file_.has_table("EXPORT_META_DATA") || file_.has_table("META_DATA_EXPORT"));
  }

 private:
  std::string_view string(std::int64_t id) const {
    const auto found = strings_.find(id);
    return found == strings_.end() ? "?"sv : std::string_view(found->second);
  }

  void devices() {
    file_.rows("TARGET_INFO_GPU",
               {"id", "cuDevice", "name", "smCount", "maxWarpsPerSm", "threadsPerWarp", "maxRegistersPerSm", "maxShmemPerSm",
                "maxBlocksPerSm", "computeMajor", "computeMinor"},
               [this](const SqliteRow& row) {
                 trace_.devices.push_back({.id = row.has(1) ? row.integer(1) : row.integer(0),
                                           .name = std::string(row.text(2)),
                                           .cores = row.integer(3),
                                           .threads = row.integer(4) * row.integer(5),
                                           .registers = row.integer(6),
                                           .shared_memory = row.integer(7),
                                           .blocks = row.integer(8),
                                           .major = row.integer(9),
                                           .minor = row.integer(10)});
               });
  }

  /// The columns that tables of device work begin with.
  static std::vector<std::string_view> with_head(std::vector<std::string_view> more) {
    std::vector<std::string_view> columns{"start", "end", "deviceId", "streamId", "correlationId", "graphNodeId"};
    columns.insert(columns.end(), more.begin(), more.end());
    return columns;
  }
  static constexpr std::size_t kHead = 6;
  static constexpr std::size_t kNeeded = 4;  ///< of these

  TraceOp head(const SqliteRow& row, const std::string& table) const {
    TraceOp op;
    op.start = row.integer(0);
    op.end = row.integer(1);
    if (op.end < op.start) file_.refuse_row(kPrefix + table, "ends " + std::to_string(op.start - op.end) + " ns before it starts");
    for (const std::size_t number : {2u, 3u}) {
      if (row.integer(number) < 0 || row.integer(number) > std::numeric_limits<std::int32_t>::max())
        file_.refuse_row(kPrefix + table, std::string(number == 2 ? "device " : "stream ") + std::to_string(row.integer(number)) +
                                              " is none; must be 0 to 2147483647");
    }
    op.device = static_cast<std::int32_t>(row.integer(2));
    op.stream = static_cast<std::int32_t>(row.integer(3));
    op.correlation = row.has(4) ? row.integer(4) : -1;
    op.node = row.has(5) ? row.integer(5) : -1;
    return op;
  }

  void kernels() {
    const auto columns = with_head({"shortName", "demangledName", "registersPerThread", "gridX", "gridY", "gridZ", "blockX", "blockY",
                                    "blockZ", "staticSharedMemory", "dynamicSharedMemory"});
    file_.rows(
        kPrefix + "KERNEL", columns,
        [this](const SqliteRow& row) {
          TraceOp op = head(row, "KERNEL");
          op.name = trace_.texts.number(string(row.integer(row.has(kHead) ? kHead : kHead + 1)));
          const auto product = [&](std::size_t first) { return row.integer(first) * row.integer(first + 1) * row.integer(first + 2); };
          const TraceShape shape{std::max<std::int64_t>(1, product(kHead + 3)),
                                 static_cast<std::int32_t>(std::clamp<std::int64_t>(product(kHead + 6), 0, 1 << 20)),
                                 static_cast<std::int32_t>(std::clamp<std::int64_t>(row.integer(kHead + 2), 0, 1 << 16)),
                                 std::max<std::int64_t>(0, row.integer(kHead + 9) + row.integer(kHead + 10))};
          op.shape = number(shape);
          trace_.ops.push_back(op);
        },
        kNeeded);
  }

  std::uint32_t number(const TraceShape& shape) {
    const auto key = std::tuple(shape.blocks, shape.threads, shape.registers, shape.shared_memory);
    const auto [found, is_new] = shapes_.emplace(key, static_cast<std::uint32_t>(trace_.shapes.size()));
    if (is_new) trace_.shapes.push_back(shape);
    return found->second;
  }

  void copies() {
    std::int64_t unknown_copies = 0;
    file_.rows(
        kPrefix + "MEMCPY", with_head({"bytes", "copyKind", "srcKind", "dstKind"}),
        [&](const SqliteRow& row) {
          TraceOp op = head(row, "MEMCPY");
          op.bytes = bytes(row, "MEMCPY");
          const auto found = std::ranges::find(kCopyKinds, row.integer(kHead + 1), &CopyKind::number);
          const CopyKind& kind = found == kCopyKinds.end() ? kUnknownCopy : *found;
          unknown_copies += found == kCopyKinds.end() ? 1 : 0;
          op.operation = kind.operation;
          op.migration = kind.migration;
          if (op.migration) {
            op.correlation = -1;
            op.stream = std::numeric_limits<std::int32_t>::min() + static_cast<std::int32_t>(kind.number);  // no stream of the program's
          }
          const std::size_t host_end = op.operation == Operation::kCopyH2d ? kHead + 2 : kHead + 3;
          op.pageable = touches_host_memory(op.operation) && !op.migration && row.has(host_end) && row.integer(host_end) == kPageable;
          op.name = trace_.texts.number((op.migration ? "Page migration " : "Memcpy ") + std::string(kind.way));
          op.shape = number({});
          trace_.ops.push_back(op);
        },
        kNeeded);
    if (unknown_copies > 0)
      trace_.remarks.push_back(std::to_string(unknown_copies) + (unknown_copies == 1 ? " copy has" : " copies have") +
                               " a copyKind that is unknown: taken to be within the device, where it takes no link");
  }

  void memsets() {
    file_.rows(
        kPrefix + "MEMSET", with_head({"bytes"}),
        [this](const SqliteRow& row) {
          TraceOp op = head(row, "MEMSET");
          op.bytes = bytes(row, "MEMSET");
          op.operation = Operation::kMemset;
          op.name = trace_.texts.number("Memset");
          op.shape = number({});
          trace_.ops.push_back(op);
        },
        kNeeded);
  }

  std::int64_t bytes(const SqliteRow& row, const std::string& table) const {
    if (!row.is_integer(kHead) || row.integer(kHead) < 0) file_.refuse_row(kPrefix + table, "'bytes' is no whole number from 0 on");
    return row.integer(kHead);
  }

  void calls() {
    std::map<std::int64_t, std::int64_t> processes;
    file_.rows(kPrefix + "RUNTIME", {"start", "end", "globalTid", "correlationId", "nameId"}, [&](const SqliteRow& row) {
      TraceCall call;
      call.begin = row.integer(0);
      call.end = row.integer(1);
      if (call.end < call.begin)
        file_.refuse_row(kPrefix + "RUNTIME", "ends " + std::to_string(call.begin - call.end) + " ns before it starts");
      call.thread = thread(row.integer(2));
      call.correlation = row.has(3) ? row.integer(3) : -1;
      call.name = trace_.texts.number(string(row.integer(4)));
      call.kind = call_kind(trace_.texts[call.name]);
      call.cooperative = is_cooperative_launch(trace_.texts[call.name]);
      trace_.calls.push_back(call);
      ++processes[row.integer(2) >> 24];
    });
    trace_.processes = static_cast<std::int64_t>(processes.size());
  }

  std::uint32_t thread(std::int64_t global_tid) {
    const auto [found, is_new] = threads_.emplace(global_tid, static_cast<std::uint32_t>(trace_.threads.size()));
    if (is_new) trace_.threads.push_back(std::to_string(global_tid & 0xFFFFFF));
    return found->second;
  }

  /// What SYNCHRONIZATION and CUDA_EVENT say of the calls of their correlations.
  void joins() {
    std::unordered_map<std::int64_t, std::uint32_t> by_correlation;
    for (std::uint32_t i = 0; i < trace_.calls.size(); ++i) {
      if (trace_.calls[i].kind != TraceCallKind::kOther) by_correlation.emplace(trace_.calls[i].correlation, i);
    }
    std::unordered_map<std::int64_t, std::int64_t> by_sync_id;  // eventSyncId: correlation of the record
    std::unordered_map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>> by_event;  // eventId: begin and correlation
    file_.rows(kPrefix + "CUDA_EVENT", {"streamId", "correlationId", "eventId", "eventSyncId"}, [&](const SqliteRow& row) {
      const auto found = by_correlation.find(row.integer(1));
      if (found == by_correlation.end()) return;
      TraceCall& record = trace_.calls[found->second];
      record.stream = static_cast<std::int32_t>(row.integer(0));
      if (row.has(3)) by_sync_id[row.integer(3)] = record.correlation;
      by_event[row.integer(2)].emplace_back(record.begin, record.correlation);
    });
    for (auto& [event, records] : by_event) std::ranges::sort(records);
    file_.rows(kPrefix + "SYNCHRONIZATION", {"streamId", "correlationId", "syncType", "eventId", "eventSyncId"}, [&](const SqliteRow& row) {
      const auto found = by_correlation.find(row.integer(1));
      if (found == by_correlation.end()) return;
      TraceCall& call = trace_.calls[found->second];
      const bool of_event = row.integer(2) == kSyncEvent || row.integer(2) == kSyncStreamWait;
      if (row.integer(2) != kSyncEvent && row.has(0) && row.integer(0) != 4294967295)
        call.stream = static_cast<std::int32_t>(row.integer(0));
      if (!of_event) return;
      if (row.has(4) && by_sync_id.contains(row.integer(4))) {
        call.record = by_sync_id[row.integer(4)];
        return;
      }
      // Older exports know the event alone: it was recorded last before the call.
      const auto records = by_event.find(row.integer(3));
      if (records == by_event.end()) return;
      const auto behind = std::ranges::lower_bound(records->second, std::pair(call.begin, std::int64_t{0}));
      if (behind != records->second.begin()) call.record = std::prev(behind)->second;
    });
  }

  void ranges() {
    file_.rows("NVTX_EVENTS", {"start", "end", "globalTid", "text", "textId"}, [this](const SqliteRow& row) {
      if (!row.has(1)) return;
      const std::string name(row.has(3) ? row.text(3) : string(row.integer(4)));
      add_annotation(trace_, name, std::max<std::int64_t>(0, row.integer(1) - row.integer(0)));
      trace_.ranges.push_back({row.integer(0), row.integer(1), thread(row.integer(2)), trace_.texts.number(name)});
    });
  }

  void hint() {
    std::int64_t graphs = 0;
    file_.rows(kPrefix + "GRAPH_TRACE", {"start"}, [&graphs](const SqliteRow&) { ++graphs; });
    if (graphs > 0)
      trace_.remarks.push_back(
          std::to_string(graphs) +
          " graph launches are recorded as wholes, without their nodes, and left out: profile with --cuda-graph-trace=node");
    trace_.no_ops_hint = "it has no kernel, copy or memset (tables " + kPrefix + "KERNEL, MEMCPY, MEMSET)" +
                         (graphs > 0 ? "; its " + std::to_string(graphs) +
                                           " graph launches are recorded without their nodes: profile with --cuda-graph-trace=node"
                                     : ". Usual causes: nsys was not asked for CUDA (--trace=cuda); counters are not permitted; the "
                                       "program ended before the GPU had");
  }

  SqliteFile file_;
  Trace trace_;
  std::unordered_map<std::int64_t, std::string> strings_;
  std::map<std::tuple<std::int64_t, std::int32_t, std::int32_t, std::int64_t>, std::uint32_t> shapes_;
  std::unordered_map<std::int64_t, std::uint32_t> threads_;
};

/// What Nsight Systems exports as SQLite ('nsys export --type sqlite'), of any version: tables and columns that are not there are not
/// missed until something needs them.
bool is_nsys(const FileHead& head) { return head.text.starts_with("SQLite format 3\0"sv); }

/// Throws InputError for what is no such export, and as program_of does.
Imported import_nsys(const std::string& path, const ImportOptions& options) {
  NsysReader reader(path);
  if (!reader.is_export())
    throw InputError({path}, "is an SQLite database, but no export of Nsight Systems: it has no tables StringIds and EXPORT_META_DATA");
  return program_of(reader.read(), path, options);
}

}  // namespace

Importer nsys_importer() {
  return {"nsys", "what Nsight Systems exports as SQLite (nsys export --type sqlite)", is_nsys, import_nsys, kTraceOptions};
}

}  // namespace tasktwin::scenarios
