// SPDX-License-Identifier: BSD-3-Clause
#include "ground/packing/cabinet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "ground/diag/names_all_test.h"
#include "ground/packing/deflate.h"

namespace wperf::packing {
namespace {

using Buffer = std::vector<std::byte>;
constexpr u64 kLimit = 1 << 20;

Buffer load(const std::string& name) {
  std::ifstream file(std::filesystem::path(WPERF_TEST_CABINETS) / name, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << name;
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  Buffer bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

Buffer bytes_of(std::initializer_list<int> values) {
  Buffer out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

std::string why(const Buffer& cabinet, u64 limit = kLimit) {
  const auto out = decompress_cabinet(cabinet, limit);
  return out.has_value() ? "" : out.error().text;
}

TEST(Cabinet, EveryKind) {
  for (const std::string name :
       {"mszip", "fixed", "uncompressed", "stored", "reserve", "two_files", "small", "exact_block", "neighbour"}) {
    const Buffer cabinet = load(name + ".cab"), expected = load(name + ".bin");
    const auto out = decompress_cabinet(cabinet, kLimit);
    ASSERT_TRUE(out.has_value()) << name << ": " << out.error().text;
    EXPECT_EQ(out.value(), expected) << name;
  }
}

// "hello world\n" as packed by GNOME's gcab.
TEST(Cabinet, OfAnotherTool) {
  const Buffer cabinet = bytes_of(
      {0x4d, 0x53, 0x43, 0x46, 0x00, 0x00, 0x00, 0x00, 0x5e, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x2c, 0x00, 0x00,
       0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x01, 0x01, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x46, 0x00,
       0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x0c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x75, 0x5d, 0x24,
       0x5d, 0x20, 0x00, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x2e, 0x74, 0x78, 0x74, 0x00, 0xff, 0xac, 0x23, 0xd5, 0x10, 0x00,
       0x0c, 0x00, 0x43, 0x4b, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0x28, 0xcf, 0x2f, 0xca, 0x49, 0xe1, 0x02, 0x00});
  const auto out = decompress_cabinet(cabinet, kLimit);
  ASSERT_TRUE(out.has_value()) << out.error().text;
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(out.value().data()), out.value().size()), "hello world\n");
}

TEST(Cabinet, Errors) {
  EXPECT_TRUE(diag::names_all(why({}), {"not a cabinet"}));
  EXPECT_TRUE(diag::names_all(why(Buffer(100, std::byte{1})), {"not a cabinet"}));
  const Buffer small = load("small.cab");
  EXPECT_EQ(why(small, 10), "the file in the cabinet is too large");
  Buffer changed = small;
  changed[small.size() - 3] ^= std::byte{1};
  EXPECT_EQ(why(changed), "a checksum of the cabinet is wrong");
  constexpr size_t kCompressionAt = 36 + 6;
  changed = small;
  changed[kCompressionAt] = std::byte{3};
  EXPECT_EQ(why(changed), "the cabinet is compressed with LZX, which is not supported");
  changed[kCompressionAt] = std::byte{2};
  EXPECT_TRUE(diag::names_all(why(changed), {"compressed", "unsupported"}));
}

TEST(Cabinet, EveryTruncationIsAnError) {
  for (const char* name : {"small.cab", "reserve.cab"}) {
    const Buffer whole = load(name);
    const size_t step = whole.size() < 1000 ? 1 : 997;
    for (size_t size = 0; size < whole.size(); size += step) {
      EXPECT_NE(why({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}), "")
          << name << " cut to " << size;
    }
  }
}

TEST(Cabinet, DamageIsAnErrorOrHasItsBounds) {
  const Buffer small = load("small.cab");
  for (size_t at = 0; at < small.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      Buffer changed = small;
      changed[at] = static_cast<std::byte>(value);
      const auto out = decompress_cabinet(changed, kLimit);
      if (out.has_value()) {
        EXPECT_LE(out.value().size(), kLimit);
      }
    }
  }
}

TEST(Inflate, DamageIsAnErrorOrHasItsBounds) {
  std::mt19937 random(3);
  const Buffer cabinet = load("mszip.cab");
  const auto mark = std::search(cabinet.begin(), cabinet.end(), std::begin("CK"), std::begin("CK") + 2,
                                [](std::byte a, char b) { return a == static_cast<std::byte>(b); });
  const Buffer block(mark + 2, mark + 12000);
  for (int round = 0; round < 3000; ++round) {
    Buffer changed = block;
    const size_t first = round % 2 == 0 ? 200 : changed.size();  // changes only the code tables, or any byte
    for (int i = 0; i < 3; ++i) changed[random() % first] = static_cast<std::byte>(random());
    Buffer out;
    (void)packing::inflate(changed, out, 40000);
    EXPECT_LE(out.size(), 40000u);
  }
  Buffer out;
  EXPECT_FALSE(packing::inflate({}, out, 100));
  EXPECT_FALSE(packing::inflate(bytes_of({0x07}), out, 100));                          // a reserved kind of block
  EXPECT_FALSE(packing::inflate(bytes_of({0x01, 0x05, 0x00, 0xfa, 0xfe}), out, 100));  // stored, complement wrong
  EXPECT_FALSE(packing::inflate(bytes_of({0x4b, 0x04, 0x12, 0x00}), out, 100));  // refers back before the beginning
  EXPECT_TRUE(packing::inflate(bytes_of({0x03, 0x00}), out, 100));               // an empty stream
}

}  // namespace
}  // namespace wperf::packing
