// SPDX-License-Identifier: BSD-3-Clause
// The fake checks everything that Windows checks. Each of these requests differs from a valid one in one value.
#include "sim/tracing/fake_trace_api.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <functional>

#include "machine/etw/trace_session.h"
#include "sim/tracing/played_machine_test.h"

namespace wperf::etw::fake {
namespace {

TEST(FakeTraceApi, RefusesWhatWindowsWould) {
  PlayedMachine machine;
  FakeTraceApi api({}, machine);
  const std::string file = testing::TempDir() + "wperf-fake-trace-api.etl";
  u64 handle = 0;
  const SessionProperties good{.least_buffers = 64,
                               .most_buffers = 128,
                               .log_file_mode = kSequential | kSystemLogger,
                               .enable_flags = 7,
                               .file = file};
  Bytes early = properties_bytes(good);
  EXPECT_EQ(api.start(handle, u"a", early), kAccessDenied);  // the privilege is missing
  EXPECT_EQ(api.set(0, TraceClass::sampling_interval, interval_bytes({kTimer, 5000})), kPrivilegeNotHeld);
  ASSERT_EQ(api.enable_privilege(), kNoError);

  const auto start = [&](WindowsError expected, const std::function<void(Bytes&)>& change,
                         const std::u16string& name = u"a") {
    Bytes bytes = properties_bytes(good);
    change(bytes);
    EXPECT_EQ(api.start(handle, name, bytes), expected);
  };
  const auto put32 = [](usize at, u32 value) { return [=](Bytes& bytes) { put_at(std::span(bytes), at, value); }; };
  start(kBadLength, [](Bytes& bytes) { bytes.resize(100); });
  start(kBadLength, [](Bytes& bytes) { bytes.pop_back(); });
  start(kBadLength, put32(0, 120));    // its own size is wrong
  start(kBadLength, put32(44, 0));     // WNODE_FLAG_TRACED_GUID
  start(kBadLength, put32(116, 0));    // no position for the name
  start(kBadLength, put32(116, 119));  // the name overlaps the numbers
  start(kBadLength, put32(112, 121));  // odd
  start(kBadLength, put32(112, 0x7fffffff));
  start(kBadLength, put32(112, 120));       // the position of the other name
  start(kInvalidParameter, put32(112, 0));  // no file
  start(kInvalidParameter, put32(40, 0));   // no clock
  start(kInvalidParameter, put32(40, 4));
  start(kInvalidParameter, put32(48, 0));  // buffers of size 0
  start(kInvalidParameter, put32(48, 64 * 1024));
  start(kInvalidParameter, put32(52, 1000));  // the minimum exceeds the maximum
  start(kInvalidParameter, put32(64, kSequential));
  start(kInvalidParameter, put32(64, kSystemLogger));
  start(kInvalidParameter, [](Bytes&) {}, u"");
  start(kInvalidParameter, [](Bytes&) {}, std::u16string(2000, u'a'));
  start(kNoError, [](Bytes&) {});
  start(kAlreadyExists, [](Bytes&) {});

  const auto set = [&](WindowsError expected, u64 session, TraceClass what, const Bytes& bytes) {
    EXPECT_EQ(api.set(session, what, bytes), expected) << static_cast<u32>(what) << ", " << bytes.size();
  };
  set(kInvalidParameter, handle, TraceClass::sampling_interval, interval_bytes({kTimer, 5000}));  // without a session
  set(kBadLength, 0, TraceClass::sampling_interval, Bytes(4));
  set(kInvalidParameter, 0, TraceClass::sampling_interval, interval_bytes({kTimer, 1220}));
  set(kInvalidParameter, 0, TraceClass::sampling_interval, interval_bytes({kTimer, 1'000'001}));
  set(kInvalidParameter, 0, TraceClass::sampling_interval, interval_bytes({8, 4095}));
  set(kInvalidParameter, 0, TraceClass::sampling_interval, interval_bytes({3, 9000}));
  set(kNoError, 0, TraceClass::sampling_interval, interval_bytes({kTimer, 1221}));
  const std::array<EventId, 1> stacks{kTimerSample};
  set(kInvalidParameter, 0, TraceClass::stack_events, event_ids_bytes(stacks));
  set(kInvalidParameter, 999, TraceClass::stack_events, event_ids_bytes(stacks));
  set(kBadLength, handle, TraceClass::stack_events, Bytes(23));
  set(kBadLength, handle, TraceClass::stack_events, Bytes(24 * 257));
  Bytes reserved = event_ids_bytes(stacks);
  reserved.back() = std::byte{1};
  set(kInvalidParameter, handle, TraceClass::stack_events, reserved);
  set(kNoError, handle, TraceClass::stack_events, event_ids_bytes(stacks));
  set(kNoError, handle, TraceClass::stack_events, {});
  set(kBadLength, handle, TraceClass::enable_flags, Bytes(28));
  set(kBadLength, handle, TraceClass::sampling_sources, {});
  set(kBadLength, handle, TraceClass::sampling_sources, Bytes(6));
  set(kInvalidParameter, handle, TraceClass::sampling_sources, sources_bytes(std::array<u32, 1>{kTimer}));
  set(kInvalidParameter, handle, TraceClass::sampling_sources, sources_bytes(std::array<u32, 1>{55}));
  set(kNoSystemResources, handle, TraceClass::sampling_sources, sources_bytes(std::array<u32, 5>{2, 6, 8, 9, 11}));
  set(kNotSupported, handle, TraceClass::source_list, Bytes(8));
  // Counters, and the events that they are attached to, must be set before events come.
  const std::array<EventId, 5> carriers{kSwitch, kReady, kTimerSample, kCounterSample, EventId{kThread, 1}};
  set(kInvalidParameter, 0, TraceClass::counters, sources_bytes(std::array<u32, 1>{19}));
  set(kBadLength, handle, TraceClass::counters, Bytes(3));
  set(kInvalidParameter, handle, TraceClass::counters, sources_bytes(std::array<u32, 1>{kTimer}));
  set(kNoSystemResources, handle, TraceClass::counters, sources_bytes(std::array<u32, 5>{2, 6, 8, 9, 11}));
  set(kNoError, handle, TraceClass::counters, sources_bytes(std::array<u32, 2>{2, 19}));
  set(kBadLength, handle, TraceClass::counter_events, event_ids_bytes(carriers));
  set(kBadLength, handle, TraceClass::counter_events, Bytes(8));
  set(kNoError, handle, TraceClass::counter_events, event_ids_bytes(std::span(carriers).first(1)));
  GroupMasks masks{7};
  masks[1] = kSwitchMask;
  set(kNoError, handle, TraceClass::enable_flags, masks_bytes(masks));
  set(kInvalidParameter, handle, TraceClass::counters, sources_bytes(std::array<u32, 1>{19}));
  set(kInvalidParameter, handle, TraceClass::counter_events, event_ids_bytes(std::span(carriers).first(1)));

  const auto add = [&](u32 expected, const std::function<void(Bytes&)>& change) {
    Bytes bytes = add_source_bytes({.event = 0x70, .interval = 9000, .name = "wperf.0x0070"});
    change(bytes);
    EXPECT_EQ(api.set_performance(bytes), expected);
  };
  constexpr u32 kInvalid = 0xc000000d;
  add(kInvalid, put32(0, 20));
  add(kInvalid, put32(4, 1));            // a version that does not exist
  add(kInvalid, put32(8, 0x10000));      // not an Arm event
  add(kInvalid, put32(28, 4095));        // interval
  add(kInvalid, put32(32, 0x00770002));  // persist
  add(kInvalid, [](Bytes& bytes) { bytes.resize(bytes.size() - 2); });
  add(kInvalid, [](Bytes& bytes) { bytes.resize(34); });
  add(0, [](Bytes&) {});
  Bytes remove = remove_source_bytes(0x999, {});
  EXPECT_EQ(api.set_performance(remove), kInvalid);
  remove = remove_source_bytes(api.added_sources().front(), {});
  Bytes shorter(remove.begin(), remove.end() - 4);
  EXPECT_EQ(api.set_performance(shorter), kInvalid);
  EXPECT_EQ(api.set_performance(remove), 0u);

  u32 returned = 0;
  Bytes small(8);
  EXPECT_EQ(api.query(0, TraceClass::source_list, small, returned), kMoreData);
  EXPECT_EQ(api.query(7, TraceClass::source_list, small, returned), kInvalidParameter);
  EXPECT_EQ(api.query(0, TraceClass::most_counters, small, returned), kBadLength);
  EXPECT_EQ(api.query(0, TraceClass::counters, small, returned), kNotSupported);
  Bytes state = properties_bytes({});
  EXPECT_EQ(api.control(0, u"nobody's", state, ControlCode::query), kInstanceNotFound);
  EXPECT_EQ(api.control(handle, {}, state, ControlCode::stop), kNoError);
  EXPECT_EQ(api.control(handle, {}, state, ControlCode::stop), kInstanceNotFound);
  std::remove(file.c_str());
}

}  // namespace
}  // namespace wperf::etw::fake
