#include "verify/referee/public_source.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/files/data_folder.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/files/text_file.hpp"
#include "scenarios/formats/csv_records.hpp"
#include "scenarios/schema/schema.hpp"
#include "scenarios/schema/schema_parts.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::array<std::string_view, 8> kKinds{"launching", "persistent kernels", "partitions", "collectives",
                                                 "models",    "training",           "workflows",  "traces"};
constexpr std::size_t kMostFigures = 50;  // of one source, so that none outweighs the others

const scenarios::Schema& source_schema() {
  static const scenarios::Schema made([] {
    using namespace scenarios::schema;
    const Json as_scenario{{"description", "machine, graph, designs and seed, as in a scenario"}, {"type", "object"}};
    return document("tasktwin public measurements",
                    map("measurements that others have published, and how each is predicted",
                        {{"source", name("its name")},
                         {"title", text("what was measured, in one line")},
                         {"kind", word("what sort of case it is", kKinds)},
                         {"repository", text("OWNER/NAME of a public repository")},
                         {"commit", text("40 hexadecimal digits, or `thread` for an issue or a pull request")},
                         {"path", text("of the file, or the number of the thread, that has the figures")},
                         {"licence", text("of the repository, or `none stated`")},
                         {"measured", text("by whom, with what")},
                         {"card", text("what it was measured on")},
                         {"fed", text("what the prediction is told of these measurements; `nothing`")},
                         {"cause", text("what is known of why predictions miss it")},
                         {"cannot", text("why it cannot be expressed")},
                         {"cases", whole("how many of them cannot be expressed", 1, 1'000'000)},
                         {"scenario", as_scenario},
                         {"figures", text("a table (CSV) beside this file")},
                         {"traces", list("files of the repository that have the run of a program", text("a path in it"))}},
                        {"source", "title", "kind", "repository", "commit", "path", "licence", "measured", "card"}));
  }());
  return made;
}

/// The node as a scenario's document of its own, in its own place of the file.
scenarios::Document scenario_part(const scenarios::Document& whole, const scenarios::Node& node, const std::string& name) {
  scenarios::Document part{whole.file, node};
  if (!part.root.find("scenario")) {
    scenarios::Node called;
    called.kind = scenarios::Node::Kind::kText;
    called.text = name;
    called.line = node.line;
    called.column = node.column;
    part.root.keys.push_back({"scenario", node.line, node.column});
    part.root.items.push_back(std::move(called));
  }
  return part;
}

double positive_number(const std::string& file, const scenarios::CsvField& field, std::string_view column) {
  double value = 0;
  const char* const end = field.text.data() + field.text.size();
  const auto [rest, error] = std::from_chars(field.text.data(), end, value);
  if (error != std::errc{} || rest != end || !std::isfinite(value) || value <= 0)
    throw InputError({file, field.line, field.column},
                     fmt::format("{}: {} is not a number above 0", column, scenarios::in_quotes(field.text)));
  return value;
}

/// Columns with a dot in their names are places in the scenario; `design`, `card`, `file`, `measured_us`, `measured_ratio` and `cause` are
/// what their names say. All others are for the label, and so are `design`, `file` and what is set of the scenario beside its machine.
class FigureTable {
 public:
  explicit FigureTable(std::string file) : file_(std::move(file)), text_(scenarios::read_text_file(file_)) {}

  std::vector<PublicFigure> read() {
    scenarios::CsvRecords records(file_, text_);
    if (!records.more()) throw InputError({file_}, "has no line of column names");
    const std::vector<scenarios::CsvField> header = records.next();
    check_columns(header);
    const auto has = [&](std::string_view column) { return std::ranges::find(header, column, &scenarios::CsvField::text) != header.end(); };
    if (has("measured_us") == has("measured_ratio"))
      throw InputError({file_, header.front().line, 1}, "one column must be 'measured_us' or 'measured_ratio'");
    std::vector<PublicFigure> figures;
    while (records.more()) {
      const std::vector<scenarios::CsvField> fields = records.next();
      if (fields.size() != header.size()) {
        throw InputError({file_, fields.front().line, 1},
                         fmt::format("has {} fields, the line of column names has {}", fields.size(), header.size()));
      }
      figures.push_back(figure(header, fields));
    }
    if (figures.empty()) throw InputError({file_}, "has no figure");
    if (figures.size() > kMostFigures)
      throw InputError({file_}, fmt::format("has {} figures; at most {} of one source are taken", figures.size(), kMostFigures));
    if (has("measured_ratio") && figures.front().measured_ratio != 1)
      throw InputError(figures.front().where, "measured_ratio: the first must be 1, that of the figure which others are held against");
    return figures;
  }

