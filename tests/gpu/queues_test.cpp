#include <algorithm>
#include <atomic>
#include <bit>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/persistent/queues/backlog.hpp"
#include "gpu/persistent/queues/ready_bits.hpp"
#include "gpu/persistent/queues/steal_queue.hpp"
#include "gpu/persistent/queues/ticket_queue.hpp"
#include "gpu/persistent/termination/sentinels.hpp"
#include "gpu/persistent/termination/vote.hpp"
#include "models/axes/workers.hpp"
#include "models/base/random.hpp"
#include "models/rules/steal_size.hpp"
#include "models/rules/victim.hpp"

namespace tasktwin::gpu {
namespace {

/// Runs f(0) … f(threads − 1) on a thread each.
template <class F>
void in_parallel(std::uint32_t threads, F f) {
  std::vector<std::jthread> all;
  for (std::uint32_t i = 0; i < threads; ++i) all.emplace_back([f, i] { f(i); });
}

struct TicketMemory {
  explicit TicketMemory(std::uint32_t capacity, bool never_full = false)
      : places(capacity), queue{&head, &tail, places.data(), capacity, never_full, &unclaimed} {}
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  std::uint32_t unclaimed = 0;
  std::vector<std::uint64_t> places;
  TicketQueue queue;
};

struct StealMemory {
  explicit StealMemory(std::uint32_t capacity, bool never_full = false)
      : entries(capacity), queue{&ends, entries.data(), capacity, never_full} {}
  std::uint64_t ends = 0;
  std::vector<std::uint32_t> entries;
  StealQueue queue;
};

constexpr rules::StealSize at_most(std::uint32_t count) { return {Stealing::kBatch, count}; }
constexpr rules::StealSize kHalf{Stealing::kHalf, 0};

std::uint32_t await(const TicketQueue& queue, std::uint32_t ticket) {
  for (;;) {
    if (const std::uint32_t found = queue.look(ticket)) {
      queue.free(ticket);
      return found - 1;
    }
    std::this_thread::yield();
  }
}

TEST(TicketQueue, TakesNoMoreThanItHasRoomFor) {
  TicketMemory memory(3);
  std::uint32_t first = 99;
  EXPECT_EQ(memory.queue.reserve(2, first), 2u);
  EXPECT_EQ(first, 0u);
  EXPECT_EQ(memory.queue.reserve(2, first), 1u);
  EXPECT_EQ(first, 2u);
  EXPECT_EQ(memory.queue.reserve(1, first), 0u);
  memory.queue.put(1, 41);
  memory.queue.put(0, 40);
  EXPECT_EQ(memory.queue.reserve(1, first), 0u);
  const std::uint32_t ticket = memory.queue.draw(1);
  EXPECT_EQ(memory.queue.look(ticket), 41u);
  EXPECT_EQ(memory.queue.reserve(1, first), 0u) << "not yet freed";
  memory.queue.free(ticket);
  EXPECT_EQ(memory.queue.reserve(5, first), 1u);
  EXPECT_EQ(first, 3u);
}

TEST(TicketQueue, ATicketMeetsTheEntryOfItsOwnRoundOnly) {
  TicketMemory memory(1);
  std::uint32_t first = 0;
  ASSERT_EQ(memory.queue.draw(2), 0u);
  EXPECT_EQ(memory.queue.look(0), 0u);
  ASSERT_EQ(memory.queue.reserve(1, first), 1u);
  memory.queue.put(first, 7);
  EXPECT_EQ(memory.queue.look(1), 0u);
  EXPECT_EQ(memory.queue.look(0), 8u);
  memory.queue.free(0);
  EXPECT_EQ(memory.queue.look(1), 0u);
  ASSERT_EQ(memory.queue.reserve(1, first), 1u);
  memory.queue.put(first, 9);
  EXPECT_EQ(memory.queue.look(0), 0u);
  EXPECT_EQ(memory.queue.look(1), 10u);
}

TEST(TicketQueue, TicketsBeyondTheLastPlaceOfOneThatNeverFillsMeetNothing) {
  TicketMemory memory(2, true);
  EXPECT_EQ(memory.queue.draw(4), 0u);
  EXPECT_EQ(memory.queue.look(2), 0u);
  EXPECT_EQ(memory.queue.look(3), 0u);
}

TEST(TicketQueue, GivesEveryEntryToOneTicketAndKeepsEachPushersOrder) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint32_t kEach = 3'000;
  for (const std::uint32_t capacity : {1u, 2u, 3u, 64u, kThreads * kEach}) {
    TicketMemory memory(capacity, capacity == kThreads * kEach);
    std::vector<std::uint32_t> met(kThreads * kEach);
    in_parallel(2 * kThreads, [&](std::uint32_t thread) {
      if (thread < kThreads) {
        for (std::uint32_t i = 0; i < kEach;) {
          std::uint32_t first = 0;
          const std::uint32_t got = memory.queue.reserve(std::min(1 + i % 5, kEach - i), first);
          for (std::uint32_t k = 0; k < got; ++k) memory.queue.put(first + k, thread * kEach + i + k);
          i += got;
          if (got == 0) std::this_thread::yield();
        }
      } else {
        for (std::uint32_t i = 0; i < kEach;) {
          const std::uint32_t count = std::min(1 + i % 8, kEach - i);
          const std::uint32_t first = memory.queue.draw(count);
          for (std::uint32_t k = 0; k < count; ++k) met[first + k] = await(memory.queue, first + k);
          i += count;
        }
      }
    });
    std::vector<std::uint32_t> next(kThreads);
    for (const std::uint32_t entry : met) EXPECT_EQ(entry % kEach, next[entry / kEach]++) << "capacity " << capacity;
  }
}

TEST(TicketQueue, DrawsOnDemandOnlyWhatIsThere) {
  TicketMemory memory(8);
  std::uint32_t first = 0;
  EXPECT_EQ(memory.queue.try_draw(4, first), 0u);
  ASSERT_EQ(memory.queue.reserve(3, first), 3u);
  EXPECT_EQ(memory.queue.try_draw(2, first), 2u);
  EXPECT_EQ(memory.queue.try_draw(2, first), 1u);
  EXPECT_EQ(first, 2u);
  EXPECT_EQ(memory.queue.try_draw(2, first), 0u);
}

TEST(TicketQueue, GivesEveryEntryToOneOfThoseThatDrawOnDemand) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint32_t kEach = 3'000;
  for (const std::uint32_t capacity : {1u, 3u, 64u, kThreads * kEach}) {
    TicketMemory memory(capacity, capacity == kThreads * kEach);
    std::vector<std::uint32_t> met(kThreads * kEach);
    std::atomic<std::uint32_t> left{kThreads * kEach};
    in_parallel(2 * kThreads, [&](std::uint32_t thread) {
      for (std::uint32_t i = 0; thread < kThreads && i < kEach;) {
        std::uint32_t first = 0;
        const std::uint32_t got = memory.queue.reserve(std::min(1 + i % 5, kEach - i), first);
        for (std::uint32_t k = 0; k < got; ++k) memory.queue.put(first + k, thread * kEach + i + k);
        i += got;
        if (got == 0) std::this_thread::yield();
      }
      while (thread >= kThreads && left > 0) {
        std::uint32_t first = 0;
        const std::uint32_t got = memory.queue.try_draw(1 + thread % 3, first);
        for (std::uint32_t k = 0; k < got; ++k) ++met[await(memory.queue, first + k)];
        left -= got;
        if (got == 0) std::this_thread::yield();
      }
    });
    EXPECT_EQ(met, std::vector<std::uint32_t>(kThreads * kEach, 1)) << "capacity " << capacity;
    EXPECT_EQ(memory.unclaimed, 0u);
  }
}

