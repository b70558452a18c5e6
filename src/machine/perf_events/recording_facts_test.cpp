// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "machine/perf_events/recording_facts_linux.h"

namespace wperf::perf_events {
namespace {

using CoreUnits = std::vector<std::pair<std::string, std::string>>;

class RecordingFactsTest : public testing::Test {
 protected:
  RecordingFactsTest()
      : root_(testing::TempDir() + "wperf_recording_facts_" +
              std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {}
  ~RecordingFactsTest() override { std::filesystem::remove_all(root_); }

  void add(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void add_unit(const std::string& name, u32 type) { add(kUnitFolder + name + "/type", std::to_string(type) + "\n"); }
  perf_data::RecordingFacts facts() const {
    const SystemFiles files(root_);
    return recording_facts(files, find_units(files), "wperf 1");
  }

  std::string root_;
};

TEST_F(RecordingFactsTest, KindsOfArmCores) {
  add_unit("armv8_cortex_a55", 8);
  add(kUnitFolder + std::string("armv8_cortex_a55/cpus"), "0-3\n");
  add_unit("armv8_cortex_a76", 9);
  add(kUnitFolder + std::string("armv8_cortex_a76/cpus"), "4,6-7\n");
  add_unit("arm_spe_0", 10);
  add(kUnitFolder + std::string("arm_spe_0/cpumask"), "4,6-7\n");
  add_unit("software", 1);
  EXPECT_EQ(facts().core_units, (CoreUnits{{"armv8_cortex_a55", "0-3"}, {"armv8_cortex_a76", "4,6-7"}}));
  EXPECT_EQ(facts().units.size(), 4u);
}

TEST_F(RecordingFactsTest, KindsOfIntelCores) {
  add_unit("cpu_atom", 10);
  add(kUnitFolder + std::string("cpu_atom/cpus"), "8-15\n");
  add_unit("cpu_core", 4);
  add(kUnitFolder + std::string("cpu_core/cpus"), "0-7\n");
  add_unit("uncore_imc_0", 20);
  add(kUnitFolder + std::string("uncore_imc_0/cpumask"), "0\n");
  EXPECT_EQ(facts().core_units, (CoreUnits{{"cpu_atom", "8-15"}, {"cpu_core", "0-7"}}));
}

TEST_F(RecordingFactsTest, CoresThatAreAllAlikeAreNotListed) {
  add_unit("cpu", 4);
  add_unit("software", 1);
  EXPECT_TRUE(facts().core_units.empty());
}

TEST_F(RecordingFactsTest, TheProcessorByItsFiles) {
  add("/proc/cpuinfo", "processor\t: 0\nmodel name\t: A Core\n");
  add("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000413fd0c1\n");
  EXPECT_EQ(facts().cpu_description, "A Core");
  EXPECT_EQ(facts().cpu_id, "0x00000000413fd0c1");
}

}  // namespace
}  // namespace wperf::perf_events
