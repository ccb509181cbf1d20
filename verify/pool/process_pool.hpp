#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tasktwin::verify {

/// Works out answers side by side in several processes: the simulation engine has one state in a process.
class Pool {
 public:
  /// The answer to a request, the same in every process. What it refers to is as it was when the pool was made.
  using Serve = std::function<std::string(std::string_view request)>;

  /// A request, by its number. Of at most kMostRequestBytes.
  using Request = std::function<std::string(std::size_t number)>;
  /// Takes the answer to a request.
  using Take = std::function<void(std::size_t number, std::string answer)>;

  virtual ~Pool() = default;

  /// Asks requests 0 to `count` - 1: a free process gets the next one, and `take` gets each answer as it comes. What a process that is
  /// gone, or whose `Serve` has thrown, would have answered this one works out, so that exceptions are thrown here.
  virtual void ask(std::size_t count, const Request& request, const Take& take) = 0;
};

inline constexpr std::size_t kMostRequestBytes = 64u << 10;

/// `processes` forked from this one, which hands out and waits; 0 for one a processor. With 1 this process serves itself.
std::unique_ptr<Pool> make_pool(Pool::Serve serve, std::size_t processes);

}  // namespace tasktwin::verify
