// Scenarios of parts that a program has made are refused as those of files are.
#include "scenarios/load/assemble.hpp"
#include "models/runtimes/runtimes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "tests/support/free_machine.hpp"

namespace tasktwin::scenarios {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TaskGraph one_task(const Task& task) {
  TaskGraphBuilder builder;
  builder.add_task("only", task);
  return std::move(builder).build();
}

Machine four_cores() {
  Machine machine = free_machine();
  machine.name = "mine";
  machine.compute_cores = {{CoreType::kSm, 4}};
  return machine;
}

TEST(Assemble, RefusesATaskWhoseSectionTheMachineLacks) {
  Machine machine = four_cores();
  machine.copies.reset();
  const TaskGraph graph = one_task({.operation = Operation::kMemset});
  EXPECT_THAT([&] { assemble("s", graph, machine, {named_design("cuda-streams")}, 1); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("copies"), HasSubstr("only"))));
}

TEST(Assemble, RefusesBytesOnAMachineWithoutMemory) {
  Machine machine = four_cores();
  machine.memory.reset();
  const TaskGraph graph = one_task({.cost = {.bytes = 4096}, .kernel = Kernel::kStream});
  EXPECT_THAT([&] { assemble("s", graph, machine, {}, 1); }, ThrowsMessage<InputError>(HasSubstr("graph.tasks[0].")));
}

}  // namespace
}  // namespace tasktwin::scenarios
