#include "scenarios/formats/json_file.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "scenarios/files/byte_source.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/files/text_file.hpp"

namespace tasktwin::scenarios {

namespace {

/// Lets a builder know how far the parser has read.
class WatchedText {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  WatchedText(const char* at, const char** read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  WatchedText& operator++() {
    *read_ = ++at_;
    return *this;
  }
  friend bool operator==(const WatchedText& a, const WatchedText& b) { return a.at_ == b.at_; }
  friend bool operator!=(const WatchedText& a, const WatchedText& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  const char** read_;
};

/// What the parser says after its own account of the place, cut where it quotes at length.
std::string reason(const std::string& message) {
  constexpr std::string_view kBefore = "syntax error ";
  constexpr std::size_t kLongest = 200;
  const std::size_t at = message.find(kBefore);
  const std::string_view text = std::string_view(message).substr(at == std::string::npos ? 0 : at + kBefore.size());
  std::size_t length = std::min(text.size(), kLongest);
  while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0u) == 0x80u) --length;
  return std::string(text.substr(0, length)) + (length < text.size() ? "…" : "");
}

/// Builds the tree from the parser's events, so that every limit holds before memory is spent.
class TreeBuilder {
 public:
  TreeBuilder(const std::string& file, std::string_view text) : file_(file), text_(text), read_(text.data()) {}

  JsonValue build() {
    const WatchedText begin(text_.data(), &read_);
    const WatchedText end(text_.data() + text_.size(), &read_);
    JsonValue::sax_parse(begin, end, this);
    return std::move(root_);
  }

  // What the parser calls, first to last.
  bool null() { return leaf(nullptr); }
  bool boolean(bool value) { return leaf(value); }
  bool number_integer(JsonValue::number_integer_t value) { return leaf(value); }
  bool number_unsigned(JsonValue::number_unsigned_t value) { return leaf(value); }
  bool number_float(JsonValue::number_float_t value, const std::string& digits) {
    const bool vanishes = value == 0 && digits.substr(0, digits.find_first_of("eE")).find_first_of("123456789") != std::string::npos;
    if (std::abs(value) >= 0x1p63 || vanishes) refuse("the number " + in_quotes(digits) + " is beyond 64 bits");
    return leaf(value);
  }
  bool string(std::string& value) { return leaf(std::move(value)); }
  bool binary(JsonValue::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(JsonValue::object()); }
  bool start_array(std::size_t) { return open(JsonValue::array()); }
  bool key(std::string& value) {
    keys_.push_back(token_start());
    entries().emplace_back(std::move(value), nullptr);
    return came_by();
  }
  bool end_object() {
    check_keys();
    return end_array();
  }
  bool end_array() {
    open_.pop_back();
    return came_by();
  }
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& wrong) {
    constexpr int kNumberOverflow = 406;
    if (wrong.id == kNumberOverflow) refuse("the number " + in_quotes(token) + " is beyond 64 bits");
    refuse_at(position == 0 ? 0 : position - 1, "is no JSON: " + reason(wrong.what()));
  }

 private:
  struct Open {
    JsonValue* value;
    std::size_t first_key;  ///< in keys_
  };

  /// Where the token that the parser has just read begins: after the one before and what separates them.
  std::size_t token_start() const { return std::min(text_.find_first_not_of(" \t\r\n,:", before_), text_.size()); }

  bool came_by() {
    before_ = static_cast<std::size_t>(read_ - text_.data());
    return true;
  }

  [[noreturn]] void refuse(const std::string& why) const { refuse_at(token_start(), why); }

  [[noreturn]] void refuse_at(std::size_t byte, const std::string& why) const {
    const std::string_view before = text_.substr(0, byte);
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t column = byte - std::min(before.rfind('\n') + 1, before.size()) + 1;
    throw InputError({file_, static_cast<int>(line), static_cast<int>(column)}, why);
  }

  std::vector<std::pair<const std::string, JsonValue>>& entries() { return open_.back().value->get_ref<JsonValue::object_t&>(); }

  JsonValue& add(JsonValue value) {
    if (++values_ > kMaxJsonValues) refuse("more than " + std::to_string(kMaxJsonValues) + " values");
    if (open_.empty()) return root_ = std::move(value);
    JsonValue& top = *open_.back().value;
    if (top.is_array()) return top.get_ref<JsonValue::array_t&>().emplace_back(std::move(value));
    return entries().back().second = std::move(value);
  }

  bool leaf(JsonValue value) {
    add(std::move(value));
    return came_by();
  }

  bool open(JsonValue value) {
    if (open_.size() >= kMaxJsonDepth) refuse("is nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
    JsonValue& opened = add(std::move(value));
    open_.push_back({&opened, keys_.size()});
    return came_by();
  }

  /// Of the object that ends.
  void check_keys() {
    const auto& all = entries();
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&all](std::size_t i) { return std::pair(std::string_view(all[i].first), i); });
    const auto same = std::ranges::adjacent_find(order, {}, [&all](std::size_t i) { return std::string_view(all[i].first); });
    const std::size_t first_key = open_.back().first_key;
    if (same != order.end()) refuse_at(keys_[first_key + same[1]], "the key " + in_quotes(all[*same].first) + " stands twice in an object");
    keys_.resize(first_key);
  }

  const std::string& file_;
  std::string_view text_;
  const char* read_;        ///< how far the parser has come
  std::size_t before_ = 0;  ///< how far it had come at the token before
  std::size_t values_ = 0;
  JsonValue root_;
  std::vector<Open> open_;
  std::vector<std::size_t> keys_;  ///< places of the keys of the objects that are open
};

}  // namespace

JsonValue parse_json(const std::string& file, std::string_view text) { return TreeBuilder(file, text).build(); }

JsonValue read_packed_json(const std::string& path) { return parse_json(path, read_unpacked(path, kMaxJsonBytes)); }

JsonValue read_json_file(const std::string& path, std::size_t most_bytes) { return parse_json(path, read_whole_file(path, most_bytes)); }

}  // namespace tasktwin::scenarios
