#include "models/explain/host_turns.hpp"

#include <algorithm>
#include <iterator>

namespace tasktwin {

namespace {

/// Threads that go each their own way make calls by turns, too, but seldom so many.
constexpr std::ptrdiff_t kSeveral = 3;

/// What no call of the file launched is told by threads that no program has, "(not in the file)".
bool is_of_program(const HostThread& thread) { return !thread.name.starts_with('('); }

Duration named_in(const std::vector<NamedTime>& times) {
  Duration sum{};
  for (const NamedTime& one : times) sum += one.time;
  return sum;
}

class Finder {
 public:
  Finder(const HostProgram& program, std::span<const HostStep> steps) : program_(program), steps_(program.threads.size()) {
    for (const HostStep& step : steps) steps_[step.thread].push_back(&step);
  }

  HostTurns find() {
    HostTurns turns;
    for (std::size_t i = 0; i < program_.threads.size(); ++i) {
      turns.of_call.emplace_back(program_.threads[i].calls.size());
      turns.blocked.emplace_back(program_.threads[i].calls.size());
    }
    for (std::size_t i = 0; i < program_.threads.size(); ++i) {
      for (const HostStep* const step : steps_[i]) {
        turns.blocked[i][step->call] = step->waited - step->began;
        if (is_of_program(program_.threads[i])) turns.of_call[i][step->call] = turn_before(*step);
      }
    }
    return turns;
  }

 private:
  /// The other thread that made its calls within the own time and ended last, if these were several. Of two threads that call at the same
  /// instant neither waited for the other.
  std::optional<HostTurn> turn_before(const HostStep& step) const {
    std::optional<HostTurn> latest;
    TimePoint end = step.own;
    for (std::uint32_t other = 0; other < steps_.size(); ++other) {
      if (other == step.thread || !is_of_program(program_.threads[other])) continue;
      if (program_.threads[other].process != program_.threads[step.thread].process) continue;
      const auto& calls = steps_[other];
      const auto first = std::ranges::lower_bound(calls, step.own, {}, &HostStep::began);
      const auto behind = std::ranges::lower_bound(calls, step.began, {}, &HostStep::ended);
      if (behind - first < kSeveral || (*std::prev(behind))->ended <= end) continue;
      const HostStep& last = **std::prev(behind);
      end = last.ended;
      latest = HostTurn{.waited = end - step.own, .thread = other, .first = (*first)->call, .last = last.call};
    }
    // What it called meanwhile says that it did not wait.
    const HostCall& call = program_.threads[step.thread].calls[step.call];
    if (latest && named_in(call.within) > step.began - end) return std::nullopt;
    return latest;
  }

  const HostProgram& program_;
  std::vector<std::vector<const HostStep*>> steps_;  ///< by thread
};

/// Takes so much from the times, the longest first; returns the name of which most went.
std::optional<std::uint32_t> take_from(std::vector<NamedTime>& times, Duration time) {
  std::ranges::stable_sort(times, std::greater{}, &NamedTime::time);
  const auto name = times.empty() ? std::nullopt : std::optional(times.front().name);
  for (NamedTime& one : times) {
    const Duration part = std::min(one.time, time);
    one.time -= part;
    time -= part;
  }
  std::erase_if(times, [](const NamedTime& one) { return one.time <= Duration{0}; });
  return name;
}

}  // namespace

bool HostTurns::any() const {
  return std::ranges::any_of(
      of_call, [](const auto& calls) { return std::ranges::any_of(calls, [](const auto& turn) { return turn.has_value(); }); });
}

HostTurns host_turns(const HostProgram& program, std::span<const HostStep> steps) { return Finder(program, steps).find(); }

HostProgram with_lent_ranges(HostProgram program, const HostTurns& turns) {
  for (const auto& [thread, place] : program.order) {
    const std::optional<HostTurn>& turn = turns.of_call[thread][place];
    if (!turn) continue;
    HostCall& waiting = program.threads[thread].calls[place];
    const Duration in_none = waiting.own - named_in(waiting.within) - named_in(waiting.ranges);
    const auto range = take_from(waiting.ranges, std::max(Duration{0}, turn->waited - in_none));
    if (!range) continue;
    for (std::uint32_t other = turn->first; other <= turn->last; ++other) {
      HostCall& call = program.threads[turn->thread].calls[other];
      const std::optional<HostTurn>& its = turns.of_call[turn->thread][other];
      const Duration own = call.own - named_in(call.within) - (its ? its->waited : Duration{0});
      if (call.ranges.empty() && own > Duration{0}) call.ranges.push_back({*range, own});
    }
  }
  return program;
}

HostProgram without(const HostProgram& program, const HostTurns& turns, HostPart part, std::optional<std::uint32_t> name) {
  HostProgram quicker = without(program, part, name);
  std::vector<std::vector<Duration>> shorter;      // by thread and call, but for its own wait for another thread
  std::vector<std::vector<Duration>> shorter_all;  // and with it
  for (const HostThread& thread : program.threads) {
    shorter.emplace_back(thread.calls.size());
    shorter_all.emplace_back(thread.calls.size());
  }
  for (const auto& [thread, place] : program.order) {
    const HostCall& was = program.threads[thread].calls[place];
    HostCall& is = quicker.threads[thread].calls[place];
    const std::optional<HostTurn>& turn = turns.of_call[thread][place];
    // A wait for another thread is no time of its own.
    if (turn && part == HostPart::kOwn && name.value_or(0) == 0) is.own += turn->waited;
    const bool waits_no_more = part == HostPart::kSync && (!name || was.name == *name);
    Duration less = was.own - is.own + was.call - is.call + (waits_no_more ? turns.blocked[thread][place] : Duration{0});
    shorter[thread][place] = less;
    if (turn) {
      Duration gone = shorter[turn->thread][turn->first];
      for (std::uint32_t i = turn->first + 1; i <= turn->last; ++i) gone += shorter_all[turn->thread][i];
      gone = std::clamp(gone, Duration{0}, std::min(turn->waited, is.own));
      is.own -= gone;
      less += gone;
    }
    shorter_all[thread][place] = less;
  }
  return quicker;
}

}  // namespace tasktwin
