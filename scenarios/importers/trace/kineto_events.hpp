#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "scenarios/importers/trace/trace.hpp"

namespace tasktwin::scenarios {

/// One event of traceEvents, field by field as they come; texts keep their memory from event to event.
struct KinetoEvent {
  static constexpr std::int64_t kAbsentNumber = INT64_MIN;

  std::string phase;
  std::string category;
  std::string name;
  std::string process;
  std::string thread;
  std::string sync_kind;
  std::string op;                    ///< of a call in a capture: what it does
  std::int64_t ts = kAbsentNumber;   ///< ns
  std::int64_t dur = kAbsentNumber;  ///< ns
  std::int64_t device = kAbsentNumber;
  std::int64_t stream = kAbsentNumber;
  std::int64_t call_stream = kAbsentNumber;
  std::int64_t correlation = kAbsentNumber;
  std::int64_t bytes = kAbsentNumber;
  std::int64_t registers = kAbsentNumber;
  std::int64_t shared_memory = kAbsentNumber;
  std::int64_t node = kAbsentNumber;
  std::int64_t channel = kAbsentNumber;
  std::int64_t record = kAbsentNumber;          ///< of a call: the correlation of the record that it waits for, −1 for one that never was
  std::int64_t wait_on_record = kAbsentNumber;  ///< of a cuda_sync event
  std::int64_t wait_on_stream = kAbsentNumber;
  std::int64_t graph_exec = kAbsentNumber;
  std::int64_t source = kAbsentNumber;   ///< of a copy, an address
  std::int64_t target = kAbsentNumber;   ///< of a copy or a memset
  std::int64_t address = kAbsentNumber;  ///< of what is allocated or freed
  std::vector<TraceMemoryUse::Pointer> pointers;
  std::vector<TraceMemoryUse::Tensor> tensors;
  std::vector<std::int64_t> undisturbed;  ///< of a call, ns: the time before it and its own, without device records
  std::int64_t grid = 1;                  ///< product
  std::int64_t block = 1;                 ///< product
  bool capturing = false;
  bool parameters_unknown = false;
  bool rows_apart = false;
  bool cooperative = false;

  void clear();
};

/// Collects events into a Trace.
class KinetoCollector {
 public:
  KinetoCollector(Trace& trace, const ImportOptions& options) : trace_(trace), options_(options) {}

  /// Empty, or why the event cannot be one.
  std::string take(const KinetoEvent& event);
  /// Joins what events say of each other. `capture`: the file is tasktwin's own.
  void finish(bool capture);

 private:
  /// A row of category cuda_sync: more of the call of its correlation.
  struct Sync {
    std::int64_t correlation;
    std::int64_t stream;
    std::int64_t record;
    std::int64_t record_stream;
    bool of_event;
  };

  std::string take_op(const KinetoEvent& event, Operation operation);
  std::string take_call(const KinetoEvent& event);
  void take_memory(const KinetoEvent& event);
  void take_range(const KinetoEvent& event, bool of_program);
  std::int32_t stream_number(std::int64_t stream);
  std::uint32_t thread(const KinetoEvent& event);
  std::uint32_t shape(const KinetoEvent& event);

  Trace& trace_;
  const ImportOptions& options_;
  std::vector<Sync> syncs_;
  std::unordered_map<std::string, std::uint32_t> threads_;
  std::unordered_map<std::string, std::int64_t> processes_;
  std::unordered_map<std::int64_t, std::int32_t> handles_;    ///< streams beyond 32 bits
  std::unordered_map<std::string, std::int64_t> incomplete_;  ///< events of categories that are looked at, by phases other than X
  std::unordered_map<std::string, std::int64_t> others_;      ///< events of categories that are not looked at
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> shapes_;
};

}  // namespace tasktwin::scenarios
