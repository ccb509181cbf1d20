#include "scenarios/schema.hpp"

#include <optional>
#include <tuple>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "scenarios/schema_faults.hpp"

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

bool earlier(const Fault& a, const Fault& b) { return std::tie(a.line, a.column) < std::tie(b.line, b.column); }

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

void Schema::check(const Document& document) const {
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  const Json json = to_json(document.root);
  if (validator.validate(compiled_->schema, Adapter(json), nullptr)) return;

  valijson::ValidationResults results;
  validator.validate(compiled_->schema, Adapter(json), &results);
  std::optional<Fault> first;
  valijson::ValidationResults::Error error;
  std::string last_description = "does not fit the schema";
  while (results.popError(error)) {
    last_description = error.description;
    const auto fault = explain(find_subject(compiled_->json, document.root, path_of(error.context)));
    if (fault && (!first || earlier(*fault, *first))) first = fault;
  }
  if (!first) throw InputError(document.at(document.root), last_description);
  throw InputError(document.at(first->line, first->column), first->message);
}

}  // namespace tasktwin::scenarios
