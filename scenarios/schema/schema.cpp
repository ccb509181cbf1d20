#include "scenarios/schema/schema.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "scenarios/schema/schema_faults.hpp"

namespace tasktwin::scenarios {

namespace {

using Json = nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

Json to_json(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return nullptr;
    case Node::Kind::kBool:
      return node.boolean;
    case Node::Kind::kInteger:
      return node.integer;
    case Node::Kind::kReal:
      return node.real;
    case Node::Kind::kText:
      return node.text;
    case Node::Kind::kList: {
      Json list = Json::array();
      for (const Node& item : node.items) list.push_back(to_json(item));
      return list;
    }
    case Node::Kind::kMap: {
      Json map = Json::object();
      for (std::size_t i = 0; i < node.keys.size(); ++i) map[node.keys[i].text] = to_json(node.items[i]);
      return map;
    }
  }
  return nullptr;
}

/// valijson's context "<root>", "[graph]", "[tasks]", "[3]" as "graph", "tasks", "3".
std::vector<std::string> path_of(const std::vector<std::string>& context) {
  std::vector<std::string> path;
  for (std::size_t i = 1; i < context.size(); ++i) path.push_back(context[i].substr(1, context[i].size() - 2));
  return path;
}

/// In the order of the file, each once. An override that goes to many places is reported once.
std::vector<Fault> in_order(std::vector<Fault> faults) {
  std::ranges::stable_sort(faults, {}, [](const Fault& fault) { return std::pair(fault.line, fault.column); });
  std::set<std::tuple<int, int, std::string>> told;
  std::erase_if(faults, [&told](const Fault& fault) {
    const bool is_override = fault.line < 0;
    return !told.emplace(fault.line, is_override ? 0 : fault.column, is_override ? "" : fault.message).second;
  });
  return faults;
}

}  // namespace

struct Schema::Compiled {
  explicit Compiled(const Json& from) : json(from) {
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(Adapter(json), schema);
  }
  const Json json;
  valijson::Schema schema;
};

Schema::Schema(const Json& json) : compiled_(std::make_unique<Compiled>(json)) {}
Schema::~Schema() = default;

const Json& Schema::json() const { return compiled_->json; }

std::vector<Fault> Schema::faults_of(const Document& document) const {
  thread_local valijson::Validator validator(valijson::Validator::kStrongTypes);  // keeps the patterns that it has compiled
  const Json json = to_json(document.root);
  if (validator.validate(compiled_->schema, Adapter(json), nullptr)) return {};

  valijson::ValidationResults results;
  validator.validate(compiled_->schema, Adapter(json), &results);
  std::vector<Fault> faults;
  valijson::ValidationResults::Error error;
  std::string last_description = "does not fit the schema";
  while (results.popError(error)) {
    last_description = error.description;
    std::ranges::move(explain(find_subject(compiled_->json, document.root, path_of(error.context))), std::back_inserter(faults));
  }
  if (faults.empty()) faults.push_back({document.root.line, document.root.column, last_description});
  return faults;
}

void Schema::check(const Document& document) const {
  std::vector<Fault> faults = faults_of(document);
  std::set<std::pair<int, int>> known;
  for (const Fault& fault : document.faults) known.emplace(fault.line, fault.column);
  std::erase_if(faults, [&known](const Fault& fault) { return known.contains({fault.line, fault.column}); });
  faults.insert(faults.end(), document.faults.begin(), document.faults.end());
  Faults all;
  for (const Fault& fault : in_order(std::move(faults))) all.add(document.at(fault.line, fault.column), fault.message);
  all.check();
}

}  // namespace tasktwin::scenarios
