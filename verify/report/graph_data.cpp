#include "verify/report/graph_data.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verify/predict/graph_hash.hpp"

namespace tasktwin::verify {

namespace {

/// The distinct words of a column in the order in which they turn up, and each row's place among them.
class WordColumn {
 public:
  void add(std::string_view word) {
    const auto found = std::ranges::find(words_, word);
    rows_.emplace_back(found - words_.begin());
    if (found == words_.end()) words_.push_back(word);
  }
  Json words() const { return words_; }
  Json rows() { return std::exchange(rows_, {}); }

 private:
  std::vector<std::string_view> words_;
  Json::array_t rows_;
};

}  // namespace

Json graph_data(const TaskGraph& graph) {
  Json::array_t names;
  Json::array_t blocks;
  Json::array_t counts;
  Json::array_t distances;
  WordColumn kernel;
  WordColumn core_type;
  WordColumn operation;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskId id = task_id(i);
    names.emplace_back(std::string(graph.name(id)));
    kernel.add(graph.kernel_name(id));
    core_type.add(to_word(graph[id].core_type));
    operation.add(to_word(graph[id].operation));
    blocks.emplace_back(graph.traits(id).blocks);
    counts.emplace_back(graph.in_degree(id));
    for (const TaskId predecessor : graph.predecessors(id))
      distances.emplace_back(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(index(predecessor)));
  }
  return {{"hash", graph_hash(graph)},
          {"names", std::move(names)},
          {"kernels", kernel.words()},
          {"kernel", kernel.rows()},
          {"core_types", core_type.words()},
          {"core_type", core_type.rows()},
          {"operations", operation.words()},
          {"operation", operation.rows()},
          {"blocks", std::move(blocks)},
          {"predecessor_count", std::move(counts)},
          {"predecessor_distance", std::move(distances)}};
}

}  // namespace tasktwin::verify
