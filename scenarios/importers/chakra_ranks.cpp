#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "scenarios/files/quoted.hpp"
#include "scenarios/importers/chakra.hpp"

namespace tasktwin::scenarios {

namespace {

/// et_def.proto's CollectiveCommType, and what simulates it.
struct CollectiveType {
  std::string_view word;
  std::optional<Operation> operation;
};
constexpr std::array kCollectiveTypes{
    CollectiveType{"all_reduce", Operation::kAllReduce},
    CollectiveType{"reduce", std::nullopt},
    CollectiveType{"all_gather", Operation::kAllGather},
    CollectiveType{"gather", std::nullopt},
    CollectiveType{"scatter", std::nullopt},
    CollectiveType{"broadcast", Operation::kBroadcast},
    CollectiveType{"all_to_all", Operation::kAllToAll},
    CollectiveType{"reduce_scatter", Operation::kReduceScatter},
    CollectiveType{"reduce_scatter_block", Operation::kReduceScatter},
    CollectiveType{"barrier", Operation::kAllReduce},
};
constexpr std::int64_t kBarrier = 9;

/// How NCCL's kernels are called, for nodes without comm_type; lower case, without separators.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> kInNames{
    {{"allreduce", 0}, {"allgather", 2}, {"broadcast", 5}, {"alltoall", 6}, {"reducescatter", 7}}};

std::string only_letters(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
    if (c >= 'a' && c <= 'z') letters += c;
  }
  return letters;
}

std::string group_text(const std::string& group) {
  return group.empty() ? "the communicator without a name" : "communicator " + in_quotes(group);
}

/// The last number in a file's name without its folder.
std::optional<std::int32_t> rank_in(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  const std::size_t last = name.find_last_of("0123456789");
  if (last == std::string::npos) return std::nullopt;
  std::size_t first = last;
  while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9') --first;
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + first, name.data() + last + 1, number);
  if (error != std::errc{}) return std::nullopt;
  return number;
}

}  // namespace

std::vector<std::string> files_by_rank(const std::string& first, std::span<const std::string> others) {
  std::vector<std::string> files{first};
  files.insert(files.end(), others.begin(), others.end());
  std::map<std::int32_t, std::string> by_rank;
  std::size_t without = 0;
  for (const std::string& file : files) {
    const auto rank = rank_in(file);
    if (!rank) {
      ++without;
      continue;
    }
    const auto [same, is_new] = by_rank.emplace(*rank, file);
    if (!is_new) throw InputError({file}, "is of rank " + std::to_string(*rank) + " by its name, as " + in_quotes(same->second) + " is");
  }
  if (without == files.size()) return files;
  if (without > 0)
    throw InputError("ranks: some files have a rank in their names (trace.0.et) and others have none; all must have one, or none");
  files.clear();
  for (const auto& [rank, file] : by_rank) {
    const auto wanted = static_cast<std::int32_t>(files.size());
    if (rank != wanted)
      throw InputError("ranks: the file of rank " + std::to_string(wanted) + " lacks: by their names there are ranks up to " +
                       std::to_string(by_rank.rbegin()->first));
    files.push_back(file);
  }
  return files;
}

std::string ChakraGraph::called(const Communication& one) const { return "node " + in_quotes(graph_.nodes[one.task].name); }

/// Of their times the shortest counts: that of the rank that comes last and waits for none.
void ChakraGraph::set_parts(const std::vector<const Communication*>& parts, Operation operation, std::int64_t root) {
  ++joined_;
  Duration time = graph_.nodes[parts.front()->task].task.cost.time;
  std::int64_t bytes = 1;
  for (const Communication* part : parts) {
    const Cost& cost = graph_.nodes[part->task].task.cost;
    time = std::min(time, cost.time);
    bytes = std::max(bytes, cost.bytes.count);
  }
  if (operation == Operation::kAllGather) bytes *= static_cast<std::int64_t>(parts.size());
  (time > Duration{} ? timed_ : by_bytes_) += 1;
  for (const Communication* part : parts) {
    Task& task = graph_.nodes[part->task].task;
    task.operation = operation;
    task.cost = {.time = time, .bytes = {bytes}};
    task.args = {0, joined_, static_cast<std::int32_t>(std::max<std::int64_t>(0, root)), 0};
  }
}

