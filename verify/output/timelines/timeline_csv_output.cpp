#include "verify/output/timelines/timeline_csv_output.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "models/explain/occupancy.hpp"
#include "models/explain/waves.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/text/csv_field.hpp"

namespace tasktwin::verify {

void write_timeline_csv(const std::filesystem::path& path, const TaskGraph& graph, const Timeline& timeline) {
  std::vector<std::size_t> order(timeline.tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&timeline](std::size_t i) {
    const TimePoint started = timeline.tasks[i].started;
    return is_present(started) ? started : TimePoint::max();
  });

  AtomicFile file(path);
  file.write(kTimelineCsvHeader);
  file.write("\n");
  std::string row;
  for (const std::size_t i : order) {
    const TaskTimes& times = timeline.tasks[i];
    const Task& task = graph[task_id(i)];
    row.clear();
    fmt::format_to(std::back_inserter(row), "{},{},{},{}", i, csv_field(graph.name(task_id(i))), csv_field(graph.kernel_name(task_id(i))),
                   to_word(task.core_type));
    for (const TimePoint phase : {times.ready, times.dispatched, times.received, times.started, times.ended, times.published}) {
      row += ',';
      if (is_present(phase)) row += std::to_string(to_ns(phase));
    }
    row += ',';
    if (times.core != kNoCore) row += std::to_string(index(times.core));
    row += ',';
    if (times.dispatcher != kNoDispatcher) row += std::to_string(index(times.dispatcher));
    row += '\n';
    file.write(row);
  }
  file.commit();
}

void write_blocks_csv(const std::filesystem::path& path, const TaskGraph& graph, const Timeline& timeline) {
  std::vector<Occupancy> blocks = core_occupancies(graph, timeline);
  std::erase_if(blocks, [](const Occupancy& block) { return block.core == kNoCore; });
  std::ranges::stable_sort(blocks, {}, [](const Occupancy& block) { return std::tuple(block.task, block.started, block.core); });
  const std::vector<int> in_wave = waves(blocks);
  AtomicFile file(path);
  file.write(kBlocksCsvHeader);
  file.write("\n");
  std::size_t number = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Occupancy& block = blocks[i];
    number = i > 0 && blocks[i - 1].task == block.task ? number + 1 : 0;
    file.write(fmt::format("{},{},{},{},{},{},{},", index(block.task), csv_field(graph.name(block.task)), number, in_wave[i],
                           index(block.core), to_ns(block.started), to_ns(block.ended)));
    file.write(is_present(block.published) ? std::to_string(to_ns(block.published)) + "\n" : "\n");
  }
  file.commit();
}

}  // namespace tasktwin::verify
