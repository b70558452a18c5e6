// SPDX-License-Identifier: BSD-3-Clause
#include "views/brief/brief.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ground/text/shell_words.h"

namespace wperf::brief {
namespace {

Brief full() {
  Brief brief{.verdict = {"ran 1.8 s, used 1.3 s of CPU", "hottest: sort_range in work, 53.45 %"},
              .heading = "Functions:",
              .table = {.columns = {{.title = "%"}, {.title = "function"}}, .rows = {}},
              .rows_in_all = 33,
              .lost = {"25 samples were lost", "5 call stacks stop early"},
              .ruled_out = {"waiting: it used 0.98 cores", "the kernel: 0.3 %"},
              .next = "wperf report a.data --annotate -s sort_range",
              .all = "wperf report a.data"};
  for (int i = 0; i < 10; ++i) brief.table.rows.push_back({std::to_string(50 - i), "function_" + std::to_string(i)});
  return brief;
}

TEST(BriefText, TheVerdictIsFirstAndTheNextCommandIsVerbatim) {
  const std::string text = markdown(full(), 4096);
  EXPECT_EQ(text.find("**ran 1.8 s, used 1.3 s of CPU**\n"), 0u) << text;
  EXPECT_NE(text.find("\nNext: `wperf report a.data --annotate -s sort_range`\n"), std::string::npos) << text;
  EXPECT_NE(text.find("| 50 | function_0 |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nShown: 10 of 33 rows. Everything: `wperf report a.data`\n"), std::string::npos) << text;
}

TEST(BriefText, ItFitsIntoAnyBudgetAndCountsTheRest) {
  const Brief brief = full();
  for (usize bytes = 80; bytes < 1200; ++bytes) {
    const std::string text = markdown(brief, bytes);
    ASSERT_LE(text.size(), bytes);
    ASSERT_EQ(text.find("**ran 1.8 s"), 0u) << bytes;
    ASSERT_EQ(text.back(), '\n');
    usize rows = 0;
    for (usize at = text.find("| function_"); at != std::string::npos; at = text.find("| function_", at + 1)) ++rows;
    if (bytes < 512) continue;
    ASSERT_NE(text.find("Shown: " + std::to_string(rows) + " of 33 rows"), std::string::npos) << text;
  }
}

TEST(BriefText, ItIsTheSameEachTime) {
  EXPECT_EQ(markdown(full(), 700), markdown(full(), 700));
  EXPECT_EQ(json(full(), 700), json(full(), 700));
}

TEST(BriefText, NamesAreNeverMarkup) {
  Brief brief = full();
  brief.table.rows[0][1] = "a|b`c*[x](http://evil)\n## Ignore all that <script>";
  brief.verdict[0] = "hottest: std::vector<int>\x1b[31m `rm`";
  const std::string text = markdown(brief, 4096);
  EXPECT_NE(text.find("a\\|b`c\\*\\[x\\](http://evil) ## Ignore all that \\<script>"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("**hottest: std::vector\\<int>"), 0u) << text;
}

TEST(BriefText, LongNamesAreCutBetweenCharacters) {
  Brief brief = full();
  brief.table.rows[0][1] = std::string(118, 'a') + "\xc3\xa9" + std::string(5000, 'b');
  const std::string text = markdown(brief, 4096);
  EXPECT_NE(text.find(std::string(117, 'a') + "... |"), std::string::npos) << text;
}

// Each part has the maximum length, and consists of characters that need more bytes in the answer.
Brief hostile(const std::string& character) {
  Brief brief = full();
  std::string longest;
  while (longest.size() < 3000) longest += character;
  for (auto* list : {&brief.verdict, &brief.lost, &brief.ruled_out}) list->assign(20, longest);
  for (auto& row : brief.table.rows) row[1] = longest;
  brief.heading = longest;
  brief.next = brief.all = "wperf report " + longest;
  return brief;
}

TEST(BriefText, AnyNamesFitAsTheyArePrinted) {
  for (const char* character : {"a", "*", "\x01", "\xc2\x80", "\xc3\xa9", "\xe2\x80\xae", "\xf0\x9f\x98\x80", "\xff"}) {
    const Brief brief = hostile(character);
    for (const usize bytes : {512, 613, 1000, 4096}) {
      const std::string text = markdown(brief, bytes);
      ASSERT_LE(text.size(), bytes) << character;
      ASSERT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
      ASSERT_EQ(text.back(), '\n');
      const std::string document = json(brief, bytes);
      ASSERT_LE(document.size(), bytes) << character;
      ASSERT_FALSE(nlohmann::json::parse(document)["brief"]["verdict"].empty());
    }
  }
}

TEST(BriefText, ACommandIsWholeOrNotShown) {
  Brief brief = full();
  brief.next = "wperf record -- program " + std::string(5000, 'a');
  const std::string text = markdown(brief, 4096);
  EXPECT_EQ(text.find("Next:"), std::string::npos);
  EXPECT_NE(text.find("| 41 | function_9 |\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" Everything: `wperf report a.data`\n\nToo long to be shown: the next command\n"),
            std::string::npos)
      << text;
  EXPECT_NE(markdown(brief, 16384).find("\nNext: `" + brief.next + "`\n"), std::string::npos);
  const auto document = nlohmann::json::parse(json(brief, 4096))["brief"];
  EXPECT_EQ(document["next"], "");
  EXPECT_EQ(document["everything"], brief.all);
  EXPECT_EQ(document["not_shown"], "10 of 33 rows; too long: the next command");
  EXPECT_EQ(document["rows"].size(), 10u);
}

TEST(BriefText, NothingLostIsSaid) {
  Brief brief = full();
  brief.lost.clear();
  EXPECT_NE(markdown(brief, 4096).find("\nLost or in doubt: nothing that is known\n"), std::string::npos);
}

TEST(BriefDocument, ItHasTheSameParts) {
  const auto document = nlohmann::json::parse(json(full(), 4096));
  EXPECT_EQ(document["version"], 1);
  const auto& brief = document["brief"];
  EXPECT_EQ(brief["verdict"][0], "ran 1.8 s, used 1.3 s of CPU");
  EXPECT_EQ(brief["columns"], (nlohmann::json{"%", "function"}));
  EXPECT_EQ(brief["rows"].size(), 10u);
  EXPECT_EQ(brief["rows_in_all"], 33);
  EXPECT_EQ(brief["next"], full().next);
  EXPECT_EQ(brief["not_shown"], "10 of 33 rows");
  EXPECT_LE(json(full(), 700).size(), 700u);
}

TEST(CommandWord, IsQuotedOnlyIfNeeded) {
  EXPECT_EQ(text::quoted_word("perf.data"), "perf.data");
  EXPECT_EQ(text::quoted_word("my file.data"), "\"my file.data\"");
  EXPECT_EQ(text::quoted_word("operator<<"), "\"operator<<\"");
  EXPECT_EQ(text::quoted_word("a$b'c"), R"('a$b'\''c')");
  EXPECT_EQ(text::quoted_word("if x:\n\ty('\\')\x1b"), R"($'if x:\n\ty(\'\\\')\x1b')");
}

}  // namespace
}  // namespace wperf::brief
