// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/listed/kernel_list.h"

#include <gtest/gtest.h>

namespace wperf::symbols {
namespace {

constexpr u64 kReference = 0xffffffff81000000;
constexpr std::string_view kText =
    "ffffffff80fff000 T before\nffffffff81000000 T _text\nffffffff81000040 t helper\nffffffff81000100 T a_long_name\n"
    "ffffffff81000180 T last\nffffffffc0000000 t in_module\t[ext4]\n";

std::optional<KernelList> opened(const std::string& list, std::string_view reference = "_text") {
  return KernelList::open(std::as_bytes(std::span(list.data(), list.size())), reference);
}

TEST(KernelList, FindsWhatTheWholeListFinds) {
  const ListedSymbols symbols = ListedSymbols::parse_kallsyms(kText);
  const std::string written = KernelList::write(symbols, "_text", kReference);
  const auto list = opened(written);
  ASSERT_TRUE(list.has_value());
  usize line = 0;
  for (u64 address = kReference - 0x1010; address < kReference + 0x1000; address += 8) {
    const ListedSymbol* expected = symbols.find(address);
    const auto found = list->find(address - kReference);
    const auto near = list->find(address - kReference, line);
    ASSERT_EQ(near.has_value(), found.has_value());
    if (found.has_value()) line = found->line;
    EXPECT_EQ(near.has_value() ? near->name : "", found.has_value() ? found->name : "");
    ASSERT_EQ(found.has_value(), expected != nullptr && expected->module.empty()) << std::hex << address;
    if (!found.has_value()) continue;
    EXPECT_EQ(found->name, expected->name) << std::hex << address;
    EXPECT_EQ(found->begin + kReference, expected->begin);
    EXPECT_EQ(found->end + kReference, expected->end);
  }
}

TEST(KernelList, LeavesOutModulesAndPlaces) {
  const std::string written = KernelList::write(ListedSymbols::parse_kallsyms(kText), "_text", kReference);
  EXPECT_EQ(written.find("in_module"), std::string::npos);
  EXPECT_EQ(written.find("ffffffff81"), std::string::npos);
}

TEST(KernelList, NeedsItsReference) {
  const ListedSymbols symbols = ListedSymbols::parse_kallsyms(kText);
  EXPECT_FALSE(opened(KernelList::write(symbols, "_text", kReference), "_stext").has_value());
}

TEST(KernelList, RefusesWhatWasCutAndSurvivesDamage) {
  const std::string written = KernelList::write(ListedSymbols::parse_kallsyms(kText), "_text", kReference);
  for (usize size = 0; size < written.size(); ++size) EXPECT_FALSE(opened(written.substr(0, size)).has_value()) << size;
  for (usize at = 0; at < written.size(); ++at) {
    std::string damaged = written;
    damaged[at] = '\n';
    const auto list = opened(damaged);
    if (!list.has_value()) continue;
    for (u64 distance = 0; distance < 0x200; distance += 16) static_cast<void>(list->find(distance));
  }
}

}  // namespace
}  // namespace wperf::symbols
