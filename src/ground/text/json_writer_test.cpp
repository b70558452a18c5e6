// SPDX-License-Identifier: BSD-3-Clause
#include "ground/text/json_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace wperf::text {
namespace {

using nlohmann::json;
using namespace std::string_view_literals;

std::string written(std::string_view text) {
  std::string out;
  JsonWriter(out).string(text);
  return out;
}

TEST(json_writer, puts_commas_where_they_belong) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("a");
  writer.begin_array();
  writer.integer(1);
  writer.real(81.64059);
  writer.boolean(true);
  writer.begin_object();
  writer.end_object();
  writer.begin_array();
  writer.end_array();
  writer.end_array();
  writer.key("b");
  writer.fixed(2.2, 2);
  writer.key("c");
  writer.string("x");
  writer.end_object();
  EXPECT_EQ(out, R"({"a":[1,81.6406,true,{},[]],"b":2.20,"c":"x"})");
}

TEST(json_writer, escapes_what_must_be) {
  EXPECT_EQ(written("say \"hi\" \\ /"), R"("say \"hi\" \\ /")");
  EXPECT_EQ(written("a\nb\tc\rd"), R"("a\nb\tc\rd")");
  EXPECT_EQ(written("\0\x01\x1f\x7f"sv), R"("\u0000\u0001\u001f\u007f")");
}

TEST(json_writer, is_pure_ascii) {
  EXPECT_EQ(written("gr\u00fc\u00dfe"), R"("gr\u00fc\u00dfe")");
  EXPECT_EQ(written("\u20ac"), R"("\u20ac")");
  EXPECT_EQ(written("\U0001f525"), R"("\ud83d\udd25")");
  EXPECT_EQ(written("\U0010ffff"), R"("\udbff\udfff")");
}

TEST(json_writer, broken_utf8_becomes_replacement_characters) {
  EXPECT_EQ(written("\xff"), R"("\ufffd")");
  EXPECT_EQ(written("a\x80z"), R"("a\ufffdz")");
  EXPECT_EQ(written("\xc0\xaf"), R"("\ufffd\ufffd")");            // overlong
  EXPECT_EQ(written("\xe0\x80\x80"), R"("\ufffd\ufffd\ufffd")");  // overlong
  EXPECT_EQ(written("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");  // surrogate
  EXPECT_EQ(written("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")");
  EXPECT_EQ(written("\xe2\x82"), R"("\ufffd")");    // cut short at the end
  EXPECT_EQ(written("\xe2\x82z"), R"("\ufffdz")");  // cut short in the middle
  EXPECT_EQ(written("\xf0\x9f\x94"), R"("\ufffd")");
}

TEST(json_writer, any_bytes_give_a_valid_ascii_document) {
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    std::string text(random() % 12, '\0');
    for (char& c : text) c = static_cast<char>(random() % 4 == 0 ? random() : (random() % 0x40) + 0x80);
    const std::string out = written(text);
    for (const char c : out) ASSERT_TRUE(c >= 0x20 && c < 0x7f);
    ASSERT_NO_THROW({ EXPECT_TRUE(json::parse(out).is_string()); }) << out;
  }
}

TEST(json_writer, valid_text_comes_back_unchanged) {
  const std::string text = "C:\\Gr\u00fc\u00dfe\\\"\U0001f525\".exe\n\x01";
  EXPECT_EQ(json::parse(written(text)).get<std::string>(), text);
}

TEST(json_writer, numbers_are_always_json) {
  const auto real = [](double value) {
    std::string out;
    JsonWriter(out).real(value);
    return out;
  };
  EXPECT_EQ(real(100), "100");
  EXPECT_EQ(real(1.09), "1.09");
  EXPECT_EQ(real(0.1 + 0.2), "0.3");
  EXPECT_EQ(json::parse(real(1.5e300)).get<double>(), 1.5e300);
  EXPECT_EQ(json::parse(real(2e-7)).get<double>(), 2e-7);
  EXPECT_EQ(real(std::numeric_limits<double>::quiet_NaN()), "0");
  EXPECT_EQ(real(-std::numeric_limits<double>::infinity()), "0");
  std::string out;
  JsonWriter(out).integer(~u64{0});
  EXPECT_EQ(out, "18446744073709551615");
}

}  // namespace
}  // namespace wperf::text
