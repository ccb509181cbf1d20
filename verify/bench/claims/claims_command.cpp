#include "verify/bench/claims/claims_command.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "models/base/error.hpp"
#include "verify/bench/claims/claim_report.hpp"
#include "verify/bench/claims/claim_rows.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/recordings/gpu_session.hpp"
#include "verify/recordings/recorded.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

namespace {

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

std::vector<scenarios::Claim> load_claims(const std::vector<std::string>& wanted, Progress& progress) {
  std::vector<scenarios::Claim> claims;
  for (const std::string& argument : wanted.empty() ? scenarios::shipped_claims() : wanted) {
    progress.show(fmt::format("reading {}", argument));
    claims.push_back(scenarios::load_claim(argument));
    const std::string& id = claims.back().id;
    if (std::ranges::count(claims, id, &scenarios::Claim::id) > 1) throw InputError(fmt::format("--claims: '{}' is named twice", id));
  }
  progress.clear();
  if (claims.empty()) throw InputError("no claim is shipped; name a claim's file");
  return claims;
}

/// Nothing where claims are to be read from recordings: on request, or for want of a GPU, which goes to `no_gpu`.
std::optional<ClaimOrigin> live_origin(const ClaimOptions& options, std::string& no_gpu) {
  if (options.recorded) return std::nullopt;
  try {
    const gpu::DeviceInfo device = device_in_child();
    return ClaimOrigin{device.name, device.driver, device.runtime, today(), std::string(commit()), {}};
  } catch (const RunError& error) {
    if (options.live || !options.record.empty()) throw;
    no_gpu = fmt::format(" ({})", error.what());
    return std::nullopt;
  }
}

std::string command_text(const ClaimOptions& options, const std::string& claim) {
  return fmt::format("tasktwin verify --claims {} --live --repeats {} --record {}", claim, options.repeats,
                     options.record.empty() ? "DIR" : options.record);
}

}  // namespace

int verify_claims(const ClaimOptions& options) {
  Progress progress;
  const std::vector<scenarios::Claim> claims = load_claims(options.claims, progress);
  std::string no_gpu;
  const std::optional<ClaimOrigin> live = live_origin(options, no_gpu);
  if (!options.record.empty()) {
    for (const scenarios::Claim& claim : claims) {
      if (const auto* scenario = recorded_scenario(claim)) prepare_recording_folder(options.record, scenario->machine.name);
    }
  }
  GpuSideMeasurer measurer(options.repeats);
  const auto show = [&progress](const std::string& what) { progress.show(what); };
  std::vector<ClaimRow> rows;
  std::vector<ClaimSummary> summaries;
  std::vector<std::string> recorded;
  ClaimRows made(recordings_folder(), live ? &measurer : nullptr, live.value_or(ClaimOrigin{}), show);
  progress.expect(claims.size());
  for (std::size_t i = 0; i < claims.size(); ++i) {
    std::vector<ClaimRow> own = made.of(claims[i]);
    progress.advance();
    for (ClaimRow& row : own) {
      if (live && row.measured) row.origin.command = command_text(options, claims[i].id);
    }
    summaries.push_back(summarize(claims[i], own));
    const auto record = to_record(claims[i], own);
    if (!options.record.empty() && record) {
      const auto file = claim_records_path(options.record, recorded_scenario(claims[i])->machine.name);
      write_claim_record(file, *record);
      if (std::ranges::find(recorded, file.string()) == recorded.end()) recorded.push_back(file.string());
    }
    rows.insert(rows.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  }
  progress.clear();

  if (options.json) {
    print(result_to_text(claims_to_json(rows, summaries, live.has_value())));
  } else {
    print(live ? fmt::format("claims against the GPU, live: {}, driver {}\n\n", live->device, live->driver)
               : wrap(fmt::format("claims against recorded measurements{}", no_gpu)) + "\n\n");
    print(claims_to_text(rows, summaries));
    for (const std::string& file : recorded) {
      if (!quiet()) print("recorded " + file + '\n');
    }
  }
  const auto failed = [](const ClaimRow& row) { return row.failed; };
  const auto doubtful = [](const ClaimRow& row) { return !row.agrees().value_or(false); };
  if (std::ranges::any_of(rows, failed)) {
    note("error: a run failed; see above");
    return 1;
  }
  return options.strict && std::ranges::any_of(rows, doubtful) ? 1 : 0;
}

}  // namespace tasktwin::verify
