#include "verify/pool/in_parallel.hpp"

#include <charconv>
#include <map>
#include <string>
#include <utility>

namespace tasktwin::verify {

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
  const auto serve = [&](std::string_view request) {
    std::size_t i = 0;
    std::from_chars(request.data(), request.data() + request.size(), i);
    return to_bytes(work(i));
  };
  const std::unique_ptr<Pool> pool = make_pool(serve, processes);
  ask_in_order(
      *pool, count, [](std::size_t number) { return std::to_string(number); },
      [&take](std::size_t number, const std::string& answer) { take(number, Json::from_cbor(answer)); });
}

}  // namespace tasktwin::verify