TEST(StealQueue, OwnerAndThievesTakeFromTheEndTheyAskFor) {
  StealMemory memory(8);
  std::uint32_t first = 0;
  ASSERT_EQ(memory.queue.reserve(9, first), 8u);
  for (std::uint32_t i = 0; i < 8; ++i) ASSERT_TRUE(memory.queue.try_put(i, 10 + i));
  EXPECT_EQ(memory.queue.take(true, at_most(1), first), 1u);
  EXPECT_EQ(memory.queue.try_get(first), 18u);
  EXPECT_EQ(memory.queue.try_get(first), 0u);
  EXPECT_EQ(memory.queue.take(false, kHalf, first), 4u);
  EXPECT_EQ(first, 0u);
  std::vector<std::uint32_t> stolen(4);
  memory.queue.get_all(first, 4, stolen.data(), 0, 1);
  EXPECT_EQ(stolen, (std::vector<std::uint32_t>{10, 11, 12, 13}));
  EXPECT_EQ(memory.queue.length(), 3u);
  EXPECT_EQ(memory.queue.take(true, at_most(9), first), 3u);
  EXPECT_EQ(first, 4u);
  EXPECT_EQ(memory.queue.take(true, at_most(9), first), 0u);
}

TEST(StealQueue, PositionsGoOnPastTheLargestNumber) {
  StealMemory memory(4);
  memory.ends = std::uint64_t{0xfffffffeu} << 32 | 0xfffffffeu;
  std::uint32_t first = 0;
  ASSERT_EQ(memory.queue.reserve(4, first), 4u);
  std::vector<std::uint32_t> entries{0, 1, 2, 3};
  memory.queue.put_all(first, 4, entries.data(), 0, 1);
  EXPECT_EQ(memory.queue.length(), 4u);
  EXPECT_EQ(memory.queue.reserve(1, first), 0u);
  for (std::uint32_t i = 0; i < 4; ++i) {
    ASSERT_EQ(memory.queue.take(false, at_most(1), first), 1u);
    EXPECT_EQ(memory.queue.try_get(first), 1 + i);
  }
}

