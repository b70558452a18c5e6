// SPDX-License-Identifier: BSD-3-Clause
// One record of each type as the kernel and perf write it; then each of them is cut short.
#include <gtest/gtest.h>

#include "formats/perf_data/perf_data_builder_test.h"

namespace wperf::perf_data {
namespace {

using test::Fields;
using test::FileBuilder;

constexpr u64 kTimedSamples = kSampleTid | kSampleTime | kSampleCpu | kSampleIdentifier;

Fields trailer() {
  return Fields().u32s({10, 11}).u64s({555}).u32s({2, 0}).u64s({42});
}

// Reads the only record of a file with one event.
template <class Kind>
Kind read_one(RecordType type, Fields body, u16 misc = 0) {
  if (static_cast<u32>(type) < kFirstUserType) body.bytes(trailer().all());
  FileBuilder builder;
  // The record has views into the file, so the file is kept alive.
  static std::vector<std::vector<std::byte>> kept;
  kept.push_back(builder.event(test::attributes(kTimedSamples), {42}).add(type, body, misc).build());
  const auto file = PerfFile::open(kept.back());
  EXPECT_TRUE(file.has_value());
  Kind result{};
  int count = 0;
  const ReadStatistics statistics = file.value().for_each_record(Visitors{[&](const Kind& one, const Record& record) {
    EXPECT_EQ(record.kind(), type);
    result = one;
    ++count;
  }});
  EXPECT_EQ(count, 1) << record_name(static_cast<u32>(type));
  EXPECT_EQ(statistics.of(type), 1);
  EXPECT_EQ(statistics.all_damaged(), 0);
  EXPECT_FALSE(statistics.stop.has_value());
  if constexpr (std::derived_from<Kind, KernelRecord>) {
    EXPECT_EQ(result.identity.pid, 10);
    EXPECT_EQ(result.identity.tid, 11);
    EXPECT_EQ(result.identity.time, 555);
    EXPECT_EQ(result.identity.cpu, 2);
    EXPECT_EQ(result.identity.id, 42);
  }
  return result;
}

TEST(KernelRecords, Mappings) {
  const Fields start = Fields().u32s({10, 11}).u64s({0x400000, 0x1000, 0x200});
  const Mmap old = read_one<Mmap>(RecordType::mmap, Fields(start).text("/bin/true"), kMiscMmapData);
  EXPECT_EQ(old.address, 0x400000);
  EXPECT_EQ(old.length, 0x1000);
  EXPECT_EQ(old.page_offset, 0x200);
  EXPECT_EQ(old.file, "/bin/true");
  EXPECT_TRUE(old.is_data);
  EXPECT_FALSE(old.is_mmap2);

  const Fields by_device = Fields(start).u32s({8, 1}).u64s({77, 5}).u32s({5, 2}).text("/lib/a.so");
  const Mmap with_device = read_one<Mmap>(RecordType::mmap2, by_device);
  EXPECT_EQ(with_device.device_major, 8);
  EXPECT_EQ(with_device.inode, 77);
  EXPECT_EQ(with_device.inode_generation, 5);
  EXPECT_EQ(with_device.protection, 5);
  EXPECT_EQ(with_device.file, "/lib/a.so");

  const Fields by_id = Fields(start).u32s({4, 0x04030201}).u64s({0, 0}).u32s({5, 2}).text("/lib/a.so");
  const Mmap with_id = read_one<Mmap>(RecordType::mmap2, by_id, kMiscMmapBuildId);
  ASSERT_EQ(with_id.build_id.size(), 4);
  EXPECT_EQ(std::to_integer<int>(with_id.build_id[3]), 4);
  EXPECT_EQ(with_id.file, "/lib/a.so");

  // Another recording caused the bit, so the field is a device.
  const Fields marked = Fields(start).u32s({254, 1}).u64s({77, 5}).u32s({5, 2}).text("/lib/a.so");
  const Mmap without_id = read_one<Mmap>(RecordType::mmap2, marked, kMiscMmapBuildId);
  EXPECT_TRUE(without_id.build_id.empty());
  EXPECT_EQ(without_id.device_major, 254);
  EXPECT_EQ(without_id.inode, 77);
}

TEST(KernelRecords, Threads) {
  const Comm comm = read_one<Comm>(RecordType::comm, Fields().u32s({10, 11}).text("sh"), kMiscCommExec);
  EXPECT_EQ(comm.name, "sh");
  EXPECT_TRUE(comm.by_exec);
  const Task fork = read_one<Task>(RecordType::fork, Fields().u32s({12, 10, 13, 11}).u64s({5}));
  EXPECT_EQ(fork.pid, 12);
  EXPECT_EQ(fork.parent_pid, 10);
  EXPECT_EQ(fork.tid, 13);
  EXPECT_EQ(fork.parent_tid, 11);
  EXPECT_FALSE(fork.is_exit);
  EXPECT_TRUE(read_one<Task>(RecordType::exit, Fields().u32s({12, 10, 13, 11}).u64s({5})).is_exit);
  const Switch out = read_one<Switch>(RecordType::context_switch, Fields(), kMiscSwitchOut | kMiscSwitchPreempted);
  EXPECT_TRUE(out.is_out && out.is_preempted && !out.is_cpu_wide);
  const Switch in = read_one<Switch>(RecordType::switch_cpu_wide, Fields().u32s({7, 8}));
  EXPECT_FALSE(in.is_out);
  EXPECT_EQ(in.next_prev_tid, 8);
  const Namespaces spaces = read_one<Namespaces>(RecordType::namespaces, Fields().u32s({1, 1}).u64s({2, 4, 5, 6, 7}));
  EXPECT_EQ(spaces.links.size(), 4);
  EXPECT_EQ(read_one<Cgroup>(RecordType::cgroup, Fields().u64s({9}).text("/a/b")).path, "/a/b");
  EXPECT_EQ(read_one<ItraceStart>(RecordType::itrace_start, Fields().u32s({1, 2})).tid, 2);
}

TEST(KernelRecords, LossesAndCounts) {
  EXPECT_EQ(read_one<Lost>(RecordType::lost, Fields().u64s({42, 17})).records, 17);
  EXPECT_EQ(read_one<LostSamples>(RecordType::lost_samples, Fields().u64s({18})).samples, 18);
  EXPECT_FALSE(read_one<Throttle>(RecordType::throttle, Fields().u64s({1, 2, 3})).is_end);
  EXPECT_TRUE(read_one<Throttle>(RecordType::unthrottle, Fields().u64s({1, 2, 3})).is_end);
  EXPECT_EQ(read_one<CounterRead>(RecordType::read, Fields().u32s({1, 2}).u64s({99})).values.value(0), 99);
  const Aux aux = read_one<Aux>(RecordType::aux, Fields().u64s({4096, 128, kAuxTruncated}));
  EXPECT_EQ(aux.offset, 4096);
  EXPECT_EQ(aux.flags, kAuxTruncated);
  EXPECT_EQ(read_one<AuxOutputHardwareId>(RecordType::aux_output_hw_id, Fields().u64s({6})).hardware_id, 6);
}

TEST(KernelRecords, Code) {
  const KernelSymbol symbol =
      read_one<KernelSymbol>(RecordType::ksymbol, Fields().u64s({0xffff}).u32s({64}).u16s({1, 0}).text("bpf_prog"));
  EXPECT_EQ(symbol.name, "bpf_prog");
  EXPECT_EQ(symbol.length, 64);
  EXPECT_EQ(read_one<BpfEvent>(RecordType::bpf_event, Fields().u16s({1, 0}).u32s({3}).u64s({0xabc})).tag, 0xabc);
  const TextPoke poke =
      read_one<TextPoke>(RecordType::text_poke, Fields().u64s({0x10}).u16s({4, 8}).text("oldynewynewy", 12));
  EXPECT_EQ(text_in(poke.old_code), "oldy");
  EXPECT_EQ(poke.new_code.size(), 8);
  const DeferredCallchain chain =
      read_one<DeferredCallchain>(RecordType::callchain_deferred, Fields().u64s({5, 2, 0x10, 0x20}));
  EXPECT_EQ(chain.callchain[1], 0x20);
}

TEST(UserRecords, Traces) {
  const AuxTraceInfo info = read_one<AuxTraceInfo>(RecordType::auxtrace_info, Fields().u32s({4, 0}).u64s({8, 1}));
  EXPECT_EQ(info.type, kAuxArmSpe);
  EXPECT_EQ(info.parameters.size(), 2);
  const AuxTraceError error = read_one<AuxTraceError>(
      RecordType::auxtrace_error, Fields().u32s({1, 9, 0, 10, 11, 1}).u64s({0x40, 99}).text("lost", 64));
  EXPECT_EQ(error.time, 99);
  EXPECT_EQ(error.message, "lost");
  const AuxTraceError before_time = read_one<AuxTraceError>(
      RecordType::auxtrace_error, Fields().u32s({1, 9, 0, 10, 11, 0}).u64s({0x40}).text("lost", 64));
  EXPECT_EQ(before_time.message, "lost");
  const TimeConv time = read_one<TimeConv>(RecordType::time_conv, Fields().u64s({10, 1000, 5, 1, 2, 0x0101}));
  EXPECT_TRUE(time.has_zero && time.is_short);
  EXPECT_TRUE(read_one<TimeConv>(RecordType::time_conv, Fields().u64s({10, 1000, 5})).has_zero);
}

TEST(UserRecords, Maps) {
  const IdIndex index = read_one<IdIndex>(RecordType::id_index, Fields().u64s({2, 42, 0, 1, 10, 43, 1, 2, 11}));
  EXPECT_EQ(index.size(), 2);
  EXPECT_EQ(index.tid(1), 11);
  const ThreadMap threads = read_one<ThreadMap>(RecordType::thread_map, Fields().u64s({1, 10}).text("sh", 16));
  EXPECT_EQ(threads.pid(0), 10);
  EXPECT_EQ(threads.name(0), "sh");
  const auto cpus = [](const Fields& body) {
    std::vector<u32> list;
    read_one<CpuMap>(RecordType::cpu_map, body).for_each([&](u32 cpu) { list.push_back(cpu); });
    return list;
  };
  EXPECT_EQ(cpus(Fields().u16s({0, 2, 3, 5})), (std::vector<u32>{3, 5}));
  EXPECT_EQ(cpus(Fields().u16s({1, 1, 4}).u32s({0x11})), (std::vector<u32>{0, 4}));
  EXPECT_EQ(cpus(Fields().u16s({1, 1, 8}).u32s({0}).u64s({1ull << 63})), (std::vector<u32>{63}));
  EXPECT_EQ(cpus(Fields().u16s({2, 0, 4, 6})), (std::vector<u32>{4, 5, 6}));
}

TEST(UserRecords, TheRest) {
  EXPECT_EQ(read_one<EventTypeName>(RecordType::header_event_type, Fields().u64s({3}).text("cycles", 64)).name,
            "cycles");
  const BuildId build_id = read_one<BuildId>(
      RecordType::header_build_id, Fields().u32s({10}).text("abcd", 20).u32s({4}).text("/bin/sh"), kMiscBuildIdSize);
  EXPECT_EQ(text_in(build_id.id), "abcd");
  EXPECT_EQ(build_id.file, "/bin/sh");
  EXPECT_EQ(read_one<StatConfig>(RecordType::stat_config, Fields().u64s({1, 2, 3})).value(0), 3);
  EXPECT_EQ(read_one<Stat>(RecordType::stat, Fields().u64s({42}).u32s({1, 2}).u64s({3, 4, 5})).running_ns, 5);
  EXPECT_EQ(read_one<StatRound>(RecordType::stat_round, Fields().u64s({1, 2})).time, 2);
  EXPECT_EQ(read_one<EventUpdate>(RecordType::event_update, Fields().u64s({0, 42}).text("msec")).text(), "msec");
  EXPECT_EQ(read_one<FeatureRecord>(RecordType::header_feature, Fields().u64s({3}).text("x")).feature, 3);
  EXPECT_EQ(read_one<Compressed>(RecordType::compressed, Fields().u64s({1, 2})).data.size(), 16);
  EXPECT_EQ(read_one<Compressed>(RecordType::compressed2, Fields().u64s({5, 0})).data.size(), 5);
  read_one<FinishedRound>(RecordType::finished_round, Fields());
  read_one<FinishedInit>(RecordType::finished_init, Fields());
  EXPECT_EQ(read_one<NewEvent>(RecordType::header_attr, test::attributes(1).u64s({7, 8})).ids[1], 8);
}

// A short record is either returned with its existing fields, or counted as damaged.
TEST(Records, AreCountedWhereTheyAreTooShort) {
  for (u32 type = 1; type < kRecordTypes; ++type) {
    if (record_name(type).empty()) continue;
    for (u16 size = 0; size < 64; size += 4) {
      FileBuilder builder;
      Fields body;
      for (u16 i = 0; i < size; ++i) body.put(u8{0xff});
      // These types are skipped, because they have more data after the record.
      if (type == 66 || type == 71) continue;
      const std::vector<std::byte> bytes =
          builder.event(test::attributes(kTimedSamples), {42}).add(static_cast<RecordType>(type), body).build();
      const auto file = PerfFile::open(bytes);
      ASSERT_TRUE(file.has_value());
      int given = 0;
      const ReadStatistics statistics = file.value().for_each_record([&](const auto&, const Record&) { ++given; });
      EXPECT_EQ(statistics.records, 1);
      EXPECT_EQ(given + static_cast<int>(statistics.all_damaged()), 1) << record_name(type) << " of " << size;
      if (size == 0 && type < kFirstUserType) {
        EXPECT_EQ(given, 0) << record_name(type);
      }
    }
  }
}

}  // namespace
}  // namespace wperf::perf_data
