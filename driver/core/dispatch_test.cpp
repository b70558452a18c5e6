// SPDX-License-Identifier: BSD-3-Clause
// The entry for requests: which requests it accepts, and that a refused request has no effect.
#include <gtest/gtest.h>

#include "driver/core/fake_hal.h"
#include "driver/core/test_client.h"

namespace wperf::driver {
namespace {

struct Code {
  u32 code;
  u32 input, output;
  bool lock, administrator;
};
const Code kCodes[] = {
    {static_cast<u32>(WPERF_CODE_VERSION), 8, 120, false, false},
    {static_cast<u32>(WPERF_CODE_LOCK), 16, 0, false, false},
    {static_cast<u32>(WPERF_CODE_INTERRUPT), 8, 16, false, false},
    {static_cast<u32>(WPERF_CODE_HARDWARE), 8, 256, true, false},
    {static_cast<u32>(WPERF_CODE_CORE), 16, 56, true, false},
    {static_cast<u32>(WPERF_CODE_DMC_SETUP), 272, 0, true, true},
    {static_cast<u32>(WPERF_CODE_DSU_SETUP), 16, 0, true, true},
    {static_cast<u32>(WPERF_CODE_COUNT_CONFIGURE), 760, 0, true, false},
    {static_cast<u32>(WPERF_CODE_COUNT_START), 8, 0, true, false},
    {static_cast<u32>(WPERF_CODE_COUNT_STOP), 8, 0, true, false},
    {static_cast<u32>(WPERF_CODE_COUNT_READ), 16, 64 + 64 * 128, true, false},
    {static_cast<u32>(WPERF_CODE_SAMPLE_CONFIGURE), 320, 0, true, false},
    {static_cast<u32>(WPERF_CODE_SAMPLE_START), 8, 0, true, false},
    {static_cast<u32>(WPERF_CODE_SAMPLE_STOP), 8, 0, true, false},
    {static_cast<u32>(WPERF_CODE_SAMPLE_DRAIN), 16, 64 + 40 * 1024, true, false},
    {static_cast<u32>(WPERF_CODE_SAMPLE_STACK_DRAIN), 16, 80 + 65536, true, false},
    {static_cast<u32>(WPERF_CODE_SPE_CONFIGURE), 72, 0, true, true},
    {static_cast<u32>(WPERF_CODE_SPE_START), 8, 0, true, true},
    {static_cast<u32>(WPERF_CODE_SPE_STOP), 8, 0, true, false},
    {static_cast<u32>(WPERF_CODE_SPE_DRAIN), 16, 80 + 65536, true, true},
    {static_cast<u32>(WPERF_CODE_SPE_CORE), 16, 40, true, false},
};

class Dispatch : public testing::Test {
 protected:
  FakeHal hal;
  LockState lock;
  CoreConfig config{3, 8, 0, "0123abcd", "+trace"};
  Core core{hal, lock, config};
  TestClient ann{core, 11};

