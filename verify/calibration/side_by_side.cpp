#include "verify/calibration/side_by_side.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace tasktwin::verify {

namespace {

std::string_view bytes_of(std::span<const double> numbers) { return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()}; }

std::vector<double> numbers_of(std::string_view bytes) {
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
  return numbers;
}

/// A request is the number of the function and what it is of.
Pool::Serve serve(std::vector<SideBySide::Function> functions) {
  return [functions = std::move(functions)](std::string_view request) {
    const std::vector<double> numbers = numbers_of(request);
    const double value = functions[static_cast<std::size_t>(numbers.front())](std::span(numbers).subspan(1));
    return std::string(bytes_of(std::span(&value, 1)));
  };
}

std::size_t processes_for(std::size_t functions, unsigned wanted) {
  return std::clamp<std::size_t>(wanted > 0 ? wanted : std::thread::hardware_concurrency(), 1, std::max<std::size_t>(1, functions));
}

}  // namespace

SideBySide::SideBySide(std::vector<Function> functions, unsigned processes)
    : count_(functions.size()), pool_(make_pool(serve(std::move(functions)), processes_for(count_, processes))) {}

std::vector<double> SideBySide::operator()(std::span<const double> numbers) const {
  std::vector<double> values(count_);
  const auto request = [numbers](std::size_t function) {
    std::vector<double> all{static_cast<double>(function)};
    all.insert(all.end(), numbers.begin(), numbers.end());
    return std::string(bytes_of(all));
  };
  pool_->ask(count_, request,
             [&values](std::size_t function, const std::string& answer) { values[function] = numbers_of(answer).front(); });
  return values;
}

}  // namespace tasktwin::verify
