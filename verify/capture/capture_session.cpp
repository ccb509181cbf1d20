#include "verify/capture/capture_session.hpp"

#include <chrono>
#include <string_view>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "models/base/error.hpp"
#include "verify/capture/captured_files.hpp"
#include "verify/capture/captured_run.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/system/temporary_folder.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

fs::path part_of(const TemporaryFolder& spool, const char* name) {
  fs::path folder = fs::absolute(fs::path(spool.path()) / name);
  fs::create_directory(folder);
  return folder;
}

class Session {
 public:
  explicit Session(const CaptureSettings& settings) : settings_(settings), folder_(settings.output.string() + ".spool") {
    facts_ = {.pass = settings.pass,
              .command = settings.command,
              .end = {},
              .range = settings.range,
              .date = today(),
              .tensors = settings.tensors};
  }

  int run() {
    CapturedRunOptions options{.library = settings_.library,
                               .folder = {},
                               .device_records = false,
                               .range = settings_.range,
                               .limit_bytes = settings_.limit_bytes};
    OtherFolders others;
    if (settings_.tensors) {
      options.folder = others.tensors = part_of(folder_, "tensors");
      options.environment = {{"PYTORCH_NO_CUDA_MEMORY_CACHING", "1"}};
      facts_.end = run_captured(settings_.command, options);
      options.environment.clear();
      if (facts_.end.exit_code != 0)
        return failed(
            "the run for --tensors failed, which is without PyTorch's caching allocator, as its CUDA graphs cannot be; nothing is written");
    }
    if (settings_.pass == CapturePass::kBoth) {
      options.folder = others.host = part_of(folder_, "host");
      facts_.end = run_captured(settings_.command, options);
      if (facts_.end.exit_code != 0) return failed("the first of two runs failed; nothing is written");
    }
    options.folder = part_of(folder_, "records");
    options.device_records = settings_.pass != CapturePass::kHost;
    facts_.end = run_captured(settings_.command, options);
    return write(options.folder, others);
  }

 private:
  static std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::now())); }

  int failed(std::string_view what) const {
    const CommandEnd& end = facts_.end;
    const std::string& program = settings_.command.front();
    note(end.signal != 0 ? fmt::format("error: '{}' was ended by signal {}; {}", program, end.signal, what)
                         : fmt::format("error: '{}' ended with exit code {}; {}", program, end.exit_code, what));
    return end.exit_code;
  }

  int write(const fs::path& folder, const OtherFolders& others) const {
    try {
      std::string text = captures_to_text(write_captures(folder, others, settings_.output, facts_), facts_);
      if (text.ends_with('\n')) text.pop_back();
      // The program's own output is on standard output: messages about the capture go to standard error.
      if (!quiet()) note(text);
    } catch (const RunError& error) {
      if (facts_.end.exit_code == 0) throw;
      return failed(error.what());
    }
    return facts_.end.exit_code == 0 ? 0 : failed("what it did up to then is written");
  }

  const CaptureSettings& settings_;
  TemporaryFolder folder_;
  CaptureFacts facts_;
};

}  // namespace

int capture_program(const CaptureSettings& settings) { return Session(settings).run(); }

}  // namespace tasktwin::verify