TEST(StealQueue, GivesEveryEntryToOneTakerWhereItNeverFills) {
  constexpr std::uint32_t kEntries = 8192;
  StealMemory memory(kEntries, true);
  memory.ends = 0xfffff000fffff000ull;
  std::vector<std::uint32_t> met(kEntries);
  std::atomic<std::uint32_t> left{kEntries};
  in_parallel(4, [&](std::uint32_t thread) {
    std::vector<std::uint32_t> stolen(kEntries);
    for (std::uint32_t pushed = 0; left > 0;) {
      std::uint32_t first = 0;
      if (thread == 0 && pushed < kEntries) {
        const std::uint32_t count = memory.queue.reserve(std::min(1 + pushed % 4, kEntries - pushed), first);
        for (std::uint32_t k = 0; k < count; ++k) {
          while (!memory.queue.try_put(first + k, pushed + k)) std::this_thread::yield();
        }
        pushed += count;
      }
      const std::uint32_t got = memory.queue.take(thread == 0, thread == 0 ? at_most(1) : kHalf, first);
      memory.queue.get_all(first, got, stolen.data(), 0, 1);
      for (std::uint32_t k = 0; k < got; ++k) ++met[stolen[k]];
      left -= got;
      if (got == 0) std::this_thread::yield();
    }
  });
  EXPECT_EQ(met, std::vector<std::uint32_t>(kEntries, 1));
}

TEST(ReadyBits, APartOfAWordIsWhatLiesInTheRange) {
  for (std::uint32_t first = 0; first < 100; first += 7) {
    for (std::uint32_t end = first; end < 100; ++end) {
      for (std::uint32_t word = 0; word < 4; ++word) {
        std::uint32_t expected = 0;
        for (std::uint32_t bit = 0; bit < 32; ++bit) {
          if (32 * word + bit >= first && 32 * word + bit < end) expected |= 1u << bit;
        }
        ASSERT_EQ(ReadyBits::part(word, first, end), expected) << first << ' ' << end << ' ' << word;
      }
    }
  }
}

TEST(ReadyBits, EachOpenPlaceIsTakenOnce) {
  constexpr std::uint32_t kPlaces = 5'000;
  std::vector<std::uint64_t> words((kPlaces + 31) / 32);
  const ReadyBits bits{words.data()};
  std::vector<std::uint32_t> value(kPlaces);
  std::vector<std::atomic<int>> taken(kPlaces);
  std::atomic<std::uint32_t> left = kPlaces;
  in_parallel(6, [&](std::uint32_t thread) {
    if (thread < 2) {
      for (std::uint32_t place = thread; place < kPlaces; place += 2) {
        value[place] = place + 1;
        bits.open(place);
      }
      return;
    }
    while (left.load() > 0) {
      for (std::uint32_t word = 0; word < words.size(); ++word) {
        const std::uint32_t there = ReadyBits::available(bits.look(word));
        if (there == 0) continue;
        const std::uint32_t wanted = thread % 2 == 0 ? there & (0u - there) : there;
        std::uint32_t mine = bits.take(word, wanted);
        for (; mine != 0; mine &= mine - 1) {
          const std::uint32_t place = 32 * word + static_cast<std::uint32_t>(std::countr_zero(mine));
          EXPECT_EQ(value[place], place + 1);
          ++taken[place];
          --left;
        }
      }
      std::this_thread::yield();
    }
  });
  for (std::uint32_t place = 0; place < kPlaces; ++place) ASSERT_EQ(taken[place], 1) << place;
}

