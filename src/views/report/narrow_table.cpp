// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/narrow_table.h"

#include <algorithm>

#include "ground/text/unicode.h"

namespace wperf::report {
namespace {

constexpr usize kTableMargin = 6, kTableGap = 2;  // as in append_table()
constexpr std::string_view kMore = "...";

usize width_of_column(const Table& table, usize column) {
  usize width = text::width_of(table.columns[column].title);
  for (const std::vector<std::string>& row : table.rows) {
    if (column < row.size()) width = std::max(width, text::width_of(row[column]));
  }
  return width;
}

// Columns of a table, its rows numbered.
class Part {
 public:
  explicit Part(const Table& table) : table_(table) { begin(); }

  void begin() {
    part_ = {.columns = {{"#", Align::right}}, .rows = {}};
    for (usize row = 0; row < table_.rows.size(); ++row) part_.rows.push_back({std::to_string(row + 1)});
    width_ = kTableMargin + kTableGap + width_of_column(part_, 0);
  }
  bool empty() const { return part_.columns.size() == 1; }
  usize room(usize width) const { return std::max(width, width_ + kTableGap) - width_ - kTableGap; }
  void add(usize column, usize most) {
    part_.columns.push_back(table_.columns[column]);
    for (usize row = 0; row < table_.rows.size(); ++row) {
      const std::vector<std::string>& cells = table_.rows[row];
      part_.rows[row].push_back(column < cells.size() ? text::cut_to(cells[column], most, kMore) : std::string());
    }
    width_ += kTableGap + width_of_column(part_, part_.columns.size() - 1);
  }
  void append_to(std::string& out) const { append_table(out, part_); }

 private:
  const Table& table_;
  Table part_;
  usize width_ = 0;
};

}  // namespace

void append_table_within(std::string& out, const Table& table, usize width) {
  usize whole = kTableMargin;
  for (usize column = 0; column < table.columns.size(); ++column) whole += kTableGap + width_of_column(table, column);
  if (width == 0 || whole <= width) {
    append_table(out, table);
    return;
  }
  Part part(table);
  for (usize column = 0; column < table.columns.size(); ++column) {
    if (!part.empty() && width_of_column(table, column) > part.room(width)) {
      part.append_to(out);
      out += '\n';
      part.begin();
    }
    part.add(column, part.room(width));
  }
  part.append_to(out);
}

void append_line_within(std::string& out, std::string_view line, usize width) {
  while (width != 0 && line.size() > width) {
    const usize blank = line.rfind(' ', width);
    if (blank == std::string_view::npos || blank == 0) break;
    out.append(line.substr(0, blank)) += '\n';
    line.remove_prefix(blank + 1);
  }
  out.append(line) += '\n';
}

}  // namespace wperf::report
