#include "verify/calibration/fit/side_by_side.hpp"

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

std::size_t processes_for(unsigned wanted) { return std::max(1U, wanted > 0 ? wanted : std::thread::hardware_concurrency()); }

}  // namespace

SideBySide::SideBySide(std::vector<Function> functions, unsigned processes)
    : count_(functions.size()), pool_(make_pool(serve(std::move(functions)), processes_for(processes))) {}

std::vector<double> SideBySide::operator()(std::span<const double> numbers) const {
  return at(std::vector<std::vector<double>>(1, {numbers.begin(), numbers.end()})).front();
}

std::vector<std::vector<double>> SideBySide::at(const std::vector<std::vector<double>>& lists) const {
  std::vector<std::vector<double>> values(lists.size(), std::vector<double>(count_));
  const auto request = [&](std::size_t number) {
    std::vector<double> all{static_cast<double>(number % count_)};
    all.insert(all.end(), lists[number / count_].begin(), lists[number / count_].end());
    return std::string(bytes_of(all));
  };
  pool_->ask(count_ * lists.size(), request,
             [&](std::size_t number, const std::string& answer) { values[number / count_][number % count_] = numbers_of(answer).front(); });
  return values;
}

}  // namespace tasktwin::verify
