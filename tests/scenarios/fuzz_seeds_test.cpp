#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "scenarios/load/scenario.hpp"
#include "scenarios/machine_files/load_machine.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A fuzzer whose seeds are all refused does not come past the reader.

TEST(FuzzSeeds, MachinesAreLetPass) {
  for (const auto& seed : std::filesystem::directory_iterator("tests/fuzz/corpora/machine"))
    EXPECT_NO_THROW(load_machine(seed.path().string())) << seed;
}

TEST(FuzzSeeds, ScenariosAreLetPassOnTheFuzzersMachine) {
  const std::string machine = std::filesystem::absolute("tests/fuzz/data/machines/tiny.yaml").string();
  for (const char* const name : {"cholesky", "generated", "listed", "operators"}) {
    std::string text = text_of("tests/fuzz/corpora/scenario/" + std::string(name) + ".yaml");
    const std::size_t at = text.find("tiny");
    ASSERT_NE(at, std::string::npos) << name;
    const TemporaryFile file(text.replace(at, 4, machine));
    EXPECT_NO_THROW(load_scenario(file.path())) << name;
  }
}

}  // namespace
}  // namespace tasktwin::scenarios