 private:
  void check_columns(const std::vector<scenarios::CsvField>& header) const {
    for (auto column = header.begin(); column != header.end(); ++column) {
      const SourceLocation where{file_, column->line, column->column};
      if (column->text.empty()) throw InputError(where, "the column has no name");
      if (std::ranges::find(header.begin(), column, column->text, &scenarios::CsvField::text) != column)
        throw InputError(where, fmt::format("column {} stands twice", scenarios::in_quotes(column->text)));
    }
  }

  PublicFigure figure(const std::vector<scenarios::CsvField>& header, const std::vector<scenarios::CsvField>& fields) const {
    PublicFigure made;
    made.where = {file_, fields.front().line, fields.front().column};
    const std::map<std::string_view, std::string PublicFigure::*> texts{
        {"design", &PublicFigure::design}, {"card", &PublicFigure::card}, {"file", &PublicFigure::file}, {"cause", &PublicFigure::cause}};
    for (std::size_t i = 0; i < header.size(); ++i) {
      const std::string& column = header[i].text;
      const std::string& value = fields[i].text;
      if (column == "measured_us" || column == "measured_ratio") {
        (column == "measured_us" ? made.measured_us : made.measured_ratio) = positive_number(file_, fields[i], column);
        continue;
      }
      if (const auto text = texts.find(column); text != texts.end()) made.*(text->second) = value;
      if (column == "card" || column == "cause") continue;
      const std::size_t dot = column.rfind('.');
      if (dot != std::string::npos) made.overrides.push_back(column + "=" + value);
      if (column.starts_with("machine.")) continue;
      made.label += fmt::format("{}{} {}", made.label.empty() ? "" : ", ", column.substr(dot + 1), value);
    }
    return made;
  }

  std::string file_;
  std::string text_;
};

PublicSource read_source(const std::string& file) {
  const scenarios::Document document = scenarios::read_document(file);
  source_schema().check(document);
  const auto text = [&document](std::string_view key) {
    const scenarios::Node* node = document.root.find(key);
    return node ? node->text : std::string();
  };
  PublicSource source{.name = text("source"),
                      .title = text("title"),
                      .kind = text("kind"),
                      .repository = text("repository"),
                      .commit = text("commit"),
                      .path = text("path"),
                      .licence = text("licence"),
                      .measured = text("measured"),
                      .card = text("card"),
                      .fed = text("fed"),
                      .cause = text("cause"),
                      .cannot = text("cannot"),
                      .where = {file}};
  if (const scenarios::Node* cases = document.root.find("cases")) source.cases = static_cast<std::size_t>(cases->integer);
  const scenarios::Node* const scenario = document.root.find("scenario");
  const scenarios::Node* const figures = document.root.find("figures");
  const scenarios::Node* const traces = document.root.find("traces");
  if ((figures ? 1 : 0) + (traces ? 1 : 0) + (source.cannot.empty() ? 0 : 1) != 1)
    throw InputError({file}, "must have one of 'figures', 'traces' and 'cannot'");
  if ((figures != nullptr) != (scenario != nullptr)) throw InputError({file}, "'scenario' and 'figures' go together");
  if (source.cannot.empty() == (source.cases > 0)) throw InputError({file}, "'cannot' and 'cases' go together");
  if (source.cannot.empty() && source.fed.empty()) throw InputError({file}, "fed: is missing");
  if (figures) {
    source.scenario = scenario_part(document, *scenario, source.name);
    source.figures = FigureTable((std::filesystem::path(file).parent_path() / figures->text).string()).read();
  }
  if (traces) {
    for (const scenarios::Node& one : traces->items) source.traces.push_back(one.text);
  }
  return source;
}

}  // namespace

std::span<const std::string_view> public_kinds() { return kKinds; }

std::filesystem::path public_sources_folder() { return scenarios::data_folder().parent_path() / "verify" / "public"; }

std::vector<PublicSource> read_public_sources(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  if (error) throw InputError({folder.string()}, "cannot be read: " + error.message());
  if (files.empty()) throw InputError({folder.string()}, "has no source (*.yaml)");
  std::ranges::sort(files);
  std::vector<PublicSource> sources;
  for (const std::filesystem::path& file : files) {
    sources.push_back(read_source(file.string()));
    const auto same = std::ranges::find(sources, sources.back().name, &PublicSource::name);
    if (&*same != &sources.back())
      throw InputError(sources.back().where,
                       fmt::format("source: the name {} is that of {} already", scenarios::in_quotes(same->name), same->where.file));
  }
  std::ranges::stable_sort(sources, {}, [](const PublicSource& one) { return std::ranges::find(kKinds, one.kind) - kKinds.begin(); });
  return sources;
}

}  // namespace tasktwin::verify
