#include "verify/explain/explanation.hpp"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

DesignAccount account_of(const std::string& name, const std::vector<std::pair<PathCause, std::int64_t>>& path, std::size_t cores) {
  DesignAccount account;
  account.design.name = name;
  for (const auto& [cause, ns] : path) {
    account.path.by_cause[static_cast<std::size_t>(cause)] = Duration{ns};
    account.makespan += Duration{ns};
  }
  account.cores = cores;
  account.idle.busy = account.makespan;
  account.idle.by_cause[static_cast<std::size_t>(IdleCause::kDispatch)] = static_cast<std::int64_t>(cores - 1) * account.makespan;
  account.bounds.critical_path = Duration{50'000};
  account.over_bound = static_cast<double>(to_ns(account.makespan)) / 50'000;
  return account;
}

std::string told(const Explanation& explanation) {
  const auto sentences = explanation.sentences();
  return std::accumulate(sentences.begin(), sentences.end(), std::string(),
                         [](const std::string& text, const std::string& sentence) { return text + sentence + "\n"; });
}

TEST(Explanation, SaysWhatTheFasterOneSpendsLessOn) {
  DesignAccount a = account_of("slow", {{PathCause::kBody, 60'000}, {PathCause::kDispatch, 50'000}, {PathCause::kStart, 2'000}}, 4);
  DesignAccount b = account_of("fast", {{PathCause::kBody, 60'000}, {PathCause::kQueue, 10'000}, {PathCause::kStart, 1'000}}, 5);
  a.control_shares = {0.25, 0.75};
  a.roles = {ControlRole::kScheduler, ControlRole::kResolver};
  const Explanation explanation(a, b, {});
  const std::string text = told(explanation);
  EXPECT_THAT(text, HasSubstr("fast takes 71.000 µs, slow 112.0 µs: fast is faster by 41.000 µs (36.6 %)."));
  EXPECT_THAT(text,
              HasSubstr("slow spends 50.000 µs more on control cores at work, but 10.000 µs less on ready queues and lists than fast."));
  EXPECT_THAT(text, Not(HasSubstr("starting bodies"))) << "1 of 41 µs is not worth saying";
  EXPECT_THAT(text, HasSubstr("The largest part of both paths is bodies that the next task needed: 84.5 % under fast, 53.6 % under slow."));
  EXPECT_THAT(text, HasSubstr("The busiest of slow's 2 control cores is busy for 75.0 % of the makespan, fast has no control core."));
  EXPECT_THAT(text, HasSubstr("fast has 5 cores for tasks, slow has 4."));
  EXPECT_THAT(text, HasSubstr("fast takes 1.420 × its highest bound (critical path, 50.000 µs), slow takes 2.240 ×"));
  EXPECT_THAT(explanation.sentences(), SizeIs(testing::AllOf(testing::Ge(3), testing::Le(8))));
}

TEST(Explanation, ClaimsNothingThatTheFiguresDoNotShow) {
  const DesignAccount a = account_of("a", {{PathCause::kBody, 60'000}}, 2);
  const DesignAccount b = account_of("b", {{PathCause::kBody, 60'000}}, 2);
  const std::string text = told(Explanation(a, b, {}));
  EXPECT_THAT(text, HasSubstr("Both designs take 60.000 µs."));
  EXPECT_THAT(text, HasSubstr("no cause differs by a tenth of the makespan"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("faster")), Not(HasSubstr("control core")), Not(HasSubstr("cores for tasks")),
                          Not(HasSubstr("largest difference")), Not(HasSubstr("seed"))));
}

TEST(Explanation, NamesTheCostliestCauseThatIsNoWork) {
  DesignAccount a = account_of("a", {{PathCause::kBody, 60'000}, {PathCause::kQueue, 30'000}}, 2);
  a.costs = {{PathCause::kBody, Duration{60'000}, Duration{50'000}}, {PathCause::kQueue, Duration{30'000}, Duration{25'000}}};
  DesignAccount b = account_of("b", {{PathCause::kBody, 95'000}}, 2);
  b.costs = {{PathCause::kBody, Duration{95'000}, Duration{90'000}}};
  EXPECT_THAT(told(Explanation(a, b, {})), HasSubstr("Beside the bodies what costs most is ready queues and lists for a (30.000 µs of its "
                                                     "path; without it the run takes 25.000 µs less).\n"));
}

TEST(Explanation, NamesLargeCausesThatBringNothing) {
  DesignAccount a = account_of("a", {{PathCause::kCoreWait, 60'000}, {PathCause::kQueue, 20'000}, {PathCause::kStart, 20'000}}, 2);
  a.costs = {{PathCause::kQueue, Duration{20'000}, Duration{15'000}},
             {PathCause::kStart, Duration{20'000}, Duration{14'000}},
             {PathCause::kCoreWait, Duration{60'000}, Duration{-1'000}, PathCause::kBody}};
  const std::string text = told(Explanation(a, account_of("b", {{PathCause::kBody, 95'000}}, 2), {}));
  EXPECT_THAT(text, HasSubstr("60.0 % of the path of a (60.000 µs) is waiting for tasks that had the core"));
  EXPECT_THAT(text, HasSubstr("without it the run takes no less, since bodies that the next task needed take its place"));
  EXPECT_THAT(text, Not(HasSubstr("is starting bodies"))) << "it brings its part";
}

TEST(Explanation, SaysWhatItCannotSimulate) {
  DesignAccount a = account_of("a", {{PathCause::kBody, 60'000}, {PathCause::kSkew, 40'000}}, 2);
  a.unknown_costs = {{PathCause::kSkew, Duration{40'000}, "there is no such run"}};
  EXPECT_THAT(told(Explanation(a, account_of("b", {{PathCause::kBody, 95'000}}, 2), {})),
              AllOf(HasSubstr("40.0 % of the path of a"), HasSubstr("not simulated: there is no such run.")));
}

TEST(Explanation, TellsCallsThatWaitFromCallsAndNamesTheRest) {
  DesignAccount a = account_of("a", {{PathCause::kHostCall, 50'000}, {PathCause::kHostSync, 45'000}}, 2);
  a.calls = {{"cudaMemcpy", PathCause::kHostCall, Duration{50'000}, Duration{1'000}},
             {"cudaMemcpy", PathCause::kHostSync, Duration{40'000}, Duration{40'000}}};
  const std::array<const DesignAccount*, 1> one{&a};
  const std::string text = host_calls(one);
  EXPECT_THAT(text, HasSubstr("cudaMemcpy 50.000 µs (without 1.000 µs less)"));
  EXPECT_THAT(text, HasSubstr("waiting in cudaMemcpy 40.000 µs (without 40.000 µs less)"));
  EXPECT_THAT(text, HasSubstr("waiting in others 5.000 µs"));
  EXPECT_THAT(text, Not(HasSubstr(" others 0"))) << "all of the other calls are named";
}

TEST(Explanation, SaysSoWhereTheTimesAreDrawn) {
  const DesignAccount a = account_of("a", {{PathCause::kBody, 60'000}}, 2);
  EXPECT_THAT(told(Explanation(a, a, {"task times (sigma_ns)"})), HasSubstr("one run; the seed draws task times (sigma_ns)"));
}

TEST(Explanation, JsonCausesSumUpToTheMakespan) {
  const DesignAccount a = account_of("a", {{PathCause::kBody, 60'000}, {PathCause::kLaunch, 7}}, 2);
  const DesignAccount b = account_of("b", {{PathCause::kSubmit, 9}}, 3);
  const Json json = Explanation(a, b, {}).to_json();
  EXPECT_EQ(json["faster"], "b");
  for (const Json& one : json["designs"]) {
    std::int64_t sum = 0;
    for (const auto& [cause, ns] : one["path"].items()) sum += ns.get<std::int64_t>();
    EXPECT_EQ(sum, one["makespan_ns"].get<std::int64_t>());
    std::int64_t time = one["busy_ns"].get<std::int64_t>();
    for (const auto& [cause, ns] : one["idle"].items()) time += ns.get<std::int64_t>();
    EXPECT_EQ(time, one["cores"].get<std::int64_t>() * one["makespan_ns"].get<std::int64_t>());
  }
}

TEST(Explanation, TableFitsThePage) {
  DesignAccount a = account_of("a-design-with-quite-a-long-name", {{PathCause::kBody, 60'000'000'000}}, 2);
  a.bounds.head_tail = Duration{59'000'000'000};
  const std::string table = Explanation(a, account_of("another-one-that-is-long-too", {{PathCause::kSubmit, 9}}, 3), {}).table();
  for (std::size_t at = 0; at < table.size(); at = table.find('\n', at) + 1) {
    EXPECT_LE(columns(std::string_view(table).substr(at, table.find('\n', at) - at)), kPageColumns);
  }
}

}  // namespace
}  // namespace tasktwin::verify
