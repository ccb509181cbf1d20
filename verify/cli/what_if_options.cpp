#include "verify/cli/what_if_options.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "models/base/names.hpp"
#include "scenarios/document/file_limits.hpp"
#include "sim/simulator.hpp"

namespace tasktwin::verify {

namespace {

constexpr const char* kGroup = "What if";
constexpr double kMostFactor = 1e6;
constexpr const char* kNewTask = "NAME=TIME[,after:PATTERN][,before:PATTERN][,stream:N][,device:N][,core_type:TYPE]";

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<int> whole(std::string_view text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most) return std::nullopt;
  return value;
}

/// "20us" in nanoseconds.
std::optional<Duration> duration(std::string_view text) {
  struct Unit {
    std::string_view word;
    double ns;
  };
  constexpr std::array units{Unit{"ns", 1}, Unit{"us", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}};
  constexpr double kMostNs = 1e14;
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.word)) continue;
    const auto value = number(text.substr(0, text.size() - unit.word.size()));
    if (value && *value >= 0 && *value * unit.ns <= kMostNs) return Duration{std::llround(*value * unit.ns)};
  }
  return std::nullopt;
}

/// "pattern=value" at the last '='.
std::optional<std::pair<std::string, std::string>> assigned(const std::string& text) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) return std::nullopt;
  return std::pair{text.substr(0, at), text.substr(at + 1)};
}

/// NAME=TIME, and then as kNewTask says.
std::optional<NewTask> new_task(const std::string& text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const auto head = assigned(text.substr(0, comma));
  if (!head) return std::nullopt;
  const auto time = duration(head->second);
  if (!time) return std::nullopt;
  NewTask task{.name = head->first, .time = *time, .after = {}, .before = {}};
  for (std::size_t at = comma; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at + 1), text.size());
    const std::string part = text.substr(at + 1, end - at - 1);
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos || colon + 1 == part.size()) return std::nullopt;
    const std::string value = part.substr(colon + 1);
    const std::string word = part.substr(0, colon);
    if (word == "after")
      task.after = value;
    else if (word == "before")
      task.before = value;
    else if (const auto stream = whole(value, 0, kMaxStreams - 1); word == "stream" && stream)
      task.stream = stream;
    else if (const auto device = whole(value, 0, scenarios::kMostDevices - 1); word == "device" && device)
      task.device = device;
    else if (const auto type = from_word<CoreType>(value); word == "core_type" && type && *type != CoreType::kMix)
      task.core_type = type;
    else
      return std::nullopt;
    at = end;
  }
  return task;
}

/// Takes each value by `take`, which returns whether it was valid; `right` describes valid ones. The option can be repeated.
CLI::Option* add_list(CLI::App& app, const char* name, const char* type, const std::string& help, const std::string& right,
                      const std::function<bool(const std::string&)>& take) {
  return app
      .add_option_function<std::vector<std::string>>(
          name,
          [=](const std::vector<std::string>& values) {
            for (const std::string& value : values) {
              if (!take(value)) throw CLI::ValidationError(name, fmt::format("'{}' is not {}", value, right));
            }
          },
          help)
      ->type_name(type)
      ->allow_extra_args(false)
      ->group(kGroup);
}

/// The same for an option that is given once.
void add_one(CLI::App& app, const char* name, const char* type, const std::string& help, const std::string& right,
             const std::function<bool(const std::string&)>& take) {
  add_list(app, name, type, help, right, take)->expected(1);
}

}  // namespace

void add_unprofiled(CLI::App& app, std::optional<Duration>& unprofiled) {
  add_one(app, "--unprofiled", "TIME",
          "what the captured program takes without its profiler, such as 4252us: its host is as quick as that needs",
          "a time such as 4252us", [&unprofiled](const std::string& text) {
            unprofiled = duration(text);
            return unprofiled && *unprofiled > Duration{};
          });
}

