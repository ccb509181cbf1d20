#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "gpu/capture/spool_writer.hpp"

namespace tasktwin::tests {

namespace spool = gpu::capture;

/// The spool file of a program that never ran, as the capture library writes it. Times are ns from the program's begin.
class CapturedProgram {
 public:
  explicit CapturedProgram(const std::filesystem::path& folder, std::uint64_t limit = std::uint64_t{64} << 20)
      : spool_(folder / "1.spool", limit), log_(spool_, 11, "main") {
    head().cuda_loaded = 1;
    head().ended_normally = 1;
    head().pid = 7;
    name(kLaunchId, "cudaLaunchKernel");
    name(kRecordId, "cudaEventRecord");
    name(kOtherId, "cudaStreamWaitEvent");
  }

  spool::SpoolHead& head() { return spool_.head(); }
  spool::ThreadLog& log() { return log_; }

  void function(std::uint32_t id, std::string_view mangled) {
    log_.write(spool::FunctionRecord{{}, id, static_cast<std::uint32_t>(mangled.size())}, mangled);
  }

  spool::CallRecord record(spool::Op op, std::uint32_t stream, std::uint64_t begin_ns, std::uint64_t end_ns) {
    spool::CallRecord call{};
    call.op = op;
    call.cbid = op == spool::Op::kKernel ? kLaunchId : op == spool::Op::kEventRecord ? kRecordId : kOtherId;
    call.flags = spool::kHasArguments | spool::kHasStream;
    call.correlation = ++correlation_;
    call.begin_ns = begin_ns;
    call.end_ns = end_ns;
    call.stream = stream;
    call.context = 1;
    return call;
  }

  /// These three return the call's correlation.
  std::uint32_t call(spool::Op op, std::uint32_t stream, std::uint64_t begin_ns, const spool::OtherArguments& arguments = {}) {
    return put(record(op, stream, begin_ns, begin_ns + 100), arguments);
  }
  std::uint32_t put(const spool::CallRecord& call, const spool::OtherArguments& arguments) {
    write(call, &arguments, sizeof arguments);
    return call.correlation;
  }
  std::uint32_t launch(std::uint32_t stream, std::uint64_t begin_ns, const std::vector<std::uint64_t>& addresses = {},
                       std::uint64_t node = 0) {
    spool::CallRecord call = record(spool::Op::kKernel, stream, begin_ns, begin_ns + 100);
    call.has_kernel = 1;
    call.node = node;
    spool::KernelArguments kernel{};
    kernel.grid = {4, 1, 1};
    kernel.block = {32, 1, 1};
    kernel.pointer_count = static_cast<std::uint32_t>(addresses.size());
    std::vector<std::byte> bytes(sizeof kernel + addresses.size() * sizeof(spool::PointerArgument));
    std::memcpy(bytes.data(), &kernel, sizeof kernel);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const spool::PointerArgument pointer{static_cast<std::uint32_t>(i), 0, addresses[i]};
      std::memcpy(bytes.data() + sizeof kernel + i * sizeof pointer, &pointer, sizeof pointer);
    }
    write(call, bytes.data(), bytes.size());
    return call.correlation;
  }

  /// A kernel on the device.
  void run(std::uint32_t correlation, std::uint32_t stream, std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t node = 0) {
    spool::KernelRun kernel{};
    kernel.begin_ns = begin_ns;
    kernel.end_ns = end_ns;
    kernel.correlation = correlation;
    kernel.context = 1;
    kernel.stream = stream;
    kernel.grid = {4, 1, 1};
    kernel.block = {32, 1, 1};
    kernel.carveout_percent = -1;
    kernel.node = node;
    log_.write(kernel);
  }

  void range(std::string_view text, std::uint64_t begin_ns, std::uint64_t end_ns) {
    log_.write(spool::RangeBeginRecord{{}, begin_ns, 0, 0, static_cast<std::uint32_t>(text.size())}, text);
    log_.write(spool::RangeEndRecord{{}, end_ns, 0, 0});
  }

 private:
  static constexpr std::uint16_t kLaunchId = 211, kRecordId = 135, kOtherId = 147;

  void name(std::uint32_t cbid, std::string_view text) {
    log_.write(spool::ApiNameRecord{{}, 0, cbid, static_cast<std::uint32_t>(text.size())}, text);
  }

  void write(spool::CallRecord call, const void* behind, std::size_t bytes) {
    call.head = {spool::CallRecord::kKind, static_cast<std::uint16_t>((sizeof call + bytes) / 8)};
    std::byte* const place = log_.begin(sizeof call + bytes);
    std::memcpy(place, &call, sizeof call);
    std::memcpy(place + sizeof call, behind, bytes);
    log_.commit(sizeof call + bytes);
  }

  spool::SpoolWriter spool_;
  spool::ThreadLog log_;
  std::uint32_t correlation_ = 0;
};

}  // namespace tasktwin::tests
