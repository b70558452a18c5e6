// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/units.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "machine/plan/spe_plan.h"

namespace wperf::perf_events {
namespace {

// A machine's small files in a folder: two kinds of cores with SPE, and two cores without it.
class SpeUnitsTest : public testing::Test {
 protected:
  SpeUnitsTest()
      : root_(testing::TempDir() + "wperf_spe_units_" +
              std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    add_unit("arm_spe_0", 8, "0-1");
    add_unit("arm_spe_1", 9, "4,6");
    add(kUnitFolder + std::string("cpu/type"), "4\n");
  }
  ~SpeUnitsTest() override { std::filesystem::remove_all(root_); }

  void add(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void add_unit(const std::string& name, u32 type, const std::string& cores) {
    const std::string folder = kUnitFolder + name + "/";
    add(folder + "type", std::to_string(type) + "\n");
    add(folder + "cpumask", cores + "\n");
    add(folder + "caps/min_interval", "1024\n");
    add(folder + "caps/count_size", "16\n");
    const std::pair<const char*, const char*> formats[] = {
        {"ts_enable", "config:0"},        {"pa_enable", "config:1"},      {"jitter", "config:16"},
        {"branch_filter", "config:32"},   {"load_filter", "config:33"},   {"store_filter", "config:34"},
        {"event_filter", "config1:0-63"}, {"min_latency", "config2:0-11"}};
    for (const auto& [format, bits] : formats) add(folder + "format/" + format, std::string(bits) + "\n");
  }
  SystemFiles files() const { return SystemFiles(root_); }
  std::vector<Unit> units() const { return spe_units(find_units(files())); }

  std::string root_;
};

TEST_F(SpeUnitsTest, EachKindOfCoreHasItsUnit) {
  const std::vector<Unit> found = units();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(spe_unit_of_core(found, 1)->type, 8u);
  EXPECT_EQ(spe_unit_of_core(found, 6)->type, 9u);
  EXPECT_EQ(spe_unit_of_core(found, 2), nullptr);
  EXPECT_EQ(spe_unit_of_core(found, 5), nullptr);
}

TEST_F(SpeUnitsTest, PlanSeesWhatItCan) {
  const SpeIdentity identity = spe_identity(files(), units());
  plan::Capabilities machine;
  machine.id_aa64dfr0 = identity.id_aa64dfr0;
  EXPECT_TRUE(plan::has_spe(machine));
  const plan::SpeAbilities abilities = plan::spe_abilities(identity.pmsidr);
  EXPECT_TRUE(abilities.filters_events);
  EXPECT_TRUE(abilities.filters_types);
  EXPECT_TRUE(abilities.filters_latency);
  EXPECT_FALSE(abilities.filters_absent_events);
  EXPECT_EQ(abilities.least_interval, 1024u);
  EXPECT_EQ(abilities.latency_bits, 16u);
}

TEST_F(SpeUnitsTest, NoUnitIsNoSpe) {
  EXPECT_EQ(spe_identity(files(), {}).id_aa64dfr0, 0u);
  EXPECT_EQ(spe_identity(files(), {}).pmsidr, 0u);
}

TEST_F(SpeUnitsTest, FiltersGoWhereFormatsSay) {
  plan::SpePlan plan;
  plan.jitter = plan.timestamps = plan.loads = plan.branches = true;
  plan.events = 0x8000'0000'0000'0002;
  plan.min_latency = 100;
  const auto event = spe_event(files(), units()[1], plan);
  ASSERT_TRUE(event.has_value()) << event.error().text;
  EXPECT_EQ(event.value().type, 9u);
  EXPECT_EQ(event.value().config, 0x3'0001'0001u);
  EXPECT_EQ(event.value().config1, 0x8000'0000'0000'0002u);
  EXPECT_EQ(event.value().config2, 100u);
  EXPECT_TRUE(event.value().cores.empty()) << "else it would be opened for the kernel, too";
}

TEST_F(SpeUnitsTest, WithoutFiltersNothingIsSet) {
  plan::SpePlan plan;
  plan.jitter = false;
  const auto event = spe_event(files(), units()[0], plan);
  ASSERT_TRUE(event.has_value()) << event.error().text;
  EXPECT_EQ(event.value().config | event.value().config1 | event.value().config2, 0u);
}

TEST_F(SpeUnitsTest, WhatTheUnitLacksIsAnError) {
  plan::SpePlan plan;
  plan.not_events = 2;
  const auto absent = spe_event(files(), units()[0], plan);
  ASSERT_FALSE(absent.has_value());
  EXPECT_NE(absent.error().text.find("inv_event_filter"), std::string::npos);
  plan.not_events = 0;
  plan.min_latency = 4096;
  EXPECT_FALSE(spe_event(files(), units()[0], plan).has_value()) << "more than 12 bits";
}

}  // namespace
}  // namespace wperf::perf_events
