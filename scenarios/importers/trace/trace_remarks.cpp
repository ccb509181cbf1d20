#include "scenarios/importers/trace/trace_remarks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "scenarios/document/scalar.hpp"
#include "scenarios/files/quoted.hpp"

namespace tasktwin::scenarios {

namespace {

bool is_collective(std::string_view kernel) {
  constexpr std::array<std::string_view, 3> kNames{"ncclKernel", "ncclDevKernel", "rcclKernel"};
  return std::ranges::any_of(kNames, [kernel](std::string_view name) { return kernel.find(name) != std::string_view::npos; });
}

}  // namespace

std::string in_ms(std::int64_t ns) { return shortest(std::floor(static_cast<double>(ns) / 10'000) / 100) + " ms"; }

void remark_on_begin(const TraceRun& run, Imported& imported) {
  constexpr std::int64_t kLeastNs = 1'000'000;
  constexpr std::int64_t kLeastShare = 10;  // of what is simulated
  if (run.has_range) return;
  const TraceCall* longest = nullptr;
  std::int64_t begin = run.begin;
  for (const TraceCall& call : run.trace->calls) {
    if (call.end > run.begin) continue;
    begin = std::min(begin, call.begin);
    if (longest == nullptr || call.end - call.begin > longest->end - longest->begin) longest = &call;
  }
  const std::int64_t left_out = run.begin - begin;
  if (longest == nullptr || left_out < kLeastNs || left_out < (run.end - run.begin) / kLeastShare) return;
  imported.remarks.push_back(in_ms(left_out) + " of the host before its first call that gives the device work are left out, " +
                             in_ms(longest->end - longest->begin) + " of them in " + in_quotes(run.trace->texts[longest->name]));
}

void remark_on_ranks(const TraceRun& run, Imported& imported) {
  std::int64_t kernels = 0;
  std::int64_t time = 0;
  for (const TraceOp& op : run.ops) {
    if (op.operation != Operation::kKernel || !is_collective(run.trace->texts[op.name])) continue;
    ++kernels;
    time += op.end - op.start;
  }
  if (kernels == 0) return;
  imported.remarks.push_back(
      std::to_string(kernels) + (kernels == 1 ? " kernel" : " kernels") + " of NCCL (" + in_ms(time) +
      " together) count as bodies: the file is of one rank, so what they waited for other ranks is part of their times under every design");
}

}  // namespace tasktwin::scenarios
