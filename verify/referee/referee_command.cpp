#include "verify/referee/referee_command.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/names.hpp"
#include "verify/output/text/progress.hpp"
#include "verify/output/text/result_json.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/referee/referee.hpp"
#include "verify/referee/referee_report.hpp"

namespace tasktwin::verify {

namespace {

/// Those of the names `wanted`, all where there is none.
std::vector<PublicSource> chosen(std::vector<PublicSource> sources, const std::vector<std::string>& wanted) {
  std::vector<std::string_view> known;
  for (const PublicSource& source : sources) known.push_back(source.name);
  for (const std::string& name : wanted) {
    if (std::ranges::find(known, name) == known.end())
      throw InputError(fmt::format("--public: there is no source '{}'{}", name, suggest(name, known)));
  }
  if (!wanted.empty())
    std::erase_if(sources, [&](const PublicSource& source) { return std::ranges::find(wanted, source.name) == wanted.end(); });
  return sources;
}

}  // namespace

int verify_public(const RefereeOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(options.folder, ignored))
    throw InputError({options.folder}, "is no folder; --public names the one that has what others published");
  Progress progress;
  const std::vector<PublicSource> sources = chosen(read_public_sources(public_sources_folder()), options.sources);
  const std::vector<RefereeRow> rows = referee(sources, options.folder, options.jobs, progress);
  print(options.format == "json" ? result_to_text(referee_to_json(sources, rows))
        : options.format == "md" ? referee_to_markdown(sources, rows)
                                 : referee_to_text(sources, rows));
  return 0;
}

}  // namespace tasktwin::verify
