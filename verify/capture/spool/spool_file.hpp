#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/capture/spool.hpp"

namespace tasktwin::verify {

namespace spool = gpu::capture;

/// A process's spool file, mapped and read only. Its records stay where they are for this object's life.
class SpoolFile {
 public:
  /// Throws RunError if it cannot be read or is none.
  explicit SpoolFile(const std::filesystem::path& path);
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  const spool::SpoolHead& head() const { return *reinterpret_cast<const spool::SpoolHead*>(data_); }

  /// Each whole record, with the thread that wrote it; those of a thread in order.
  void visit(const std::function<void(const spool::RecordHead& record, std::uint32_t thread)>& each) const;

 private:
  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// `record` as what its head says it is.
template <class Record>
const Record& as(const spool::RecordHead& record) {
  return reinterpret_cast<const Record&>(record);
}

/// What follows `record`, without an end mark.
template <class Record>
std::string_view text_behind(const Record& record) {
  return {reinterpret_cast<const char*>(&record + 1), record.name_bytes};
}

inline bool has(const spool::CallRecord& call, spool::CallFlag flag) { return (call.flags & flag) != 0; }

/// The arguments of a call that has some. Contract: it has a kernel.
inline const spool::KernelArguments& kernel_of(const spool::CallRecord& call) {
  return *reinterpret_cast<const spool::KernelArguments*>(&call + 1);
}
inline const spool::PointerArgument* pointers_of(const spool::CallRecord& call) {
  return reinterpret_cast<const spool::PointerArgument*>(&kernel_of(call) + 1);
}
/// Of a call without a kernel; all 0 where it has none.
inline const spool::OtherArguments& arguments_of(const spool::CallRecord& call) {
  static constexpr spool::OtherArguments kNone{};
  if (call.has_kernel != 0 || !has(call, spool::kHasArguments)) return kNone;
  return *reinterpret_cast<const spool::OtherArguments*>(&call + 1);
}

}  // namespace tasktwin::verify