  ~Dispatch() override {
    core.shutdown();
    EXPECT_TRUE(hal.clean()) << (hal.violations.empty() ? "" : hal.violations[0]);
  }
  std::vector<u8> bytes_of(u32 size, u32 version, u32 length) const {
    std::vector<u8> bytes(length, 0xa5);
    const WperfHeader header = {size, version};
    std::copy_n(reinterpret_cast<const u8*>(&header), std::min<usize>(length, sizeof header), bytes.begin());
    return bytes;
  }
};

TEST_F(Dispatch, VersionNeedsNoLock) {
  WperfVersionReply reply = {};
  ASSERT_EQ(ann.ask(WPERF_CODE_VERSION, WperfPlainRequest{}, reply), WPERF_OK);
  EXPECT_EQ(reply.header.size, sizeof reply);
  EXPECT_EQ(reply.header.version, WPERF_WIRE_VERSION);
  EXPECT_EQ(reply.major, 3u);
  EXPECT_EQ(reply.minor, 8u);
  EXPECT_EQ(reply.wire_version, WPERF_WIRE_VERSION);
  EXPECT_STREQ(reply.git, "0123abcd");
  EXPECT_STREQ(reply.features, "+trace");
}

TEST_F(Dispatch, InterruptStateNeedsNoLockAndReservesNothing) {
  hal.state_of_interrupt = WPERF_INTERRUPT_NOT_GIVEN_AGAIN;
  WperfInterruptReply reply = {};
  ASSERT_EQ(ann.ask(WPERF_CODE_INTERRUPT, WperfPlainRequest{}, reply), WPERF_OK);
  EXPECT_EQ(reply.state, u32{WPERF_INTERRUPT_NOT_GIVEN_AGAIN});
  EXPECT_FALSE(hal.reserved);
}

TEST_F(Dispatch, UnknownCodesAreRefused) {
  for (const u32 code : {0u, 1u, ~0u, WPERF_CODE(7), WPERF_CODE(20), WPERF_CODE(0) + 1, WPERF_CODE(0) + 3}) {
    std::vector<u8> bytes = bytes_of(8, WPERF_WIRE_VERSION, 4096);
    const std::vector<u8> before = bytes;
    u32 returned = 0;
    EXPECT_EQ(ann.raw(code, bytes, 8, 4096, returned), WPERF_UNKNOWN_CODE) << code;
    EXPECT_EQ(bytes, before);
    EXPECT_EQ(returned, 0u);
  }
}

TEST_F(Dispatch, EveryCodeRefusesEveryWrongInputSize) {
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  for (const Code& code : kCodes) {
    for (u32 size = 0; size <= 1024; ++size) {
      if (size == code.input) {
        continue;
      }
      std::vector<u8> bytes = bytes_of(size, WPERF_WIRE_VERSION, std::max(size, code.output));
      const std::vector<u8> before = bytes;
      u32 returned = 0;
      ASSERT_EQ(ann.raw(code.code, bytes, size, code.output, returned), WPERF_BAD_SIZE) << code.code << " " << size;
      ASSERT_EQ(bytes, before);
      ASSERT_EQ(returned, 0u);
    }
  }
  EXPECT_EQ(lock.holder, 11u);
  EXPECT_FALSE(hal.reserved);
}

TEST_F(Dispatch, EveryCodeRefusesEveryShortOutput) {
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  for (const Code& code : kCodes) {
    // Long answers are not tried in every length, because each needs a buffer.
    for (u32 capacity = 0; capacity < code.output; capacity += capacity > 512 && capacity + 64 < code.output ? 61 : 1) {
      std::vector<u8> bytes = bytes_of(code.input, WPERF_WIRE_VERSION, std::max(code.input, capacity));
      const std::vector<u8> before = bytes;
      u32 returned = 0;
      ASSERT_EQ(ann.raw(code.code, bytes, code.input, capacity, returned), WPERF_BAD_SIZE);
      ASSERT_EQ(bytes, before);
      ASSERT_EQ(returned, 0u);
    }
  }
  EXPECT_FALSE(hal.reserved);
}

TEST_F(Dispatch, EveryCodeRefusesAWrongHeader) {
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  const auto refused = [&](const Code& code, u32 size, u32 version) {
    std::vector<u8> bytes = bytes_of(size, version, std::max(code.input, code.output));
    const std::vector<u8> before = bytes;
    u32 returned = 0;
    EXPECT_EQ(ann.raw(code.code, bytes, code.input, code.output, returned), WPERF_BAD_VERSION) << code.code;
    EXPECT_EQ(bytes, before);
  };
  for (const Code& code : kCodes) {
    const bool any_version =
        code.code == static_cast<u32>(WPERF_CODE_VERSION) || code.code == static_cast<u32>(WPERF_CODE_LOCK);
    if (!any_version) {
      refused(code, code.input, 0);
      refused(code, code.input, WPERF_WIRE_VERSION + 1);
    }
    refused(code, code.input - 1, WPERF_WIRE_VERSION);
    refused(code, code.input + 8, WPERF_WIRE_VERSION);
    refused(code, 0, WPERF_WIRE_VERSION);
    refused(code, ~0u, WPERF_WIRE_VERSION);
  }
  EXPECT_EQ(lock.holder, 11u);
  EXPECT_FALSE(hal.reserved);
}

TEST_F(Dispatch, AnyWireVersionMayAskForTheVersionAndTheLock) {
  for (const u32 version : {0u, WPERF_WIRE_VERSION + 1, ~0u}) {
    std::vector<u8> bytes = bytes_of(8, version, sizeof(WperfVersionReply));
    u32 returned = 0;
    ASSERT_EQ(ann.raw(WPERF_CODE_VERSION, bytes, 8, sizeof(WperfVersionReply), returned), WPERF_OK) << version;
    WperfVersionReply reply;
    ASSERT_EQ(returned, sizeof reply);
    std::memcpy(&reply, bytes.data(), sizeof reply);
    EXPECT_EQ(reply.header.version, WPERF_WIRE_VERSION);
    EXPECT_EQ(reply.wire_version, WPERF_WIRE_VERSION);
    for (const u32 action : {WPERF_LOCK_ACQUIRE, WPERF_LOCK_RELEASE}) {
      const WperfLockRequest request = {{sizeof request, version}, action, 0};
      std::memcpy(bytes.data(), &request, sizeof request);
      EXPECT_EQ(ann.raw(WPERF_CODE_LOCK, bytes, sizeof request, 0, returned), WPERF_OK) << version;
      EXPECT_EQ(lock.holder, action == WPERF_LOCK_ACQUIRE ? 11u : 0u);
    }
  }
}

TEST_F(Dispatch, LockAndRightsAreTheTables) {
  for (const Code& code : kCodes) {
    for (const bool holds : {false, true}) {
      for (const bool administrator : {false, true}) {
        lock = {};
        lock.holder = holds ? 33 : 44;
        TestClient client(core, 33, administrator);
        std::vector<u8> bytes(std::max(code.input, code.output));
        const WperfHeader header = {code.input, WPERF_WIRE_VERSION};
        std::memcpy(bytes.data(), &header, sizeof header);
        u32 returned = 0;
        const WperfStatus status = client.raw(code.code, bytes, code.input, code.output, returned);
        if (code.administrator && !administrator) {
          EXPECT_EQ(status, WPERF_ACCESS_DENIED) << code.code;
        } else if (code.lock && !holds) {
          EXPECT_EQ(status, WPERF_LOCK_NEEDED) << code.code;
        } else {
          EXPECT_NE(status, WPERF_ACCESS_DENIED) << code.code;
          EXPECT_NE(status, WPERF_LOCK_NEEDED) << code.code;
        }
      }
    }
  }
}

TEST_F(Dispatch, NobodyIsNotAClient) {
  TestClient nobody(core, 0);
  WperfVersionReply reply = {};
  EXPECT_EQ(nobody.ask(WPERF_CODE_VERSION, WperfPlainRequest{}, reply), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(nobody.lock(WPERF_LOCK_ACQUIRE), WPERF_BAD_ARGUMENT);
  EXPECT_EQ(nobody.start(), WPERF_BAD_ARGUMENT) << "a free lock is not held by client 0";
  core.client_gone(0);
}

TEST_F(Dispatch, AnswerOverlaysItsRequest) {
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  WperfCoreRequest request = {};
  request.core = 3;
  WperfCoreReply reply = {};
  ASSERT_EQ(ann.ask(WPERF_CODE_CORE, request, reply), WPERF_OK);
  EXPECT_EQ(reply.header.size, sizeof reply);
  EXPECT_EQ(reply.cluster, 1u) << "the core's number was read before the answer overwrote it";
  EXPECT_EQ(reply.midr, 0x413f'd0c1u);
  EXPECT_EQ(reply.reserved, 0u);
}

TEST_F(Dispatch, AnswerWritesNoByteBeyondItself) {
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  std::vector<u8> bytes = bytes_of(8, WPERF_WIRE_VERSION, 1000);
  u32 returned = 0;
  ASSERT_EQ(ann.raw(WPERF_CODE_HARDWARE, bytes, 8, 1000, returned), WPERF_OK);
  EXPECT_EQ(returned, sizeof(WperfHardwareReply));
  for (usize i = returned; i < bytes.size(); ++i) {
    ASSERT_EQ(bytes[i], 0xa5) << i;
  }
}

TEST_F(Dispatch, AnswersLeakNothingOfEarlierOnes) {
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  WperfHardwareReply hardware = {};
  ASSERT_EQ(ann.hardware(hardware), WPERF_OK);
  ASSERT_EQ(ann.configure(count_request({0}, {0x8})), WPERF_OK);
  WperfCountReply reply = {};
  ASSERT_EQ(ann.read(EventClass::core, 0, reply), WPERF_OK);
  const WperfCountReply zeros = {};
  EXPECT_EQ(std::memcmp(reply.entries, zeros.entries, sizeof reply.entries), 0);
}

TEST_F(Dispatch, SampleRequestsKnowTheirState) {
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  const WperfSampleRequest request = sample_request({0, 2}, {{0x8, 0, 100}});
  WperfDrainReply reply = {};
  EXPECT_EQ(ann.start_sampling(), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.stop_sampling(), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.drain(0, reply), WPERF_WRONG_STATE);
  ASSERT_EQ(ann.configure(request), WPERF_OK);
  EXPECT_EQ(ann.stop_sampling(), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.drain(0, reply), WPERF_OK) << "nothing yet";
  EXPECT_EQ(reply.count, 0u);
  for (const u32 number : {1u, 3u, 4u, 256u, ~0u}) {
    EXPECT_EQ(ann.drain(number, reply), WPERF_BAD_ARGUMENT) << number;
  }
  EXPECT_EQ(ann.ask(WPERF_CODE_SAMPLE_DRAIN, WperfDrainRequest{{}, 0, 1}, reply), WPERF_BAD_ARGUMENT);
  ASSERT_EQ(ann.start_sampling(), WPERF_OK);
  const std::vector<FakePmu> running = hal.cores;
  EXPECT_EQ(ann.start_sampling(), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.configure(request), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.configure(count_request({0}, {0x8})), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.set_up_dmc({0x1000'0000}), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.start(), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.stop(), WPERF_WRONG_STATE);
  EXPECT_TRUE(hal.cores == running) << "nothing of that disturbed the sampling";
  EXPECT_EQ(ann.stop_sampling(), WPERF_OK);
  EXPECT_EQ(ann.stop_sampling(), WPERF_WRONG_STATE);
}

TEST_F(Dispatch, TheLaterOfCountingAndSamplingStays) {
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  WperfCountReply counts = {};
  WperfDrainReply samples = {};
  ASSERT_EQ(ann.configure(count_request({0}, {0x8})), WPERF_OK);
  EXPECT_EQ(ann.configure(sample_request({9}, {{0x8, 0, 100}})), WPERF_BAD_ARGUMENT);
  hal.fail_at = 1;
  EXPECT_EQ(ann.configure(sample_request({0}, {{0x8, 0, 100}})), WPERF_NO_MEMORY);
  EXPECT_EQ(ann.read(EventClass::core, 0, counts), WPERF_OK) << "a refused configuration keeps the other";
  ASSERT_EQ(ann.configure(sample_request({0}, {{0x8, 0, 100}})), WPERF_OK);
  EXPECT_EQ(ann.read(EventClass::core, 0, counts), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.start(), WPERF_WRONG_STATE);
  EXPECT_EQ(hal.allocations.size(), 1u);
  hal.fail_at = 1;
  EXPECT_EQ(ann.configure(count_request({0}, {0x8})), WPERF_NO_MEMORY);
  EXPECT_EQ(ann.drain(0, samples), WPERF_OK);
  ASSERT_EQ(ann.configure(count_request({0}, {0x8})), WPERF_OK);
  EXPECT_EQ(ann.drain(0, samples), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.start_sampling(), WPERF_WRONG_STATE);
  EXPECT_EQ(hal.allocations.size(), 1u);
  ASSERT_EQ(ann.start(), WPERF_OK);
  EXPECT_EQ(ann.configure(sample_request({0}, {{0x8, 0, 100}})), WPERF_WRONG_STATE);
}

TEST_F(Dispatch, KernelSamplesNeedAnAdministrator) {
  TestClient user(core, 33, false);
  ASSERT_EQ(user.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  WperfSampleRequest request = sample_request({0}, {{0x8, 0, 100}});
  ASSERT_EQ(user.configure(request), WPERF_OK);
  request.flags = WPERF_SAMPLE_KERNEL;
  EXPECT_EQ(user.configure(request), WPERF_ACCESS_DENIED);
}

TEST_F(Dispatch, CountRequestsKnowTheirState) {
  ASSERT_EQ(ann.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  WperfCountReply reply = {};
  EXPECT_EQ(ann.start(), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.stop(), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.read(EventClass::core, 0, reply), WPERF_WRONG_STATE);
  ASSERT_EQ(ann.configure(count_request({0}, {0x8})), WPERF_OK);
  EXPECT_EQ(ann.stop(), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.read(EventClass::core, 1, reply), WPERF_BAD_ARGUMENT) << "not a chosen core";
  EXPECT_EQ(ann.read(EventClass::dsu, 0, reply), WPERF_BAD_ARGUMENT) << "no events of this class";
  EXPECT_EQ(ann.read(static_cast<EventClass>(4), 0, reply), WPERF_BAD_ARGUMENT);
  ASSERT_EQ(ann.start(), WPERF_OK);
  EXPECT_EQ(ann.start(), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.configure(count_request({0}, {0x8})), WPERF_WRONG_STATE);
  EXPECT_EQ(ann.set_up_dmc({0x1000'0000}), WPERF_WRONG_STATE);
  EXPECT_EQ(hal.timer_ms, 20u) << "nothing of that disturbed the counting";
  EXPECT_EQ(ann.stop(), WPERF_OK);
  EXPECT_EQ(ann.stop(), WPERF_WRONG_STATE);
}

}  // namespace
}  // namespace wperf::driver
