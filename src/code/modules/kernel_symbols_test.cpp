// SPDX-License-Identifier: BSD-3-Clause
#include "code/modules/kernel_symbols.h"

#include <gtest/gtest.h>

namespace wperf::modules {
namespace {

perf_data::KernelRange range(u64 begin, u64 end, std::string_view path) {
  perf_data::KernelRange one;
  one.begin = begin;
  one.end = end;
  one.path = path;
  return one;
}

TEST(KernelModules, AreNamedAsTheKernelNamesThem) {
  const std::vector<perf_data::KernelRange> ranges{
      range(0x1000, 0x9000, "[kernel.kallsyms]_text"),
      range(0xa000, 0xb000, "[ath9k]"),
      range(0xb000, 0xc000, "/lib/modules/6.1.0/kernel/sound/core/snd-pcm.ko"),
      range(0xd000, 0xe000, "/lib/modules/6.1.0/kernel/net/tun.ko.zst"),
      range(0xe000, 0xe100, "bpf_prog_6deef7357e7b4530"),
      range(0xf000, 0xf100, "a.kobold"),
  };
  const KernelModules modules(ranges);
  EXPECT_EQ(modules.name_at(0x2000), "");
  EXPECT_EQ(modules.name_at(0x9fff), "");
  EXPECT_EQ(modules.name_at(0xa000), "ath9k");
  EXPECT_EQ(modules.name_at(0xafff), "ath9k");
  EXPECT_EQ(modules.name_at(0xb000), "snd_pcm");
  EXPECT_EQ(modules.name_at(0xc000), "") << "behind its end";
  EXPECT_EQ(modules.name_at(0xd800), "tun");
  EXPECT_EQ(modules.name_at(0xe0ff), "bpf");
  EXPECT_EQ(modules.name_at(0xf000), "");
  EXPECT_EQ(KernelModules({}).name_at(0), "");
}

}  // namespace
}  // namespace wperf::modules
