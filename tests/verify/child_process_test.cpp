#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <stdexcept>

#include "models/base/child_process.hpp"
#include "models/base/error.hpp"
#include "models/base/internal_error.hpp"

namespace tasktwin::verify {
namespace {

TEST(Child, ReturnsWhatTheWorkReturned) {
  EXPECT_EQ(in_child([] { return std::string("done"); }), "done");
  EXPECT_EQ(in_child([] { return std::string(); }), "");
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(in_child([&large] { return large; }), large) << "more than a pipe holds";
}

TEST(Child, LeavesTheParentAsItWas) {
  int value = 1;
  in_child([&value] {
    value = 2;
    return std::string();
  });
  EXPECT_EQ(value, 1);
}

TEST(Child, TellsWhatNobodyCouldCatch) {
  const std::function<std::string()> throws = []() -> std::string { throw std::runtime_error("from afar"); };
  const auto beyond_catching = [&throws]() noexcept { return throws(); };
  try {
    in_child(beyond_catching);
    ADD_FAILURE();
  } catch (const Terminated& thrown) {
    EXPECT_STREQ(thrown.what(), "from afar");
  }
}

TEST(Child, IsEndedWhereItTakesTooLong) {
  constexpr std::chrono::seconds kLimit{1};
  EXPECT_EQ(in_child([] { return std::string("in time"); }, "it", kLimit), "in time");
  const auto forever = []() -> std::string {
    for (;;) ::pause();
  };
  try {
    in_child(forever, "it", kLimit);
    ADD_FAILURE();
  } catch (const Overdue& late) {
    EXPECT_STREQ(late.what(), "1 s");
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
}

TEST(Child, ThrowsWhatTheWorkThrew) {
  EXPECT_THROW(in_child([]() -> std::string { throw InternalError("an edge is broken"); }), InternalError);
  EXPECT_THROW(in_child([]() -> std::string { throw InputError("no such axis"); }), InputError);
  const auto said = [](const std::function<std::string()>& work) {
    try {
      in_child(work);
    } catch (const RunError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said([]() -> std::string { throw RunError("the GPU fell off"); }), "the GPU fell off");
  EXPECT_EQ(said([]() -> std::string { throw std::runtime_error("odd"); }), "odd");
  EXPECT_EQ(said([]() -> std::string {
              std::raise(SIGKILL);
              return "";
            }),
            "the measuring process was ended by signal 9");
  EXPECT_EQ(said([]() -> std::string { std::_Exit(0); }), "the measuring process ended without a result");
}

}  // namespace
}  // namespace tasktwin::verify
