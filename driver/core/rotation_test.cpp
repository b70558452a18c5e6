// SPDX-License-Identifier: BSD-3-Clause
// Multiplexed counting on random inputs against a model that knows only the wire's definition: slot r counts entries
// (F*r + i) mod length, and the events of a slot are added to the entries in it.
#include <gtest/gtest.h>

#include <random>

#include "driver/core/fake_hal.h"
#include "driver/core/test_client.h"

namespace wperf::driver {
namespace {

struct Model {
  __extension__ using Native = unsigned __int128;

  u32 length, counters;
  std::vector<WperfCounterReading> entries = std::vector<WperfCounterReading>(length);
  std::vector<Native> squares = std::vector<Native>(length);
  std::vector<u64> in_slot = std::vector<u64>(length);
  u64 slot = 0, slot_ns = 0, enabled_ns = 0;

  bool on(u32 entry) const {
    if (length <= counters) {
      return true;
    }
    for (u32 i = 0; i < counters; ++i) {
      if ((counters * slot + i) % length == entry) {
        return true;
      }
    }
    return false;
  }
  template <typename CountOf>
  void pass(u64 ns, CountOf count_of) {
    slot_ns += ns;
    enabled_ns += ns;
    for (u32 i = 0; i < length; ++i) {
      if (on(i)) {
        const u64 counted = count_of(i);
        entries[i].value += counted;
        entries[i].running_ns += ns;
        in_slot[i] += counted;
      }
    }
  }
  void end_slot(bool full) {
    if (slot_ns == 0) {
      return;
    }
    for (u32 i = 0; i < length; ++i) {
      if (on(i)) {
        ++entries[i].slots;
        if (full) {
          ++entries[i].full_slots;
          entries[i].full_value += in_slot[i];
          squares[i] += Native{in_slot[i]} * in_slot[i];
        }
      }
      in_slot[i] = 0;
    }
    slot_ns = 0;
    ++slot;
  }
};

class Rotation : public testing::TestWithParam<EventClass> {};

void compare(const Model& model, const WperfCountReply& reply) {
  ASSERT_EQ(reply.entry_count, model.length);
  ASSERT_EQ(reply.multiplexed, model.length > model.counters ? 1u : 0u);
  ASSERT_EQ(reply.rounds, model.slot);
  ASSERT_EQ(reply.enabled_ns, model.enabled_ns);
  for (u32 i = 0; i < model.length; ++i) {
    ASSERT_EQ(reply.entries[i].value, model.entries[i].value) << i;
    ASSERT_EQ(reply.entries[i].slots, model.entries[i].slots) << i;
    ASSERT_EQ(reply.entries[i].running_ns, model.entries[i].running_ns) << i;
    ASSERT_EQ(reply.entries[i].full_slots, model.entries[i].full_slots) << i;
    ASSERT_EQ(reply.entries[i].full_value, model.entries[i].full_value) << i;
    ASSERT_EQ(reply.entries[i].squares_low, static_cast<u64>(model.squares[i])) << i;
    ASSERT_EQ(reply.entries[i].squares_high, static_cast<u64>(model.squares[i] >> 64)) << i;
  }
}

void play(EventClass event_class, std::mt19937_64& random) {
  const bool core_class = event_class == EventClass::core;
  const u32 limits[] = {127, 32, 4, 8};
  FakeMachine machine;
  machine.counters = 1 + static_cast<u32>(random() % 12);
  machine.dsu_counters = 1 + static_cast<u32>(random() % 8);
  const u32 counters[] = {machine.counters, machine.dsu_counters, 2, 8};
  FakeHal hal(machine);
  LockState lock;
  Core core(hal, lock, {});
  TestClient ann(core, 11);
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  ASSERT_EQ(ann.set_up_dmc(machine.dmc_frames), WPERF_OK);

  const u32 length = 1 + static_cast<u32>(random() % limits[index_of(event_class)]);
  std::vector<u16> events(length);
  for (u32 i = 0; i < length; ++i) {
    events[i] = static_cast<u16>(core_class || event_class == EventClass::dsu ? 0x100 + i : i);
  }
  WperfCountRequest request = count_request({2}, {});
  set_events(request, event_class, events);
  ASSERT_EQ(ann.configure(request), WPERF_OK);
  ASSERT_EQ(ann.start(), WPERF_OK);

  Model model{length, counters[index_of(event_class)]};
  const u32 unit = core_class ? 2 : 1;  // for a DSU: the cluster of core 2
  const u32 base = events[0];
  for (u32 steps = static_cast<u32>(random() % 60); steps != 0; --steps) {
    const u64 salt = random() | 1;
    const auto count_of = [&](u32 entry) { return (salt * (entry + 1)) >> 34; };  // below 2^32
    const u64 ns = random() % 5 == 0 ? 0 : 1 + random() % 20'000'000;
    if (ns != 0) {
      hal.advance(ns, [&](EventClass of, u32 number, u32 event, bool el1) {
        return of == event_class && number == unit && !el1 && event >= base ? count_of(event - base) : 0;
      });
      model.pass(ns, count_of);
    }
    switch (random() % 4) {
      case 0: {  // reads in between must not change the counts
        WperfCountReply reply = {};
        ASSERT_EQ(ann.read(event_class, unit, reply), WPERF_OK);
        break;
      }
      case 1:
        if (random() % 4 == 0) {
          ASSERT_EQ(ann.stop(), WPERF_OK);
          model.end_slot(false);
          hal.now_ns += 12345;
          ASSERT_EQ(ann.start(), WPERF_OK);
        }
        break;
      default:
        core.on_timer();
        if (length > model.counters) {
          model.end_slot(true);
        }
    }
  }
  ASSERT_EQ(ann.stop(), WPERF_OK);
  model.end_slot(false);
  WperfCountReply reply = {};
  ASSERT_EQ(ann.read(event_class, unit, reply), WPERF_OK);
  compare(model, reply);
  core.shutdown();
  ASSERT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
}

TEST_P(Rotation, EqualsTheBruteForceModel) {
  std::mt19937_64 random(2024);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    play(GetParam(), random);
    if (HasFatalFailure()) {
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryClass, Rotation, testing::ValuesIn(kEventClasses),
                         [](const auto& test) { return std::string(kEventClassNames[index_of(test.param)]); });

}  // namespace
}  // namespace wperf::driver
