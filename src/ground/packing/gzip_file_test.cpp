// SPDX-License-Identifier: BSD-3-Clause
#include "ground/packing/gzip_file.h"

#include <gtest/gtest.h>

#include <string>

namespace wperf::packing {
namespace {

// "abcabcabcabc" as gzip writes it, with a name in its header.
std::string member() {
  const std::string header("\x1f\x8b\x08\x08\0\0\0\0\0\x03", 10);
  const std::string data("\x4b\x4c\x4a\x4e\x84\x21\x00", 7);
  const std::string end("\x34\x2a\x6e\x5a\x0c\0\0\0", 8);
  return header + std::string("name", 5) + data + end;
}

struct Answer {
  Unpacked outcome;
  std::string text;
};
Answer unpack(const std::string& file, u64 limit = 1000) {
  Answer out{};
  out.outcome = unpack_gzip(std::as_bytes(std::span(file)), limit, [&](Bytes piece) {
    out.text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return true;
  });
  return out;
}

TEST(GzipFile, MembersOneBehindTheOther) {
  const Answer got = unpack(member() + member() + "padding");
  EXPECT_EQ(got.outcome, Unpacked::all);
  EXPECT_EQ(got.text, "abcabcabcabcabcabcabcabc");
  const std::string one = member();
  EXPECT_TRUE(has_gzip_look(std::as_bytes(std::span(one))));
}

TEST(GzipFile, DamageIsTold) {
  std::string bad = member();
  for (usize size = 3; size < bad.size(); ++size) EXPECT_EQ(unpack(bad.substr(0, size)).outcome, Unpacked::damaged);
  bad[bad.size() - 6] ^= 1;
  EXPECT_EQ(unpack(bad).outcome, Unpacked::not_sound);
  EXPECT_EQ(unpack(member(), 5).outcome, Unpacked::too_large);
  EXPECT_EQ(unpack(member() + member(), 14).outcome, Unpacked::too_large);
  EXPECT_EQ(unpack(member() + member(), 24).outcome, Unpacked::all);
}

TEST(GzipFile, HowMuchMayComeOfIt) {
  EXPECT_EQ(most_of_packed(300), u64{64} << 20);
  EXPECT_EQ(most_of_packed(u64{1} << 20), u64{256} << 20);
}

}  // namespace
}  // namespace wperf::packing
