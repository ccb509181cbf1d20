#include <map>

#include "verify/capture/capture_writer.hpp"
#include "verify/capture/twin_calls.hpp"

namespace tasktwin::verify {

std::vector<std::optional<UndisturbedTime>> undisturbed_times(const CaptureIndex& kernels, const CaptureIndex& host) {
  const auto no_query = [](const spool::CallRecord& call) {
    return call.op != spool::Op::kEventQuery && call.op != spool::Op::kStreamQuery;
  };
  std::vector<UndisturbedTime> all;  // by call of `host`
  std::map<std::uint32_t, std::uint64_t> last_end;
  for (const auto& [record, thread] : host.calls) {
    const auto [end, fresh] = last_end.try_emplace(thread, record->begin_ns);
    all.push_back(
        {static_cast<std::int64_t>(record->begin_ns - end->second), static_cast<std::int64_t>(record->end_ns - record->begin_ns)});
    if (!has(*record, spool::kInside)) end->second = record->end_ns;
  }
  std::vector<std::optional<UndisturbedTime>> times;
  for (const std::optional<std::size_t>& twin : twin_calls(kernels, host, no_query))
    times.push_back(twin ? std::optional(all[*twin]) : std::nullopt);
  return times;
}

}  // namespace tasktwin::verify
