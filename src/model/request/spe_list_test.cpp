// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/spe_list.h"

#include <gtest/gtest.h>

namespace wperf::request {
namespace {

// name=value per filter, or the error.
std::string filters_of(std::string_view filters) {
  const std::string text = "arm_spe_0/" + std::string(filters) + "/";
  EXPECT_TRUE(is_spe_list(text));
  const auto result = parse_spe_list(text);
  if (!result.has_value()) {
    EXPECT_TRUE(result.error().verbatim);
    return result.error().text;
  }
  std::string out;
  for (const SpeFilter& filter : result.value().filters) {
    if (!out.empty()) out += ' ';
    out += filter.name + "=" + std::to_string(filter.value);
  }
  return out;
}

TEST(SpeList, WhatIsOne) {
  for (const char* text : {"arm_spe_0//", "arm_spe_0/ld=1/", "arm_spe_0/x/", "arm_spe_0/,/", "arm_spe_0///"}) {
    EXPECT_TRUE(is_spe_list(text)) << text;
  }
  for (const char* text : {"", "arm_spe_0", "arm_spe_0/", "arm_spe_0/ld=1", "arm_spe_1/ld=1/", "ARM_SPE_0//",
                           "x,arm_spe_0//", "arm_spe_0/ld=1/,ld_spec"}) {
    EXPECT_FALSE(is_spe_list(text)) << text;
  }
}

TEST(SpeList, Filters) {
  EXPECT_EQ(filters_of(""), "");
  EXPECT_EQ(filters_of("load_filter=1,st=0,min=0xff,ts=01"), "load_filter=1 st=0 min=255 ts=1");
  EXPECT_EQ(filters_of("ld=1,"), "ld=1");
  EXPECT_EQ(filters_of("whatever=99999"), "whatever=99999");  // only plan knows the existing filters
  EXPECT_EQ(filters_of("min=99999999999999999999999"), "min=18446744073709551615");
}

TEST(SpeList, FiltersWithoutAValue) {
  EXPECT_EQ(filters_of("ld"), "incorrect SPE filter: 'ld' in ld");
  EXPECT_EQ(filters_of("ld=1,st,b=1"), "incorrect SPE filter: 'st' in ld=1,st,b=1");
  EXPECT_EQ(filters_of(",ld=1"), "incorrect SPE filter: '' in ,ld=1");
}

TEST(SpeList, FiltersWithoutAName) {
  EXPECT_EQ(filters_of("=1"), "incorrect SPE filter name: '=1'");
  EXPECT_EQ(filters_of("ld=1,="), "incorrect SPE filter name: '='");
}

TEST(SpeList, BadValues) {
  EXPECT_EQ(filters_of("ld=x"), "incorrect SPE filter value: ld='x'.");
  EXPECT_EQ(filters_of("ld="), "incorrect SPE filter value: ld=''.");
  EXPECT_EQ(filters_of("ld=-1"), "incorrect SPE filter value: ld='-1'.");
  EXPECT_EQ(filters_of("min=0x"), "incorrect SPE filter value: min='0x'.");
  EXPECT_EQ(filters_of("min=1=2"), "incorrect SPE filter value: min='1=2'.");
}

TEST(SpeList, TheKindOfMistakeDecidesNotItsPlace) {
  EXPECT_EQ(filters_of("ld=x,=1,st"), "incorrect SPE filter: 'st' in ld=x,=1,st");
  EXPECT_EQ(filters_of("ld=x,=1"), "incorrect SPE filter name: '=1'");
  EXPECT_EQ(filters_of("nonsense=-1"), "incorrect SPE filter value: nonsense='-1'.");
}

}  // namespace
}  // namespace wperf::request