void ChakraGraph::join_collectives() {
  using OfRank = std::map<std::int32_t, std::vector<const Communication*>>;
  std::map<std::string, OfRank> groups;
  for (const Communication& one : communications_) {
    if (one.type == kCommColl) groups[one.group][one.rank].push_back(&one);
  }
  const auto refuse = [this](const Communication& one, const std::string& why) {
    throw InputError({ranks_[static_cast<std::size_t>(one.rank)].file}, called(one) + why);
  };
  const auto type_of = [&](const Communication& one) {
    std::int64_t type = one.collective;
    if (type < 0) {
      const std::string letters = only_letters(graph_.nodes[one.task].name);
      const auto found = std::ranges::find_if(kInNames, [&letters](const auto& in) { return letters.find(in.first) != std::string::npos; });
      if (found == kInNames.end()) refuse(one, " is a collective, but neither its comm_type nor its name says which");
      type = found->second;
    }
    if (type >= static_cast<std::int64_t>(kCollectiveTypes.size()))
      refuse(one, " has the comm_type " + std::to_string(type) + "; 0 to " + std::to_string(kCollectiveTypes.size() - 1) + " are known");
    const CollectiveType& known = kCollectiveTypes[static_cast<std::size_t>(type)];
    if (!known.operation)
      refuse(one, " is a " + std::string(known.word) +
                      ", which is not simulated; all_reduce, all_gather, reduce_scatter, all_to_all, broadcast and barrier are");
    return type;
  };
  for (auto& [group, of_rank] : groups) {
    for (auto& [rank, list] : of_rank)
      std::ranges::stable_sort(list, {}, [](const Communication* one) { return std::tuple(one->start_us, one->task); });
    const auto& [first_rank, first] = *of_rank.begin();
    if (of_rank.size() == 1)
      refuse(*first.front(), " is of " + group_text(group) + ", in which only rank " + std::to_string(first_rank) +
                                 " takes part: the files of its other ranks lack");
    for (const auto& [rank, list] : of_rank) {
      if (list.size() == first.size()) continue;
      throw InputError({ranks_[static_cast<std::size_t>(rank)].file},
                       group_text(group) + " has " + counted(list.size(), "collective") + " in rank " + std::to_string(rank) + " and " +
                           std::to_string(first.size()) + " in rank " + std::to_string(first_rank) + "; every rank takes part in each");
    }
    for (std::size_t i = 0; i < first.size(); ++i) {
      std::vector<const Communication*> parts;
      const std::int64_t type = type_of(*first[i]);
      const std::int64_t bytes = graph_.nodes[first[i]->task].task.cost.bytes.count;
      std::int64_t root = first_rank;
      for (const auto& [rank, list] : of_rank) {
        const Communication& one = *list[i];
        const auto differ = [&](const std::string& what) {
          refuse(one,
                 " is collective " + std::to_string(i + 1) + " of " + group_text(group) + ", as " + called(*first[i]) + " is, but " + what);
        };
        if (const std::int64_t own = type_of(one); own != type)
          differ("one is " + std::string(kCollectiveTypes[static_cast<std::size_t>(own)].word) + " and the other " +
                 std::string(kCollectiveTypes[static_cast<std::size_t>(type)].word));
        const std::int64_t own_bytes = graph_.nodes[one.task].task.cost.bytes.count;
        const bool may_differ = *kCollectiveTypes[static_cast<std::size_t>(type)].operation == Operation::kAllToAll;
        if (own_bytes != bytes && !may_differ)
          differ("one has " + std::to_string(own_bytes) + " bytes and the other " + std::to_string(bytes));
        uneven_ += own_bytes != bytes ? 1 : 0;
        if (one.source >= 0) root = one.source;
        parts.push_back(&one);
      }
      const Operation operation = *kCollectiveTypes[static_cast<std::size_t>(type)].operation;
      if (has_root(operation) && !of_rank.contains(static_cast<std::int32_t>(root)))
        refuse(*parts.front(), " is a broadcast from rank " + std::to_string(root) + ", which is none of " + group_text(group));
      const bool no_time = graph_.nodes[parts.front()->task].task.cost.time == Duration{};
      if (bytes == 0 && no_time && type != kBarrier) refuse(*parts.front(), " is a collective with neither a comm_size nor a duration");
      set_parts(parts, operation, has_root(operation) ? root : 0);
    }
  }
}

