// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/event_words.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "ground/diag/names_all_test.h"

namespace wperf::perf_events {
namespace {

// A folder with small files like those of a machine.
class EventWordsTest : public testing::Test {
 protected:
  EventWordsTest()
      : root_(testing::TempDir() + "wperf_event_words_" +
              std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    const std::string cpu = kUnitFolder + std::string("cpu/");
    add(cpu + "type", "4\n");
    add(cpu + "format/event", "config:0-7,32-35\n");
    add(cpu + "format/umask", "config:8-15\n");
    add(cpu + "format/edge", "config:18\n");
    add(cpu + "format/ldlat", "config1:0-15\n");
    add(cpu + "events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
    const std::string outer = kUnitFolder + std::string("arm_dsu_0/");
    add(outer + "type", "9\n");
    add(outer + "cpumask", "2\n");
    add(outer + "format/event", "config:0-31\n");
    add(outer + "events/l3d_cache", "event=0x2b\n");
    add("/sys/kernel/tracing/events/sched/sched_switch/id", "316\n");
    add("/sys/devices/system/cpu/online", "0-2,5\n");
    add("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000410fd0c1\n");
  }
  ~EventWordsTest() override { std::filesystem::remove_all(root_); }

  void add(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  SystemFiles files() const { return SystemFiles(root_); }
  EventWords words() const { return EventWords(files(), {.has_counters = true, .why_no_cycles = {}, .way_out = {}}); }
  std::string spelled(std::string_view name) const {
    const auto found = words().find(name);
    if (!found.has_value()) return "error: " + found.error().text;
    if (!found.value().has_value()) return "unknown";
    const plan::KernelEvent& event = *found.value();
    char text[80];
    std::snprintf(text, sizeof text, "%u:%llx:%llx", event.type, static_cast<unsigned long long>(event.config),
                  static_cast<unsigned long long>(event.config1));
    return text;
  }

  std::string root_;
};

// Mounting it again does not help a user who may not read it.
TEST_F(EventWordsTest, TracefsThatMayNotBeReadIsFoundAmongTheMounts) {
  EXPECT_EQ(tracefs_mount(files()), "");
  add("/proc/self/mounts",
      "proc /proc proc rw,relatime 0 0\ntracefs_not /tmp ext4 rw 0 0\n"
      "tracefs /sys/kernel/tracing tracefs rw,nosuid 0 0\n");
  EXPECT_EQ(tracefs_mount(files()), "/sys/kernel/tracing");
  std::filesystem::remove_all(root_ + "/sys/kernel/tracing");
  const auto found = words().find("sched:sched_switch");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().hint,
            "run as root, or let root make it readable: mount -o remount,mode=755 /sys/kernel/tracing");
}

TEST_F(EventWordsTest, GenericEvents) {
  EXPECT_EQ(spelled("cycles"), "0:0:0");
  EXPECT_EQ(spelled("Branch-Misses"), "0:5:0");
  EXPECT_EQ(spelled("cpu-clock"), "1:0:0");
  EXPECT_EQ(spelled("cs"), "1:3:0");
  EXPECT_EQ(spelled("L1-dcache-load-misses"), "3:10000:0");
  EXPECT_EQ(spelled("LLC-stores"), "3:102:0");
  EXPECT_EQ(spelled("L1-dcache-nonsense"), "unknown");
  EXPECT_EQ(spelled("nonsense"), "unknown");
  EXPECT_EQ(spelled(""), "unknown");
  EXPECT_TRUE(words().find("context-switches").value()->in_kernel);
  EXPECT_TRUE(words().find("task-clock").value()->clock);
}

TEST_F(EventWordsTest, TheListDescribesEachEventOnce) {
  std::map<std::string, plan::KernelEvents::Word> listed;
  for (const plan::KernelEvents::Word& word : words().words(true)) listed[word.name] = word;
  EXPECT_EQ(listed.at("page-faults").description, "Accesses to memory for which the kernel had to provide a page.");
  EXPECT_EQ(listed.at("page-faults").same_as, "");
  EXPECT_EQ(listed.at("faults").same_as, "page-faults");
  EXPECT_EQ(listed.at("cpu-cycles").same_as, "cycles");
  EXPECT_EQ(listed.at("dtlb-store-misses").description, "Stores that missed in the data TLB.");
  for (const auto& [name, word] : listed)
    EXPECT_EQ(word.description.empty(), !word.same_as.empty() || word.kind == "[unit]") << name;
}

TEST_F(EventWordsTest, EventsOfAUnit) {
  EXPECT_EQ(spelled("cpu/event=0x3c,umask=1/"), "4:13c:0");
  EXPECT_EQ(spelled("cpu/event=0x1ff/"), "4:1000000ff:0") << "the upper bits lie elsewhere";
  EXPECT_EQ(spelled("cpu/config=0xabcd,config1=7/"), "4:abcd:7");
  EXPECT_EQ(spelled("cpu/mem-loads/"), "4:1cd:3");
  EXPECT_EQ(spelled("cpu/mem-loads,ldlat=30/"), "4:1cd:1e") << "a later term wins";
  EXPECT_EQ(spelled("cpu/event=1,edge/"), "4:40001:0");
  EXPECT_EQ(spelled("mem-loads"), "4:1cd:3") << "of a unit of the cores the name is enough";
  EXPECT_EQ(spelled("arm_dsu_0/l3d_cache/"), "9:2b:0");
  EXPECT_EQ(words().find("arm_dsu_0/l3d_cache/").value()->cores, std::vector<u32>{2});
  EXPECT_FALSE(words().find("arm_dsu_0/l3d_cache/").value()->hardware);
  EXPECT_EQ(spelled("l3d_cache"), "unknown") << "which DSU?";
}

TEST_F(EventWordsTest, EventsThatCannotBe) {
  using diag::names_all;
  EXPECT_TRUE(names_all(spelled("cpu/event=0x1000/"), {"error: ", "'event=0x1000'", "cpu", "config:0-7,32-35"}));
  EXPECT_TRUE(names_all(spelled("cpu/edge=2/"), {"error: ", "'edge=2'", "cpu", "config:18"}));
  EXPECT_TRUE(names_all(spelled("cpu/event=x/"), {"error: ", "'event=x'", "number"}));
  EXPECT_TRUE(names_all(spelled("cpu/nothing/"), {"error: ", "cpu", "term 'nothing'"}));
  EXPECT_TRUE(names_all(spelled("cpu/..=1/"), {"error: ", "'..=1'", "term", "cpu"}));
  EXPECT_TRUE(names_all(spelled("gpu/x/"), {"error: ", "'gpu'"}));
  EXPECT_EQ(spelled("cpu/event=1"), "unknown");
  EXPECT_EQ(spelled("/dsu/x/"), "unknown");
}

TEST_F(EventWordsTest, Tracepoints) {
  EXPECT_EQ(spelled("sched:sched_switch"), "2:13c:0");
  EXPECT_TRUE(words().find("sched:sched_switch").value()->in_kernel);
  EXPECT_TRUE(diag::names_all(spelled("sched:none"), {"error: ", "tracepoint sched:none"}));
  EXPECT_EQ(spelled("../sched:x"), "unknown");
  EXPECT_TRUE(diag::names_all(spelled("cpu-clock:100000"), {"error: '100000' cannot follow the event cpu-clock"}));
}

TEST_F(EventWordsTest, WhatThePmuClaims) {
  const CounterFacts arm{.has_counters = true, .why_no_cycles = {}, .way_out = {}, .counts_catalogue = true};
  EXPECT_EQ(EventWords(files(), arm).counts_code(0x08), false) << "the unit lists its events, and this is not one";
  const std::string unit = kUnitFolder + std::string("armv8_pmuv3/");
  add(unit + "type", "8\n");
  add(unit + "cpus", "0-2\n");
  add(unit + "format/event", "config:0-15\n");
  add(unit + "events/cpu_cycles", "event=0x11\n");
  add(unit + "events/inst_retired", "event=0x08\n");
  const EventWords words(files(), arm);
  EXPECT_EQ(words.counts_code(0x08), true);
  EXPECT_EQ(words.counts_code(0x11), true);
  EXPECT_EQ(words.counts_code(0x10), false);
  EXPECT_EQ(words.counts_code(0x4004), false);
  EXPECT_EQ(words.counts_code(0x70), std::nullopt) << "no register tells of it";
  EXPECT_EQ(words.session_facts().at(0).kind, "cpu_cycles, inst_retired, mem-loads") << "by unit";
  EXPECT_EQ(EventWords(files(), {.has_counters = true, .why_no_cycles = {}, .way_out = {}}).counts_code(0x08),
            std::nullopt)
      << "its numbers are not Arm's";
}

TEST_F(EventWordsTest, Topology) {
  EXPECT_EQ(online_cores(files()), (std::vector<u32>{0, 1, 2, 5}));
  EXPECT_EQ(midr_of(files(), 0), 0x410fd0c1u);
  EXPECT_EQ(midr_of(files(), 1), 0u);
  EXPECT_EQ(find_units(files()).size(), 2u);
}

TEST(SetBits, FormatsOfDamagedFiles) {
  plan::KernelEvent event;
  EXPECT_TRUE(set_bits("config:0-63", ~u64{0}, event));
  EXPECT_EQ(event.config, ~u64{0});
  EXPECT_FALSE(set_bits("config:0-64", 1, event));
  EXPECT_FALSE(set_bits("config:9-3", 1, event));
  EXPECT_FALSE(set_bits("config:", 1, event));
  EXPECT_FALSE(set_bits("config9:0", 1, event));
  EXPECT_FALSE(set_bits("", 1, event));
}

}  // namespace
}  // namespace wperf::perf_events
