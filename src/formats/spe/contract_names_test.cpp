// SPDX-License-Identifier: BSD-3-Clause
// Names of operations, events and data sources.
#include "formats/spe/contract_names.h"

#include <gtest/gtest.h>

#include <set>

#include "formats/spe/data_sources.h"
#include "formats/spe/packets.h"

namespace wperf::spe {
namespace {

Record with_operation(u32 index, u32 payload) {
  Record record;
  record.set(Field::operation, u64{index} << 8 | payload);
  return record;
}

std::string_view name_of_operation(u32 index, u32 payload) {
  return text_of(operation_name(with_operation(index, payload)));
}

TEST(OperationNames, AreTheContracts) {
  EXPECT_EQ(name_of_operation(kClassOther, 0x00), "OTHER");
  EXPECT_EQ(name_of_operation(kClassOther, 0x01), "OTHER");
  EXPECT_EQ(name_of_operation(kClassMemory, 0x00), "LOAD_STORE_ATOMIC-LOAD-GP");
  EXPECT_EQ(name_of_operation(kClassMemory, 0x01), "LOAD_STORE_ATOMIC-STORE-GP");
  EXPECT_EQ(name_of_operation(kClassMemory, 0x04), "LOAD_STORE_ATOMIC-LOAD-SIMD-FP");
  EXPECT_EQ(name_of_operation(kClassMemory, 0x05), "LOAD_STORE_ATOMIC-STORE-SIMD-FP");
  EXPECT_EQ(name_of_operation(kClassMemory, 0x07), "LOAD_STORE_ATOMIC-STORE-OTHER");
  EXPECT_EQ(name_of_operation(kClassMemory, 0x10), "LOAD_STORE_ATOMIC-LOAD-OTHER");
  EXPECT_EQ(name_of_operation(kClassBranch, 0x00), "BRANCH_OR_EXCEPTION-UNCONDITIONAL-DIRECT");
  EXPECT_EQ(name_of_operation(kClassBranch, 0x01), "BRANCH_OR_EXCEPTION-CONDITIONAL-DIRECT");
  EXPECT_EQ(name_of_operation(kClassBranch, 0x02), "BRANCH_OR_EXCEPTION-UNCONDITIONAL-INDIRECT");
  EXPECT_EQ(name_of_operation(kClassBranch, 0x13), "BRANCH_OR_EXCEPTION-CONDITIONAL-INDIRECT");
  EXPECT_EQ(text_of(operation_name(Record{})), "OTHER");
}

TEST(EventNames, AreTheContractsInItsOrder) {
  EXPECT_EQ(contract_event_names(0), "");
  EXPECT_EQ(contract_event_names(0x16), "retired+level1-data-cache-access+tlb_access");
  EXPECT_EQ(contract_event_names(~u64{0}),
            "alignment+retired+sve-empty-predicate+generated-exception+last-level-cache-access+last-level-cache-miss+"
            "level1-data-cache-access+level1-data-cache-refill+mispredicted+not-taken+sve-partial-predicate+"
            "remote-acess+tlb_access+tlb-walk");
  EXPECT_EQ(contract_events(~u64{0}), 0x6'0fffU);
  EXPECT_EQ(source_name(OperationName::other, 2), "OTHER/retired");
}

TEST(EventNames, OursAreAllDifferent) {
  std::set<std::string_view> names;
  u32 last = 0;
  for (const EventName& event : event_names()) {
    EXPECT_TRUE(names.insert(event.name).second) << event.name;
    EXPECT_GE(event.bit, last);
    last = event.bit + 1;
    EXPECT_FALSE(event.title.empty());
    EXPECT_EQ(contract_event_names(u64{1} << event.bit), event.contract_name);
  }
}

TEST(DataSources, ByMidr) {
  const auto source = [](u64 midr, u64 value) { return data_source_name(find_data_source_family(midr), value); };
  EXPECT_EQ(source(0x413fd0c1, 0), "l1");  // Neoverse N1
  EXPECT_EQ(source(0x413fd0c1, 0xe), "dram");
  EXPECT_EQ(source(0x413fd0c1, 7), "source-0x7");
  EXPECT_EQ(source(0x410fd493, 9), "peer-core");
  EXPECT_EQ(source(0x6d0fd490, 0xc), "peer-cluster");  // Cobalt 100
  EXPECT_EQ(source(0xc00fac40, 8), "l1");
  EXPECT_EQ(source(0xc00fac40, 0xe), "source-0xe");
  EXPECT_EQ(source(0x480fd060, 0x12), "l1");
  EXPECT_EQ(source(0x511f0010, 0), "source-0x0");  // no published name
  EXPECT_EQ(find_data_source_family(0x511f0010), nullptr);
  const DataSource* const modified = find_data_source_family(0x480fd060)->find(5);
  ASSERT_NE(modified, nullptr);
  EXPECT_TRUE(modified->modified);
  EXPECT_EQ(modified->level, DataLevel::peer_cluster);
}

TEST(DataSources, EveryFamilyIsInOrder) {
  for (const DataSourceFamily& family : data_source_families()) {
    for (const DataSource& source : family.sources) {
      EXPECT_EQ(family.find(source.value), &source) << family.name;
      EXPECT_NE(source.level, DataLevel::unknown);
      EXPECT_NE(name_of(source.level), "");
    }
    EXPECT_EQ(family.find(~u64{0}), nullptr);
  }
}

}  // namespace
}  // namespace wperf::spe
