#include "gpu/capture/spool_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <new>
#include <system_error>

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tasktwin::gpu::capture {

namespace {

/// Disk space is asked for in such steps, before it is written to: a full disk would otherwise end the captured program with SIGBUS.
constexpr std::uint64_t kReserveBytes = std::uint64_t{16} << 20;

std::uint64_t clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

/// Chunks kept ready: a thread fills one in some milliseconds at the fastest.
constexpr std::size_t kPrepared = 3;

/// Contract: chunks begin on pages, since the head and each of them fill some.
void advise(ChunkHead* chunk, int advice) { ::madvise(chunk, kChunkBytes, advice); }

constexpr std::size_t whole_words(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

std::uint64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

SpoolWriter::SpoolWriter(const std::string& path, std::uint64_t limit_bytes)
    : limit_bytes_(std::max(limit_bytes, kHeadBytes + kChunkBytes)) {
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const auto fail = [&path] { throw std::system_error(errno, std::generic_category(), path); };
  if (descriptor_ < 0 || !reserve(kHeadBytes)) fail();
  // The whole limit is mapped at once, so that no chunk ever moves; what is not reserved has no pages.
  void* const mapped = ::mmap(nullptr, limit_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_, 0);
  if (mapped == MAP_FAILED) fail();
  base_ = static_cast<std::byte*>(mapped);
  auto* const head = new (base_) SpoolHead;
  head->limit_bytes = limit_bytes_;
  head->epoch_ns = static_cast<std::int64_t>(clock_ns(CLOCK_REALTIME) - now_ns());
  head->used_bytes = kHeadBytes;
  head->pid = static_cast<std::uint32_t>(::getpid());
  // The program's signals are its own threads' business.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  preparer_ = std::jthread([this](const std::stop_token& stop) { prepare(stop); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

SpoolWriter::~SpoolWriter() {
  preparer_ = {};  // ends it
  ::munmap(base_, limit_bytes_);
  ::close(descriptor_);
}

bool SpoolWriter::reserve(std::uint64_t end) {
  if (end <= reserved_bytes_) return true;
  const std::uint64_t wanted = std::min(std::max(end, reserved_bytes_ + kReserveBytes), limit_bytes_);
  if (wanted < end) return false;
  const int error = ::posix_fallocate(descriptor_, static_cast<off_t>(reserved_bytes_), static_cast<off_t>(wanted - reserved_bytes_));
  if (error != 0) {
    errno = error;
    return false;
  }
  reserved_bytes_ = wanted;
  return true;
}

/// Null where the file is full. Contract: the lock is held.
ChunkHead* SpoolWriter::make_chunk() {
  const std::uint64_t begin = head().used_bytes;
  if (full_ || !reserve(begin + kChunkBytes)) {
    full_ = true;
    return nullptr;
  }
  auto* const chunk = new (base_ + begin) ChunkHead{.used_bytes = sizeof(ChunkHead)};
  head().used_bytes = begin + kChunkBytes;
  return chunk;
}

void SpoolWriter::prepare(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (wanted_.wait(lock, stop, [this] { return prepared_.size() < kPrepared && !full_; })) {
    ChunkHead* const chunk = make_chunk();
    if (!chunk) return;
    lock.unlock();
    advise(chunk, MADV_POPULATE_WRITE);  // a kernel that cannot leaves it to the first write
    lock.lock();
    prepared_.push_back(chunk);
  }
}

ChunkHead* SpoolWriter::take_chunk() {
  const std::lock_guard lock(mutex_);
  for (std::vector<ChunkHead*>* const ready : {&left_, &prepared_}) {
    if (ready->empty()) continue;
    ChunkHead* const chunk = ready->back();
    ready->pop_back();
    if (ready == &prepared_) wanted_.notify_one();
    return chunk;
  }
  return make_chunk();
}

void SpoolWriter::leave_chunk(ChunkHead* chunk) {
  const std::lock_guard lock(mutex_);
  left_.push_back(chunk);
}

void SpoolWriter::close_chunk(ChunkHead* chunk) { advise(chunk, MADV_DONTNEED); }

ThreadLog::ThreadLog(SpoolWriter& spool, std::uint32_t thread, std::string_view name) : spool_(spool), thread_(thread), name_(name) {}

ThreadLog::~ThreadLog() {
  if (chunk_) spool_.leave_chunk(chunk_);
}

std::byte* ThreadLog::begin_in_next(std::size_t bytes) {
  if (bytes > kChunkBytes - sizeof(ChunkHead) - sizeof(ThreadRecord)) return nullptr;
  if (chunk_) SpoolWriter::close_chunk(chunk_);
  position_ = end_ = nullptr;
  do {  // an ended thread's chunk may have too little room left: it stays as it is
    chunk_ = spool_.take_chunk();
    if (!chunk_) return nullptr;
    position_ = reinterpret_cast<std::byte*>(chunk_) + chunk_->used_bytes;
    end_ = reinterpret_cast<std::byte*>(chunk_) + kChunkBytes;
  } while (position_ + sizeof(ThreadRecord) + bytes > end_);
  ThreadRecord record{.head = {RecordKind::kThread, sizeof(ThreadRecord) / 8}, .thread = thread_, .name = {}};
  name_.copy(record.name.data(), record.name.size() - 1);
  std::memcpy(position_, &record, sizeof record);
  commit(sizeof record);
  return position_;
}

bool ThreadLog::write_bytes(void* record, std::size_t bytes, RecordKind kind, std::string_view text) {
  const std::size_t whole = whole_words(bytes + text.size());
  std::byte* const place = begin(whole);
  if (!place) return false;
  const RecordHead head{kind, static_cast<std::uint16_t>(whole / 8)};
  std::memcpy(record, &head, sizeof head);
  std::memcpy(place, record, bytes);
  std::memcpy(place + bytes, text.data(), text.size());
  commit(whole);
  return true;
}

}  // namespace tasktwin::gpu::capture
