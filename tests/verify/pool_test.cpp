// Answers worked out by several processes.
#include "verify/pool/pool.hpp"

#include <csignal>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>
#include <unistd.h>

#include "verify/pool/in_parallel.hpp"

namespace tasktwin::verify {
namespace {

std::vector<std::string> answers(Pool& pool, std::size_t count) {
  std::vector<std::string> all(count);
  pool.ask(
      count, [](std::size_t number) { return std::to_string(number); },
      [&all](std::size_t number, std::string answer) { all[number] += answer; });
  return all;
}

std::vector<std::string> expected(std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back("<" + std::to_string(i) + ">");
  return all;
}

std::string bracketed(std::string_view request) { return "<" + std::string(request) + ">"; }

TEST(Pool, AnswersEveryRequestOnceWhateverTheNumberOfProcesses) {
  for (const std::size_t processes : {0u, 1u, 2u, 3u, 7u}) {
    const auto pool = make_pool(bracketed, processes);
    for (const std::size_t count : {0u, 1u, 2u, 100u}) EXPECT_EQ(answers(*pool, count), expected(count)) << processes;
  }
}

TEST(Pool, TakesAnswersLongerThanASocketHolds) {
  const auto pool = make_pool([](std::string_view request) { return std::string(3'000'000, request.front()); }, 2);
  for (const std::string& answer : answers(*pool, 9)) EXPECT_EQ(answer.size(), 3'000'000u);
}

TEST(Pool, ServesInOtherProcesses) {
  const auto pool = make_pool([](std::string_view) { return std::to_string(::getpid()); }, 3);
  const std::vector<std::string> all = answers(*pool, 60);
  EXPECT_FALSE(std::set(all.begin(), all.end()).contains(std::to_string(::getpid())));
}

TEST(Pool, DoesItselfWhatProcessesThatAreGoneWouldHave) {
  const auto serve = [here = ::getpid()](std::string_view request) {
    if (::getpid() != here && request == "4") ::raise(SIGKILL);
    return bracketed(request);
  };
  const auto pool = make_pool(serve, 2);
  for (int time = 0; time < 3; ++time) EXPECT_EQ(answers(*pool, 20), expected(20)) << time;
}

TEST(InParallel, TakesAnswersInOrderWhoeverWorksThemOut) {
  for (const std::size_t processes : {1u, 2u, 5u}) {
    std::vector<std::size_t> taken;
    const auto square = [](std::size_t i) {
      if (i % 7 == 0) ::usleep(2000);  // later ones are done before it
      return Json(i * i);
    };
    in_parallel(processes, 60, square, [&taken](std::size_t i, const Json& answer) {
      EXPECT_EQ(i, taken.size());
      taken.push_back(answer.get<std::size_t>());
    });
    ASSERT_EQ(taken.size(), 60u) << processes;
    for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i], i * i);
  }
}

TEST(Pool, ThrowsHereWhatServingThrows) {
  const auto pool = make_pool(
      [](std::string_view request) -> std::string {
        if (request == "2") throw std::runtime_error("no such request");
        return "";
      },
      2);
  EXPECT_THROW(answers(*pool, 4), std::runtime_error);
}

}  // namespace
}  // namespace tasktwin::verify
