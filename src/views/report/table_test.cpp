// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/table.h"

#include <gtest/gtest.h>

#include "ground/text/number_text.h"

namespace wperf::report {
namespace {

std::string rows_json(const Table& table) {
  std::string out;
  text::JsonWriter writer(out);
  write_rows(writer, table);
  return out;
}

TEST(table, follows_the_layout_of_the_contract) {
  const Table table{.columns = {{"counter value", Align::right}, {"event name"}, {"n", Align::right}},
                    .rows = {{"1,234", "a_rather_long_name", "5"}, {"7", "b", "1000"}}};
  EXPECT_EQ(table_text(table),
            "        counter value  event name             n\n"
            "        =============  ==========             =\n"
            "                1,234  a_rather_long_name     5\n"
            "                    7  b                   1000\n");
}

TEST(table, lines_do_not_end_in_blanks) {
  const Table table{.columns = {{"note"}, {"x"}}, .rows = {{"g0,imix", std::string(500, 'x')}, {"e"}}};
  EXPECT_EQ(table_text(table),
            "        note     x\n        ====     =\n        g0,imix  " + std::string(500, 'x') + "\n        e\n");
}

TEST(table, without_rows_is_a_head) {
  EXPECT_EQ(table_text({.columns = {{"a"}, {"b"}}, .rows = {}}), "        a  b\n        =  =\n");
}

TEST(table, measures_characters_and_fills_short_rows) {
  const Table table{.columns = {{"file"}, {"x"}}, .rows = {{"gr\u00fcn"}, {"other", "1"}}};
  EXPECT_EQ(table_text(table), "        file   x\n        ====   =\n        gr\u00fcn\n        other  1\n");
}

TEST(table, rows_become_objects) {
  const Table table{
      .columns = {{"counter value", Align::right, true}, {"event name"}},
      .rows = {{"1,234,567", "a"}, {"18,446,744,073,709,551,615", "b"}, {"9,223,372,036,854,775,807", "c"}}};
  EXPECT_EQ(rows_json(table),
            R"([{"counter_value":1234567,"event_name":"a"},{"counter_value":9223372036854775807,"event_name":"b"},)"
            R"({"counter_value":9223372036854775807,"event_name":"c"}])");
  EXPECT_EQ(rows_json({.columns = {{"a"}}, .rows = {}}), "[]");
}

struct Row {
  std::string name;
  u64 count = 0;
  bool known = false;
  std::vector<Row> parts = {};
};

void row_columns(Columns& to, const Row& row) {
  to.word({"name", "name", 1}, row.name);
  to.member("known", row.known);
  to.count({"count", row.known ? "count" : ""}, row.count);
  to.add({"share", "share"}, Decimals{0.5, 3}, "50 %");
  to.number({"", "raw"}, row.count);
  to.rows("parts", row.parts, row_columns);
}

TEST(columns, of_one_declaration_are_cells_and_members) {
  const std::vector<Row> rows = {{"", 1234, true, {{"part", 7, false}}}};
  EXPECT_EQ(table_text(table_of(rows, row_columns)),
            "        count  share  name\n"
            "        =====  =====  ====\n"
            "        1,234   50 %  -\n"
            "            7   50 %  part\n");
  std::string out;
  text::JsonWriter writer(out);
  writer.begin_object();
  write_rows(writer, "rows", rows, row_columns);
  writer.end_object();
  EXPECT_EQ(out, R"({"rows":[{"name":"","known":true,"count":1234,"share":0.500,"raw":1234,)"
                 R"("parts":[{"name":"part","known":false,"share":0.500,"raw":7,"parts":[]}]}]})");
}

TEST(columns, without_rows_are_a_head) {
  EXPECT_EQ(table_text(table_of(std::vector<Row>{}, row_columns)),
            "        count  share  name\n        =====  =====  ====\n");
}

TEST(number_text, groups_digits) {
  EXPECT_EQ(text::with_commas(0), "0");
  EXPECT_EQ(text::with_commas(999), "999");
  EXPECT_EQ(text::with_commas(1000), "1,000");
  EXPECT_EQ(text::with_commas(123456), "123,456");
  EXPECT_EQ(text::with_commas(~u64{0}), "18,446,744,073,709,551,615");
}

TEST(number_text, hexadecimal_is_padded_lower_case) {
  EXPECT_EQ(text::hex(0x1b, 2), "0x1b");
  EXPECT_EQ(text::hex(0x4000, 2), "0x4000");
  EXPECT_EQ(text::hex(0x1b, 4), "0x001b");
  EXPECT_EQ(text::hex(0x413FD0C1, 20), "0x000000000000413fd0c1");
}

TEST(number_text, elapsed_always_has_a_point) {
  EXPECT_EQ(text::elapsed(1), "1.0");
  EXPECT_EQ(text::elapsed(0), "0.0");
  EXPECT_EQ(text::elapsed(1.09), "1.09");
  EXPECT_EQ(text::elapsed(3.334), "3.334");
  EXPECT_EQ(text::elapsed(10.123456), "10.1235");
  EXPECT_EQ(text::elapsed(12345.678), "12345.7");
  EXPECT_EQ(text::elapsed(123456.7), "123457.0");
  EXPECT_EQ(text::elapsed(86400 * 365.0), "31536000.0");
  EXPECT_EQ(text::elapsed(0.001), "0.001");
  EXPECT_EQ(text::elapsed(0.000123), "0.000123");
  EXPECT_EQ(text::elapsed(9.9999999), "10.0");
}

TEST(number_text, reals_are_fixed) {
  EXPECT_EQ(text::fixed(0.2404, 3), "0.240");
  EXPECT_EQ(text::fixed(1e6, 2), "1000000.00");
  EXPECT_EQ(text::whole_count(-5), 0u);
  EXPECT_EQ(text::whole_count(1e30), 9223372036854775807u);
  EXPECT_EQ(text::whole_count(12), 12u);
}

}  // namespace
}  // namespace wperf::report
