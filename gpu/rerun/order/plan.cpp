#include "gpu/rerun/order/plan.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "gpu/rerun/order/schedules.hpp"

namespace tasktwin::gpu::rerun {

namespace {

constexpr std::string_view kGraphWord = "graph";
constexpr std::string_view kStreamsWord = "streams";

std::string named(int operation) { return "operation " + std::to_string(operation); }

PlannedOperation parse_line(const std::string& line) {
  std::istringstream words(line);
  PlannedOperation one;
  words >> one.operation >> one.kind >> one.blocks >> one.stream >> one.priority;
  if (!words) throw std::invalid_argument("a plan has the line '" + line + "'");
  for (int before = 0; words >> before;) one.after.push_back(before);
  if (!words.eof()) throw std::invalid_argument("a plan has the line '" + line + "'");
  return one;
}

}  // namespace

Edges Plan::edges() const {
  Edges edges(operations.size());
  for (const PlannedOperation& one : operations) {
    std::vector<int>& after = edges[static_cast<std::size_t>(one.operation)];
    after = one.after;
    std::ranges::sort(after);
  }
  return edges;
}

std::size_t Plan::streams() const {
  int last = 0;
  for (const PlannedOperation& one : operations) last = std::max(last, one.stream);
  return static_cast<std::size_t>(last) + 1;
}

std::string fault_of(const Plan& plan) {
  std::vector<bool> seen(plan.operations.size(), false);
  for (const PlannedOperation& one : plan.operations) {
    const auto is_known = [&](int operation) { return operation >= 0 && static_cast<std::size_t>(operation) < seen.size(); };
    if (!is_known(one.operation)) return named(one.operation) + " is none of " + std::to_string(seen.size());
    if (seen[static_cast<std::size_t>(one.operation)]) return named(one.operation) + " occurs twice";
    for (const int before : one.after) {
      if (!is_known(before) || !seen[static_cast<std::size_t>(before)])
        return named(one.operation) + " waits for " + named(before) + ", which does not come before it";
    }
    if (one.stream < 0 || static_cast<std::size_t>(one.stream) >= kMaxStreams)
      return named(one.operation) + " is on stream " + std::to_string(one.stream) + ", not one of 0 to " + std::to_string(kMaxStreams - 1);
    seen[static_cast<std::size_t>(one.operation)] = true;
  }
  return "";
}

std::string to_lines(const Plan& plan) {
  std::ostringstream text;
  text << (plan.graph ? kGraphWord : kStreamsWord) << '\n';
  for (const PlannedOperation& one : plan.operations) {
    text << one.operation << ' ' << one.kind << ' ' << one.blocks << ' ' << one.stream << ' ' << one.priority;
    for (const int before : one.after) text << ' ' << before;
    text << '\n';
  }
  return text.str();
}

Plan parse_plan(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string line;
  std::getline(lines, line);
  if (line != kGraphWord && line != kStreamsWord) throw std::invalid_argument("a plan begins with '" + line + "'");
  Plan plan{.graph = line == kGraphWord, .operations = {}};
  while (std::getline(lines, line)) plan.operations.push_back(parse_line(line));
  if (const std::string fault = fault_of(plan); !fault.empty()) throw std::invalid_argument("a plan in which " + fault);
  return plan;
}

std::vector<Step> steps_of(const Plan& plan) {
  // Steps count places in the plan, which their order goes by; the operations are put in afterwards.
  std::vector<int> place_of(plan.operations.size());
  std::vector<PlacedOperation> placed;
  placed.reserve(plan.operations.size());
  for (const PlannedOperation& one : plan.operations) {
    place_of[static_cast<std::size_t>(one.operation)] = static_cast<int>(placed.size());
    std::vector<int> before;
    before.reserve(one.after.size());
    for (const int operation : one.after) before.push_back(place_of[static_cast<std::size_t>(operation)]);
    placed.push_back({one.stream, std::move(before)});
  }
  std::vector<Step> steps = over_streams(placed, static_cast<int>(plan.streams()));
  for (Step& step : steps) {
    if (step.kind == StepKind::kOperation) step.operation = plan.operations[static_cast<std::size_t>(step.operation)].operation;
  }
  return steps;
}

}  // namespace tasktwin::gpu::rerun
