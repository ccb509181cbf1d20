#include "models/dependences/dependences.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace tasktwin {

namespace {

/// The latest uses of a range of bytes.
struct Uses {
  std::uint64_t end = 0;
  struct Use {
    TaskId task{};
    std::uint32_t life = 0;
  };
  std::optional<Use> write;
  std::vector<Use> reads;  ///< since then
};

bool is_tensor(std::uint32_t life) { return (life & kTensorLife) != 0; }

/// Whether two lives may be of the same memory, given out once.
bool may_be_same(std::uint32_t one, std::uint32_t other) {
  return one == other || one == 0 || other == 0 || is_tensor(one) != is_tensor(other);
}

/// Memory, and what used it last.
class Space {
 public:
  /// Calls `add(use, kind, address)` for each use that the access must follow.
  template <class Add>
  void follow(const TaskAccess& access, Add add) {
    split(access.begin);
    split(access.end);
    for (auto at = uses_.lower_bound(access.begin); at != uses_.end() && at->first < access.end; ++at) {
      const Uses& uses = at->second;
      if (access.write) {
        for (const Uses::Use& read : uses.reads) add(read, DependenceKind::kWriteAfterRead, at->first);
      }
      if (uses.write && (!access.write || uses.reads.empty()))
        add(*uses.write, access.write ? DependenceKind::kWriteAfterWrite : DependenceKind::kReadAfterWrite, at->first);
    }
  }

  void note(const TaskAccess& access, TaskId task) {
    split(access.begin);
    split(access.end);
    std::uint64_t from = access.begin;
    for (auto at = uses_.lower_bound(access.begin); at != uses_.end() && at->first < access.end; ++at) {
      if (at->first > from) fill(at, from, at->first);
      from = at->second.end;
    }
    if (from < access.end) fill(uses_.end(), from, access.end);
    for (auto at = uses_.lower_bound(access.begin); at != uses_.end() && at->first < access.end; ++at) use(at->second, access, task);
  }

 private:
  void fill(std::map<std::uint64_t, Uses>::iterator before, std::uint64_t begin, std::uint64_t end) {
    uses_.emplace_hint(before, begin, Uses{.end = end, .write = {}, .reads = {}});
  }

  static void use(Uses& uses, const TaskAccess& access, TaskId task) {
    if (access.write) {
      uses.write = Uses::Use{task, access.life};
      uses.reads.clear();
      return;
    }
    const bool written = uses.write && uses.write->task == task;
    const bool noted = written || (!uses.reads.empty() && uses.reads.back().task == task);
    if (!noted) uses.reads.push_back({task, access.life});
  }

  /// So that a range begins at the address, if one has it within.
  void split(std::uint64_t address) {
    auto at = uses_.upper_bound(address);
    if (at == uses_.begin()) return;
    --at;
    if (at->first == address || at->second.end <= address) return;
    uses_.emplace(address, at->second);
    at->second.end = address;
  }

  std::map<std::uint64_t, Uses> uses_;  ///< by the first byte; ranges lie apart
};

class Finder {
 public:
  Finder(const TaskAccesses& accesses, bool own_memory)
      : accesses_(accesses), own_memory_(own_memory), followed_(accesses.of.size(), false) {}

  std::vector<Dependence> run() {
    for (std::size_t i = 0; i < accesses_.of.size(); ++i) take(i);
    return std::move(found_);
  }

 private:
  void take(std::size_t number) {
    const TaskId task = task_id(number);
    own_.clear();
    for (const TaskAccess& access : accesses_.of[number]) follow(access, task);
    for (const TaskAccess& access : accesses_.of[number]) spaces_[own_memory_ ? access.life : 0].note(access, task);
    if (accesses_.unknown[number]) follow_all(number);
    const bool behind = !own_.empty() && index(own_.rbegin()->first) > unknown_;
    if (any_unknown_ && !behind && !accesses_.unknown[number])
      own_.try_emplace(task_id(unknown_), Dependence{task_id(unknown_), task, DependenceKind::kUnknown, 0});
    if (accesses_.unknown[number]) {
      any_unknown_ = true;
      unknown_ = number;
    }
    for (const auto& [before, dependence] : own_) {
      followed_[index(before)] = true;
      found_.push_back(dependence);
    }
  }

  /// All since the last task of which too little is known, and that.
  void follow_all(std::size_t number) {
    for (std::size_t i = any_unknown_ ? unknown_ : 0; i < number; ++i) {
      if (!followed_[i]) own_.try_emplace(task_id(i), Dependence{task_id(i), task_id(number), DependenceKind::kUnknown, 0});
    }
  }

  void follow(const TaskAccess& access, TaskId task) {
    const auto add_one = [&](const Uses::Use& use, DependenceKind kind, std::uint64_t address) { add(use, access, task, kind, address); };
    if (!own_memory_) return spaces_[0].follow(access, add_one);
    // Its own, and those of the other kind: numbers of tensors are the larger ones.
    const auto tensors = spaces_.lower_bound(kTensorLife);
    const bool tensor = is_tensor(access.life);
    const bool any = access.life == 0;
    for (auto at = any || tensor ? spaces_.begin() : tensors; at != (any || !tensor ? spaces_.end() : tensors); ++at)
      at->second.follow(access, add_one);
    if (const auto own = spaces_.find(access.life); !any && own != spaces_.end()) own->second.follow(access, add_one);
    if (const auto unknown = spaces_.find(0); !any && !tensor && unknown != spaces_.end()) unknown->second.follow(access, add_one);
  }

  void add(const Uses::Use& use, const TaskAccess& access, TaskId task, DependenceKind kind, std::uint64_t address) {
    if (use.task == task) return;
    if (!may_be_same(use.life, access.life)) kind = DependenceKind::kReuse;
    const auto [known, fresh] = own_.try_emplace(use.task, Dependence{use.task, task, kind, address});
    // What data need says more than what an allocator does.
    if (!fresh && known->second.kind == DependenceKind::kReuse && kind != DependenceKind::kReuse)
      known->second = {use.task, task, kind, address};
  }

  const TaskAccesses& accesses_;
  bool own_memory_;
  std::map<std::uint32_t, Space> spaces_;  ///< by life; all memory in that of number 0 where none is given out again
  std::map<TaskId, Dependence> own_;       ///< of the task at hand
  std::vector<bool> followed_;             ///< by task: some later one follows it
  bool any_unknown_ = false;
  std::size_t unknown_ = 0;  ///< the last task of which too little is known
  std::vector<Dependence> found_;
};

}  // namespace

std::vector<Dependence> true_dependences(const TaskAccesses& accesses, bool own_memory) { return Finder(accesses, own_memory).run(); }

}  // namespace tasktwin
