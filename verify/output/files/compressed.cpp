#include "verify/output/files/compressed.hpp"

#include <array>
#include <new>

#include <zlib.h>

#include "models/base/error.hpp"

namespace tasktwin::verify {

namespace {

constexpr int kZlibWindow = 15;                // the largest
constexpr int kGzipWindow = kZlibWindow + 16;  // and zlib's flag for gzip's header and trailer
constexpr int kMemoryLevel = 9;
constexpr std::size_t kChunk = std::size_t{1} << 16;

Bytef* input_bytes(std::string_view text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); }

struct Deflater {
  z_stream stream{};
  explicit Deflater(int window) {
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
};

struct Inflater {
  z_stream stream{};
  Inflater() {
    if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

std::string deflated(std::string_view text, int window) {
  Deflater deflater(window);
  z_stream& stream = deflater.stream;
  stream.next_in = input_bytes(text);
  stream.avail_in = static_cast<uInt>(text.size());
  std::string packed;
  std::array<char, kChunk> chunk{};
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = deflate(&stream, Z_FINISH);
    packed.append(chunk.data(), chunk.size() - stream.avail_out);
  }
  return packed;
}

}  // namespace

std::string gzip(std::string_view text) { return deflated(text, kGzipWindow); }

std::string zlib_deflate(std::string_view text) { return deflated(text, kZlibWindow); }

void gunzip(std::string_view bytes, const std::filesystem::path& source, const std::function<void(std::string_view piece)>& take) {
  Inflater inflater;
  z_stream& stream = inflater.stream;
  stream.next_in = input_bytes(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::array<char, kChunk> chunk{};
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END) {
      throw InputError({source.string()}, "is not a whole gzip file (truncated or damaged); record it anew");
    }
    take({chunk.data(), chunk.size() - stream.avail_out});
  }
  if (stream.avail_in > 0) throw InputError({source.string()}, "has bytes behind the end of its gzip file; record it anew");
}

}  // namespace tasktwin::verify
