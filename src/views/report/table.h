// SPDX-License-Identifier: BSD-3-Clause
// One table, two faces: the text layout of contract 5.1 and an array of JSON objects (1.6).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ground/text/json_writer.h"

namespace wperf::report {

enum class Align { left, right };

struct Column {
  std::string title;  // JSON key: blanks become underscores
  Align align = Align::left;
  bool json_integer = false;  // cells are written unquoted; thousands commas are dropped
  bool coloured = false;      // cells may have colours: names in them have been through name_in_line()
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // a row shorter than the columns ends in empty cells
};

std::string table_text(Table table);
void append_table(std::string& out, Table table);
// One object per row. Readers hold integers in signed 64 bits, so a greater one is written as the greatest of these.
void write_rows(text::JsonWriter& json, const Table& table);

}  // namespace wperf::report
