#include "verify/pool/batch.hpp"

#include <algorithm>
#include <cstring>

namespace tasktwin::verify {

namespace {

constexpr std::chrono::nanoseconds kWork = std::chrono::milliseconds(2);  ///< of a message
constexpr std::size_t kMostBytes = 16u << 10;                             ///< of a message that takes one more request

/// In front of each part.
struct Head {
  std::uint64_t number;
  std::uint64_t answered;
  std::uint64_t bytes;
};

}  // namespace

std::string to_bytes(const Batch& batch) {
  std::string bytes;
  const auto add = [&bytes](const auto& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  add(batch.took);
  for (const Batch::Part& part : batch.parts) {
    add(Head{part.number, part.answered, part.text.size()});
    bytes += part.text;
  }
  return bytes;
}

Batch batch_from(std::string_view bytes) {
  Batch batch;
  const auto take = [&bytes](auto& value) {
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes.remove_prefix(sizeof value);
  };
  take(batch.took);
  while (!bytes.empty()) {
    Head head;
    take(head);
    batch.parts.push_back({head.number, head.answered != 0, std::string(bytes.substr(0, head.bytes))});
    bytes.remove_prefix(head.bytes);
  }
  return batch;
}

Batch served(const Pool::Serve& serve, Batch requests) {
  const auto begun = std::chrono::steady_clock::now();
  for (Batch::Part& part : requests.parts) {
    try {
      part.text = serve(part.text);
    } catch (...) {  // the asking process computes it again, and reports it
      part.answered = false;
      part.text.clear();
    }
  }
  requests.took = std::chrono::steady_clock::now() - begun;
  return requests;
}

Batch Batches::next_batch() {
  const std::size_t share = (count_ - next_) / (2 * under_way_);
  const auto wanted = static_cast<std::size_t>(kWork / std::max(each_, std::chrono::nanoseconds(1)));
  const std::size_t most = std::clamp<std::size_t>(std::min(share, wanted), 1, count_ - next_);
  Batch batch;
  for (std::size_t bytes = 0; batch.parts.size() < most && bytes < kMostBytes; ++next_) {
    batch.parts.push_back({.number = next_, .text = request_(next_)});
    bytes += batch.parts.back().text.size();
  }
  return batch;
}

void Batches::learn(const Batch& answers) {
  if (!answers.parts.empty()) each_ = answers.took / static_cast<std::int64_t>(answers.parts.size());
}

}  // namespace tasktwin::verify