TEST(Backlog, KeepsOrderAndCopies) {
  std::vector<Backlog::Link> links(8);
  Backlog backlog(links.data(), 0, 0);
  backlog.append(3);
  backlog.append(5, 2);
  std::vector<std::uint32_t> order;
  while (!backlog.empty()) {
    order.push_back(backlog.front());
    backlog.pushed();
    if (order.size() == 2) backlog.append(1);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{3, 5, 5, 1}));
}

/// A tree of tasks, each spawning those below it when it ends: with plain memory as what they must make visible.
struct Tree {
  explicit Tree(std::uint32_t tasks) : born(tasks), done(tasks), links(tasks) { born[0] = 1; }
  /// Of `task`, which must have been born, and only once.
  std::vector<std::uint32_t> run(std::uint32_t task) {
    EXPECT_EQ(born[task], 1u);
    EXPECT_EQ(done[task].fetch_add(1), 0) << "task " << task;
    std::vector<std::uint32_t> children;
    for (std::uint32_t child = 3 * task + 1; child <= 3 * task + 3 && child < born.size(); ++child) {
      born[child] = 1;
      children.push_back(child);
    }
    return children;
  }
  void expect_all_done() const {
    for (std::size_t i = 0; i < done.size(); ++i) ASSERT_EQ(done[i], 1) << "task " << i;
  }
  bool all_done() const {
    return std::ranges::all_of(done, [](const std::atomic<int>& count) { return count.load() == 1; });
  }
  std::vector<std::uint32_t> born;
  std::vector<std::atomic<int>> done;
  std::vector<Backlog::Link> links;
};

/// What finds out that nothing is left, as a worker sees it.
class Ending {
 public:
  Ending(Termination scheme, std::uint32_t workers) : scheme_(scheme), nodes_(workers), stops_(workers), workers_(workers) {}
  void completed(std::uint32_t worker, std::uint32_t spawned) {
    if (scheme_ == Termination::kVote) {
      DeviceWord64 own(nodes_[worker].counts);
      own.store(own.load(kRelaxed) + Vote::counts(spawned, 1), kRelaxed);
    } else if (sentinels_.outstanding.count(1, spawned) && scheme_ == Termination::kSentinels) {
      sentinels_.push(0, 1);
    }
  }
  Vote vote(std::uint32_t worker) { return {nodes_.data(), workers_, worker, 1}; }
  bool over(std::uint32_t worker, Vote& vote) {
    if (scheme_ == Termination::kVote) return vote.step();
    return scheme_ == Termination::kSentinels ? sentinels_.over(worker) : sentinels_.outstanding.over();
  }

 private:
  Termination scheme_;
  std::vector<VoteNode> nodes_;
  std::vector<std::uint32_t> stops_;
  std::uint32_t workers_;
  std::uint32_t left_ = 1;
  Sentinels sentinels_{{&left_}, stops_.data(), 1, workers_};
};

template <class Queue>
void push_all(const Queue& queue, Backlog& backlog, const std::vector<std::uint32_t>& entries) {
  push_backlog(backlog, queue);
  std::uint32_t first = 0;
  const auto count = static_cast<std::uint32_t>(entries.size());
  const std::uint32_t got = backlog.empty() && count > 0 ? queue.reserve(count, first) : 0;
  std::vector<bool> put(got);
  while (!std::ranges::all_of(put, [](bool is) { return is; })) {
    for (std::uint32_t i = 0; i < got; ++i) put[i] = put[i] || queue.try_put(first + i, entries[i]);
  }
  for (std::uint32_t i = got; i < count; ++i) backlog.append(entries[i]);
}

