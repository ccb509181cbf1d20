#include "verify/output/timelines/svg_gantt.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "models/graph/kernel_labels.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/output/timelines/slices.hpp"
#include "verify/output/timelines/svg_bars.hpp"
#include "verify/output/timelines/svg_text.hpp"

namespace tasktwin::verify {

namespace {

// Pixels.
constexpr double kLeft = 130;
constexpr int kPlotWidth = 1000;
constexpr double kRight = 30;
constexpr double kHeading = 40;
constexpr double kRunHeading = 24;
constexpr double kRowHeight = 12;
constexpr double kBarHeight = 10;
constexpr double kAxis = 34;
constexpr double kLegendLine = 18;
constexpr double kLegendWidth = 165;
constexpr int kLegendsALine = 6;
constexpr double kAlone = 3;     ///< the narrowest slice that is drawn by itself
constexpr double kLetter = 6.2;  ///< the width of one in a bar
constexpr double kMostTicks = 10;

/// A bar shows a step of a control thread, or that it was busy where steps were not recorded, or after those a kernel on a core, by its
/// label.
constexpr BarStyle kBusy = Words<StepKind>::entries.size();
constexpr BarStyle kFirstKernel = kBusy + 1;

constexpr std::string_view kStyle = R"(<style>
svg { background: #ffffff; font: 11px sans-serif; }
text { fill: #202124; }
.name { font-size: 9px; fill: #000000; stroke: #ffffff; stroke-width: 2px; stroke-opacity: 0.7; paint-order: stroke; pointer-events: none; }
.title { font-size: 15px; }
.tick { stroke: #9aa0a6; stroke-opacity: 0.35; }
.axis { stroke: #5f6368; }
@media (prefers-color-scheme: dark) {
  svg { background: #16181b; }
  text { fill: #e8eaed; }
  .name { fill: #000000; }
  .axis { stroke: #bdc1c6; }
}
</style>
)";

std::string style_name(BarStyle style, const KernelLabels& kernels) {
  if (style >= kFirstKernel) return std::string(kernels.name(style - kFirstKernel));
  return style == kBusy ? "control thread busy" : "control: " + std::string(Words<StepKind>::entries[style].second);
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text, std::string_view css = "") {
  return fmt::format("<text{} x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                     css.empty() ? "" : fmt::format(" class=\"{}\"", css), x, y, anchor, xml_escaped(text));
}

/// Which of a run's control threads, or of its cores, are drawn: of those that did anything at most kMostSvgRows.
struct Shown {
  std::size_t all = 0;
  std::size_t used = 0;
  std::vector<std::size_t> rows;

  /// "", or "; 3 of 8 dispatchers did anything", or "; 80 of 120 dispatchers that did anything are shown, evenly chosen".
  std::string to_string(const std::string& what) const {
    if (rows.size() < used) return fmt::format("; {} of {} {} that did anything are shown, evenly chosen", rows.size(), used, what);
    return used < all ? fmt::format("; {} of {} {} did anything", used, all, what) : "";
  }
};

template <class Used>
Shown choose(std::size_t all, std::size_t candidates, Used is_used) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < candidates; ++i) {
    if (is_used(i)) used.push_back(i);
  }
  Shown shown{all, used.size(), {}};
  const std::size_t rows = std::min(used.size(), kMostSvgRows);
  for (std::size_t row = 0; row < rows; ++row) shown.rows.push_back(used[row * used.size() / rows]);
  return shown;
}

std::vector<std::vector<Slice>> slices_by_core(const Timeline& timeline) {
  std::vector<std::vector<Slice>> slices(timeline.cores.size() + 1);
  for (const Slice& slice : assign_lanes(timeline).slices) slices[slice.core].push_back(slice);
  return slices;
}

/// One run: its rows below each other.
class RunDrawing {
 public:
  RunDrawing(const TaskGraph& graph, const KernelLabels& kernels, const TraceRun& run, double end_ns, Palette& palette)
      : graph_(graph),
        kernels_(kernels),
        run_(run),
        timeline_(*run.timeline),
        scale_(kPlotWidth / end_ns),
        palette_(palette),
        slices_(slices_by_core(timeline_)),
        controls_(choose(timeline_.dispatchers.size(), timeline_.dispatchers.size(),
                         [this](std::size_t control) {
                           const bool steps = control < timeline_.steps.size() && !timeline_.steps[control].empty();
                           return steps || !timeline_.dispatchers[control].empty();
                         })),
        cores_(choose(timeline_.cores.size(), slices_.size(), [this](std::size_t core) { return !slices_[core].empty(); })) {}

  double height() const { return kRunHeading + kRowHeight * static_cast<double>(controls_.rows.size() + cores_.rows.size()); }

  std::string draw(double top) {
    std::string text = text_at(kLeft, top + kRunHeading - 8, "start", heading());
    top += kRunHeading;
    for (const std::size_t control : controls_.rows) {
      text += control_row(control, top);
      top += kRowHeight;
    }
    for (const std::size_t core : cores_.rows) {
      text += core_row(core, top);
      top += kRowHeight;
    }
    return text;
  }

 private:
  std::string heading() const {
    return fmt::format("{}: {}", run_.label, format_us(timeline_.makespan())) + controls_.to_string("control threads") +
           cores_.to_string(cores_title(run_));
  }

  double x(TimePoint time) const { return static_cast<double>(to_ns(time)) * scale_; }

  std::string label(const std::string& name, double top) const { return text_at(kLeft - 6, top + kBarHeight - 1, "end", name); }

  /// A bar by itself, or into `columns` where it is narrow. `name` is called for what is drawn by itself only.
  template <class Name>
  std::string bar(TimePoint from, TimePoint to, BarStyle style, double top, PixelColumns& columns, Name name) {
    const Bar bar{std::max(0.0, x(from)), std::max(0.0, x(to)), style};
    const double width = bar.to - bar.from;
    if (width < kAlone) {
      columns.add(bar);
      return {};
    }
    const std::string called = name();
    std::string text =
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"><title>{}: {} to {}, {}</title></rect>\n",
                    kLeft + bar.from, top, width, kBarHeight, Palette::fill(palette_.place(style)), xml_escaped(called), time(from),
                    time(to), time(to - from));
    if (static_cast<double>(verify::columns(called)) * kLetter < width - 4) {
      text += text_at(kLeft + bar.from + width / 2, top + kBarHeight - 2, "middle", called, "name");
    }
    return text;
  }

  static std::string time(TimePoint at) { return format_us(at.time_since_epoch()); }
  static std::string time(Duration duration) { return format_us(duration); }

  std::string core_row(std::size_t core, double top) {
    PixelColumns columns(kPlotWidth);
    std::string bars;
    for (const Slice& slice : slices_[core]) {
      bars += bar(slice.started, std::max(slice.started, slice.ended), kFirstKernel + kernels_.of(slice.task), top, columns,
                  [&] { return std::string(graph_.name(slice.task)); });
    }
    return label(core_title(run_, core), top) + columns.draw(kLeft, top, kBarHeight, palette_) + bars;
  }

  std::string control_row(std::size_t control, double top) {
    PixelColumns columns(kPlotWidth);
    std::string bars;
    const auto add = [&](TimePoint from, TimePoint to, BarStyle style) {
      bars += bar(from, to, style, top, columns, [&] { return style_name(style, kernels_); });
    };
    if (control < timeline_.steps.size()) {
      for (const Step& step : timeline_.steps[control]) add(step.begin, step.end, static_cast<BarStyle>(step.kind));
    } else {
      for (const Span& span : timeline_.dispatchers[control]) add(span.begin, span.end, kBusy);
    }
    return label(control_title(run_, control), top) + columns.draw(kLeft, top, kBarHeight, palette_) + bars;
  }

  const TaskGraph& graph_;
  const KernelLabels& kernels_;
  const TraceRun& run_;
  const Timeline& timeline_;
  double scale_;
  Palette& palette_;
  std::vector<std::vector<Slice>> slices_;  ///< by core; the last entry is for a core that was not observed
  Shown controls_;
  Shown cores_;
};

/// 1, 2 or 5 times a power of ten nanoseconds, so that at most kMostTicks fit.
double tick_step(double end_ns) {
  double step = 1;
  while (end_ns / step > kMostTicks) {
    const double power = std::pow(10, std::floor(std::log10(step) + 1e-9));
    step = step < 1.5 * power ? 2 * power : step < 3 * power ? 5 * power : 10 * power;
  }
  return step;
}

std::string axis(double end_ns, double top, double bottom) {
  const double step = tick_step(end_ns);
  const auto unit = step >= 1e6 ? std::pair{"ms", 1e6} : step >= 1e3 ? std::pair{"µs", 1e3} : std::pair{"ns", 1.0};
  std::string text;
  for (double at = 0; at <= end_ns; at += step) {
    const double x = kLeft + at * kPlotWidth / end_ns;
    text += fmt::format("<line class=\"tick\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>\n", x, top, bottom + 4);
    text += text_at(x, bottom + 16, "middle", fmt::format("{:.0f}", at / unit.second));
  }
  text += fmt::format("<line class=\"axis\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\"/>\n", kLeft, bottom,
                      kLeft + kPlotWidth);
  return text + text_at(kLeft + kPlotWidth, bottom + 30, "end", fmt::format("time since the run's origin [{}]", unit.first));
}

double legend_lines(const Palette& palette) { return std::ceil(static_cast<double>(palette.styles().size()) / kLegendsALine); }

std::string legend(const Palette& palette, const KernelLabels& kernels, double top) {
  std::string text;
  for (std::size_t place = 0; place < palette.styles().size(); ++place) {
    const double x = kLeft + kLegendWidth * static_cast<double>(place % kLegendsALine);
    const double y = top + kLegendLine * static_cast<double>(place / kLegendsALine);
    text += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x, y, Palette::fill(place));
    text += text_at(x + 17, y + 10, "start", style_name(palette.styles()[place], kernels));
  }
  return text + text_at(kLeft, top + kLegendLine * legend_lines(palette) + 10, "start", "The paler a bar, the less of its time is busy.");
}

/// The end of the axis that all runs share: of the last bar.
double end_of(std::span<const TraceRun> runs) {
  std::int64_t end = 1;
  for (const TraceRun& run : runs) {
    end = std::max(end, to_ns(run.timeline->makespan()));
    for (const auto& spans : run.timeline->dispatchers) end = std::max(end, spans.empty() ? 0 : to_ns(spans.back().end));
    for (const auto& steps : run.timeline->steps) end = std::max(end, steps.empty() ? 0 : to_ns(steps.back().end));
  }
  return static_cast<double>(end);
}

}  // namespace

void write_svg_gantt(const std::filesystem::path& path, const TaskGraph& graph, std::span<const TraceRun> runs, const std::string& title) {
  const double end_ns = end_of(runs);
  Palette palette;
  const KernelLabels kernels(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) palette.place(kFirstKernel + kernels.of(task_id(i)));  // the plain colours are for kernels
  std::string drawings;
  double top = kHeading;
  for (const TraceRun& run : runs) {
    RunDrawing drawing(graph, kernels, run, end_ns, palette);
    drawings += drawing.draw(top);
    top += drawing.height();
  }
  const std::string scale = axis(end_ns, kHeading + kRunHeading, top);
  top += kAxis;
  const std::string names = legend(palette, kernels, top);
  const double height = top + (legend_lines(palette) + 1) * kLegendLine + 4;

  AtomicFile file(path);
  file.write(
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\">\n",
                  kLeft + kPlotWidth + kRight, height));
  file.write(kStyle);
  file.write(palette.patterns());
  file.write(text_at(kLeft, 22, "start", title, "title"));
  file.write(scale);
  file.write(drawings);
  file.write(names);
  file.write("</svg>\n");
  file.commit();
}

}  // namespace tasktwin::verify
