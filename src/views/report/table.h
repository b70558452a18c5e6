// SPDX-License-Identifier: BSD-3-Clause
// Tables. Columns are declared once, and every form of a table is made from the declaration: the text layout of
// contract 5.1, an array of JSON objects (1.6), HTML and Markdown.
#pragma once
#include <cmath>
#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ground/text/json_writer.h"

namespace wperf::report {

enum class Align { left, right };

struct Column {
  std::string title;  // JSON key: blanks become underscores
  Align align = Align::left;
  bool json_integer = false;  // JSON numbers: cells are written without quotes and thousands commas
  bool coloured = false;      // cells may have colours; names in these must have passed name_in_line()
  bool may_be_cut = false;    // cells may be cut if the table is wider than the screen
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // missing cells at the end of a row are empty
};

std::string table_text(Table table);
void append_table(std::string& out, Table table);
// Fits a table to the screen: if it is too wide, columns that may be cut are cut, the last ones first. `screen`: width
// in characters; 0: not a terminal. `colour_row` colours the line of a row; empty: no colours.
using ColourRow = std::function<std::string(std::string line, usize row)>;
void append_fitted_table(std::string& out, Table table, usize screen, const ColourRow& colour_row);
// Titles and cells can contain Markdown.
void append_markdown(std::string& out, const Table& table);
// Source text as a cell: tabs become blanks, and control characters are removed.
std::string source_cell(std::string_view text);
// Writes one object for each row. Readers use signed 64-bit integers, so larger numbers are written as the maximum of
// that type.
void write_rows(text::JsonWriter& json, const Table& table);

// Writes members into an open object, for documents with parts of several views.
using WriteMembers = std::function<void(text::JsonWriter& json)>;

// The declaration of a column.
struct Title {
  std::string_view text;      // empty: not in tables
  std::string_view key = {};  // empty: not in JSON
  // position in tables; columns with equal positions, and all keys in JSON, are in the order of declaration
  u32 place = 0;
  std::optional<Align> align = {};  // default: numbers right, words left
  bool may_be_cut = false;          // see Column
};
// Decimals: a JSON number with a fixed number of decimals. Shortest: a JSON number with the fewest digits that give the
// same value, left out if not finite.
struct Decimals {
  double value;
  int decimals;
};
struct Shortest {
  double value;
};

// Takes the columns of a row, one call for each column, and makes cells of a table or members of an object. A
// declaration is a function `void(Columns& to, const Row& row)` that makes these calls. All rows of a table must have
// the same cells; members may differ from row to row.
class Columns {
 public:
  explicit Columns(Table& table) : table_(&table) {}
  explicit Columns(text::JsonWriter& json) : json_(&json) {}

  void word(const Title& title, std::string_view value) { add(title, value, std::string(value.empty() ? "-" : value)); }
  void string(const Title& title, std::string_view value) { add(title, value, std::string(value)); }
  void count(const Title& title, u64 value);   // 1,234
  void number(const Title& title, u64 value);  // 1234
  // `text`: the text of the cell in a table.
  template <class Value>
  void add(const Title& title, const Value& value, std::string text) {
    constexpr bool kIsNumber =
        std::is_arithmetic_v<Value> || std::same_as<Value, Decimals> || std::same_as<Value, Shortest>;
    if (table_ != nullptr)
      add_cell(title, std::move(text), title.align.value_or(kIsNumber ? Align::right : Align::left));
    if (!title.key.empty()) member(title.key, value);
  }
  // Adds a value only in JSON.
  template <class Value>
  void member(std::string_view key, const Value& value) {
    if (json_ == nullptr) return;
    if constexpr (std::same_as<Value, Shortest>)
      if (!std::isfinite(value.value)) return;
    json_->key(key);
    if constexpr (std::same_as<Value, bool>)
      json_->boolean(value);
    else if constexpr (std::integral<Value>)
      json_->integer(value);
    else if constexpr (std::same_as<Value, Decimals>)
      json_->fixed(value.value, value.decimals);
    else if constexpr (std::same_as<Value, Shortest>)
      json_->shortest(value.value);
    else if constexpr (std::floating_point<Value>)
      json_->real(value);
    else
      json_->string(value);
  }
  // Null if the row is made for a table.
  text::JsonWriter* json() { return json_; }
  // Adds nested rows, which must be the last column: an array in JSON, additional rows in a table.
  template <class Rows, class Declare>
  void rows(std::string_view key, const Rows& rows, const Declare& declare) {
    if (json_ != nullptr && !key.empty()) json_->key(key);
    if (json_ != nullptr) json_->begin_array();
    for (const auto& row : rows) add_row(row, declare);
    if (json_ != nullptr) json_->end_array();
  }
  template <class Row, class Declare>
  void add_row(const Row& row, const Declare& declare) {
    begin_row();
    declare(*this, row);
    if (json_ != nullptr) json_->end_object();
  }

 private:
  void begin_row();
  void add_cell(const Title& title, std::string text, Align align);

  Table* table_ = nullptr;
  text::JsonWriter* json_ = nullptr;
  std::vector<u32> places_;  // positions of the row's cells
  usize begun_ = 0;          // rows
};

// A table without rows has the columns of Row{}.
template <class Rows, class Declare>
Table table_of(const Rows& rows, const Declare& declare) {
  Table table;
  Columns(table).rows({}, rows, declare);
  if (!table.rows.empty()) return table;
  Columns(table).add_row(typename Rows::value_type{}, declare);
  table.rows.clear();
  return table;
}
template <class Rows, class Declare>
void write_rows(text::JsonWriter& json, std::string_view key, const Rows& rows, const Declare& declare) {
  Columns(json).rows(key, rows, declare);
}

// Lays out tables and lists that are wider than the terminal without breaking numbers. Like append_table() if the table
// fits into `width` characters, or if `width` is 0. Otherwise groups of columns follow each other, with numbered rows;
// a cell that is longer than a line is cut and ends in "...".
void append_table_within(std::string& out, const Table& table, usize width);
// Appends one line, or several lines that are broken at blanks.
void append_line_within(std::string& out, std::string_view line, usize width);

}  // namespace wperf::report