void WhatIfOptions::add(CLI::App& app) {
  app_ = &app;
  add_list(app, "--scale", "PATTERN=FACTOR", "tasks of these names have so many times the work",
           "PATTERN=FACTOR with a factor from 0 to 1e6", [this](const std::string& text) {
             const auto parts = assigned(text);
             const auto factor = parts ? number(parts->second) : std::nullopt;
             if (!factor || *factor < 0 || *factor > kMostFactor) return false;
             wanted_.scale.emplace_back(parts->first, *factor);
             return true;
           });
  add_list(app, "--drop", "PATTERN", "without these tasks; what waited for them waits for what they waited for", "a pattern",
           [this](const std::string& text) {
             wanted_.drop.push_back(text);
             return !text.empty();
           });
  add_list(app, "--move", "PATTERN=stream:N", "these tasks in stream N",
           fmt::format("PATTERN=stream:N with N from 0 to {}", kMaxStreams - 1), [this](const std::string& text) {
             constexpr std::string_view kStream = "stream:";
             const auto parts = assigned(text);
             if (!parts || !parts->second.starts_with(kStream)) return false;
             const auto stream = whole(std::string_view(parts->second).substr(kStream.size()), 0, kMaxStreams - 1);
             if (stream) wanted_.move.emplace_back(parts->first, *stream);
             return stream.has_value();
           });
  add_list(app, "--insert", kNewTask, "a task more, on one core", fmt::format("{} with a time such as 20us", kNewTask),
           [this](const std::string& text) {
             auto task = new_task(text);
             if (task) wanted_.insert.push_back(*std::move(task));
             return task.has_value();
           });
  add_list(app, "--fuse", "PATTERN", "chains of these tasks as one task each", "a pattern", [this](const std::string& text) {
    wanted_.fuse.push_back(text);
    return !text.empty();
  });
  add_one(app, "--streams", "N", "N streams, tasks list-scheduled onto them", fmt::format("a whole number from 1 to {}", kMaxStreams),
          [this](const std::string& text) { return (wanted_.streams = whole(text, 1, kMaxStreams)).has_value(); });
  std::string words;
  std::string meanings;
  for (const auto& [word, meaning] : as_words()) {
    words += fmt::format("{}{}", words.empty() ? "" : "|", word);
    meanings += fmt::format("{}{}: {}", meanings.empty() ? "" : "; ", word, meaning);
  }
  add_one(app, "--as", words.c_str(), "launched another way. " + meanings, "one of " + words, [this](const std::string& text) {
    for (const auto& [word, meaning] : as_words()) {
      if (word == text) wanted_.as = text;
    }
    return wanted_.as == text;
  });
  app.add_flag("--dependences", wanted_.dependences,
               "of a captured program the dependences that its tasks' memory shows, in place of its order")
      ->group(kGroup);
  add_list(app, "--without-wait", "CALL", "a captured program without waits of this name, as 'cudaStreamWaitEvent' or its second, '…#2'",
           "a name or a pattern", [this](const std::string& text) {
             wanted_.without_wait.push_back(text);
             return !text.empty();
           });
  add_list(app, "--wait-at", "CALL=PATTERN",
           "of a captured program the wait of this name, as 'cudaStreamWaitEvent#2', is for the last task of these names before it alone",
           "CALL=PATTERN", [this](const std::string& text) {
             const auto parts = assigned(text);
             if (parts) wanted_.wait_at.push_back(*parts);
             return parts.has_value();
           });
  add_one(app, "--allocator", "pool|malloc|caching", "device memory given out by another allocator", "pool, malloc or caching",
          [this](const std::string& text) { return (wanted_.allocator = from_word<Allocator>(text)).has_value(); });
  add_unprofiled(app, wanted_.unprofiled);
  constexpr int kMostReplicas = 64;
  add_one(app, "--replicas", "N", "the captured program N times at once, in processes that share the device as under MPS",
          fmt::format("a whole number from 2 to {}", kMostReplicas),
          [this](const std::string& text) { return (wanted_.replicas = whole(text, 2, kMostReplicas)).has_value(); });
  add_one(app, "--host", "FACTOR", "the host's calls and its own time take so many times as long: 0.5 or 0.5x for a host twice as fast",
          "a factor from 0.001 to 1000", [this](const std::string& text) {
            std::string_view digits = text;
            if (digits.ends_with('x')) digits.remove_suffix(1);
            const auto factor = number(digits);
            if (!factor || *factor < sim::kLeastHostPace || *factor > sim::kMostHostPace) return false;
            wanted_.host = *factor;
            return true;
          });
}

std::vector<std::string> WhatIfOptions::words() const {
  std::vector<std::string> words;
  for (const CLI::Option* option : app_->get_options([](const CLI::Option* one) { return one->get_group() == kGroup; })) {
    for (const std::string& value : option->results()) {
      words.push_back(option->get_name());
      words.push_back(value);
    }
  }
  return words;
}

}  // namespace tasktwin::verify
