// Functions of the same numbers, worked out by several processes.
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "verify/calibration/fit/side_by_side.hpp"

namespace tasktwin::verify {
namespace {

using testing::ElementsAre;

std::vector<SideBySide::Function> multiples(int count) {
  std::vector<SideBySide::Function> functions;
  for (int i = 0; i < count; ++i) functions.emplace_back([i](std::span<const double> numbers) { return i * numbers[0] + numbers[1]; });
  return functions;
}

TEST(SideBySide, AsksEachFunctionWhateverTheNumberOfProcesses) {
  for (const unsigned processes : {0u, 1u, 2u, 3u, 9u}) {
    const SideBySide together(multiples(5), processes);
    EXPECT_THAT(together(std::vector{10.0, 1.0}), ElementsAre(1, 11, 21, 31, 41)) << processes;
    EXPECT_THAT(together(std::vector{2.0, 0.5}), ElementsAre(0.5, 2.5, 4.5, 6.5, 8.5)) << processes;
  }
}

TEST(SideBySide, AsksOfSeveralListsAtOnce) {
  const SideBySide together(multiples(3), 2);
  EXPECT_THAT(together.at({{10.0, 1.0}, {2.0, 0.5}, {0.0, 0.0}, {1.0, 1.0}}),
              ElementsAre(ElementsAre(1, 11, 21), ElementsAre(0.5, 2.5, 4.5), ElementsAre(0, 0, 0), ElementsAre(1, 2, 3)));
  EXPECT_TRUE(together.at({}).empty());
}

TEST(SideBySide, IsInOtherProcesses) {
  std::vector<SideBySide::Function> functions(3, [](std::span<const double>) { return static_cast<double>(::getpid()); });
  const std::vector<double> processes = SideBySide(functions, 3)(std::vector{0.0});
  for (const double process : processes) EXPECT_NE(process, ::getpid());
}

TEST(SideBySide, DoesItselfWhatAProcessThatIsGoneWouldHave) {
  std::vector<SideBySide::Function> functions = multiples(3);
  functions[1] = [here = ::getpid()](std::span<const double> numbers) {
    if (::getpid() != here) ::_exit(1);
    return numbers[0];
  };
  const SideBySide together(functions, 3);
  for (int time = 0; time < 2; ++time) EXPECT_THAT(together(std::vector{7.0, 0.0}), ElementsAre(0, 7, 14));
}

TEST(SideBySide, ThrowsHereWhatAFunctionThrows) {
  std::vector<SideBySide::Function> functions = multiples(2);
  functions[1] = [](std::span<const double>) -> double { throw std::runtime_error("no such value"); };
  const SideBySide together(functions, 2);
  EXPECT_THROW(together(std::vector{1.0, 1.0}), std::runtime_error);
}

}  // namespace
}  // namespace tasktwin::verify
