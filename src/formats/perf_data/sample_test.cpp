// SPDX-License-Identifier: BSD-3-Clause
#include "formats/perf_data/sample.h"

#include <gtest/gtest.h>

#include "formats/perf_data/perf_data_builder_test.h"

namespace wperf::perf_data {
namespace {

using test::Fields;

EventAttributes attributes_of(u64 sample_type, u64 read_format = 0) {
  EventAttributes attributes;
  EXPECT_TRUE(read_event_attributes(test::attributes(sample_type, read_format).all(), attributes));
  return attributes;
}

constexpr u64 kEverything = (kSampleWeightParts << 1) - 1;

constexpr u64 kEveryCounterField = kReadEnabled | kReadRunning | kReadId | kReadGroup | kReadLost;

// Every field, in the order in which the kernel writes them.
Fields everything() {
  Fields body;
  body.u64s({42, 0x1000}).u32s({10, 11}).u64s({12345, 0x2000, 42, 43}).u32s({3, 0}).u64s({9});
  body.u64s({2, 100, 90, 5, 42, 1, 6, 43, 2});                // counter values of a group
  body.u64s({3, kCallchainUser, 0x1000, 0x1100});             // callchain
  body.u32s({12}).text("raw data", 12);                       // raw
  body.u64s({2, 7, 0x10, 0x20, 1, 0x30, 0x40, 2});            // branches
  body.u64s({2, 0xa0, 0xa2}).u64s({16, 0x1111, 0x2222, 8});   // user registers and stack
  body.u64s({0x0003'0002'0000'0001, 0x1e05080021, 5});        // weight, data source, transaction
  body.u64s({2, 0xb0, 0xb1}).u64s({0xfee, 77, 4096, 65536});  // registers, address, cgroup, page sizes
  body.u64s({8, 0x3333});                                     // aux
  return body;
}

TEST(Sample, HasEveryField) {
  const EventAttributes attributes = attributes_of(kEverything, kEveryCounterField);
  const Fields body = everything();
  Sample sample;
  ASSERT_TRUE(read_sample(body.all(), attributes, sample));
  EXPECT_EQ(sample.id, 42);
  EXPECT_EQ(sample.ip, 0x1000);
  EXPECT_EQ(sample.pid, 10);
  EXPECT_EQ(sample.tid, 11);
  EXPECT_EQ(sample.time, 12345);
  EXPECT_EQ(sample.address, 0x2000);
  EXPECT_EQ(sample.stream_id, 43);
  EXPECT_EQ(sample.cpu, 3);
  EXPECT_EQ(sample.period, 9);
  EXPECT_EQ(sample.counters.count, 2);
  EXPECT_EQ(sample.counters.enabled_ns, 100);
  EXPECT_EQ(sample.counters.running_ns, 90);
  EXPECT_EQ(sample.counters.value(0), 5);
  EXPECT_EQ(sample.counters.value(1), 6);
  EXPECT_EQ(sample.counters.id(1), 43);
  EXPECT_EQ(sample.counters.lost(1), 2);
  ASSERT_EQ(sample.callchain.size(), 3);
  EXPECT_GE(sample.callchain[0], kCallchainMarks);
  EXPECT_EQ(sample.callchain[2], 0x1100);
  EXPECT_EQ(sample.callchain[3], 0) << "beyond the end";
  EXPECT_EQ(text_in(sample.raw), "raw data");
  ASSERT_EQ(sample.branches.size(), 2);
  EXPECT_EQ(sample.branches.hardware_index, 7);
  EXPECT_EQ(sample.branches.from(1), 0x30);
  EXPECT_EQ(sample.branches.to(1), 0x40);
  EXPECT_EQ(sample.branches.flags(1), 2);
  EXPECT_EQ(sample.user_registers.mask, 5);
  EXPECT_EQ(sample.user_registers.values[1], 0xa2);
  EXPECT_EQ(sample.user_stack.bytes.size(), 16);
  EXPECT_EQ(sample.user_stack.written, 8);
  EXPECT_EQ(sample.access_latency(), 1);
  EXPECT_EQ(sample.instruction_latency(), 2);
  EXPECT_EQ(sample.retire_latency(), 3);
  EXPECT_EQ(sample.data_source, 0x1e05080021);
  EXPECT_EQ(sample.transaction, 5);
  EXPECT_EQ(sample.interrupt_registers.values[0], 0xb0);
  EXPECT_EQ(sample.physical_address, 0xfee);
  EXPECT_EQ(sample.cgroup, 77);
  EXPECT_EQ(sample.data_page_size, 4096);
  EXPECT_EQ(sample.code_page_size, 65536);
  EXPECT_EQ(sample.aux.size(), 8);
}

TEST(Sample, IsDamagedWhereverItIsCut) {
  const EventAttributes attributes = attributes_of(kEverything, kEveryCounterField);
  const Fields body = everything();
  for (usize size = 0; size < body.size(); ++size) {
    Sample sample;
    EXPECT_FALSE(read_sample(Bytes(body.all()).first(size), attributes, sample)) << size;
  }
}

TEST(Sample, RefusesCountsThatOverflow) {
  struct Case {
    u64 field;
    Fields body;
  };
  const u64 huge = ~u64{0} / 8 + 2, third = ~u64{0} / 24 + 1;
  const Case cases[] = {{kSampleCallchain, Fields().u64s({huge, 1, 2})},
                        {kSampleCallchain, Fields().u64s({~u64{0}, 1, 2})},
                        {kSampleBranchStack, Fields().u64s({third, 0, 1, 2, 3})},
                        {kSampleRaw, Fields().u32s({0xffffffff, 0})},
                        {kSampleUserStack, Fields().u64s({~u64{0}, 0})},
                        {kSampleUserStack, Fields().u64s({8, 0, 9})},
                        {kSampleAux, Fields().u64s({~u64{0} - 7, 0})}};
  for (const Case& one : cases) {
    Sample sample;
    EXPECT_FALSE(read_sample(one.body.all(), attributes_of(one.field), sample)) << one.field;
  }
  Sample sample;
  const Fields group = Fields().u64s({~u64{0} / 2, 1, 2});
  EXPECT_FALSE(read_sample(group.all(), attributes_of(kSampleRead, kReadGroup | kReadId), sample));
}

TEST(Sample, ReadsTheCounterOfOneEvent) {
  const Fields body = Fields().u64s({17, 100, 50, 42, 3});
  Sample sample;
  ASSERT_TRUE(
      read_sample(body.all(), attributes_of(kSampleRead, kReadEnabled | kReadRunning | kReadId | kReadLost), sample));
  EXPECT_EQ(sample.counters.count, 1);
  EXPECT_EQ(sample.counters.value(0), 17);
  EXPECT_EQ(sample.counters.running_ns, 50);
  EXPECT_EQ(sample.counters.id(0), 42);
  EXPECT_EQ(sample.counters.lost(0), 3);
  Sample lost_only;
  const Fields without_id = Fields().u64s({17, 3});
  ASSERT_TRUE(read_sample(without_id.all(), attributes_of(kSampleRead, kReadLost), lost_only));
  EXPECT_EQ(lost_only.counters.lost(0), 3);
  EXPECT_EQ(lost_only.counters.id(0), 0);
}

TEST(Sample, TakesEmptyPartsAsTheKernelWritesThem) {
  const u64 parts = kSampleBranchStack | kSampleUserRegisters | kSampleUserStack;
  Sample sample;
  // no branches but an index; no registers, because it is a kernel thread; no stack and so no stack size
  ASSERT_TRUE(read_sample(Fields().u64s({0, 5, 0, 0}).all(), attributes_of(parts), sample));
  EXPECT_EQ(sample.branches.hardware_index, 5);
  EXPECT_EQ(sample.user_registers.values.size(), 0);
  EXPECT_TRUE(sample.user_stack.bytes.empty());
  Sample nothing;
  ASSERT_TRUE(read_sample(Fields().u64s({0}).all(), attributes_of(kSampleBranchStack), nothing));
  EXPECT_FALSE(nothing.branches.has_hardware_index);
}

TEST(EventTable, FindsTheOwnerInTheFirstBytesOfASample) {
  for (const bool has_more : {false, true}) {
    Event event;
    event.attributes.sample_type = kSampleTid | kSampleTime | kSampleCallchain;
    if (has_more) event.attributes.sample_type |= kSampleIdentifier | kSampleIp;
    const EventTable events({event});
    Fields body;
    if (has_more) body.u64s({5, 0x1000});
    body.u32s({7, 8}).u64s({9});
    const std::vector<std::byte> bytes = body.all();
    EXPECT_LE(bytes.size() + kRecordHeader, kSampleOwnerBytes);
    Record record;
    record.body = bytes;
    const auto owner = events.sample_owner(record);
    ASSERT_TRUE(owner.has_value());
    EXPECT_EQ(owner->pid, 7u);
    EXPECT_EQ(owner->tid, 8u);
    EXPECT_EQ(owner->time, 9u);
    record.body = Bytes(bytes).first(bytes.size() - 1);
    EXPECT_FALSE(events.sample_owner(record).has_value());
  }
  EXPECT_FALSE(EventTable().sample_owner(Record{}).has_value());
  EXPECT_FALSE(EventTable({Event{}}).sample_owner(Record{}).has_value());
}

TEST(EventAttributes, AreReadAtEverySizeTheyHad) {
  for (const u32 size : {64u, 72u, 80u, 96u, 104u, 112u, 120u, 128u, 136u}) {
    EventAttributes attributes;
    ASSERT_TRUE(read_event_attributes(test::attributes(kSampleIp, 0, 1u << 10, size).all(), attributes)) << size;
    EXPECT_EQ(attributes.size, size);
    EXPECT_EQ(attributes.config1, 11);
    EXPECT_TRUE(attributes.by_frequency());
    EXPECT_EQ(attributes.config2, size >= 72 ? 12 : 0);
    EXPECT_EQ(attributes.branch_sample_type, size >= 80 ? kBranchHardwareIndex : 0);
    EXPECT_EQ(attributes.user_stack_size, size >= 96 ? 64 : 0);
    EXPECT_EQ(attributes.interrupt_registers, size >= 104 ? 3 : 0);
    EXPECT_EQ(attributes.signal_data, size >= 128 ? 77 : 0);
    EXPECT_EQ(attributes.config3, size >= 136 ? 13 : 0);
  }
  EventAttributes attributes;
  EXPECT_FALSE(read_event_attributes(Bytes(test::attributes(0).all()).first(63), attributes));
}

}  // namespace
}  // namespace wperf::perf_data
