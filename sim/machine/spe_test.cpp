// SPDX-License-Identifier: BSD-3-Clause
// Profiling real ARM64 programs through the driver core: the records must agree with the execution, within the error of
// sampling. Seeds are fixed, so each test has one outcome.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

#include "sim/machine/program_test.h"
#include "sim/machine/sampling_client.h"
#include "sim/machine/virtual_times.h"

namespace wperf::sim {
namespace {

// The packets of a record that these tests examine, in any order.
struct Record {
  u64 pc = 0, target = 0, previous = 0, data = 0, physical = 0;
  u32 level = 0;
  u32 context = 0;
  u32 operation_class = 0, operation = 0;
  u64 events = 0;
  u32 total = 0, issue = 0, translation = 0;
  u32 source = 0;
  bool has_data = false, has_physical = false, has_source = false, has_context = false, has_time = false;
  u64 ticks = 0;
  bool operator==(const Record&) const = default;
};

void take_packet(Record& record, u8 header, u64 payload) {
  constexpr u64 kLow56 = 0x00ff'ffff'ffff'ffff;
  switch (header) {
    case 0xb0:
      record.level = payload >> 61 & 3;
      record.pc = record.level != 0 ? payload | ~kLow56 : payload & kLow56;
      return;
    case 0xb1:
      record.target = payload & kLow56;
      return;
    case 0xb2:
      record.data = payload;
      record.has_data = true;
      return;
    case 0xb3:
      record.physical = payload;
      record.has_physical = true;
      return;
    case 0xb4:
      record.previous = payload & kLow56;
      return;
    case 0x64:
      record.context = static_cast<u32>(payload);
      record.has_context = true;
      return;
    case 0x48:
    case 0x49:
    case 0x4a:
      record.operation_class = header & 3;
      record.operation = static_cast<u32>(payload);
      return;
    case 0x52:
      record.events = payload;
      return;
    case 0x98:
      record.total = static_cast<u32>(payload);
      return;
    case 0x99:
      record.issue = static_cast<u32>(payload);
      return;
    case 0x9a:
      record.translation = static_cast<u32>(payload);
      return;
    case 0x43:
      record.source = static_cast<u32>(payload);
      record.has_source = true;
      return;
    default:
      ADD_FAILURE() << "packet " << std::hex << u32{header};
  }
}

std::vector<Record> records_of(const std::vector<u8>& bytes) {
  std::vector<Record> records;
  EXPECT_EQ(bytes.size() % 64, 0u);
  for (usize begin = 0; begin + 64 <= bytes.size(); begin += 64) {
    Record record;
    for (usize at = begin; at < begin + 64;) {
      const u8 header = bytes[at++];
      if (header == 0x00) continue;
      if (header == 0x01) break;
      const usize size = usize{1} << (header >> 4 & 3);
      u64 payload = 0;
      for (usize i = 0; i < size && at + i < bytes.size(); ++i) payload |= u64{bytes[at + i]} << 8 * i;
      at += size;
      if (header == 0x71) {
        record.has_time = true;
        record.ticks = payload;
        EXPECT_EQ(at, begin + 64);
      } else {
        take_packet(record, header, payload);
      }
    }
    records.push_back(record);
  }
  return records;
}

WperfSpeRequest request_for(u64 cores, u32 interval, u32 flags) {
  WperfSpeRequest request{};
  request.flags = flags;
  request.interval = interval;
  request.core_mask[0] = cores;
  request.buffer_bytes = WPERF_SPE_MAX_BUFFER;
  return request;
}

class SpeTest : public ProgramTest {
 protected:
  static SamplingClient open(const std::string& options) { return SamplingClient(options, make_real_parts); }

