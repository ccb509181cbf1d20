#include "verify/pool/in_parallel.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <thread>
#include <utility>

namespace tasktwin::verify {

namespace {

// Requests are of several pieces of work where there are many, since each costs as much as a small piece; of few enough that nobody waits
// long.
constexpr std::size_t kLeastRequests = 32;  // a process
constexpr std::size_t kMostOfARequest = 16;

}  // namespace

void ask_in_order(Pool& pool, std::size_t count, const Pool::Request& request, const Pool::Take& take) {
  std::map<std::size_t, std::string> early;
  std::size_t next = 0;
  pool.ask(count, request, [&](std::size_t number, std::string answer) {
    early.emplace(number, std::move(answer));
    for (auto first = early.begin(); first != early.end() && first->first == next; first = early.erase(first))
      take(next++, std::move(first->second));
  });
}

void in_parallel(std::size_t processes, std::size_t count, const std::function<Json(std::size_t)>& work,
                 const std::function<void(std::size_t, Json)>& take) {
  if (processes == 1 || count < 2) {
    for (std::size_t i = 0; i < count; ++i) take(i, work(i));
    return;
  }
  const std::size_t most = processes > 0 ? processes : std::max(1u, std::thread::hardware_concurrency());
  const std::size_t each = std::clamp<std::size_t>(count / (kLeastRequests * most), 1, kMostOfARequest);
  const auto serve = [&](std::string_view request) {
    std::size_t first = 0;
    std::from_chars(request.data(), request.data() + request.size(), first);
    Json answers = Json::array();
    for (std::size_t i = first; i < std::min(first + each, count); ++i) answers.push_back(work(i));
    std::string bytes;
    Json::to_cbor(answers, bytes);
    return bytes;
  };
  const std::unique_ptr<Pool> pool = make_pool(serve, processes);
  ask_in_order(
      *pool, (count + each - 1) / each, [each](std::size_t number) { return std::to_string(number * each); },
      [&take, each](std::size_t number, const std::string& answer) {
        std::size_t i = number * each;
        for (Json& one : Json::from_cbor(answer)) take(i++, std::move(one));
      });
}

}  // namespace tasktwin::verify
