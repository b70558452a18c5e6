// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/fitted_table.h"

#include <algorithm>
#include <utility>

#include "ground/text/text_width.h"

namespace wperf::report {

void append_fitted_table(std::string& out, std::vector<FittedColumn> columns, usize screen,
                         const ColourRow& colour_row) {
  constexpr usize kGap = 2, kNarrowest = 12;
  for (FittedColumn& column : columns) {
    for (std::string& cell : column.cells) cell = text::name_in_line(std::move(cell));
  }
  std::vector<usize> widths;
  usize line = 0;
  for (const FittedColumn& column : columns) {
    usize width = text::width_of(column.title);
    for (const std::string& cell : column.cells) width = std::max(width, text::width_of(cell));
    widths.push_back(width);
    line += kGap + width;
  }
  for (usize i = columns.size(); screen != 0 && line > screen && i-- > 0;) {
    if (!columns[i].may_be_cut || widths[i] <= kNarrowest) continue;
    const usize taken = std::min(line - screen, widths[i] - kNarrowest);
    widths[i] -= taken;
    line -= taken;
  }
  const auto line_of = [&](const auto& cell_of) {
    std::string text;
    for (usize i = 0; i < columns.size(); ++i) {
      const std::string cell = text::cut_to(cell_of(i), widths[i]);
      const std::string padding(widths[i] - text::width_of(cell), ' ');
      text.append(kGap, ' ').append(columns[i].right ? padding + cell : cell + padding);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  out += line_of([&](usize i) { return columns[i].title; }) + '\n';
  out +=
      line_of([&](usize i) { return std::string(std::min(widths[i], text::width_of(columns[i].title)), '='); }) + '\n';
  for (usize row = 0; row < columns.front().cells.size(); ++row) {
    std::string text = line_of([&](usize i) { return columns[i].cells[row]; });
    out += (colour_row ? colour_row(std::move(text), row) : text) + '\n';
  }
}

}  // namespace wperf::report
