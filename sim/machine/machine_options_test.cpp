// SPDX-License-Identifier: BSD-3-Clause
#include "sim/machine/machine_options.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/machine_api.h"

namespace wperf::sim {
namespace {

MachineOptions parse(std::string_view text, std::string_view instance = "") {
  OptionError error;
  MachineOptions options = parse_options(text, instance, error);
  EXPECT_EQ(error.text, "") << text;
  return options;
}

OptionError refusal(std::string_view text, std::string_view instance = "") {
  OptionError error;
  parse_options(text, instance, error);
  EXPECT_NE(error.text, "") << text;
  EXPECT_NE(error.hint, "") << text;
  return error;
}

TEST(Options, DefaultMachine) {
  const MachineOptions options = parse("");
  ASSERT_EQ(options.cores.size(), 8u);
  EXPECT_EQ(options.cores[7]->name, "neoverse-n1");
  EXPECT_EQ(options.cores[7]->midr, 0x414fd0c1u);
  EXPECT_EQ(options.counters_of(3), 6u);
  EXPECT_EQ(options.free_counters, 6u);
  EXPECT_EQ(options.cluster_size, 2u);
  EXPECT_EQ(options.cluster_count(), 4u);
  EXPECT_EQ(options.dsu_counters, 6u);
  EXPECT_EQ(options.dmc_channels, 2u);
  EXPECT_TRUE(options.spe);
  EXPECT_EQ(options.mhz, 25u);
  EXPECT_EQ(options.seed, 1u);
  EXPECT_EQ(options.pace, Pace::real);
  EXPECT_EQ(options.rights, Rights::administrator);
  EXPECT_EQ(options.interrupt, OverflowInterrupt::given);
  EXPECT_EQ(options.instance, "default");
  EXPECT_TRUE(options.programs.empty());
}

TEST(Options, EveryKey) {
  const MachineOptions options = parse(
      "cpu=neoverse-v2,cores=4,counters=10,free=0x3,cluster=4,dsu=8,dmc=1,spe=off,mhz=2600,seed=0xffffffffffffffff,"
      "pace=free,rights=user,interrupt=not-again,machine=trapping,instance=a-B_9");
  ASSERT_EQ(options.cores.size(), 4u);
  EXPECT_EQ(options.cores[0]->name, "neoverse-v2");
  EXPECT_EQ(options.counters_of(0), 10u);
  EXPECT_EQ(options.free_counters, 3u);
  EXPECT_EQ(options.cluster_count(), 1u);
  EXPECT_EQ(options.dsu_counters, 8u);
  EXPECT_EQ(options.dmc_channels, 1u);
  EXPECT_FALSE(options.spe);
  EXPECT_EQ(options.mhz, 2600u);
  EXPECT_EQ(options.seed, ~u64{0});
  EXPECT_EQ(options.pace, Pace::free);
  EXPECT_EQ(options.rights, Rights::user);
  EXPECT_EQ(options.interrupt, OverflowInterrupt::not_again);
  EXPECT_EQ(options.kind, MachineKind::trapping);
  EXPECT_EQ(parse("machine=virtual").kind, MachineKind::virtual_machine);
  EXPECT_EQ(parse("machine=real").kind, MachineKind::real);
  EXPECT_EQ(options.instance, "a-B_9");
  EXPECT_EQ(parse("dsu=off").cluster_count(), 0u);
  EXPECT_EQ(parse("cores=7,cluster=3").cluster_count(), 3u);
}

TEST(Options, BigLittle) {
  const MachineOptions options = parse("cpu=cortex-x1c*4+cortex-a78c*2");
  ASSERT_EQ(options.cores.size(), 6u);
  EXPECT_EQ(options.cores[3]->name, "cortex-x1c");
  EXPECT_EQ(options.cores[4]->name, "cortex-a78c");
  EXPECT_EQ(parse("cpu=neoverse-n1*3").cores.size(), 3u);
  EXPECT_EQ(parse("cores=2,cpu=cortex-x2+cortex-a510").cores.size(), 2u);
  EXPECT_EQ(parse("cpu=c1-ultra+c1-nano").free_counters, 20u);  // the smallest of their numbers
}

TEST(Options, RunTakesTheRestUpToTheNextKey) {
  const MachineOptions options = parse("run=1:a b.exe x,y=2 z,mhz=50,run=7:d/c.exe");
  EXPECT_EQ(options.mhz, 50u);
  ASSERT_EQ(options.programs.size(), 2u);
  EXPECT_EQ(options.programs[0].core, 1u);
  EXPECT_EQ(options.programs[0].image, "a");
  EXPECT_EQ(options.programs[0].arguments, "a b.exe x,y=2 z");
  EXPECT_EQ(options.programs[1].core, 7u);
  EXPECT_EQ(options.programs[1].image, "d/c.exe");
  EXPECT_EQ(options.programs[1].arguments, "d/c.exe");
}

TEST(Options, InstanceOfTheEnvironmentGivesWayToTheOption) {
  EXPECT_EQ(parse("", "ci").instance, "ci");
  EXPECT_EQ(parse("instance=mine", "ci").instance, "mine");
  EXPECT_EQ(refusal("", "../x").text, "simulator instance '../x' is not 1 to 64 letters, digits, '_' or '-'");
}

TEST(Options, Refusals) {
  struct Row {
    std::string_view options, text;
  };
  const Row rows[] = {
      {"speed=9", "unknown simulator option 'speed'"},
      {"cores", "simulator option 'cores' is not KEY=VALUE"},
      {"cores,mhz=3", "simulator option 'cores' is not KEY=VALUE"},
      {"mhz=100,,", "simulator option '' is not KEY=VALUE"},
      {"cores=0", "simulator option 'cores=0' is not a number from 1 to 256"},
      {"cores=257", "simulator option 'cores=257' is not a number from 1 to 256"},
      {"cores=8x", "simulator option 'cores=8x' is not a number from 1 to 256"},
      {"cores=", "simulator option 'cores=' is not a number from 1 to 256"},
      {"cores=-1", "simulator option 'cores=-1' is not a number from 1 to 256"},
      {"counters=32", "simulator option 'counters=32' is not a number from 1 to 31"},
      {"free=7", "simulator option 'free=7' is more than the 6 counters of the core"},
      {"dmc=17", "simulator option 'dmc=17' is not a number from 0 to 16"},
      {"mhz=99999999999999999999", "simulator option 'mhz=99999999999999999999' is not a number from 1 to 10000"},
      {"seed=18446744073709551616", "simulator option 'seed=18446744073709551616' is not a 64-bit number"},
      {"spe=yes", "simulator option 'spe=yes' is neither on nor off"},
      {"dsu=0", "simulator option 'dsu=0' is neither on, off nor a number of counters from 1 to 31"},
      {"pace=fast", "simulator option 'pace=fast' is neither real nor free"},
      {"instance=", "simulator instance '' is not 1 to 64 letters, digits, '_' or '-'"},
      {"instance=a/b", "simulator instance 'a/b' is not 1 to 64 letters, digits, '_' or '-'"},
      {"cpu=pentium", "simulator option 'cpu=pentium' names an unknown core 'pentium'"},
      {"cpu=neoverse-n1*0", "simulator option 'cpu=neoverse-n1*0' needs a number of cores from 1 to 256 after '*'"},
      {"cpu=neoverse-n1+", "simulator option 'cpu=neoverse-n1+' names an unknown core ''"},
      {"cpu=neoverse-n1*256+cortex-x1", "simulator option 'cpu=neoverse-n1*256+cortex-x1' makes more than 256 cores"},
      {"cpu=cortex-x1*2,cores=3", "simulator options 'cores=3' and 'cpu=' (2 cores) contradict each other"},
      {"cores=256,cluster=1", "simulator option 'cluster=' makes more than 128 clusters of 256 cores"},
      {"run=a.exe", "simulator option 'run=a.exe' is not CORE:PROGRAM ARGUMENTS"},
      {"run=0:", "simulator option 'run=0:' has no program"},
      {"run=8:a.exe", "simulator option 'run=' names core 8 of a machine with 8 cores"},
  };
  for (const Row& row : rows) EXPECT_EQ(refusal(row.options).text, row.text);
  EXPECT_NE(refusal("speed=9").hint.find("known keys: cpu, cores, counters"), std::string::npos);
  EXPECT_TRUE(refusal("cpu=pentium").hint.starts_with("known cores: ampereone ampereonex azure-cobalt-100 c1-nano "))
      << refusal("cpu=pentium").hint;
  EXPECT_TRUE(refusal("cpu=neoverse-x2").hint.starts_with("did you mean neoverse-n2? known cores: ampereone "));
  EXPECT_TRUE(refusal("cpu=cortex-x1+neoverse-v22").hint.starts_with("did you mean neoverse-v2? "));
  EXPECT_LT(refusal("cpu=neoverse-n2-r0p4").hint.size(), sizeof(WperfSimError::hint));
}

TEST(Products, NamesAreSortedAndIdentitiesWellFormed) {
  const auto names = product_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const std::string_view name : names) {
    const Product& product = *find_product(name);
    EXPECT_EQ(product.midr >> 16 & 0xf, 0xfu) << name;
    EXPECT_GE(product.counters, 6u) << name;
    EXPECT_LE(product.counters, 31u) << name;
  }
  EXPECT_EQ(find_product("azure-cobalt-100")->midr, 0x6d0fd490u);
  EXPECT_EQ(find_product("qualcomm-oryon")->midr, 0x511f0011u);
  EXPECT_EQ(find_product("neoverse-n2-r0p3")->midr, 0x410fd493u);
  EXPECT_EQ(find_product("pentium"), nullptr);
}

TEST(Options, give_a_folder_and_what_may_be_done_there) {
  OptionError error;
  const MachineOptions options = parse_options("folder=/a b,writes=on,console=shown", "", error);
  EXPECT_EQ(error.text, "");
  EXPECT_EQ(options.surroundings.folder, "/a b");
  EXPECT_TRUE(options.surroundings.writes);
  EXPECT_TRUE(options.console_shown);
  EXPECT_FALSE(parse_options("folder=x", "", error).surroundings.writes);
  for (const char* text : {"writes=on", "folder=", "console=yes", "folder=x,writes=maybe"}) {
    (void)parse_options(text, "", error);
    EXPECT_NE(error.text, "") << text;
  }
}

}  // namespace
}  // namespace wperf::sim
