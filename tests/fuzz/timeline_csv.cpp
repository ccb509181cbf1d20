// A table of a timeline, of a graph of four tasks.
#include "scenarios/load/timeline_file.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace tasktwin;

namespace {

TaskGraph four_tasks() {
  TaskGraphBuilder builder;
  for (const char* name : {"a", "b", "c", "quoted, \"d\""}) builder.add_task(name, {});
  return std::move(builder).build();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TaskGraph graph = four_tasks();
  fuzz::may_refuse([&] {
    const Timeline timeline = scenarios::parse_timeline_csv("f", fuzz::text_of(data, size), graph);
    fuzz::expect(timeline.tasks.size() == graph.size());
    fuzz::planted_bug(timeline.cores.size() > 3 && is_present(timeline.tasks[1].ended));
  });
  return 0;
}