  // Profiles the cores of the request while the program runs, first on `core`.
  static void run(SamplingClient& client, const std::string& program, u32 core, const WperfSpeRequest& request,
                  u64 duration_ns, u64 before_ns = 0) {
    const u32 pid = client.spawn(workload(program), core);
    client.wait(std::max(before_ns, u64{1'000}));  // at least until its entry point
    for (u32 index = 0; index < client.machine->options().cores.size(); ++index)
      if (client.keep_truth) client.machine->engine(index)->keep_operations();
    client.configure_profiling(request);
    client.start_profiling();
    const auto each = [&](const auto& act) {
      for (u32 index = 0; index < client.machine->options().cores.size(); ++index)
        if ((request.core_mask[0] >> index & 1) != 0) act(index);
    };
    for (u64 passed = 0; passed < duration_ns && client.machine->find(pid)->running; passed += 10 * kMillisecond) {
      EXPECT_EQ(client.wait(10 * kMillisecond, pid), "");
      each([&](u32 index) { client.drain_profile(index); });
    }
    client.stop_profiling();
    each([&](u32 index) {
      client.drain_profile(index);
      EXPECT_EQ(client.profiled[index].data_losses + client.profiled[index].full, 0u);
    });
  }
  static std::vector<Record> profile(SamplingClient& client, const std::string& program, const WperfSpeRequest& request,
                                     u64 duration_ns, u64 before_ns = 0) {
    run(client, program, 1, request, duration_ns, before_ns);
    return records_of(client.profiled[1].bytes);
  }
};

constexpr u32 kJitter = WPERF_SPE_JITTER;

TEST_F(SpeTest, CountersAgreeWithTheRecords) {
  SamplingClient client = open("pace=free,mhz=50,cores=2");
  const std::vector<Record> records = profile(
      client, "branchy.exe",
      request_for(2, 1024, kJitter | WPERF_SPE_KERNEL | WPERF_SPE_CONTEXT | WPERF_SPE_TIMESTAMPS), 100 * kMillisecond);
  const SignalCounts& signals = client.machine->signals(1);
  const auto both = [&](Signal signal) { return signals(Level::user, signal) + signals(Level::kernel, signal); };
  EXPECT_GT(records.size(), 5000u);
  EXPECT_EQ(both(Signal::sample_filtrate), records.size());
  EXPECT_EQ(both(Signal::sample_feed), records.size());
  EXPECT_GT(signals(Level::kernel, Signal::sample_feed), 0u);
  const double interval = static_cast<double>(both(Signal::sample_pop)) /
                          static_cast<double>(both(Signal::sample_feed) + both(Signal::sample_collision));
  EXPECT_NEAR(interval, 1024 + 127.5, 3);
  const u32 thread = client.machine->details(client.machine->programs()[0])->threads[0];
  u64 before = 0;
  for (const Record& record : records) {
    EXPECT_TRUE(record.has_context && record.has_time);
    EXPECT_EQ(record.context, thread);
    EXPECT_GE(record.ticks, before);
    before = record.ticks;
    EXPECT_EQ(record.level != 0, record.pc >= kernel_address(KernelWork::system_call));
  }
  EXPECT_NEAR(static_cast<double>(before), 0.1 * 25e6, 25e6 * 0.001) << "virtual time";
}

// The numbers of records and of executions of one class of operations.
struct Sort {
  double found = 0, executed = 0;
};
using Sorts = std::map<u64, Sort>;

// Returns the reason why records and executions cannot be samples of one distribution, or an empty text if they can be.
// The test is Pearson's at one in a thousand. It combines classes with fewer than 5 expected records.
std::string difference(const Sorts& sorts) {
  double found = 0, executed = 0;
  for (const auto& [sort, each] : sorts) {
    found += each.found;
    executed += each.executed;
  }
  if (found < 500) return "only " + std::to_string(found) + " records";
  double square = 0;
  int freedom = -1;
  Sort rare;
  const auto add = [&](double seen, double expected) {
    square += (seen - expected) * (seen - expected) / expected;
    ++freedom;
  };
  for (const auto& [sort, each] : sorts) {
    const double expected = each.executed * found / executed;
    if (each.found != 0 && each.executed == 0) return "sort " + std::to_string(sort) + " never happened";
    if (expected >= 5) {
      add(each.found, expected);
    } else {
      rare.found += each.found;
      rare.executed += expected;
    }
  }
  if (rare.executed >= 1) add(rare.found, rare.executed);
  if (freedom < 1) return {};
  const double part = 2 / (9.0 * freedom);
  const double limit = freedom * std::pow(1 - part + 3.0902 * std::sqrt(part), 3);  // Wilson and Hilferty
  if (square < limit) return {};
  return std::to_string(square) + " with " + std::to_string(freedom) + " degrees of freedom";
}

void expect_same_distribution(const Sorts& sorts, const std::string& what) {
  EXPECT_EQ(difference(sorts), "") << what;
}

TEST(Difference, IsSeen) {
  const Sorts alike = {{1, {1020, 1e6}}, {2, {1980, 2e6}}, {3, {3000, 3e6}}};
  EXPECT_EQ(difference(alike), "");
  Sorts apart = alike;
  apart[1].found = 1150;
  EXPECT_NE(difference(apart), "");
  apart = alike;
  apart[4].found = 1;
  EXPECT_NE(difference(apart), "") << "what never happened";
  EXPECT_NE(difference({{1, {10, 10}}, {2, {10, 10}}}), "") << "too few to tell";
}

u64 class_of(const Operation& operation) {
  return operation.is_memory() ? 1 : operation.is_branch() ? 2 : 0;
}

// The expected events packet of an execution of this kind, derived independently.
u64 expected_events(const OperationTotals::Kind& kind, const Operation& operation) {
  const bool memory = operation.is_memory();
  const bool call = operation.exception;
  return u64{call} | 1 << 1 | u64{memory} << 2 | u64{kind.refill} << 3 | u64{memory} << 4 | u64{kind.walk} << 5 |
         u64{kind.not_taken} << 6 | u64{kind.mispredicted} << 7 | u64{kind.last_level} << 8 |
         u64{kind.source == DataSource::dram || kind.source == DataSource::peer_cluster} << 9;
}

u64 expected_source(DataSource source) {
  switch (source) {
    case DataSource::l1:
      return 0;
    case DataSource::l2:
      return 8;
    case DataSource::l3:
      return 0xa;
    case DataSource::peer_core:
      return 9;
    case DataSource::peer_cluster:
      return 0xc;
    case DataSource::dram:
      return 0xe;
  }
  return ~u64{0};
}

// Compares records of user code with its execution.
void expect_true(const std::vector<Record>& records, const OperationTotals& totals, const std::string& what,
                 bool loads = true) {
  Sorts addresses, classes, events, sources;
  for (const Record& record : records) {
    ++addresses[record.pc].found;
    ++classes[u64{record.operation_class} << 8 | record.operation].found;
    ++events[record.events & ~u64{1}].found;
    if (record.has_source) ++sources[record.source].found;
  }
  std::map<u64, std::map<u64, u64>> kinds_by_pc;  // address → the kinds of operations that its records have
  for (const Record& record : records) ++kinds_by_pc[record.pc][u64{record.operation_class} << 8 | record.operation];
  for (const auto& [pc, meaning] : kinds_by_pc) EXPECT_EQ(meaning.size(), 1u) << what << std::hex << pc;
  Sorts kinds;
  for (const Record& record : records) ++kinds[record.operation_class].found;
  for (const auto& [kind, count] : totals.all()) {
    const Operation& operation = totals.described().at(kind.pc);
    const auto executed = static_cast<double>(count);
    addresses[kind.pc].executed += executed;
    kinds[class_of(operation)].executed += executed;
    events[expected_events(kind, operation) & ~u64{1}].executed += executed;
    if (operation.instruction.is(Trait::load)) sources[expected_source(kind.source)].executed += executed;
    const auto found = kinds_by_pc.find(kind.pc);
    if (found != kinds_by_pc.end()) {
      classes[found->second.begin()->first].executed += executed;
      EXPECT_EQ(found->second.begin()->first >> 8, class_of(operation)) << what << std::hex << kind.pc;
    }
  }
  expect_same_distribution(addresses, what + ": addresses");
  expect_same_distribution(kinds, what + ": classes");
  expect_same_distribution(events, what + ": events");
  if (loads) expect_same_distribution(sources, what + ": data sources");
}

TEST_F(SpeTest, RecordsAreDistributedAsTheOperations) {
  struct Case {
    std::string program, options;
    u64 before_ns, duration_ns;
    bool loads = true;
  };
  // stream.exe and chase.exe fill their memory first.
  for (const Case& each : {Case{"stream.exe 2 100", "cores=2,seed=3", 120 * kMillisecond, 300 * kMillisecond},
                           Case{"chase.exe 1048576 100000000", "cores=2,seed=4", 60 * kMillisecond, 400 * kMillisecond},
                           Case{"branchy.exe", "cores=2,seed=5", 0, 40 * kMillisecond, false},
                           Case{"branchy.exe", "cores=2,seed=6,cpu=neoverse-n2", 0, 40 * kMillisecond, false},
                           Case{"simd.exe", "cores=2,seed=7", 0, 40 * kMillisecond}}) {
    SamplingClient client = open("pace=free,mhz=50," + each.options);
    client.keep_truth = true;
    const std::vector<Record> records =
        profile(client, each.program, request_for(2, 1024, kJitter), each.duration_ns, each.before_ns);
    expect_true(records, client.machine->engine(1)->operations(), each.program, each.loads);
    EXPECT_EQ(client.machine->signals(1)(Level::user, Signal::sample_filtrate), records.size());
    u64 executed = 0;
    for (const auto& [kind, count] : client.machine->engine(1)->operations().all()) executed += count;
    EXPECT_EQ(client.machine->signals(1)(Level::user, Signal::sample_pop), executed);
  }
}

// With the same seed the same operations are chosen, whatever the filters are.
TEST_F(SpeTest, EachFilterKeepsExactlyWhatItShould) {
  struct Case {
    std::string name;
    std::function<void(WperfSpeRequest&)> ask;
    std::function<bool(const Record&)> keeps;
  };
  const auto is_load = [](const Record& r) { return r.operation_class == 1 && (r.operation & 1) == 0; };
  const auto is_store = [](const Record& r) { return r.operation_class == 1 && (r.operation & 1) != 0; };
  const auto is_branch = [](const Record& r) { return r.operation_class == 2; };
  const Case cases[] = {
      {"loads", [](auto& r) { r.flags |= WPERF_SPE_LOADS; }, is_load},
      {"stores", [](auto& r) { r.flags |= WPERF_SPE_STORES; }, is_store},
      {"branches", [](auto& r) { r.flags |= WPERF_SPE_BRANCHES; }, is_branch},
      {"loads and branches", [](auto& r) { r.flags |= WPERF_SPE_LOADS | WPERF_SPE_BRANCHES; },
       [&](const Record& r) { return is_load(r) || is_branch(r); }},
      {"refills", [](auto& r) { r.events = 1 << 3; }, [](const Record& r) { return (r.events >> 3 & 1) != 0; }},
      {"refills and walks", [](auto& r) { r.events = 1 << 3 | 1 << 5; },
       [](const Record& r) { return (r.events & 0x28) == 0x28; }},
      {"mispredicts", [](auto& r) { r.events = 1 << 7; }, [](const Record& r) { return (r.events >> 7 & 1) != 0; }},
      {"no refills", [](auto& r) { r.not_events = 1 << 3; }, [](const Record& r) { return (r.events >> 3 & 1) == 0; }},
      {"taken", [](auto& r) { r.not_events = 1 << 6; }, [](const Record& r) { return (r.events >> 6 & 1) == 0; }},
      {"long", [](auto& r) { r.min_latency = 20; }, [](const Record& r) { return r.total >= 20; }},
      {"long loads without walks",
       [](auto& r) {
         r.flags |= WPERF_SPE_LOADS;
         r.min_latency = 10;
         r.not_events = 1 << 5;
       },
       [&](const Record& r) { return is_load(r) && r.total >= 10 && (r.events >> 5 & 1) == 0; }},
  };
  for (const auto& run : {std::pair{"stream.exe 1 100", 60 * kMillisecond}, {"branchy.exe", u64{0}}}) {
    const char* const program = run.first;
    const u64 before_ns = run.second;
    const auto records_with = [&](const auto& ask) {
      SamplingClient client = open("pace=free,mhz=50,cores=2,cpu=neoverse-v3");
      WperfSpeRequest request = request_for(2, 1024, kJitter | WPERF_SPE_TIMESTAMPS);
      ask(request);
      std::vector<Record> records = profile(client, program, request, 30 * kMillisecond, before_ns);
      EXPECT_EQ(client.machine->signals(1)(Level::user, Signal::sample_filtrate), records.size());
      for (Record& record : records)
        record.previous = 0;  // this is the target of the previously recorded branch, which differs
      return records;
    };
    const std::vector<Record> all = records_with([](auto&) {});
    EXPECT_GT(all.size(), 1000u);
    for (const Case& each : cases) {
      std::vector<Record> expected;
      std::copy_if(all.begin(), all.end(), std::back_inserter(expected), each.keeps);
      EXPECT_EQ(records_with(each.ask), expected) << program << ": " << each.name;
    }
  }
}

TEST_F(SpeTest, PacketsThatAreAskedFor) {
  const auto first_load = [](u32 flags) {
    SamplingClient client = open("pace=free,mhz=50,cores=2");
    const std::vector<Record> records =
        profile(client, "stream.exe 1 100", request_for(2, 1024, flags | WPERF_SPE_LOADS), 10 * kMillisecond,
                60 * kMillisecond);
    EXPECT_FALSE(records.empty());
    return records.empty() ? Record{} : records.front();
  };
  EXPECT_FALSE(first_load(0).has_physical || first_load(0).has_context || first_load(0).has_time);
  EXPECT_TRUE(first_load(WPERF_SPE_CONTEXT).has_context);
  EXPECT_TRUE(first_load(WPERF_SPE_TIMESTAMPS).has_time);
  const Record physical = first_load(WPERF_SPE_PHYSICAL);
  EXPECT_TRUE(physical.has_physical && physical.has_data && physical.has_source);
  EXPECT_EQ(physical.physical, physical.data | u64{1} << 63);
}

TEST_F(SpeTest, SameSeedSameBytes) {
  const auto bytes = [](const std::string& seed) {
    SamplingClient client = open("pace=free,mhz=50,cores=2,seed=" + seed);
    run(client, "branchy.exe", 1, request_for(2, 1024, kJitter | WPERF_SPE_KERNEL), 30 * kMillisecond);
    return client.profiled[1].bytes;
  };
  const std::vector<u8> first = bytes("7");
  EXPECT_EQ(bytes("7"), first);
  EXPECT_NE(bytes("8"), first);
}

// The smallest buffer fills all the time. The interrupt swaps its halves, and no record is lost as long as they are
// drained.
TEST_F(SpeTest, FullBuffersInterrupt) {
  SamplingClient client = open("pace=free,mhz=25,cores=2");
  client.spawn(workload("branchy.exe"), 1);
  WperfSpeRequest request = request_for(2, 1024, kJitter);
  request.buffer_bytes = WPERF_SPE_MIN_BUFFER;
  client.configure_profiling(request);
  client.start_profiling();
  for (int i = 0; i < 50; ++i) {
    client.wait(2 * kMillisecond);
    client.drain_profile(1);
  }
  const u64 before = client.machine->signals(1)(Level::kernel, Signal::exc_irq);
  client.wait(4 * kMillisecond);  // half a buffer is 128 records
  EXPECT_GT(client.machine->signals(1)(Level::kernel, Signal::exc_irq), before) << "the buffer's interrupt";
  client.stop_profiling();
  client.drain_profile(1);
  const std::vector<Record> records = records_of(client.profiled[1].bytes);
  EXPECT_EQ(client.profiled[1].data_losses, 0u);
  EXPECT_EQ(client.machine->signals(1)(Level::user, Signal::sample_filtrate), records.size());
  EXPECT_GT(records.size(), 500u);
}

TEST_F(SpeTest, WhatIsNotDrainedStandsStill) {
  SamplingClient client = open("pace=free,mhz=50,cores=2");
  client.spawn(workload("branchy.exe"), 1);
  WperfSpeRequest request = request_for(2, 1024, kJitter);
  request.buffer_bytes = WPERF_SPE_MIN_BUFFER;
  client.configure_profiling(request);
  client.start_profiling();
  client.wait(100 * kMillisecond);
  client.stop_profiling();
  client.drain_profile(1);
  EXPECT_EQ(client.profiled[1].bytes.size(), u64{WPERF_SPE_MIN_BUFFER});
  EXPECT_GT(client.profiled[1].full, 0u);
  EXPECT_LT(client.machine->signals(1)(Level::user, Signal::sample_pop),
            client.machine->signals(1)(Level::user, Signal::inst_retired));
}

// Two threads write different words of one line, then words of two lines.
TEST_F(SpeTest, FalseSharingShowsItself) {
  // The two cores are in the same cluster, and then in two clusters.
  for (const auto& [core, source] : {std::pair{0u, 9u}, {1u, 0xcu}}) {
    SamplingClient client = open("pace=free,mhz=25,cores=4,seed=9");
    client.keep_truth = true;
    run(client, "false_sharing.exe 600000", core, request_for(3ull << core, 1024, kJitter | WPERF_SPE_CONTEXT),
        10'000 * kMillisecond);
    EXPECT_EQ(client.machine->find(client.machine->programs()[0])->exit_code, 0u);
    const ProgramDetails& details = *client.machine->details(client.machine->programs()[0]);
    ASSERT_EQ(details.threads.size(), 2u);
    std::map<u64, std::map<u32, std::map<u64, u64>>> from_peers;  // line, thread, offset
    u64 peers = 0;
    for (const u32 index : {core, core + 1}) {
      const std::vector<Record> records = records_of(client.profiled[index].bytes);
      expect_true(records, client.machine->engine(index)->operations(), "false_sharing.exe " + std::to_string(index));
      for (const Record& record : records) {
        EXPECT_EQ(record.context, details.threads[index - core]);
        if (!record.has_source || record.source == 0 || (record.source != 9 && record.source != 0xc)) continue;
        EXPECT_EQ(record.source, source);
        ++from_peers[record.data / 64][record.context][record.data % 64];
        ++peers;
      }
    }
    EXPECT_GT(peers, 50u);
    const auto most = std::max_element(from_peers.begin(), from_peers.end(),
                                       [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    ASSERT_NE(most, from_peers.end());
    EXPECT_EQ(most->second.size(), 2u) << "both threads, in one line";
    EXPECT_EQ(most->second[details.threads[0]].size(), 1u);
    EXPECT_EQ(most->second[details.threads[1]].size(), 1u);
    EXPECT_NE(most->second[details.threads[0]].begin()->first, most->second[details.threads[1]].begin()->first);
  }
}

// The watcher gets the thread, the address and the timestamp of each record.
TEST_F(SpeTest, AWatcherSeesEachRecord) {
  SamplingClient client("pace=free,mhz=40,cores=2,cpu=neoverse-n1", make_real_parts);
  const u32 pid = client.spawn(workload("chase.exe 4194304 1000000000"), 1);
  std::vector<WperfSimMoment> seen;
  const WperfSimWatcher watcher = [](void* context, const WperfSimMoment* moment) {
    static_cast<std::vector<WperfSimMoment>*>(context)->push_back(*moment);
  };
  client.hal().watch_samples(watcher, &seen);
  client.configure_profiling(request_for(2, 1024, WPERF_SPE_TIMESTAMPS | WPERF_SPE_CONTEXT));
  client.start_profiling();
  EXPECT_EQ(client.wait(kSecond / 20), "");
  client.stop_profiling();
  client.hal().watch_samples(nullptr, nullptr);
  client.drain_profile(1);
  const std::vector<Record> records = records_of(client.profiled[1].bytes);
  ASSERT_EQ(records.size(), seen.size());
  EXPECT_GT(seen.size(), 100u);
  for (usize i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].pc, records[i].pc);
    EXPECT_EQ(seen[i].ticks, records[i].ticks);
    EXPECT_EQ(seen[i].thread, records[i].context);
    EXPECT_EQ(seen[i].process, pid);
    EXPECT_EQ(seen[i].core, 1u);
    EXPECT_EQ(seen[i].time_ns, 0u);
  }
}

}  // namespace
}  // namespace wperf::sim
