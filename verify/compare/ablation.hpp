#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "verify/output/text/json.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/recordings/recorded_selection.hpp"

namespace tasktwin::verify {

/// A part of the model that can be left out: a constant at the value at which it does nothing, or a member of all kernels' costs.
struct ModelPart {
  std::string name;  ///< "streams.gap_ns", "kernels.*.cold_ns"
  std::function<void(Machine&)> leave_out;
  /// Whether leaving it out may change a run of that, which reads these sections of its machine.
  std::function<bool(const scenarios::Scenario&, std::span<const std::string_view>)> matters;
};
std::vector<ModelPart> model_parts();

/// What leaving a part out does to the errors of recorded cases. Nothing is fitted again, so the effect of a part is overstated rather
/// than understated.
struct Ablation {
  std::string machine;
  std::string part;
  std::size_t cases = 0;  ///< whose predictions change by more than kChanged
  std::string design;     ///< the one whose 95th percentile of absolute errors grows most; empty where none does
  double p95_with = 0;    ///< of that design, as a share
  double p95_without = 0;
  double median_with = 0;  ///< of all of the machine's cases
  double median_without = 0;

  double buys() const { return p95_without - p95_with; }
  /// A part that buys no design that much may go.
  bool pays() const { return buys() >= kRent; }

  static constexpr double kRent = 0.003;
  static constexpr double kChanged = 0.001;
};

/// Of each part, for each machine that has recordings: what buys most first. Simulations are shared among one process a processor.
std::vector<Ablation> ablate(const RecordedSelections& recorded, Progress& progress);

std::string ablations_to_text(const std::vector<Ablation>& ablations);
/// The table of docs/reference/parts.md: parts that pay, what each buys on each machine.
std::string ablations_to_markdown(const std::vector<Ablation>& ablations);
Json to_json(const std::vector<Ablation>& ablations);

}  // namespace tasktwin::verify
