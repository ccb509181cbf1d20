#include "verify/capture/spool/spool_file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "models/base/error.hpp"

namespace tasktwin::verify {

SpoolFile::SpoolFile(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  const auto fail = [&](std::string_view why) {
    if (descriptor >= 0) ::close(descriptor);
    throw RunError(fmt::format("cannot read what was captured, '{}': {}", path.string(), why));
  };
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0) fail(std::error_code(errno, std::generic_category()).message());
  bytes_ = static_cast<std::size_t>(status.st_size);
  if (bytes_ < spool::kHeadBytes) fail("it is cut off");
  void* const mapped = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) fail(std::error_code(errno, std::generic_category()).message());
  data_ = static_cast<const std::byte*>(mapped);
  if (head().magic != spool::kSpoolMagic) {
    ::munmap(mapped, bytes_);
    fail("it was written by another version of the capture library");
  }
  ::close(descriptor);
}

SpoolFile::~SpoolFile() { ::munmap(const_cast<std::byte*>(data_), bytes_); }

void SpoolFile::visit(const std::function<void(const spool::RecordHead&, std::uint32_t)>& each) const {
  const std::size_t end = std::min<std::size_t>(head().used_bytes, bytes_);
  for (std::size_t at = spool::kHeadBytes; at + spool::kChunkBytes <= end; at += spool::kChunkBytes) {
    const std::byte* const chunk = data_ + at;
    const std::size_t used = std::min<std::size_t>(reinterpret_cast<const spool::ChunkHead*>(chunk)->used_bytes, spool::kChunkBytes);
    std::uint32_t thread = 0;
    for (std::size_t place = sizeof(spool::ChunkHead); place + sizeof(spool::RecordHead) <= used;) {
      const auto& record = *reinterpret_cast<const spool::RecordHead*>(chunk + place);
      if (record.words == 0) break;
      if (record.kind == spool::RecordKind::kThread) thread = as<spool::ThreadRecord>(record).thread;
      each(record, thread);
      place += std::size_t{record.words} * 8;
    }
  }
}

}  // namespace tasktwin::verify
