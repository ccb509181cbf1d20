#include "verify/capture/json_stream.hpp"

#include <algorithm>
#include <array>
#include <new>

#include <zlib.h>
#include <nlohmann/json.hpp>

namespace tasktwin::verify {

namespace {

constexpr int kGzipWindow = 15 + 16;
constexpr int kLevel = 3;  // further levels take twice the time for a tenth of the size
constexpr int kMemoryLevel = 9;
constexpr std::size_t kPackedChunk = std::size_t{1} << 18;

}  // namespace

struct JsonStream::Deflater {
  z_stream stream{};
  Deflater() {
    if (deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
};

JsonStream::JsonStream(const std::filesystem::path& path)
    : file_(path), deflater_(path.extension() == ".gz" ? std::make_unique<Deflater>() : nullptr) {}

JsonStream::~JsonStream() = default;

void JsonStream::string(std::string_view text) {
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
  if (std::ranges::all_of(text, plain)) return raw("\"{}\"", text);
  // Bytes that are not UTF-8 are replaced.
  raw("{}", nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void JsonStream::flush(bool last) {
  const std::string_view text(text_.data(), text_.size());
  if (!deflater_) {
    file_.write(text);
  } else {
    z_stream& stream = deflater_->stream;
    stream.next_in = reinterpret_cast<Bytef*>(text_.data());
    stream.avail_in = static_cast<uInt>(text.size());
    std::array<char, kPackedChunk> packed{};
    do {
      stream.next_out = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_out = static_cast<uInt>(packed.size());
      deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
      file_.write({packed.data(), packed.size() - stream.avail_out});
    } while (stream.avail_out == 0);
  }
  text_.clear();
}

void JsonStream::commit() {
  flush(true);
  file_.commit();
}

}  // namespace tasktwin::verify
