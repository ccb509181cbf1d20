#include "gpu/own/code_cache.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include <unistd.h>

namespace tasktwin::gpu {

namespace {

namespace fs = std::filesystem;

std::optional<fs::path> cache_folder() {
  const auto variable = [](const char* name) -> std::optional<fs::path> {
    const char* const value = std::getenv(name);
    return value && *value != '\0' ? std::optional<fs::path>(value) : std::nullopt;
  };
  if (const auto cache = variable("XDG_CACHE_HOME")) return *cache / "tasktwin" / "kernels";
  if (const auto home = variable("HOME")) return *home / ".cache" / "tasktwin" / "kernels";
  return std::nullopt;
}

/// Complete or not at all, even if other processes write it. What cannot be written is made again next time.
void keep(const fs::path& file, const Code& code) {
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  const fs::path unfinished = file.string() + "." + std::to_string(getpid());
  std::ofstream stream(unfinished, std::ios::binary);
  stream.write(code.data(), static_cast<std::streamsize>(code.size()));
  stream.close();
  if (stream) fs::rename(unfinished, file, failed);
  if (!stream || failed) fs::remove(unfinished, failed);
}

}  // namespace

CodeKey& CodeKey::add(std::string_view piece) {
  constexpr std::uint64_t kPrime = 0x100000001b3ull;
  for (const char c : std::to_string(piece.size()) + ":") hash_ = (hash_ ^ static_cast<unsigned char>(c)) * kPrime;
  for (const char c : piece) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * kPrime;
  return *this;
}

std::string CodeKey::text() const {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[(hash_ >> shift) & 15];
  return text;
}

Code kept_code(const CodeKey& key, std::string_view extension, const std::function<Code()>& make) {
  const auto folder = cache_folder();
  if (!folder) return make();
  const fs::path file = *folder / (key.text() + std::string(extension));
  if (std::ifstream kept(file, std::ios::binary); kept) {
    Code code{std::istreambuf_iterator<char>(kept), {}};
    if (!code.empty()) return code;
  }
  Code code = make();
  keep(file, code);
  return code;
}

}  // namespace tasktwin::gpu
