// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/table.h"

#include <algorithm>
#include <utility>

#include "ground/text/number_text.h"
#include "ground/text/unicode.h"

namespace wperf::report {
namespace {

constexpr usize kMargin = 6;
constexpr usize kGap = 2;

std::string_view cell_of(const std::vector<std::string>& row, usize column) {
  return column < row.size() ? std::string_view(row[column]) : std::string_view();
}

// Makes names printable within a line. Cells can contain any name, and the command line of the recorder.
Table with_names_in_lines(Table table) {
  for (std::vector<std::string>& row : table.rows) {
    for (usize i = 0; i < std::min(row.size(), table.columns.size()); ++i) {
      if (!table.columns[i].coloured) row[i] = text::name_in_line(std::move(row[i]));
    }
  }
  return table;
}

std::string key_of(std::string_view title) {
  std::string key(title);
  std::replace(key.begin(), key.end(), ' ', '_');
  return key;
}

void write_integer_cell(text::JsonWriter& json, std::string_view cell) {
  std::string digits(cell);
  std::erase(digits, ',');
  static constexpr std::string_view kGreatest = "9223372036854775807";
  const bool too_great = digits.size() > kGreatest.size() || (digits.size() == kGreatest.size() && digits > kGreatest);
  json.digits(too_great ? kGreatest : digits.empty() ? std::string_view("0") : std::string_view(digits));
}

// `screen`: if the table is too wide, columns that may be cut are cut, the last ones first; 0: no limit.
std::vector<usize> widths_of(const Table& table, usize screen) {
  constexpr usize kNarrowest = 12;
  std::vector<usize> widths;
  usize line = 0;
  for (usize i = 0; i < table.columns.size(); ++i) {
    usize width = text::width_of(table.columns[i].title);
    for (const std::vector<std::string>& row : table.rows) width = std::max(width, text::width_of(cell_of(row, i)));
    widths.push_back(width);
    line += kGap + width;
  }
  for (usize i = widths.size(); screen != 0 && line > screen && i-- > 0;) {
    if (!table.columns[i].may_be_cut || widths[i] <= kNarrowest) continue;
    const usize taken = std::min(line - screen, widths[i] - kNarrowest);
    widths[i] -= taken;
    line -= taken;
  }
  return widths;
}

void lay_out(std::string& out, Table table, usize margin, usize screen, const ColourRow& colour_row) {
  table = with_names_in_lines(std::move(table));
  const std::vector<usize> widths = widths_of(table, screen);
  const auto line_of = [&](const auto& text_of) {
    std::string line(margin, ' ');
    for (usize i = 0; i < widths.size(); ++i) {
      const std::string cell = text::cut_to(text_of(i), widths[i]);
      const usize padding = widths[i] - text::width_of(cell);
      line.append(kGap, ' ');
      if (table.columns[i].align == Align::right) line.append(padding, ' ');
      line += cell;
      if (table.columns[i].align == Align::left) line.append(padding, ' ');
    }
    // Removes blanks at the end, because one wide cell would add blanks to every line of the table.
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  };
  out += line_of([&](usize i) { return std::string_view(table.columns[i].title); }) + '\n';
  out +=
      line_of([&](usize i) { return std::string(std::min(widths[i], text::width_of(table.columns[i].title)), '='); }) +
      '\n';
  for (usize row = 0; row < table.rows.size(); ++row) {
    std::string line = line_of([&](usize i) { return cell_of(table.rows[row], i); });
    out += (colour_row ? colour_row(std::move(line), row) : line) + '\n';
  }
}

constexpr usize kTableMargin = 6, kTableGap = 2;  // as in append_table()
constexpr std::string_view kMore = "...";

usize width_of_column(const Table& table, usize column) {
  usize width = text::width_of(table.columns[column].title);
  for (const std::vector<std::string>& row : table.rows) {
    if (column < row.size()) width = std::max(width, text::width_of(row[column]));
  }
  return width;
}

// Some columns of a table, with numbered rows.
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

void append_table(std::string& out, Table table) {
  lay_out(out, std::move(table), kMargin, 0, {});
}

void append_fitted_table(std::string& out, Table table, usize screen, const ColourRow& colour_row) {
  lay_out(out, std::move(table), 0, screen, colour_row);
}

void append_markdown(std::string& out, const Table& table) {
  for (const Column& column : table.columns) out += "| " + column.title + ' ';
  out += "|\n";
  for (const Column& column : table.columns) out += column.align == Align::right ? "|---:" : "|---";
  out += "|\n";
  for (const std::vector<std::string>& row : table.rows) {
    for (const std::string& cell : row) out += "| " + cell + ' ';
    out += "|\n";
  }
}

std::string table_text(Table table) {
  std::string out;
  append_table(out, std::move(table));
  return out;
}

std::string source_cell(std::string_view text) {
  constexpr usize kTab = 4;
  std::string out;
  for (const char c : text) {
    if (c == '\t') {
      out.append(kTab - out.size() % kTab, ' ');
    } else if (static_cast<u8>(c) >= 0x20 && c != 0x7f) {
      out += c;
    }
  }
  return out;
}

void write_rows(text::JsonWriter& json, const Table& table) {
  std::vector<std::string> keys;
  keys.reserve(table.columns.size());
  for (const Column& column : table.columns) keys.push_back(key_of(column.title));
  json.begin_array();
  for (const std::vector<std::string>& row : table.rows) {
    json.begin_object();
    for (usize i = 0; i < keys.size(); ++i) {
      json.key(keys[i]);
      if (table.columns[i].json_integer) {
        write_integer_cell(json, cell_of(row, i));
      } else {
        json.string(cell_of(row, i));
      }
    }
    json.end_object();
  }
  json.end_array();
}

void Columns::count(const Title& title, u64 value) {
  add(title, value, text::with_commas(value));
}

void Columns::number(const Title& title, u64 value) {
  add(title, value, std::to_string(value));
}

void Columns::begin_row() {
  if (json_ != nullptr) json_->begin_object();
  if (table_ != nullptr) table_->rows.emplace_back();
  places_.clear();
  ++begun_;
}

void Columns::add_cell(const Title& title, std::string text, Align align) {
  if (title.text.empty()) return;
  const auto at = std::upper_bound(places_.begin(), places_.end(), title.place) - places_.begin();
  places_.insert(places_.begin() + at, title.place);
  table_->rows.back().insert(table_->rows.back().begin() + at, std::move(text));
  if (begun_ != 1) return;
  table_->columns.insert(table_->columns.begin() + at,
                         Column{.title = std::string(title.text), .align = align, .may_be_cut = title.may_be_cut});
}

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
