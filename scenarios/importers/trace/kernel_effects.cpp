#include "scenarios/importers/trace/kernel_effects.hpp"

#include <algorithm>
#include <array>

#include "scenarios/document/document.hpp"
#include "scenarios/schema/schema.hpp"
#include "scenarios/schema/schema_parts.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr double kMostBytes = 1e15;
constexpr double kMostOffset = 1e6;

const Schema& effects_schema() {
  static const Schema made([] {
    using namespace schema;
    static constexpr std::array<std::string_view, 4> kUses{"read", "write", "read_write", "none"};
    const Json use = word("what the kernel does with it", kUses);
    const Json effect = map("",
                            {{"kernel", text("a part of the kernel's name with its parameters, or a pattern with '*' and '?'")},
                             {"pointers", list("of each pointer among its parameters, in their order", use)},
                             {"at", list("of each the number of its parameter and its offset in it, both from 0; left out: all there are",
                                         list("", whole("", 0, kMostOffset)))},
                             {"bytes", list("of each how many bytes from there on; 0: its whole allocation", whole("", 0, kMostBytes))}},
                            {"kernel", "pointers"});
    return document("tasktwin effects",
                    map("what kernels read and write of what they point to", {{"effects", list("", effect)}}, {"effects"}));
  }());
  return made;
}

PointerEffect effect_of(const std::string& word) {
  return {.read = word == "read" || word == "read_write", .write = word == "write" || word == "read_write"};
}

}  // namespace

std::vector<KernelEffect> read_kernel_effects(const std::string& path) {
  const Document document = read_document(path);
  effects_schema().check(document);
  std::vector<KernelEffect> effects;
  for (const Node& node : document.root.find("effects")->items) {
    KernelEffect& effect = effects.emplace_back();
    effect.kernel = node.find("kernel")->text;
    effect.where = document.at(node);
    for (const Node& use : node.find("pointers")->items) effect.pointers.push_back(effect_of(use.text));
    if (const Node* at = node.find("at")) {
      for (const Node& one : at->items) {
        if (one.items.size() != 2)
          throw InputError(document.at(one), "at: a place is the number of a parameter and an offset, as in [1, 8]");
        const PointerPlace place{one.items[0].integer, one.items[1].integer};
        if (std::ranges::find(effect.places, place) != effect.places.end())
          throw InputError(document.at(one), "at: the place stands twice");
        effect.places.push_back(place);
      }
      if (effect.places.size() != effect.pointers.size())
        throw InputError(document.at(*at), "at: has " + std::to_string(effect.places.size()) + " places for " +
                                               std::to_string(effect.pointers.size()) + " pointers");
    }
    if (const Node* bytes = node.find("bytes")) {
      for (const Node& one : bytes->items) effect.bytes.push_back(static_cast<std::uint64_t>(one.integer));
      if (effect.bytes.size() > effect.pointers.size())
        throw InputError(document.at(*bytes), "bytes: has " + std::to_string(effect.bytes.size()) + " numbers for " +
                                                  std::to_string(effect.pointers.size()) + " pointers");
    }
  }
  return effects;
}

}  // namespace tasktwin::scenarios
