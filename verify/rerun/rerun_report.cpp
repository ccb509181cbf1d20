#include "verify/rerun/rerun_report.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "verify/capture/spool/demangled.hpp"

namespace tasktwin::verify {

namespace {

class Reader {
 public:
  void take(const std::string& about, const Json& what) {
    RerunFile& file = report_.file;
    if (about == "cuda") {
      report_.used_cuda = true;
    } else if (about == "cupti_error") {
      if (report_.cupti_error.empty()) report_.cupti_error = what.get<std::string>();
    } else if (about == "range") {
      report_.ranges.push_back(what.get<std::string>());
    } else if (about == "iteration") {
      report_.iterations.push_back({what.at("number").get<std::uint64_t>(), what.at("operations").get<std::uint64_t>(),
                                    readable(what.value("before", "")), readable(what.value("now", ""))});
      file.instance = report_.iterations.back().number;
    } else if (about == "refused") {
      report_.refusals.push_back(readable(what.get<std::string>()));
    } else if (about == "device") {
      file.device = what;
    } else if (about == "tape") {
      take_tape(what);
    } else if (about == "memory") {
      file.memory = what;
    } else if (about == "own") {
      file.own_us.push_back(what.at("us").get<double>());
    } else if (about == "effects") {
      ObservedKernel& seen = report_.effects.emplace_back(demangled(what.at("kernel").get<std::string>()));
      for (const Json& pointer : what.at("pointers")) {
        seen.effects[{pointer.at("parameter").get<int>(), pointer.at("offset").get<int>()}] = pointer.at("effect").get<std::string>();
      }
    } else if (about == "effects_ended") {
      report_.effects_ended = fmt::format("{}: {}", readable(what.at("at").get<std::string>()), what.at("why").get<std::string>());
    } else if (about == "kept") {
      file.frees_kept = what.at("frees").get<std::uint64_t>();
    } else if (about == "ended") {
      report_.open_at_end = what.at("open").get<bool>();
    } else if (about == "not_restored") {
      report_.not_restored = what.get<std::string>();
    } else if (about == "done") {
      file.ended = "whole";
    } else {
      take_schedule(about, what);
    }
  }

  RerunReport finish() { return std::move(report_); }

 private:
  /// Mangled names of kernels in a sentence become those of C++.
  static std::string readable(const std::string& text) {
    const std::size_t begin = text.find("_Z");
    if (begin == std::string::npos) return text;
    const std::size_t end = std::min(text.find_first_of(" ,", begin), text.size());
    return text.substr(0, begin) + demangled(text.substr(begin, end - begin)) + text.substr(end);
  }

  void take_tape(const Json& what) {
    report_.has_tape = true;
    report_.file.ended = "abruptly";
    report_.file.recorded_us = what.at("program_us").get<double>();
    report_.file.streams = what.at("streams");
    report_.file.operations = what.at("operations");
    for (Json& operation : report_.file.operations) {
      if (!operation.contains("name")) continue;
      const std::string mangled = operation.at("name").get<std::string>();
      operation["name"] = demangled(mangled);
      operation["mangled"] = mangled;
    }
  }

  void take_schedule(const std::string& about, const Json& what) {
    if (about == "schedule") {
      RerunSchedule& one = schedule(what.at("name").get<std::string>());
      one.edges = what.at("edges").get<std::uint64_t>();
      one.streams = what.at("streams").get<std::uint64_t>();
      for (const Json& remark : what.at("remarks")) one.remarks.push_back(readable(remark.get<std::string>()));
      return;
    }
    RerunSchedule& one = schedule(what.at("schedule").get<std::string>());
    if (about == "operation_times") {
      one.operations_us = what.at("us").get<std::vector<std::pair<double, double>>>();
    } else if (about == "time") {
      one.device_us.push_back(what.at("device_us").get<double>());
      one.host_us.push_back(what.at("host_us").get<double>());
    } else if (about == "check") {
      one.check = check_of(what);
    } else if (about == "not_run") {
      one.not_run = readable(what.at("why").get<std::string>());
    } else if (about == "watchdog") {
      one.not_run = fmt::format("it did not end within {:.0f} s; the program was ended", what.at("seconds").get<double>());
      report_.file.ended = "watchdog";
    } else if (about == "failed") {
      one.not_run = what.at("why").get<std::string>() + "; the program was ended";
      report_.file.ended = "failed";
    }
  }

  static RerunCheck check_of(const Json& what) {
    RerunCheck check{.bytes = what.at("bytes").get<std::uint64_t>(),
                     .allocations = what.at("allocations").get<std::uint64_t>(),
                     .host_bytes = what.at("host_bytes").get<std::uint64_t>(),
                     .unreproducible_bytes = what.at("unreproducible_bytes").get<std::uint64_t>(),
                     .runs = what.at("runs").get<std::uint64_t>(),
                     .differing_runs = what.at("differing_runs").get<std::uint64_t>(),
                     .places = {}};
    for (const Json& place : what.at("places")) {
      check.places.push_back({place.at("operation").get<int>(), place.at("allocation").get<std::uint64_t>(),
                              place.at("offset").get<std::uint64_t>(), place.at("bytes").get<std::uint64_t>()});
    }
    return check;
  }

  RerunSchedule& schedule(const std::string& name) {
    auto& all = report_.file.schedules;
    const auto found = std::ranges::find(all, name, &RerunSchedule::name);
    if (found != all.end()) return *found;
    all.emplace_back().name = name;
    return all.back();
  }

  RerunReport report_;
};

}  // namespace

RerunReport read_report(const std::filesystem::path& path) {
  std::ifstream stream(path);
  if (!stream) throw RunError(fmt::format("{} cannot be read", path.string()));
  Reader reader;
  for (std::string line; std::getline(stream, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || json.empty()) break;
    reader.take(json.begin().key(), json.begin().value());
  }
  return reader.finish();
}

}  // namespace tasktwin::verify