void ChakraGraph::join_messages() {
  using Way = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // from, to, tag
  std::map<Way, std::deque<const Communication*>> sent;
  std::vector<const Communication*> all;
  for (const Communication& one : communications_) {
    if (one.type != kCommColl) all.push_back(&one);
  }
  std::ranges::stable_sort(all, {}, [](const Communication* one) { return std::tuple(one->start_us, one->task); });
  const auto refuse = [this](const Communication& one, const std::string& why) {
    throw InputError({ranks_[static_cast<std::size_t>(one.rank)].file}, called(one) + why);
  };
  const auto way = [&](const Communication& one) {
    const bool sends = one.type == kCommSend;
    const std::int64_t own = sends ? one.source : one.target;
    const std::int64_t other = sends ? one.target : one.source;
    const char* const field = sends ? "comm_dst" : "comm_src";
    if (own >= 0 && own != one.rank)
      refuse(one, std::string(sends ? " has the comm_src " : " has the comm_dst ") + std::to_string(own) + ", but its file is of rank " +
                      std::to_string(one.rank));
    if (other < 0) refuse(one, std::string(" has no ") + field);
    if (other == one.rank) refuse(one, std::string(" has its own rank as ") + field);
    if (other >= static_cast<std::int64_t>(ranks_.size()))
      refuse(one, std::string(" has the ") + field + " " + std::to_string(other) + "; the file of that rank lacks");
    return sends ? Way{one.rank, other, one.tag} : Way{other, one.rank, one.tag};
  };
  for (const Communication* one : all) {
    if (one->type == kCommSend) sent[way(*one)].push_back(one);
  }
  for (const Communication* one : all) {
    if (one->type != kCommRecv) continue;
    const Way from = way(*one);
    auto& waiting = sent[from];
    if (waiting.empty())
      refuse(*one, " receives from rank " + std::to_string(std::get<0>(from)) + " with tag " + std::to_string(one->tag) +
                       ", and that rank sends nothing more of that tag to it");
    const Communication* const source = waiting.front();
    waiting.pop_front();
    const auto bytes = [this](const Communication& of) { return graph_.nodes[of.task].task.cost.bytes.count; };
    if (bytes(*one) > 0 && bytes(*source) > 0 && bytes(*one) != bytes(*source))
      refuse(*one,
             " receives " + std::to_string(bytes(*one)) + " bytes, but " + called(*source) + " sends " + std::to_string(bytes(*source)));
    set_parts({source, one}, Operation::kSendRecv, source->rank);
  }
  for (const auto& [from, waiting] : sent) {
    if (!waiting.empty())
      refuse(*waiting.front(), " sends to rank " + std::to_string(std::get<1>(from)) + " with tag " + std::to_string(std::get<2>(from)) +
                                   ", and that rank receives nothing more of that tag from it");
  }
}

ImportedGraph ChakraGraph::joined() {
  join_nodes(ranks_.back().file);
  join_collectives();
  join_messages();
  auto& remarks = graph_.remarks;
  remarks.push_back(counted(ranks_.size(), "rank") + ", each on the device of its number, with " +
                    counted(static_cast<std::size_t>(joined_), "collective") + " and messages between them");
  if (timed_ > 0)
    remarks.push_back(std::to_string(timed_) + " of them take the shortest of their ranks' times: that of the rank which comes last");
  if (by_bytes_ > 0)
    remarks.push_back(std::to_string(by_bytes_) + " of them without a duration take what the machine says for their bytes");
  if (uneven_ > 0)
    remarks.push_back(counted(uneven_, "part") + " of all_to_all of other bytes than the first rank's: each counts as the largest");
  remark();
  return std::move(graph_);
}

}  // namespace tasktwin::scenarios
