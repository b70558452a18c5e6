// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/table.h"

#include <algorithm>
#include <utility>

#include "ground/text/number_text.h"
#include "ground/text/text_width.h"

namespace wperf::report {
namespace {

constexpr usize kMargin = 6;
constexpr usize kGap = 2;

std::string_view cell_of(const std::vector<std::string>& row, usize column) {
  return column < row.size() ? std::string_view(row[column]) : std::string_view();
}

void append_cell(std::string& out, std::string_view text, Align align, usize width) {
  const usize padding = width - text::width_of(text);
  out.append(kGap, ' ');
  if (align == Align::right) out.append(padding, ' ');
  out += text;
  if (align == Align::left) out.append(padding, ' ');
}

// The command that was read is in them, too.
Table with_names_in_lines(Table table) {
  for (std::vector<std::string>& row : table.rows) {
    for (usize i = 0; i < std::min(row.size(), table.columns.size()); ++i) {
      if (!table.columns[i].coloured) row[i] = text::name_in_line(std::move(row[i]));
    }
  }
  return table;
}

// Otherwise one wide cell would fill every line of the table with blanks.
void end_line(std::string& out) {
  while (out.back() == ' ') out.pop_back();
  out += '\n';
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

}  // namespace

void append_table(std::string& out, Table table) {
  table = with_names_in_lines(std::move(table));
  std::vector<usize> widths;
  usize line = kMargin + 1;
  for (usize i = 0; i < table.columns.size(); ++i) {
    usize width = text::width_of(table.columns[i].title);
    for (const std::vector<std::string>& row : table.rows) width = std::max(width, text::width_of(cell_of(row, i)));
    widths.push_back(width);
    line += kGap + width;
  }
  out.reserve(out.size() + line * (table.rows.size() + 2));

  out.append(kMargin, ' ');
  for (usize i = 0; i < widths.size(); ++i) append_cell(out, table.columns[i].title, table.columns[i].align, widths[i]);
  end_line(out);
  out.append(kMargin, ' ');
  for (usize i = 0; i < widths.size(); ++i) {
    append_cell(out, std::string(text::width_of(table.columns[i].title), '='), table.columns[i].align, widths[i]);
  }
  end_line(out);
  for (const std::vector<std::string>& row : table.rows) {
    out.append(kMargin, ' ');
    for (usize i = 0; i < widths.size(); ++i) append_cell(out, cell_of(row, i), table.columns[i].align, widths[i]);
    end_line(out);
  }
}

std::string table_text(Table table) {
  std::string out;
  append_table(out, std::move(table));
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
}

void Columns::add_cell(const Title& title, std::string text, Align align) {
  if (title.text.empty()) return;
  const auto at = std::upper_bound(places_.begin(), places_.end(), title.place) - places_.begin();
  places_.insert(places_.begin() + at, title.place);
  table_->rows.back().insert(table_->rows.back().begin() + at, std::move(text));
  if (table_->rows.size() != 1) return;
  table_->columns.insert(table_->columns.begin() + at, Column{.title = std::string(title.text), .align = align});
}

}  // namespace wperf::report
