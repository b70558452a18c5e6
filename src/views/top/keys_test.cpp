// SPDX-License-Identifier: BSD-3-Clause
#include "views/top/keys.h"

#include <gtest/gtest.h>

namespace wperf::top {
namespace {

std::vector<KeyKind> kinds(const std::vector<Key>& keys) {
  std::vector<KeyKind> out;
  for (const Key& key : keys) out.push_back(key.kind);
  return out;
}

TEST(Keys, Characters) {
  KeyReader reader;
  const std::vector<Key> keys = reader.take("aß漢");
  ASSERT_EQ(keys.size(), 3u);
  EXPECT_EQ(keys[0].text, "a");
  EXPECT_EQ(keys[1].text, "ß");
  EXPECT_EQ(keys[2].text, "漢");
}

TEST(Keys, CharactersInPieces) {
  KeyReader reader;
  EXPECT_TRUE(reader.take("\xe6").empty());
  EXPECT_TRUE(reader.take("\xbc").empty());
  const std::vector<Key> keys = reader.take("\xa2");
  ASSERT_EQ(keys.size(), 1u);
  EXPECT_EQ(keys[0].text, "漢");
}

TEST(Keys, BrokenCharactersAreLeftOut) {
  KeyReader reader;
  const std::vector<Key> keys = reader.take("\xff\xc3(\xed\xa0\x80x\xc2\x9b");
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0].text, "(");
  EXPECT_EQ(keys[1].text, "x");  // not a two-byte control character
}

TEST(Keys, Sequences) {
  KeyReader reader;
  EXPECT_EQ(kinds(reader.take("\x1b[A\x1bOB\x1b[5~\x1b[6;5~\x1b[1;5C\x1b[H\x1b[4~\r\x7f\x03\x1a\x0c")),
            (std::vector<KeyKind>{KeyKind::up, KeyKind::down, KeyKind::page_up, KeyKind::page_down, KeyKind::right,
                                  KeyKind::home, KeyKind::end, KeyKind::enter, KeyKind::backspace, KeyKind::interrupt,
                                  KeyKind::suspend, KeyKind::redraw}));
}

TEST(Keys, SequencesInPieces) {
  KeyReader reader;
  EXPECT_TRUE(reader.take("\x1b").empty());
  EXPECT_TRUE(reader.take("[").empty());
  EXPECT_TRUE(reader.take("1;").empty());
  EXPECT_EQ(kinds(reader.take("5A")), std::vector<KeyKind>{KeyKind::up});
}

TEST(Keys, EscapeAloneIsAKeyAfterAMoment) {
  KeyReader reader;
  EXPECT_TRUE(reader.take("\x1b").empty());
  EXPECT_EQ(kinds(reader.pause()), std::vector<KeyKind>{KeyKind::escape});
  EXPECT_TRUE(reader.pause().empty());
  EXPECT_EQ(kinds(reader.take("\x1bq")), (std::vector<KeyKind>{KeyKind::escape, KeyKind::character}));
}

TEST(Keys, UnknownAndEndlessSequencesAreNothing) {
  KeyReader reader;
  EXPECT_TRUE(reader.take("\x1b[200~\x1b[?25h\x1b[I").empty());
  EXPECT_TRUE(reader.take("\x1b[" + std::string(100, '1')).empty());
  EXPECT_EQ(kinds(reader.take("q")), std::vector<KeyKind>{KeyKind::character});
}

}  // namespace
}  // namespace wperf::top
