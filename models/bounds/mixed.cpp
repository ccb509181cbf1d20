#include "models/bounds/mixed.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>

#include <ClpSimplex.hpp>
#include <CoinPackedMatrix.hpp>

namespace tasktwin {

namespace {

/// Rows: a core type each, then the clusters. Times are in units of `scale` ns, to keep the figures near 1.
class LinearProgramme {
 public:
  LinearProgramme(const CoreWork& work, Duration critical_path)
      : work_(work),
        scale_(std::max(1.0, static_cast<double>(critical_path.count()))),
        critical_path_(static_cast<double>(critical_path.count()) / scale_) {
    for (const BodyWork& body : work.bodies) {
      if (body.other_type) {
        ++alike_[{body.type, body.time, *body.other_type, body.other_time, body.room}];
      } else {
        add(fixed_, body, body.type, body.time, 1);
      }
    }
  }

  /// The least T in ns, not rounded.
  double solve() const {
    CoinPackedMatrix matrix(true, 0, 0);
    matrix.setDimensions(static_cast<int>(kRows), 0);
    std::array<double, kRows> rhs = fixed_;
    std::vector<double> upper{COIN_DBL_MAX};
    Column makespan;
    for (std::size_t row = 0; row < kRows; ++row) makespan[row] = -room(row);
    append(matrix, makespan);
    for (const auto& [key, count] : alike_) {
      const auto& [type, time, other_type, other_time, taken] = key;
      const BodyWork body{.time = time, .other_time = other_time, .room = taken, .type = type, .other_type = other_type};
      Column own{};
      Column other{};
      add(own, body, type, time, count);
      add(other, body, other_type, other_time, count);
      for (std::size_t row = 0; row < kRows; ++row) {
        rhs[row] += other[row];
        own[row] -= other[row];
      }
      append(matrix, own);
      upper.push_back(1);
    }
    // own · x − room · T <= −(fixed + all others); rows with nothing on either side hold by themselves.
    std::vector<double> lower(upper.size(), 0);
    lower[0] = critical_path_;
    std::vector<double> objective(upper.size(), 0);
    objective[0] = 1;
    std::vector<double> row_lower(kRows, -COIN_DBL_MAX);
    std::vector<double> row_upper;
    for (std::size_t row = 0; row < kRows; ++row) row_upper.push_back(room(row) > 0 ? -rhs[row] : COIN_DBL_MAX);

    ClpSimplex simplex;
    simplex.setLogLevel(0);
    simplex.loadProblem(matrix, lower.data(), upper.data(), objective.data(), row_lower.data(), row_upper.data());
    simplex.dual();
    if (simplex.status() != 0) throw std::logic_error("the linear programme of the mixed bound has no solution");
    return simplex.objectiveValue() * scale_;
  }

 private:
  static constexpr std::size_t kRows = kCoreTypeCount + 1;
  using Column = std::array<double, kRows>;
  using Alike = std::tuple<CoreType, Duration, CoreType, Duration, std::int64_t>;

  double room(std::size_t row) const {
    if (row == kCoreTypeCount) return static_cast<double>(work_.room.clusters);
    return static_cast<double>(work_.room.cores[row] * work_.room.per_core);
  }

  void add(Column& column, const BodyWork& body, CoreType type, Duration time, std::int64_t count) const {
    const double times = static_cast<double>(count) / scale_;
    for (const auto& [of, word] : Words<CoreType>::entries) {
      column[static_cast<std::size_t>(of)] += static_cast<double>(work_.room.taken(body, type, time, of)) * times;
    }
    if (type == CoreType::kMix && work_.room.of_clusters[body.of_cluster] == work_.room.of_clusters[1])
      column[kCoreTypeCount] += static_cast<double>(time.count()) * times;
  }

  static void append(CoinPackedMatrix& matrix, const Column& column) {
    std::vector<int> rows;
    std::vector<double> values;
    for (std::size_t row = 0; row < kRows; ++row) {
      if (column[row] == 0) continue;
      rows.push_back(static_cast<int>(row));
      values.push_back(column[row]);
    }
    matrix.appendCol(static_cast<int>(rows.size()), rows.data(), values.data());
  }

  const CoreWork& work_;
  double scale_;
  double critical_path_;
  Column fixed_{};
  std::map<Alike, std::int64_t> alike_;
};

/// CLP's answers hold to a tolerance of 1e-7; what is left of one after this is a bound.
constexpr double kTolerance = 1e-6;

}  // namespace

Duration mixed_bound(const CoreWork& work, Duration critical_path) {
  double least = LinearProgramme(work, critical_path).solve();
  for (std::size_t device = 0; device < work.of_devices.size(); ++device) {
    if (!work.of_devices[device].empty()) least = std::max(least, LinearProgramme(work.of_device(device), critical_path).solve());
  }
  return std::max(critical_path, Duration{static_cast<std::int64_t>(std::ceil(least * (1 - kTolerance)))});
}

}  // namespace tasktwin
