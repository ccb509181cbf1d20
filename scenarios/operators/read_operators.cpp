#include "scenarios/operators/read_operators.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "models/base/names.hpp"
#include "scenarios/files/quoted.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::size_t kMostPassedOn = 50;
constexpr const char* kIsOwn =
    " is a kernel of the scenario's own, to whose cost nothing is added: a body that does both is one more of 'kernels'";

class OperatorReader {
 public:
  OperatorReader(const Document& document, const Node& list) : document_(document) {
    Faults faults;
    for (std::size_t i = 0; i < list.items.size(); ++i)
      faults.attempt([&] { read(list.items[i], "graph.operators[" + std::to_string(i) + "]"); });
    faults.check();
    for (std::size_t i = 0; i < operators_.size(); ++i) read_waits(i, faults);
    faults.check();
    fuse();
  }

  std::vector<Operator> take() { return std::move(operators_); }

 private:
  void read(const Node& node, const std::string& path) {
    const std::string& name = node.find("name")->text;
    if (const auto before = std::ranges::find(operators_, name, &Operator::name); before != operators_.end())
      throw InputError(document_.at(*node.find("name")), path + ".name: " + in_quotes(name) +
                                                             " is already the name of the operator in line " +
                                                             std::to_string(before->node.find("name")->line));
    Operator one{node, path, name, Pieces(document_, node.find("extents"), node.find("cut"), path)};
    check_buffers(one);
    pieces_ += one.pieces.count();
    if (pieces_ > kMostPieces)
      throw InputError(document_.at(node), path + ": with it the graph has more than " + std::to_string(kMostPieces) + " pieces");
    if (const Node* reduces = node.find("reduces")) read_sum(*reduces, one);
    if (const Node* fused = node.find("fused")) read_fused(*fused, one);
    operators_.push_back(std::move(one));
  }

  /// A word of `arguments` is the one or the other.
  void check_buffers(const Operator& one) const {
    const Node* const buffers = document_.root.find("buffers");
    for (std::size_t i = 0; buffers && i < buffers->items.size(); ++i) {
      const Node* const name = buffers->items[i].find("name");
      if (const auto d = name ? one.pieces.find(name->text) : std::nullopt)
        throw InputError(document_.at(one.node.find("extents")->keys[*d]),
                         one.path + ".extents: a buffer is called " + in_quotes(name->text) + " too; call the dimension something else");
    }
  }

  void read_sum(const Node& reduces, Operator& one) const {
    bool cut = false;
    for (const Node& word : reduces.find("over")->items) {
      const auto d = one.pieces.find(word.text);
      if (!d) throw InputError(document_.at(word), one.path + ".reduces.over: " + one.pieces.no_dimension(word.text));
      cut = cut || one.pieces.dimensions()[*d].pieces() > 1;
      one.summed.push_back(word.text);
    }
    if (cut) one.sums = one.pieces.without(one.summed);
  }

  void read_fused(const Node& fused, Operator& one) const {
    one.fused = fused.boolean;
    if (!one.fused) return;
    if (one.sums) throw InputError(document_.at(fused), one.path + ".fused: does not go with a cut along what it sums over");
    constexpr std::array<std::string_view, 6> kAdded{"time_ns", "flops", "bytes", "kernel", "kind", "layer"};  // the last say what it is
    for (const Node::Key& key : one.node.find("piece")->keys) {
      if (std::ranges::find(kAdded, key.text) == kAdded.end())
        throw InputError(document_.at(key), one.path + ".piece." + key.text +
                                                ": does not go with fused, of which time_ns, flops and bytes are added to the pieces that "
                                                "wait for it");
    }
    if (const Node* const kernel = own_kernel(one))
      throw InputError(document_.at(*kernel), one.path + ".piece.kernel: " + in_quotes(kernel->text) + kIsOwn);
  }

  /// The word of `kernel` where its piece has one of the scenario's own.
  const Node* own_kernel(const Operator& one) const {
    const Node* const kernel = one.node.find("piece")->find("kernel");
    const Node* const own = document_.root.find("kernels");
    for (std::size_t i = 0; kernel && own && i < own->items.size(); ++i) {
      const Node* const name = own->items[i].find("name");
      if (name && name->text == kernel->text) return kernel;
    }
    return nullptr;
  }

  /// What is done along needs a body whose costs add up.
  void check_along(const Operator& one, const Operator& fused, const Node& at) const {
    const std::string named = one.path + ".after: " + in_quotes(fused.name) + " is fused, and ";
    if (const Node* const kernel = own_kernel(one)) throw InputError(document_.at(at), named + in_quotes(kernel->text) + kIsOwn);
    const Node* const operation = one.node.find("piece")->find("operation");
    if (operation && operation->text != "kernel")
      throw InputError(document_.at(at),
                       named + "a piece of operation " + in_quotes(operation->text) + " has no body that does it as well");
  }