class Terminations : public testing::TestWithParam<Termination> {
 protected:
  static constexpr std::uint32_t kTasks = 4'000;
};

TEST_P(Terminations, OfASharedQueueOfAnySizeComeAfterTheLastTask) {
  for (const std::uint32_t capacity : {1u, 2u, 3u, 100u}) {
    for (const std::uint32_t workers : {1u, 2u, 5u}) {
      for (const std::uint32_t claim : {1u, 3u}) {
        Tree tree(kTasks);
        TicketMemory memory(capacity);
        Ending ending(GetParam(), workers);
        std::uint32_t first = 0;
        memory.queue.reserve(1, first);
        memory.queue.put(first, 0);
        in_parallel(workers, [&](std::uint32_t worker) {
          Vote vote = ending.vote(worker);
          Backlog backlog(tree.links.data(), 0, 0);
          for (;;) {
            const std::uint32_t ticket = memory.queue.draw(claim);
            for (std::uint32_t i = 0; i < claim; ++i) {
              std::uint32_t found = 0;
              while ((found = memory.queue.look(ticket + i)) == 0) {
                if (ending.over(worker, vote)) {
                  EXPECT_TRUE(tree.all_done());
                  return;
                }
                push_backlog(backlog, memory.queue);
                std::this_thread::yield();
              }
              memory.queue.free(ticket + i);
              const auto children = tree.run(found - 1);
              ending.completed(worker, static_cast<std::uint32_t>(children.size()));
              push_all(memory.queue, backlog, children);
            }
          }
        });
        tree.expect_all_done();
      }
    }
  }
}

TEST_P(Terminations, OfQueuesThatAreStolenFromComeAfterTheLastTask) {
  for (const bool lifo : {true, false}) {
    for (const std::uint32_t capacity : {1u, 2u, 8u, 1024u}) {
      for (const std::uint32_t workers : {1u, 2u, 5u}) {
        Tree tree(kTasks);
        std::vector<StealMemory> memory;
        memory.reserve(workers);
        for (std::uint32_t i = 0; i < workers; ++i) memory.emplace_back(capacity);
        Ending ending(GetParam(), workers);
        std::uint32_t root = 0;
        memory[0].queue.reserve(1, root);
        ASSERT_TRUE(memory[0].queue.try_put(root, 0));
        in_parallel(workers, [&](std::uint32_t worker) {
          Vote vote = ending.vote(worker);
          const StealQueue& own = memory[worker].queue;
          Backlog backlog(tree.links.data(), 0, 0);
          const auto run = [&](std::uint32_t task) {
            const auto children = tree.run(task);
            ending.completed(worker, static_cast<std::uint32_t>(children.size()));
            push_all(own, backlog, children);
          };
          std::uint32_t first = 0;
          for (std::uint64_t round = 0;; ++round) {
            push_backlog(backlog, own);
            if (own.take(lifo, at_most(1), first) == 1) {
              std::uint32_t task = 0;
              own.get_all(first, 1, &task, 0, 1);
              run(task);
              continue;
            }
            const rules::VictimRound victims(Victim::kRandom, worker, workers, 1, round);
            std::vector<std::uint32_t> stolen;
            for (std::uint32_t attempt = 0; attempt < victims.attempts() && stolen.empty(); ++attempt) {
              const StealQueue& victim = memory[victims.queue(attempt)].queue;
              const std::uint32_t number = victim.take(!lifo, kHalf, first);
              stolen.resize(number);
              victim.get_all(first, number, stolen.data(), 0, 1);
            }
            if (stolen.empty()) {
              if (ending.over(worker, vote)) {
                EXPECT_TRUE(tree.all_done());
                return;
              }
              std::this_thread::yield();
              continue;
            }
            const std::uint32_t task = stolen.back();
            stolen.pop_back();
            push_all(own, backlog, stolen);
            run(task);
          }
        });
        tree.expect_all_done();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Terminations, testing::Values(Termination::kCounter, Termination::kVote, Termination::kSentinels),
                         [](const auto& test) { return std::string(to_word(test.param)); });

}  // namespace
}  // namespace tasktwin::gpu
