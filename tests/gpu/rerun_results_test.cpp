#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gpu/rerun/session.hpp"
#include "tests/gpu/rerun/host_driver.hpp"

namespace tasktwin::gpu::rerun {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;

/// A memset, a copy of it on the device and one of that to the host, run again by a driver that can go wrong.
class RerunResults : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tasktwin-results-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    tape_.streams.push_back({.kind = StreamKind::kNonBlocking});
    Operation set{.kind = Operation::Kind::kSet};
    set.set = {.dst = address(set_), .pitch = 0, .value = 7, .elementSize = 1, .width = 10000, .height = 1};
    add(set);
    add(copy(copied_, set_, 15000));
    Operation out = copy(copied_, copied_, 100);
    out.host_side = HostSide::kTarget;
    out.host = std::make_shared<HostBuffer>(nullptr, 100, false);
    add(out);
  }
  void TearDown() override {
    tests::HostDriver::after_set({});
    std::filesystem::remove_all(folder_);
  }

  void run() {
    ProgramMemory memory;
    for (const std::vector<char>* buffer : {&set_, &copied_}) memory.add({address(*buffer), buffer->size()});
    {
      Report report(folder_.string());
      run_again(tape_, memory, {.schedules = parse_schedules("chain,graph"), .repeats = 2}, report);
    }
    EXPECT_EQ(set_, std::vector<char>(kBytes, 1)) << "memory is as before";
    EXPECT_EQ(copied_, std::vector<char>(kBytes, 2)) << "memory is as before";
    for (const auto& file : std::filesystem::directory_iterator(folder_)) {
      std::ifstream stream(file.path());
      for (std::string line; std::getline(stream, line);) {
        const Json json = Json::parse(line);
        if (json.begin().key() == "memory") memory_ = json.begin().value();
        if (json.begin().key() == "check") checks_.push_back(json.begin().value());
      }
    }
  }
  /// Of the schedules, how many runs differ of those that were compared.
  std::vector<std::pair<int, int>> differing() const {
    std::vector<std::pair<int, int>> counts;
    for (const Json& check : checks_) counts.emplace_back(check.at("differing_runs").get<int>(), check.at("runs").get<int>());
    return counts;
  }

  Json memory_;  ///< as it was reported last
  std::vector<Json> checks_;
  static constexpr std::size_t kBytes = 20000;
  std::vector<char> set_ = std::vector<char>(kBytes, 1), copied_ = std::vector<char>(kBytes, 2);

 private:
  static std::uint64_t address(const std::vector<char>& buffer) { return reinterpret_cast<std::uint64_t>(buffer.data()); }
  static Operation copy(const std::vector<char>& to, const std::vector<char>& from, std::size_t bytes) {
    Operation made{.kind = Operation::Kind::kCopy};
    made.copy.srcMemoryType = made.copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    made.copy.srcDevice = address(from);
    made.copy.dstDevice = address(to);
    made.copy.WidthInBytes = bytes;
    made.copy.Height = made.copy.Depth = 1;
    return made;
  }
  void add(const Operation& operation) {
    tape_.operations.push_back(operation);
    tape_.steps.push_back({.kind = StepKind::kOperation, .stream = 0, .operation = static_cast<int>(tape_.operations.size()) - 1});
  }

  std::filesystem::path folder_;
  Tape tape_;
};

TEST_F(RerunResults, AreEqualWhereEachRunLeavesTheSame) {
  run();
  EXPECT_THAT(differing(), ElementsAre(std::pair(0, 5), std::pair(0, 5)));
  EXPECT_EQ(memory_.at("runs"), 1);
}

TEST_F(RerunResults, AreToldFromWhatTheOriginalOrderLeavesOnlyNowAndThen) {
  tests::HostDriver::after_set([this](int number, bool /*in_graph*/) {
    if (number % 20 == 9) set_[5000] = 99;  // first in a run of a graph, then in the original order, which runs again for that
  });
  run();
  EXPECT_THAT(differing(), ElementsAre(std::pair(0, 5), std::pair(0, 5)));
  EXPECT_EQ(memory_.at("differing_runs"), 1);
  EXPECT_EQ(memory_.at("unreproducible_bytes"), 2);
}

TEST_F(RerunResults, DifferWhereTheScheduleAloneGoesWrong) {
  tests::HostDriver::after_set([this](int /*number*/, bool in_graph) {
    if (in_graph) set_[5000] = 99;
  });
  run();
  EXPECT_THAT(differing(), ElementsAre(std::pair(5, 5), std::pair(5, 5)));
  EXPECT_EQ(memory_.at("differing_runs"), 0);
  EXPECT_GT(memory_.at("runs"), 100);
}

TEST_F(RerunResults, DifferWhereTheScheduleGoesWrongNowAndThen) {
  tests::HostDriver::after_set([this](int number, bool in_graph) {
    if (in_graph && number % 3 == 0) set_[5000] = 99;
  });
  run();
  for (const auto& [differ, runs] : differing()) {
    EXPECT_GT(differ, 0);
    EXPECT_LT(differ, runs);
  }
}

TEST_F(RerunResults, OnTheHostAreComparedToo) {
  tests::HostDriver::after_set([this](int /*number*/, bool in_graph) {
    if (in_graph) set_[3] = 98;
  });
  run();
  ASSERT_EQ(checks_.size(), 2U);
  EXPECT_EQ(checks_[0].at("host_bytes"), 1);
  EXPECT_EQ(checks_[0].at("bytes"), 2);
}

/// Operations by their sizes, each on a stream.
Tape tape_of(const std::vector<std::pair<std::size_t, int>>& operations, bool exchanged = false) {
  Tape tape;
  for (const std::uintptr_t handle : {1U, 2U}) {
    const std::uintptr_t own = exchanged ? 3 - handle : handle;
    tape.streams.push_back({.handle = reinterpret_cast<CUstream>(own), .kind = StreamKind::kNonBlocking});
  }
  for (const auto& [bytes, stream] : operations) {
    Operation one{.kind = Operation::Kind::kSet};
    one.set = {.dst = 0, .pitch = 0, .value = 0, .elementSize = 1, .width = bytes, .height = 1};
    tape.steps.push_back({.kind = StepKind::kOperation, .stream = stream, .operation = static_cast<int>(tape.operations.size())});
    tape.operations.push_back(one);
  }
  return tape;
}

TEST(RerunTapes, DifferByWhatEachStreamHas) {
  const Tape one = tape_of({{1, 0}, {2, 0}, {3, 1}});
  EXPECT_EQ(first_difference(one, one), -1);
  EXPECT_EQ(first_difference(one, tape_of({{1, 0}, {3, 1}, {2, 0}})), -1);        // threads took turns otherwise
  EXPECT_EQ(first_difference(one, tape_of({{3, 0}, {1, 1}, {2, 1}}, true)), -1);  // the other stream came first
  EXPECT_EQ(first_difference(one, tape_of({{2, 0}, {1, 0}, {3, 1}})), 0);
  EXPECT_EQ(first_difference(one, tape_of({{1, 0}, {2, 1}, {3, 1}})), 1);
  EXPECT_EQ(first_difference(one, tape_of({{1, 0}, {2, 0}})), 2);
}

}  // namespace
}  // namespace tasktwin::gpu::rerun
