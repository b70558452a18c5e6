// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>
#include <vector>

namespace wperf::os {
namespace {

using Words = std::vector<std::string>;

TEST(CommandLineWords, SplitsAtBlanksOutsideQuotes) {
  EXPECT_EQ(split_command_line("wperf stat  -e\tinst_spec "), (Words{"wperf", "stat", "-e", "inst_spec"}));
  EXPECT_EQ(split_command_line(R"("C:\Program Files\wperf.exe" -o "a b.json")"),
            (Words{R"(C:\Program Files\wperf.exe)", "-o", "a b.json"}));
  EXPECT_EQ(split_command_line(R"(w a"b c"d "")"), (Words{"w", "ab cd", ""}));
  EXPECT_TRUE(split_command_line("").empty());
}

// The examples from Microsoft's page on parsing command-line arguments.
TEST(CommandLineWords, BackslashesCountOnlyBeforeAQuote) {
  EXPECT_EQ(split_command_line(R"(w "abc" d e)"), (Words{"w", "abc", "d", "e"}));
  EXPECT_EQ(split_command_line(R"(w a\\\b d"e f"g h)"), (Words{"w", R"(a\\\b)", "de fg", "h"}));
  EXPECT_EQ(split_command_line(R"(w a\\\"b c d)"), (Words{"w", R"(a\"b)", "c", "d"}));
  EXPECT_EQ(split_command_line(R"(w a\\\\"b c" d e)"), (Words{"w", R"(a\\b c)", "d", "e"}));
  EXPECT_EQ(split_command_line(R"(w a"b"" c d)"), (Words{"w", R"(ab" c d)"}));
}

TEST(CommandLineWords, ProgramNameHasNoEscapes) {
  EXPECT_EQ(split_command_line(R"("C:\a b\" x)"), (Words{R"(C:\a b\)", "x"}));
}

TEST(CommandLineWords, JoinedWordsComeApartAgain) {
  const Words words[] = {{"p", "a", "b c", "", "\"", "\\", "a\\", "a b\\", "x\\\"y", "\\\\\"", "\t", "ü π"},
                         {R"(C:\my programs\p.exe)", R"(--path=C:\x\)", R"("quoted")"},
                         {"p"}};
  for (const Words& some : words) EXPECT_EQ(split_command_line(join_command_line(some)), some);
}

TEST(CommandLineWords, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(join_command_line(Words{R"(C:\p.exe)", R"(a\b)", "-x=1"}), R"(C:\p.exe a\b -x=1)");
}

TEST(OwnMemory, WhatCanBeReadIsCopied) {
  std::vector<std::uint8_t> from(10'000), to(from.size());
  std::iota(from.begin(), from.end(), std::uint8_t{3});
  EXPECT_TRUE(copy_own_memory(from.data(), std::as_writable_bytes(std::span(to))));
  EXPECT_EQ(from, to);
  EXPECT_TRUE(copy_own_memory(nullptr, {}));
}

TEST(OwnMemory, WhatCannotIsSaid) {
  std::byte to[16];
  for (const std::uintptr_t address : {std::uintptr_t{0}, std::uintptr_t{8}, ~std::uintptr_t{0} - 64}) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): this is the tested case
    EXPECT_FALSE(copy_own_memory(reinterpret_cast<const void*>(address), to)) << address;
  }
}

TEST(CompanionFile, IsInSameFolderOrPrefix) {
  const std::filesystem::path prefix = std::filesystem::path(testing::TempDir()) / "companion_file_prefix";
  std::filesystem::remove_all(prefix);
  for (const char* folder : {"bin", "lib/wperf", "lib/some-triplet", "lib64", "other"})
    std::filesystem::create_directories(prefix / folder);
  const auto found = [&](const char* folder) { return companion_file((prefix / folder).string(), "companion"); };
  const std::string installed = (prefix / "lib/wperf/companion").string();
  EXPECT_EQ(found("bin"), (prefix / "bin/companion").string()) << "where it should have been";

  std::ofstream(installed) << "installed";
  for (const char* folder : {"bin", "lib", "lib/some-triplet", "lib64"}) EXPECT_EQ(found(folder), installed);
  EXPECT_EQ(found("other"), (prefix / "other/companion").string()) << "not a folder of a prefix";

  std::ofstream(prefix / "bin/companion") << "built";
  EXPECT_EQ(found("bin"), (prefix / "bin/companion").string());
  std::filesystem::remove_all(prefix);
}

#ifndef _WIN32
TEST(Interrupt, SignalsThatComeTogetherAreOneRequest) {
  const auto two_signals = [](int apart_ms) {
    catch_interrupt();
    raise(SIGINT);
    if (apart_ms < 0) release_interrupt();
    std::this_thread::sleep_for(std::chrono::milliseconds(std::max(apart_ms, 0)));
    raise(SIGTERM);
    std::exit(interrupted() ? 3 : 4);
  };
  EXPECT_EXIT(two_signals(0), testing::ExitedWithCode(3), "");
  EXPECT_EXIT(two_signals(-1), testing::ExitedWithCode(3), "") << "also while the result is printed";
  EXPECT_EXIT(two_signals(300), testing::KilledBySignal(SIGTERM), "");
}
#endif

}  // namespace
}  // namespace wperf::os
