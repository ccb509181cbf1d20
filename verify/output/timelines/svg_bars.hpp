#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tasktwin::verify {

/// What a bar of a drawing shows, as a number of the drawing's own.
using BarStyle = std::size_t;

/// A bar in its row, in pixels from the left of the plot.
struct Bar {
  double from = 0;
  double to = 0;
  BarStyle style = 0;
};

/// The styles in the order in which the drawing met them, and how each is filled: in the colours of Okabe and Ito (2008), and
/// where these run out in the same, hatched.
class Palette {
 public:
  /// The place of `style` in the order.
  std::size_t place(BarStyle style);
  const std::vector<BarStyle>& styles() const { return order_; }

  static std::string fill(std::size_t place);
  /// The hatches that fill() names.
  std::string patterns() const;

 private:
  std::map<BarStyle, std::size_t> places_;
  std::vector<BarStyle> order_;
};

/// The narrow bars of one row, by pixel column: how much of it each style takes.
class PixelColumns {
 public:
  explicit PixelColumns(int width) : width_(width) {}

  void add(const Bar& bar);

  /// The row at (left, top): each column in the style that takes most of it, in one of four shades by how much of it is taken; equal
  /// neighbours as one rectangle, all of a style and a shade as one path.
  std::string draw(double left, double top, double height, Palette& palette) const;

 private:
  int width_;
  std::map<int, std::map<BarStyle, double>> shares_;
};

}  // namespace tasktwin::verify
