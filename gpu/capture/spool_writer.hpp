#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gpu/capture/spool.hpp"

namespace tasktwin::gpu::capture {

/// ns, on the clock of all records.
std::uint64_t now_ns();

/// The part of a name that is kept.
inline std::string_view cut(std::string_view name) { return name.substr(0, 32'768); }

/// A process's spool file, mapped. A thread of its own prepares chunks, so that the program's threads need not wait for pages of a file.
class SpoolWriter {
 public:
  /// Creates `path`, of at most `limit_bytes`. Throws std::system_error.
  SpoolWriter(const std::string& path, std::uint64_t limit_bytes);
  ~SpoolWriter();
  SpoolWriter(const SpoolWriter&) = delete;
  SpoolWriter& operator=(const SpoolWriter&) = delete;

  SpoolHead& head() { return *reinterpret_cast<SpoolHead*>(base_); }

  /// A chunk to write into: fresh, or one that an ended thread had left over. Null if the file is full.
  ChunkHead* take_chunk();
  /// Takes `chunk` back; another thread may continue in it.
  void leave_chunk(ChunkHead* chunk);
  /// `chunk` is full: its pages need not stay in the process's memory.
  static void close_chunk(ChunkHead* chunk);

 private:
  bool reserve(std::uint64_t end);
  ChunkHead* make_chunk();
  void prepare(const std::stop_token& stop);

  std::byte* base_ = nullptr;
  int descriptor_ = -1;
  std::uint64_t limit_bytes_;
  std::mutex mutex_;
  std::condition_variable_any wanted_;
  std::uint64_t reserved_bytes_ = 0;
  bool full_ = false;
  std::vector<ChunkHead*> prepared_;
  std::vector<ChunkHead*> left_;
  std::jthread preparer_;
};

/// What one thread writes. Contract: used by one thread at a time.
class ThreadLog {
 public:
  ThreadLog(SpoolWriter& spool, std::uint32_t thread, std::string_view name);
  ~ThreadLog();
  ThreadLog(const ThreadLog&) = delete;
  ThreadLog& operator=(const ThreadLog&) = delete;

  /// `bytes` (a multiple of 8) to write a record into, whole once `commit` follows; null if the spool is full.
  std::byte* begin(std::size_t bytes) { return position_ + bytes <= end_ ? position_ : begin_in_next(bytes); }
  void commit(std::size_t bytes) {
    position_ += bytes;
    chunk_->used_bytes.store(static_cast<std::uint64_t>(position_ - reinterpret_cast<std::byte*>(chunk_)), std::memory_order_release);
  }

  /// Writes `record`, and `text` after it; its head is filled in. False if the spool is full.
  template <class Record>
  bool write(Record record, std::string_view text = {}) {
    return write_bytes(&record, sizeof(Record), Record::kKind, text);
  }

 private:
  std::byte* begin_in_next(std::size_t bytes);
  bool write_bytes(void* record, std::size_t bytes, RecordKind kind, std::string_view text);

  SpoolWriter& spool_;
  std::uint32_t thread_;
  std::string name_;
  ChunkHead* chunk_ = nullptr;
  std::byte* position_ = nullptr;
  std::byte* end_ = nullptr;
};

}  // namespace tasktwin::gpu::capture
