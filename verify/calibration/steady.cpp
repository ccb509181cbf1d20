#include "verify/calibration/steady.hpp"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

constexpr double kFallenClock = 0.97;  ///< of the best that was seen
constexpr double kChangedPace = 1.3;   ///< a processor whose core is shared with another process takes 1.3 times as long, or longer
constexpr auto kMostWaiting = 5s;
constexpr auto kBetweenLooks = 100ms;

}  // namespace

std::optional<Conditions> Steady::settle() {
  std::optional<Conditions> now = probes_.conditions();
  const auto begin = std::chrono::steady_clock::now();
  while (now) {
    const double clock = now->device.cycles_per_ns;
    const bool risen = clock > best_clock_ * (2 - kFallenClock);  // it is waking up, or this is the first look
    best_clock_ = std::max(best_clock_, clock);
    const bool good = !risen && clock >= kFallenClock * best_clock_ && now->device.other_processes == 0;
    if (good || std::chrono::steady_clock::now() - begin > kMostWaiting) break;
    if (!risen) std::this_thread::sleep_for(kBetweenLooks);
    now = probes_.conditions();
  }
  return now;
}

std::string Steady::why_unsteady(const Conditions& before, const Conditions& after, Pace pace) const {
  const double best = std::max(best_clock_, before.device.cycles_per_ns);
  const double clock = std::min(before.device.cycles_per_ns, after.device.cycles_per_ns);
  if (clock < kFallenClock * best) {
    return fmt::format("the SM clock was at {:.0f} % of {:.2f} GHz{}", 100 * clock / best, best,
                       after.device.slowed.empty() ? "" : ", held back by " + after.device.slowed);
  }
  if (const int others = std::max(before.device.other_processes, after.device.other_processes); others > 0)
    return fmt::format("{} other process{} computed on the GPU", others, others == 1 ? "" : "es");
  const double change = after.computing_ns / std::max(1.0, before.computing_ns);
  if (pace == Pace::kHost && std::max(change, 1 / change) > kChangedPace)
    return fmt::format("the host's pace changed by {:.0f} %", 100 * (std::max(change, 1 / change) - 1));
  return "";
}

}  // namespace tasktwin::verify
