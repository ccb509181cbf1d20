#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "verify/pool/process_pool.hpp"

namespace tasktwin::verify {

/// Requests that travel together, or the answers to them: a message costs as much as a small piece of work.
struct Batch {
  struct Part {
    std::uint64_t number = 0;
    bool answered = true;  ///< false where serving it has thrown
    std::string text = {};
  };
  std::vector<Part> parts;
  std::chrono::nanoseconds took{};  ///< to work out all answers
};

std::string to_bytes(const Batch& batch);
/// Contract: `bytes` are of to_bytes().
Batch batch_from(std::string_view bytes);

Batch served(const Pool::Serve& serve, Batch requests);

/// Makes batches of that many requests as take about two milliseconds, by what the last ones took, and of fewer towards the end, so that no
/// process waits long for the others.
class Batches {
 public:
  /// `under_way`: messages that are with the processes at a time.
  Batches(std::size_t count, const Pool::Request& request, std::size_t under_way)
      : count_(count), request_(request), under_way_(under_way) {}

  bool any_left() const { return next_ < count_; }
  /// The next request alone, for this process.
  std::size_t next() { return next_++; }
  /// Contract: any_left().
  Batch next_batch();
  void learn(const Batch& answers);

 private:
  std::size_t count_;
  const Pool::Request& request_;
  std::size_t under_way_;
  std::size_t next_ = 0;
  std::chrono::nanoseconds each_ = std::chrono::seconds(1);  ///< answers to come; until one has, a second
};

}  // namespace tasktwin::verify
