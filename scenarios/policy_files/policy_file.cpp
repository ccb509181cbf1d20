#include "scenarios/policy_files/policy_file.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "models/base/child_process.hpp"
#include "models/base/names.hpp"
#include "models/policies/own_policies.hpp"
#include "models/policies/policy_call.hpp"
#include "scenarios/document/characters.hpp"
#include "scenarios/files/files_read.hpp"

namespace tasktwin::scenarios {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) { throw InputError({path}, why); }

/// Whether a segment of an ELF file of this machine ends after the file, which the loader would die of. What is no such file it refuses.
bool is_truncated(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const auto read_at = [&stream](ElfW(Off) at, auto& into) {
    stream.seekg(static_cast<std::streamoff>(at));
    return static_cast<bool>(stream.read(reinterpret_cast<char*>(&into), sizeof into));
  };
  ElfW(Ehdr) head{};
  if (!read_at(0, head) || std::string_view(reinterpret_cast<const char*>(head.e_ident), SELFMAG) != ELFMAG) return false;
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  for (int i = 0; i < head.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    if (!read_at(head.e_phoff + static_cast<ElfW(Off)>(i) * head.e_phentsize, segment)) return true;
    if (segment.p_type == PT_LOAD && (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)) return true;
  }
  return false;
}

template <class Symbol>
Symbol* symbol_of(void* object, const char* name) {
  return reinterpret_cast<Symbol*>(dlsym(object, name));
}

void check_abi(const std::string& path, const PolicyAbi* abi) {
  if (abi == nullptr) refuse(path, "does not define tasktwin_policy_abi (models/policies/plug_in.hpp says what a policy defines)");
  if (abi->version != PolicyAbi{}.version) {
    refuse(path, "is built for version " + std::to_string(abi->version) + " of the interface of policies; this tasktwin has version " +
                     std::to_string(PolicyAbi{}.version) + ": build it against its headers");
  }
  if (*abi != PolicyAbi{})
    refuse(path, "is built against the headers of another tasktwin, whose tasks look different: build it against this one's");
}

/// Each is named, once for its axis, and can be asked.
void check_entries(const std::string& path, const PolicyTable& table) {
  if (table.entries.empty()) refuse(path, "defines no policy: tasktwin_policies adds none");
  for (const PolicyEntry& entry : table.entries) {
    if (!is_name(entry.name)) refuse(path, "has a policy named '" + entry.name + "'; a name must be " + std::string(kNameForm));
    const bool is_there = std::visit([](const auto& make) { return static_cast<bool>(make); }, entry.make);
    if (!is_there) refuse(path, "has a policy '" + entry.name + "' that is an empty function");
    for (const PolicyEntry& other : table.entries) {
      if (&other != &entry && other.name == entry.name && axis_of(other) == axis_of(entry))
        refuse(path, "has two policies '" + entry.name + "' of " + std::string(axis_of(entry)));
    }
  }
}

/// The object stays loaded.
PolicyTable loaded(const std::string& path) {
  const std::string file = std::filesystem::absolute(path).string();
  void* const object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) refuse(path, std::string("cannot be loaded: ") + dlerror());
  check_abi(path, symbol_of<const PolicyAbi>(object, "tasktwin_policy_abi"));
  auto* const fill = symbol_of<decltype(tasktwin_policies)>(object, "tasktwin_policies");
  auto* const rank = symbol_of<decltype(tasktwin_rank_tasks)>(object, "tasktwin_rank_tasks");
  if (fill == nullptr && rank == nullptr)
    refuse(path, "defines neither tasktwin_policies nor tasktwin_rank_tasks (models/policies/plug_in.hpp says what a policy defines)");
  PolicyTable table;
  if (rank != nullptr) {
    table.add("ranks", MakeRanks([rank](const PolicyInputs& inputs, const PolicyParameters&) {
                std::vector<double> ranks;
                rank(inputs, ranks);
                return ranks;
              }));
  }
  try {
    if (fill != nullptr) fill(table);
  } catch (const std::exception& error) {
    refuse(path, std::string("tasktwin_policies threw: ") + error.what());
  } catch (...) {
    refuse(path, "tasktwin_policies threw something that is no std::exception");
  }
  check_entries(path, table);
  return table;
}

/// Everything that loading may do to a process it does to another one first.
void try_elsewhere(const std::string& path) {
  try {
    in_child([&] { return std::to_string(loaded(path).entries.size()); }, path + ": the process that loads it", policy_limit());
  } catch (const Terminated& thrown) {
    refuse(path, std::string("cannot be loaded: it threw: ") + thrown.what());
  } catch (const Overdue& late) {
    refuse(path,
           std::string("cannot be loaded: what it does while it is loaded, or its tasktwin_policies, has not returned for ") + late.what());
  }
}

}  // namespace

std::shared_ptr<const PolicyTable> load_policies(const std::string& path) {
  using File = std::tuple<dev_t, ino_t, time_t, long, off_t>;
  static std::mutex mutex;
  static auto& tables = *new std::map<File, std::shared_ptr<const PolicyTable>>;  // as long as the objects, which are never unloaded
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) refuse(path, "no such file");
  if (!S_ISREG(status.st_mode)) refuse(path, "is not a regular file");
  note_read(path);
  if (is_truncated(path)) refuse(path, "is truncated: it ends before what it says is to be loaded");
  const File file{status.st_dev, status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size};
  const std::lock_guard lock(mutex);
  std::shared_ptr<const PolicyTable>& table = tables[file];
  if (table == nullptr) {
    try_elsewhere(path);
    table = std::make_shared<const PolicyTable>(loaded(path));
  }
  return table;
}

std::shared_ptr<const PolicyEntry> find_policy(const std::shared_ptr<const PolicyTable>& table, std::string_view axis,
                                               std::string_view name) {
  std::vector<std::string_view> known;
  std::string of_others;
  const PolicyEntry* found = nullptr;
  for (const PolicyEntry& entry : table->entries) {
    if (axis_of(entry) != axis) {
      of_others += (of_others.empty() ? "" : ", ") + entry.name + " (" + std::string(axis_of(entry)) + ")";
      continue;
    }
    known.push_back(entry.name);
    if (name.empty() || entry.name == name) found = &entry;
  }
  if (known.empty()) throw InputError("it defines no policy of " + std::string(axis) + ", but " + of_others);
  if (name.empty() && known.size() > 1) {
    std::string names;
    for (const std::string_view one : known) names += (names.empty() ? "" : ", ") + std::string(one);
    throw InputError("it defines several policies of " + std::string(axis) + ", so that 'name' must say which: " + names);
  }
  if (found == nullptr) throw InputError("it defines no policy '" + std::string(name) + "' of " + std::string(axis) + suggest(name, known));
  return {table, found};
}

}  // namespace tasktwin::scenarios