  void read_waits(std::size_t i, Faults& faults) {
    const Operator& one = operators_[i];
    const Node* const after = one.node.find("after");
    std::set<std::size_t> before;
    for (std::size_t j = 0; after && j < after->items.size(); ++j) {
      const Node& item = after->items[j];
      const bool is_word = item.kind == Node::Kind::kText;
      const Node& word = is_word ? item : *item.find("operator");
      const std::string path = one.path + ".after[" + std::to_string(j) + "]";
      faults.attempt([&] {
        const auto found = std::ranges::find(operators_, word.text, &Operator::name);
        if (found == operators_.end()) {
          std::vector<std::string_view> names;
          names.reserve(operators_.size());
          for (const Operator& each : operators_) names.push_back(each.name);
          throw InputError(document_.at(word), path + ": no operator is called " + in_quotes(word.text) + suggest(word.text, names));
        }
        Wait wait{&word, static_cast<std::size_t>(found - operators_.begin())};
        if (!before.insert(wait.before).second)
          throw InputError(document_.at(word), path + ": " + in_quotes(word.text) + " is listed twice");
        if (const Node* same = is_word ? nullptr : item.find("same")) wait.same = read_same(*same, one, *found, path + ".same");
        operators_[i].waits.push_back(std::move(wait));
      });
    }
  }

  Same read_same(const Node& node, const Operator& one, const Operator& other, const std::string& path) const {
    Same same;
    for (std::size_t k = 0; k < node.items.size(); ++k) {
      const Node& theirs = node.items[k];
      const std::string& own = node.kind == Node::Kind::kMap ? node.keys[k].text : theirs.text;
      const auto d = one.pieces.find(own);
      if (!d) throw InputError(document_.at(theirs), path + ": of " + in_quotes(one.name) + " " + one.pieces.no_dimension(own));
      if (std::ranges::find(other.summed, theirs.text) != other.summed.end())
        throw InputError(document_.at(theirs),
                         path + ": " + in_quotes(other.name) + " sums over " + in_quotes(theirs.text) + ", of which no parts are left");
      const auto e = other.result().find(theirs.text);
      if (!e)
        throw InputError(document_.at(theirs), path + ": of " + in_quotes(other.name) + " " + other.result().no_dimension(theirs.text));
      const std::int64_t own_extent = one.pieces.dimensions()[*d].extent;
      const std::int64_t their_extent = other.result().dimensions()[*e].extent;
      if (own_extent != their_extent)
        throw InputError(document_.at(theirs), path + ": " + in_quotes(own) + " of " + in_quotes(one.name) + " has " +
                                                   std::to_string(own_extent) + ", " + in_quotes(theirs.text) + " of " +
                                                   in_quotes(other.name) + " " + std::to_string(their_extent));
      const auto is_known = [&](const auto& pair) { return pair.first == *d || pair.second == *e; };
      if (std::ranges::any_of(same, is_known))
        throw InputError(document_.at(theirs), path + ": a dimension is listed twice, " + in_quotes(own) + " as " + in_quotes(theirs.text));
      same.emplace_back(*d, *e);
    }
    return same;
  }

  /// In the place of fused operators come what these wait for, along the dimensions that are the same all the way.
  void fuse() {
    std::vector<std::vector<Wait>> waits(operators_.size());
    std::vector<bool> done(operators_.size());
    for (std::size_t i = 0; i < operators_.size(); ++i) {
      if (operators_[i].fused) continue;
      path_.clear();
      for (const Wait& wait : operators_[i].waits) pass_on(wait, operators_[i], waits[i]);
      for (const Wait& along : operators_[i].along) done[along.before] = true;
    }
    for (std::size_t i = 0; i < operators_.size(); ++i) {
      if (operators_[i].fused && !done[i])
        throw InputError(
            document_.at(*operators_[i].node.find("fused")),
            operators_[i].path + ".fused: nothing waits for " + in_quotes(operators_[i].name) + ", so that nothing would do it");
      operators_[i].waits = std::move(waits[i]);
    }
  }

  void pass_on(const Wait& wait, Operator& to, std::vector<Wait>& waits) {
    const bool fused = operators_[wait.before].fused;
    if (std::ranges::find(path_, wait.before) != path_.end())
      throw InputError(document_.at(*wait.at), to.path + ".after: fused operators wait for each other in a cycle");
    std::vector<Wait>& list = fused ? to.along : waits;
    const auto is_known = [&](const Wait& one) { return one.before == wait.before && one.same == wait.same; };
    if (std::ranges::any_of(list, is_known)) return;
    if (list.size() == kMostPassedOn)
      throw InputError(document_.at(*wait.at),
                       to.path + ".after: fused operators pass on more than " + std::to_string(kMostPassedOn) + " waits");
    if (fused) check_along(to, operators_[wait.before], *wait.at);
    list.push_back(wait);
    if (!fused) return;
    path_.push_back(wait.before);
    for (const Wait& before : operators_[wait.before].waits) {
      Wait passed{wait.at, before.before};
      for (const auto& [own, of_fused] : wait.same) {
        for (const auto& [also, theirs] : before.same) {
          if (of_fused == also) passed.same.emplace_back(own, theirs);
        }
      }
      pass_on(passed, to, waits);
    }
    path_.pop_back();
  }

  const Document& document_;
  std::vector<Operator> operators_;
  std::size_t pieces_ = 0;         ///< of all of them
  std::vector<std::size_t> path_;  ///< the fused operators through which a wait is passed on
};

}  // namespace

std::vector<Operator> read_operators(const Document& document, const Node& list) { return OperatorReader(document, list).take(); }

}  // namespace tasktwin::scenarios
