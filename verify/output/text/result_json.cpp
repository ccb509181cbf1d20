#include "verify/output/text/result_json.hpp"

namespace tasktwin::verify {

namespace {

Json with_format(const Json& object) {
  if (!object.is_object()) return object;
  Json result{{"format", kJsonFormat}};
  result.update(object);
  return result;
}

}  // namespace

std::string result_to_text(const Json& result) {
  if (!result.is_array()) return to_text(with_format(result));
  Json list = Json::array();
  for (const Json& one : result) list.push_back(with_format(one));
  return to_text(list);
}

}  // namespace tasktwin::verify
