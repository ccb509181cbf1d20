#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

/// What JSON Schemas are made of. A meaning that is empty is left out.
namespace tasktwin::scenarios::schema {

using Json = nlohmann::json;

/// Upper bound of the length of texts, in bytes.
inline constexpr int kMaxText = 4096;

Json whole(std::string_view meaning, std::int64_t min, std::int64_t max, std::optional<std::int64_t> preset = {});
/// True or false, by default the latter.
Json truth(std::string_view meaning);
Json number(std::string_view meaning, double min, double max, std::optional<double> preset = {});
/// A number above 0.
Json positive(std::string_view meaning, double max);
Json word(std::string_view meaning, std::span<const std::string_view> words, std::string_view preset = {});
/// A core type other than `mix`, which is a cluster of cores.
Json physical_core_type(std::string_view meaning);
/// Not empty.
Json text(std::string_view meaning, std::optional<int> max_bytes = kMaxText);
/// A text that may be empty.
Json remark();
/// A name of the user's own.
Json name(std::string_view meaning);
Json list(std::string_view meaning, Json items, int min_items = 1);
/// Of exactly two.
Json pair(std::string_view meaning, Json items);
/// A map of `properties` and of no other keys.
Json map(std::string_view meaning, Json properties, std::initializer_list<std::string_view> required = {});
/// `schema`, which besides may be of the JSON type `type`.
Json or_else(std::string_view type, Json schema);
/// A schema elsewhere in the document, such as "#/definitions/constant".
Json reference(std::string_view meaning, std::string_view pointer);
/// A whole document.
Json document(std::string_view title, Json schema);

}  // namespace tasktwin::scenarios::schema
