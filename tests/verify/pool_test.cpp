// Answers worked out by several processes.
#include "verify/pool/process_pool.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>
#include <span>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "verify/pool/batch.hpp"
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

TEST(Pool, GoesOnWhereRequestsAndAnswersAreAsLongAsTheyMayBe) {
  const auto pool = make_pool([](std::string_view request) { return std::string(3'000'000, request.front()); }, 2);
  std::size_t taken = 0;
  pool->ask(
      30, [](std::size_t number) { return std::string(kMostRequestBytes, static_cast<char>('a' + number % 26)); },
      [&taken](std::size_t number, const std::string& answer) {
        EXPECT_EQ(answer.front(), static_cast<char>('a' + number % 26));
        ++taken;
      });
  EXPECT_EQ(taken, 30u);
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

/// The sizes of the messages by which `count` requests of so long go out, as many messages being under way.
std::vector<std::size_t> message_sizes(std::size_t count, std::chrono::nanoseconds each, std::size_t under_way) {
  const Pool::Request request = [](std::size_t number) { return std::to_string(number); };
  Batches batches(count, request, under_way);
  std::vector<std::size_t> sizes;
  for (std::size_t first = 0; batches.any_left();) {
    Batch batch = batches.next_batch();
    for (const Batch::Part& part : batch.parts) EXPECT_EQ(part.text, std::to_string(first++));
    sizes.push_back(batch.parts.size());
    batch.took = each * batch.parts.size();
    batches.learn(batch);
  }
  return sizes;
}

TEST(Batches, AreOfTwoMillisecondsAndSmallerTowardsTheEnd) {
  const std::vector<std::size_t> quick = message_sizes(1000, std::chrono::microseconds(100), 4);
  EXPECT_EQ(quick[0], 1u) << "nothing is known yet";
  EXPECT_EQ(quick[1], 20u);
  EXPECT_TRUE(std::ranges::is_sorted(std::span(quick).subspan(1), std::ranges::greater{}));
  EXPECT_EQ(quick.back(), 1u);
  EXPECT_THAT(message_sizes(9, std::chrono::milliseconds(3), 4), testing::Each(1u));
}

TEST(Batches, ComeBackAsTheyWere) {
  const Batch batch{
      .parts = {{.number = 3, .text = "three"}, {.number = 9, .answered = false}, {.number = 4, .text = std::string(5, '\0')}},
      .took = std::chrono::nanoseconds(17)};
  const Batch back = batch_from(to_bytes(batch));
  EXPECT_EQ(back.took, batch.took);
  ASSERT_EQ(back.parts.size(), batch.parts.size());
  for (std::size_t i = 0; i < batch.parts.size(); ++i) {
    EXPECT_EQ(back.parts[i].number, batch.parts[i].number);
    EXPECT_EQ(back.parts[i].answered, batch.parts[i].answered);
    EXPECT_EQ(back.parts[i].text, batch.parts[i].text);
  }
}

}  // namespace
}  // namespace tasktwin::verify
