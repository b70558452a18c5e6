// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_about.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/recording/recorded_samples.h"
#include "formats/perf_data/perf_data_builder_test.h"
#include "model/stacks/stack_rows.h"

namespace wperf::recording {
namespace {

using perf_data::Feature;
using perf_data::test::Fields;

constexpr u64 kWithCore = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime | perf_data::kSampleCpu;
constexpr u64 kWithoutCore = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime;
constexpr u32 kRawType = 4, kAtomType = 10;

Fields text_field(std::string_view text) {
  return Fields().u32s({static_cast<u32>(text.size() / 8 * 8 + 8)}).text(text);
}

class CoreKindsTest : public testing::Test {
 protected:
  // A file without records has no end.
  CoreKindsTest() { builder.add(perf_data::RecordType::finished_round, Fields()); }
  void event(u32 type, u64 config, u64 sample_type = kWithCore) {
    constexpr u64 kIdentifiesAll = 1u << 18;
    Fields attributes = Fields().u32s({type, 64}).u64s({config, 4000, sample_type, 0, kIdentifiesAll});
    builder.event(attributes.u32s({0, 0}).u64s({0}), {++ids_});
  }
  void units(std::initializer_list<std::pair<u32, const char*>> list) {
    Fields section = Fields().u32s({static_cast<u32>(list.size())});
    for (const auto& [type, name] : list) section.u32s({type}).bytes(text_field(name).all());
    builder.feature(Feature::pmu_mappings, section);
  }
  static Fields topology(std::initializer_list<std::pair<const char*, const char*>> list) {
    Fields section = Fields().u32s({static_cast<u32>(list.size())});
    for (const auto& [name, cores] : list) section.bytes(text_field(name).all()).bytes(text_field(cores).all());
    return section;
  }
  stacks::CoreKinds kinds() {
    bytes_ = builder.build();
    return recorded_core_kinds(perf_data::PerfFile::open(bytes_).value());
  }
  std::string kind(u32 event, u32 core) {
    const stacks::CoreKinds found = kinds();
    return std::string(found.name(found.of(event, core)));
  }

  perf_data::test::FileBuilder builder;
  std::vector<std::byte> bytes_;

