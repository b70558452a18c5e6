// SPDX-License-Identifier: BSD-3-Clause
// Real SPE bytes from six hosts with their meaning, if that collection is available: id, bytes, packets as text.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "formats/spe/test_bytes.h"

namespace wperf::spe {
namespace {

std::string without_remarks(std::string text) {
  for (usize open = text.find('('); open != std::string::npos; open = text.find('(', open)) {
    const usize close = text.find(')', open);
    if (close == std::string::npos) break;
    const bool index = text.find_first_not_of("0123456789", open + 1) == close;  // "LAT 1 (5)" is not a remark
    if (index) {
      open = close;
      continue;
    }
    usize first = open;
    while (first > 0 && text[first - 1] == ' ') --first;
    text.erase(first, close + 1 - first);
    open = first;
  }
  return text;
}

TEST(RealRecords, MeanWhatTheirSourcesSay) {
  const std::filesystem::path path =
      std::filesystem::path(WPERF_SOURCE_DIR) / ".." / "shared" / "data" / "spe" / "real_spe_corpus.tsv";
  std::ifstream file(path);
  if (!file) GTEST_SKIP() << "the collection of real records is not at hand";
  u32 rows = 0;
  u32 records = 0;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    const usize first = line.find('\t');
    const usize second = line.find('\t', first + 1);
    ASSERT_NE(second, std::string::npos) << line;
    const std::string id = line.substr(0, first);
    const auto bytes = bytes_of(std::string_view(line).substr(first + 1, second - first - 1));
    std::string wanted = line.substr(second + 1);
    const bool partial = wanted.find("partial") != std::string::npos;
    EXPECT_EQ(words_of(bytes), without_remarks(wanted)) << id;
    const Decoded decoded = decode(bytes);
    EXPECT_EQ(decoded.records.size(), partial || id == "W2" ? 0U : 1U) << id;
    const Damage expected{.unfinished_records = partial ? 1U : 0U, .empty_records = id == "W2" ? 1U : 0U};
    EXPECT_EQ(decoded.state.damage, expected) << id;
    EXPECT_EQ(decoded.state.passed_packets, 0U);
    ++rows;
    records += static_cast<u32>(decoded.records.size());
  }
  EXPECT_GE(rows, 20U);
  EXPECT_GE(records, 15U);
}

}  // namespace
}  // namespace wperf::spe
