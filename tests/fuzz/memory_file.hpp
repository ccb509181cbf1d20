#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "tests/fuzz/fuzz.hpp"

namespace tasktwin::fuzz {

/// A regular file in memory, by a path, for what reads files.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : file_(memfd_create(name, 0)), path_("/proc/self/fd/" + std::to_string(file_)) {}

  const std::string& with(std::string_view bytes) const {
    expect(ftruncate(file_, 0) == 0 && pwrite(file_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
    return path_;
  }

 private:
  int file_;
  std::string path_;
};

}  // namespace tasktwin::fuzz
