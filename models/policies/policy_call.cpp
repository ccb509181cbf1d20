#include "models/policies/policy_call.hpp"

#include <algorithm>
#include <cstdlib>

#include <pthread.h>

namespace tasktwin {

namespace {

std::atomic<const PolicyCall*> under_way{nullptr};
std::atomic<std::uint64_t> calls{0};
std::atomic<void (*)()> before_first{nullptr};
std::atomic<bool> begun{false};

}  // namespace

std::chrono::seconds policy_limit() {
  constexpr long kDefault = 60;
  const char* const stated = std::getenv(kPolicySeconds);
  const long seconds = stated == nullptr ? 0 : std::strtol(stated, nullptr, 10);
  return std::chrono::seconds(seconds > 0 ? std::min(seconds, 1'000'000L) : kDefault);
}

PolicyCall::PolicyCall(const OwnPolicy& policy, const char* what, const TaskGraph& graph, TaskId task)
    : policy_(policy), what_(what), graph_(&graph), task_(task) {
  begin();
}

PolicyCall::PolicyCall(const OwnPolicy& policy, const char* what, std::uint64_t number)
    : policy_(policy), what_(what), number_(number), numbered_(true) {
  begin();
}

PolicyCall::PolicyCall(const OwnPolicy& policy, const char* what) : policy_(policy), what_(what) { begin(); }

PolicyCall::~PolicyCall() { under_way.store(outer_, std::memory_order_relaxed); }

void PolicyCall::begin() {
  if (!begun.load(std::memory_order_relaxed)) {
    begun = true;
    if (void (*const before)() = before_first; before != nullptr) before();
  }
  calls.fetch_add(1, std::memory_order_relaxed);
  outer_ = under_way.exchange(this, std::memory_order_relaxed);
}

std::string PolicyCall::text() const {
  std::string text = "policy '" + policy_.text() + "': " + what_;
  if (graph_ != nullptr) text += " of task '" + std::string(graph_->name(task_)) + "'";
  if (numbered_) text += " " + std::to_string(number_);
  return text;
}

void PolicyCall::refuse(const std::string& why) const { throw PolicyError(text() + ": " + why); }

const PolicyCall* PolicyCall::current() { return under_way.load(std::memory_order_relaxed); }
std::uint64_t PolicyCall::count() { return calls.load(std::memory_order_relaxed); }

void PolicyCall::set_before_first(void (*before)()) {
  before_first = before;
  begun = false;
  ::pthread_atfork(nullptr, nullptr, [] { begun = false; });
}

}  // namespace tasktwin
