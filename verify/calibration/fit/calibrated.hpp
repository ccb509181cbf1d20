#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/machine/machine.hpp"
#include "verify/calibration/fit/fit.hpp"

namespace tasktwin::verify {

/// A constant of the machine's section `held`.
template <class M, class Of, class Value>
const ConstantField& constant_of(Section<M> Machine::*held, Value Of::*member) {
  const Machine machine;
  const std::string section((machine.*held).name());
  for (const auto& field : M::fields()) {
    if constexpr (requires { field.time == member; }) {
      if (field.time != member) continue;
    } else if constexpr (requires { field.rate == member; }) {
      if (field.rate != member) continue;
    } else {
      if (field.count != member) continue;
    }
    return *find_constant(section + "." + std::string(field.member) + std::string(suffix(field.unit)));
  }
  throw std::logic_error("a member of section " + section + " is no constant");
}

/// Machine files need no more than a picosecond, and read better without noise; what comes out negative is 0.
double tidy(double value);

/// A constant as it was found, and how.
struct FoundConstant {
  const ConstantField* constant = nullptr;
  double value = 0;
  Provenance provenance;

  void into(Machine& machine) const;
};

FoundConstant measured(const ConstantField& constant, const Estimate& estimate, std::string method);

/// A mechanism, or what one step finds of it, with where its constants come from.
template <class M>
class Calibrated : public M {
 public:
  /// `begin`: what is assumed of it.
  explicit Calibrated(Section<M> Machine::*held, const M& begin = {}) : M(begin), held_(held) {}

  void set(Nanoseconds M::*constant, const Estimate& estimate, std::string method) { put(constant, estimate, std::move(method)); }
  void set(double M::*constant, const Estimate& estimate, std::string method) { put(constant, estimate, std::move(method)); }
  void set(int M::*constant, int value, std::string method) { put(constant, value, std::move(method)); }
  /// What one fit found.
  void set(std::initializer_list<std::pair<Nanoseconds M::*, Estimate>> constants, const std::string& method) {
    for (const auto& [constant, estimate] : constants) put(constant, estimate, method);
  }

  /// What no micro-benchmark measures. A number that the hardware or the driver has is as it began.
  void assume(Nanoseconds M::*constant, Nanoseconds value, std::string reason) { put_assumed(constant, value.count(), std::move(reason)); }
  void assume(double M::*constant, double value, std::string reason) { put_assumed(constant, value, std::move(reason)); }
  void assume(int M::*constant, std::string reason) { put_assumed(constant, this->*constant, std::move(reason)); }
  void assume_nothing(std::initializer_list<Nanoseconds M::*> constants, const std::string& reason) {
    for (const auto constant : constants) assume(constant, Nanoseconds{0}, reason);
  }

  /// Leaves alone what was not found.
  void into(Machine& machine) const {
    for (const FoundConstant& one : found_) one.into(machine);
  }

 private:
  template <class Value>
  void put(Value M::*constant, const Estimate& estimate, std::string method) {
    found_.push_back(measured(constant_of(held_, constant), estimate, std::move(method)));
    this->*constant = Value(found_.back().value);
  }
  template <class Value>
  void put_assumed(Value M::*constant, double value, std::string reason) {
    found_.push_back({&constant_of(held_, constant), tidy(value), {.source = Source::kAssumed, .text = std::move(reason)}});
    this->*constant = Value(found_.back().value);
  }

  Section<M> Machine::*held_;
  std::vector<FoundConstant> found_;
};

/// A kernel's cost as it was measured.
struct CalibratedKernel {
  /// No member is negative, and traffic is at least 0.1.
  CalibratedKernel(Kernel of, const KernelCost& measured, std::string how);

  void into(Machine& machine) const;

  Kernel kernel;
  KernelCost cost;
  std::string method;
};

/// How the kernel's cost was measured; empty where it does not say.
std::string method_of(const Machine& machine, Kernel kernel);

}  // namespace tasktwin::verify
