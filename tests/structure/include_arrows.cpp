#include "tests/structure/include_arrows.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string_view>

namespace tasktwin::structure {

namespace {

namespace fs = std::filesystem;

struct Room {
  std::string_view name;
  std::set<std::string_view> may_include;  ///< besides itself
};

const std::array<Room, 8>& rooms() {
  static const std::array<Room, 8> all{{
      {"models", {}},
      {"scenarios", {"models"}},
      {"sim", {"models"}},
      {"gpu", {"models"}},
      {"verify", {"models", "scenarios", "sim", "gpu"}},
      {"python", {"models", "scenarios", "sim", "gpu", "verify"}},
      {"c", {"models", "scenarios", "sim"}},
      {"tests", {"models", "scenarios", "sim", "gpu", "verify", "c"}},
  }};
  return all;
}

bool is_source(const fs::path& path) {
  static constexpr std::array<std::string_view, 5> extensions{".hpp", ".cpp", ".cu", ".cuh", ".inl"};
  return std::ranges::find(extensions, path.extension().string()) != extensions.end();
}

std::vector<fs::path> sources(const fs::path& folder) {
  std::vector<fs::path> found;
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && is_source(entry.path())) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

std::vector<std::string> broken_arrows(const fs::path& root) {
  static const std::regex include(R"re(^\s*#\s*include\s*(["<])([^">]+)[">])re");
  std::vector<std::string> broken;
  for (const Room& room : rooms()) {
    for (const fs::path& file : sources(root / room.name)) {
      std::ifstream text(file);
      int number = 0;
      for (std::string line; std::getline(text, line);) {
        ++number;
        std::smatch match;
        if (line.find('#') == std::string::npos || !std::regex_search(line, match, include)) continue;
        const std::string target = match[2];
        const std::string target_room = target.substr(0, target.find('/'));
        const bool in_a_room = std::ranges::find(rooms(), target_room, &Room::name) != rooms().end();
        const bool allowed = target_room == room.name || room.may_include.contains(target_room);
        const bool answered = fs::exists(root / target) && target.find("..") == std::string::npos;
        const bool fine = match[1] == "\"" ? in_a_room && allowed && answered : !(in_a_room && answered);
        if (!fine) broken.push_back(fs::relative(file, root).string() + ":" + std::to_string(number) + ": includes " + target);
      }
    }
  }
  return broken;
}

std::vector<std::string> circular_arrows(const fs::path& root, const std::string& folder) {
  static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)")re");
  struct Arrow {
    std::string from;
    std::string to;
    std::string text;
  };
  std::vector<Arrow> arrows;
  std::map<std::string, std::set<std::string>> reached;
  for (const fs::path& file : sources(root / folder)) {
    const std::string from = fs::relative(file.parent_path(), root).generic_string();
    std::ifstream text(file);
    for (std::string line; std::getline(text, line);) {
      std::smatch match;
      if (line.find('#') == std::string::npos || !std::regex_search(line, match, include) || !match[1].str().starts_with(folder + "/"))
        continue;
      const std::string to = fs::path(match[1].str()).parent_path().generic_string();
      if (from == to) continue;
      arrows.push_back({from, to, fs::relative(file, root).generic_string() + ": includes " + match[1].str()});
      reached[from].insert(to);
    }
  }
  for (bool grew = true; grew;) {
    grew = false;
    for (auto& [from, all] : reached) {
      const std::size_t before = all.size();
      for (const std::string& to : std::set(all)) {
        if (const auto further = reached.find(to); further != reached.end()) all.insert(further->second.begin(), further->second.end());
      }
      grew |= all.size() > before;
    }
  }
  std::vector<std::string> circular;
  for (const Arrow& arrow : arrows) {
    if (const auto back = reached.find(arrow.to); back != reached.end() && back->second.contains(arrow.from))
      circular.push_back(arrow.text);
  }
  return circular;
}

std::vector<std::string> crowded_folders(const fs::path& root, const std::string& folder, std::size_t most,
                                         const std::set<std::string>& exempt) {
  std::map<std::string, std::size_t> counts;
  for (const fs::path& file : sources(root / folder)) ++counts[fs::relative(file.parent_path(), root).generic_string()];
  std::vector<std::string> crowded;
  for (const auto& [name, count] : counts) {
    if (count > most && !exempt.contains(name)) crowded.push_back(name + ": " + std::to_string(count) + " files");
  }
  return crowded;
}

std::vector<std::string> repeated_stems(const fs::path& root, const std::string& folder, const std::set<std::string>& twins) {
  std::map<std::string, std::set<std::string>> files;
  for (const fs::path& file : sources(root / folder)) {
    const std::string in = fs::relative(file.parent_path(), root).generic_string();
    const bool header = file.extension() == ".hpp" || file.extension() == ".cuh";
    if (!header && !twins.contains(in)) files[file.stem().string()].insert(fs::relative(file, root).generic_string());
  }
  std::vector<std::string> repeated;
  for (const auto& [stem, places] : files) {
    if (places.size() < 2) continue;
    std::string text = stem + ":";
    for (const std::string& place : places) text += " " + place;
    repeated.push_back(text);
  }
  return repeated;
}

std::vector<std::string> runtime_decisions(const fs::path& root) {
  static const std::regex decision(
      R"re(\b(driver|release|ready_queue|placement|stealing)\s*(==|!=)|\b(is_static|has_workers|launches_on_device)\()re");
  std::vector<std::string> found;
  for (const Room& room : rooms()) {
    if (room.name == "tests") continue;
    for (const fs::path& file : sources(root / room.name)) {
      const std::string name = fs::relative(file, root).generic_string();
      if (name.starts_with("models/runtimes/") || name.starts_with("models/axes/") || name == "models/checks/design_check.cpp") continue;
      std::ifstream text(file);
      int number = 0;
      for (std::string line; std::getline(text, line);) {
        ++number;
        const std::string code = line.substr(0, line.find("//"));
        static constexpr std::array<std::string_view, 5> signs{"==", "!=", "is_static(", "has_workers(", "launches_on_device("};
        if (std::ranges::none_of(signs, [&](std::string_view sign) { return code.find(sign) != std::string::npos; })) continue;
        if (std::regex_search(code, decision)) found.push_back(name + ":" + std::to_string(number) + ":" + code);
      }
    }
  }
  return found;
}

std::size_t scanned_files(const fs::path& root) {
  std::size_t count = 0;
  for (const Room& room : rooms()) count += sources(root / room.name).size();
  return count;
}

}  // namespace tasktwin::structure