 private:
  u64 ids_ = 0;
};

TEST_F(CoreKindsTest, TheListOfCoresGoesFirst) {
  event(kAtomType, 0);
  builder.feature(Feature::hybrid_topology, topology({{"cpu_core", "0-3,8"}, {"cpu_atom", "4-7"}}));
  builder.feature(Feature::cpu_description, text_field("a processor"));
  units({{kRawType, "cpu_core"}, {kAtomType, "cpu_atom"}});
  EXPECT_EQ(kind(0, 0), "cpu_core");
  EXPECT_EQ(kind(0, 3), "cpu_core");
  EXPECT_EQ(kind(0, 7), "cpu_atom");
  EXPECT_EQ(kind(0, 8), "cpu_core");
  EXPECT_EQ(kind(0, 9), "cpu_atom");  // the core is not listed, so the PMU of the event is used
}

TEST_F(CoreKindsTest, EventUnitDecidesWithoutCoreList) {
  event(kRawType, 0x3c);
  event(kAtomType, 0x3c);
  event(0, u64{kAtomType} << 32);      // cycles on one kind of core
  event(3, u64{kRawType} << 32 | 17);  // cache misses on the other kind
  event(0, 0);                         // cycles, on any kind of core
  event(1, 0);                         // a clock
  builder.feature(Feature::cpu_description, text_field("a processor"));
  units({{1, "software"}, {kRawType, "cpu_core"}, {kAtomType, "cpu_atom"}, {11, "uncore_imc"}});
  EXPECT_EQ(kind(0, 0), "cpu_core");
  EXPECT_EQ(kind(1, 0), "cpu_atom");
  EXPECT_EQ(kind(2, 0), "cpu_atom");
  EXPECT_EQ(kind(3, 0), "cpu_core");
  EXPECT_EQ(kind(4, 0), "?");  // the processor's name would be wrong for some cores
  EXPECT_EQ(kind(5, 0), "?");
}

TEST_F(CoreKindsTest, UnitsOfArmCores) {
  event(9, 0x11, kWithoutCore);
  event(12, 0x11, kWithoutCore);
  units({{8, "armv8_cortex_a55"}, {9, "armv9_cortex_a710"}, {10, "arm_spe_0"}, {12, "apple_firestorm_pmu"}});
  EXPECT_EQ(kind(0, 0), "armv9_cortex_a710");
  EXPECT_EQ(kind(1, 0), "apple_firestorm_pmu");
}

TEST_F(CoreKindsTest, SampleWithoutCoreHasNoKind) {
  event(1, 0, kWithoutCore);
  builder.feature(Feature::hybrid_topology, topology({{"cpu_core", "0-3"}, {"cpu_atom", "4-7"}}));
  EXPECT_EQ(kind(0, 0), "?");
}

TEST_F(CoreKindsTest, TheProcessorWhereThereIsOneKind) {
  event(1, 0);
  units({{kRawType, "cpu"}, {9, "uncore_imc"}});
  EXPECT_EQ(kind(0, 0), "?");
  builder.feature(Feature::cpu_id, text_field("0x00000000413fd0c1"));
  EXPECT_EQ(kind(0, 0), "0x00000000413fd0c1");
  builder.feature(Feature::cpu_description, text_field("Neoverse"));
  EXPECT_EQ(kind(0, 0), "Neoverse");
}

TEST_F(CoreKindsTest, FileWithoutCoreKinds) {
  event(1, 0);
  EXPECT_EQ(kind(0, 0), "?");
}

TEST_F(CoreKindsTest, ListsThatAreNone) {
  event(1, 0);
  for (const char* list : {"", "x", "-", "3-", "3-1", "9999", "0-4294967296", "4294967295", "0-9999999"}) {
    builder.feature(Feature::hybrid_topology, topology({{"cpu_core", list}, {"cpu_atom", "4"}}));
    const stacks::CoreKinds found = kinds();
    EXPECT_EQ(found.of_core.size(), 5u) << list;
    EXPECT_EQ(found.name(found.of(0, 4)), "cpu_atom") << list;
    EXPECT_EQ(found.name(found.of(0, 3)), "?") << list;
  }
  // The valid part is used.
  builder.feature(Feature::hybrid_topology, topology({{"cpu_core", "0,2-3,1,7"}, {"cpu_atom", "8"}}));
  EXPECT_EQ(kind(0, 3), "cpu_core");
  EXPECT_EQ(kind(0, 1), "?");
  EXPECT_EQ(kind(0, 7), "?");
}

TEST_F(CoreKindsTest, ACutSection) {
  event(1, 0);
  const Fields whole = topology({{"cpu_core", "0-3"}, {"cpu_atom", "4-7"}});
  for (usize size = 0; size < whole.size(); ++size) {
    builder.feature(Feature::hybrid_topology, Fields().bytes(bytes::Span(whole.all()).first(size)));
    const stacks::CoreKinds found = kinds();
    EXPECT_EQ(found.name(found.of(0, 4)), "?") << size;
    EXPECT_LE(found.names.size(), 1u) << size;
  }
}

TEST_F(CoreKindsTest, CountsAndLengthsThatAreTooLarge) {
  event(1, 0);
  builder.feature(Feature::hybrid_topology,
                  Fields().u32s({~u32{0}, 8}).text("cpu_core", 8).u32s({~u32{0}}).text("0-3"));
  EXPECT_TRUE(kinds().names.empty());
  builder.feature(Feature::hybrid_topology, Fields().u32s({~u32{0}}));
  EXPECT_TRUE(kinds().names.empty());
  Fields many = Fields().u32s({5000});
  Fields units = Fields().u32s({5000});
  for (u32 i = 0; i < 5000; ++i) {
    const Fields name = text_field("cpu_" + std::to_string(i));
    many.bytes(name.all()).bytes(text_field("0-8191").all());
    units.u32s({i}).bytes(name.all());
  }
  builder.feature(Feature::hybrid_topology, many).feature(Feature::pmu_mappings, units);
  const stacks::CoreKinds found = kinds();
  EXPECT_EQ(found.names.size(), 64u);
  EXPECT_EQ(found.of_core.size(), 8192u);
}

TEST_F(CoreKindsTest, ReportsCountByKindWhereItIsAsked) {
  event(1, 0);
  builder.feature(Feature::hybrid_topology, topology({{"cpu_core", "0-1"}, {"cpu_atom", "2"}}));
  for (const u32 core : {0u, 1u, 2u, 1u, 9u}) {
    builder.add(perf_data::RecordType::sample, Fields().u64s({0x1000}).u32s({7, 7}).u64s({5}).u32s({core, 0}),
                perf_data::kUserMode);
  }
  const std::vector<std::byte> bytes = builder.build();
  const perf_data::PerfFile file = perf_data::PerfFile::open(bytes).value();
  EXPECT_TRUE(read_recorded_samples(file, {}).profile.core_kinds.names.empty());
  const stacks::StackProfile profile = read_recorded_samples(file, {.cores = true, .core_kinds = true}).profile;
  const stacks::StackRows rows = make_rows(profile, 0, {stacks::SortKey::core_kind}, {}, false);
  std::vector<std::pair<std::string_view, u64>> found;
  for (const stacks::StackRow& row : rows.rows) {
    found.emplace_back(profile.core_kinds.name(row.core_kind), row.self_samples);
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<std::pair<std::string_view, u64>>{{"?", 1}, {"cpu_atom", 1}, {"cpu_core", 3}}));
}

}  // namespace
}  // namespace wperf::recording
