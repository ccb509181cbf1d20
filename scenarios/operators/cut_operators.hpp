#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scenarios/document/document.hpp"
#include "scenarios/document/faults.hpp"

namespace tasktwin::scenarios {

/// Of which operator each task is that was made of `graph.operators`.
class CutTasks {
 public:
  /// The task's name, and the operator's place in the list.
  void add(std::string task, std::size_t of) { tasks_.push_back({std::move(task), of}); }

  /// `faults` of a document with those tasks, said of the operators that the file has, and once where many pieces have the same; as they
  /// are where there are no such tasks.
  InputFaults of_operators(const Faults& faults) const;

 private:
  struct Entry {
    std::string task;
    std::size_t of = 0;
  };
  std::vector<Entry> tasks_;
};

/// Whether the graph is written as operators that are cut into pieces. Contract: the document has passed the schema.
bool has_operators(const Document& document);

/// Puts tasks written out in the place of the operators: one a piece, one a sum of pieces, and one of operation `event` where several
/// pieces wait for the same several others, if that makes fewer edges. Throws InputFaults for names that are not there or twice, sizes that
/// contradict each other and expressions without a value. Contract: has_operators(document).
CutTasks cut_operators(Document& document);

}  // namespace tasktwin::scenarios
