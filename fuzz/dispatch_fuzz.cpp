// SPDX-License-Identifier: BSD-3-Clause
// The driver's dispatcher under arbitrary requests: several clients with and without rights, right and wrong sizes and
// headers, the timer, overflow interrupts (also unexpected ones), SPE records and all events of their buffer, clients
// that end, and hardware that fails. The shared buffer has exactly the required length. At the end no memory may be
// allocated, and no foreign register may have been touched.
#include <cstdlib>

#include "driver/core/fake_hal.h"
#include "driver/core/test_client.h"

namespace {

using namespace wperf;
using namespace wperf::driver;

class Bytes {
 public:
  Bytes(const u8* data, usize size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  u8 byte() { return empty() ? u8{0} : data_[at_++]; }
  u32 word() {
    u32 value = 0;
    for (int i = 0; i < 4; ++i) {
      value = (value << 8) | byte();
    }
    return value;
  }
  // Fills a prefix; a run of zeros costs one byte of input, so that large requests are cheap to make.
  void fill(u8* to, usize count) {
    const usize given = std::min<usize>(byte(), count);
    for (usize i = 0; i < given; ++i) {
      to[i] = byte();
    }
  }

 private:
  const u8* data_;
  usize size_;
  usize at_ = 0;
};

constexpr u32 kOwnProcess = 3;
constexpr u32 kOthersProcess = 4;

struct Shape {
  u32 code, input, output;
};
constexpr Shape kShapes[] = {
    {static_cast<u32>(WPERF_CODE_VERSION), sizeof(WperfPlainRequest), sizeof(WperfVersionReply)},
    {static_cast<u32>(WPERF_CODE_LOCK), sizeof(WperfLockRequest), 0},
    {static_cast<u32>(WPERF_CODE_HARDWARE), sizeof(WperfPlainRequest), sizeof(WperfHardwareReply)},
    {static_cast<u32>(WPERF_CODE_CORE), sizeof(WperfCoreRequest), sizeof(WperfCoreReply)},
    {static_cast<u32>(WPERF_CODE_DMC_SETUP), sizeof(WperfDmcSetupRequest), 0},
    {static_cast<u32>(WPERF_CODE_DSU_SETUP), sizeof(WperfDsuSetupRequest), 0},
    {static_cast<u32>(WPERF_CODE_COUNT_CONFIGURE), sizeof(WperfCountRequest), 0},
    {static_cast<u32>(WPERF_CODE_COUNT_START), sizeof(WperfPlainRequest), 0},
    {static_cast<u32>(WPERF_CODE_COUNT_STOP), sizeof(WperfPlainRequest), 0},
    {static_cast<u32>(WPERF_CODE_COUNT_READ), sizeof(WperfCountReadRequest), sizeof(WperfCountReply)},
    {static_cast<u32>(WPERF_CODE_SAMPLE_CONFIGURE), sizeof(WperfSampleRequest), 0},
    {static_cast<u32>(WPERF_CODE_SAMPLE_START), sizeof(WperfPlainRequest), 0},
    {static_cast<u32>(WPERF_CODE_SAMPLE_STOP), sizeof(WperfPlainRequest), 0},
    {static_cast<u32>(WPERF_CODE_SAMPLE_DRAIN), sizeof(WperfDrainRequest), sizeof(WperfDrainReply)},
    {static_cast<u32>(WPERF_CODE_INTERRUPT), sizeof(WperfPlainRequest), sizeof(WperfInterruptReply)},
    {static_cast<u32>(WPERF_CODE_SAMPLE_STACK_DRAIN), sizeof(WperfDrainRequest), sizeof(WperfStackDrainReply)},
};
constexpr Shape kSpeShapes[] = {
    {static_cast<u32>(WPERF_CODE_SPE_CONFIGURE), sizeof(WperfSpeRequest), 0},
    {static_cast<u32>(WPERF_CODE_SPE_START), sizeof(WperfPlainRequest), 0},
    {static_cast<u32>(WPERF_CODE_SPE_STOP), sizeof(WperfPlainRequest), 0},
    {static_cast<u32>(WPERF_CODE_SPE_DRAIN), sizeof(WperfDrainRequest), sizeof(WperfSpeDrainReply)},
    {static_cast<u32>(WPERF_CODE_SPE_CORE), sizeof(WperfCoreRequest), sizeof(WperfSpeCoreReply)},
};

// A count request that is likely to be accepted, changed a little by the input.
WperfCountRequest plausible_count(Bytes& bytes) {
  const u8 rooms[] = {127, 32, 4, 8};
  WperfCountRequest request = count_request({}, {});
  request.core_mask[0] = bytes.byte() % 32;
  request.period_ms = bytes.byte();
  const u8 choices = bytes.byte();
  request.flags = choices & 1;
  request.dmc_channel = (choices & 2) != 0 ? static_cast<u32>(WPERF_ALL_CHANNELS) : (choices >> 2) & 1;
  for (u32 i = 0; i < kEventClassCount; ++i) {
    request.entry_count[i] = (choices & (0x10u << i)) != 0 ? bytes.byte() % (rooms[i] + 2u) : 0;
  }
  for (WperfEventEntry& entry : request.core) {
    entry = {7, static_cast<u16>(WPERF_NO_GROUP)};
  }
  request.core[0].group = (choices & 8) != 0 ? u16{3} : u16{WPERF_NO_GROUP};
  request.core[1] = {bytes.byte(), request.core[0].group};
  return request;
}

WperfSampleRequest plausible_sampling(Bytes& bytes) {
  WperfSampleRequest request = sample_request({}, {});
  request.core_mask[0] = bytes.byte() % 32;
  const u8 choices = bytes.byte();
  request.flags = choices & 3;
  request.jitter_shift = choices >> 3;
  request.seed = choices;
  request.ring_samples = bytes.byte();
  request.event_count = bytes.byte() % 10;
  for (WperfSampleEvent& event : request.events) {
    event = {7, 0, 1};
  }
  request.max_stack = (choices & 0x80) != 0 ? bytes.byte() % 130 : 0;
  request.most_per_second = (choices & 0x40) != 0 ? ~0u : 0;
  request.events[0] = {bytes.byte(), 0, bytes.word() >> (choices & 31)};
  request.events[1] = {(choices & 4) != 0 ? u16{0x11} : u16{8}, 0, bytes.word()};
  return request;
}

WperfSpeRequest plausible_profiling(Bytes& bytes) {
  WperfSpeRequest request = spe_request({});
  request.core_mask[0] = bytes.byte() % 16;
  request.flags = bytes.byte();
  const u8 choices = bytes.byte();
  request.events = (choices & 1) != 0 ? u64{1} << (choices >> 2) : 0;
  request.not_events = (choices & 2) != 0 ? 2 : 0;
  request.min_latency = (choices & 3) == 3 ? bytes.word() : 0;
  request.buffer_bytes += (choices >> 6) * 8192;
  return request;
}

template <typename Request>
void put(u8* buffer, const Request& request) {
  std::memcpy(buffer, &request, sizeof request);
}

// A request of the right shape whose fields are mostly in range.
void make_plausible(u32 code, u8* buffer, Bytes& bytes) {
  if (code == static_cast<u32>(WPERF_CODE_LOCK)) {
    put(buffer, WperfLockRequest{{}, bytes.byte() % 5u, 0});
  } else if (code == static_cast<u32>(WPERF_CODE_CORE)) {
    put(buffer, WperfCoreRequest{{}, bytes.byte() % 5u, 0});
  } else if (code == static_cast<u32>(WPERF_CODE_COUNT_READ)) {
    const u8 choice = bytes.byte();
    put(buffer, WperfCountReadRequest{{}, choice % 5u, choice / 5u % 5u});
  } else if (code == static_cast<u32>(WPERF_CODE_COUNT_CONFIGURE)) {
    put(buffer, plausible_count(bytes));
  } else if (code == static_cast<u32>(WPERF_CODE_SAMPLE_CONFIGURE)) {
    put(buffer, plausible_sampling(bytes));
  } else if (code == static_cast<u32>(WPERF_CODE_SPE_CONFIGURE)) {
    put(buffer, plausible_profiling(bytes));
  } else if (code == static_cast<u32>(WPERF_CODE_SPE_CORE)) {
    put(buffer, WperfCoreRequest{{}, bytes.byte() % 5u, 0});
  } else if (code == static_cast<u32>(WPERF_CODE_SAMPLE_DRAIN) ||
             code == static_cast<u32>(WPERF_CODE_SAMPLE_STACK_DRAIN) ||
             code == static_cast<u32>(WPERF_CODE_SPE_DRAIN)) {
    put(buffer, WperfDrainRequest{{}, bytes.byte() % 5u, 0});
  } else if (code == static_cast<u32>(WPERF_CODE_DSU_SETUP)) {
    const u8 choice = bytes.byte();
    put(buffer, WperfDsuSetupRequest{{}, choice % 5u, choice / 5u % 5u});
  } else if (code == static_cast<u32>(WPERF_CODE_DMC_SETUP)) {
    WperfDmcSetupRequest request = {};
    request.channel_count = bytes.byte() % 4;
    request.channels[0] = {0x1000'0000, 0x1000};
    request.channels[1] = {0x1001'0000, 0x1000};
    request.channels[2] = {bytes.word(), 0x1000};
    put(buffer, request);
  }
}

void check_drained(const u8* buffer, bool sees_all) {
  WperfDrainReply reply;
  std::memcpy(&reply, buffer, sizeof reply);
  if (reply.count > WPERF_MAX_DRAINED || (sees_all && reply.more != 0 && reply.count != WPERF_MAX_DRAINED) ||
      reply.taken < reply.lost_ring_full + reply.lost_filtered + reply.count) {
    std::abort();
  }
  for (u32 i = 0; i < reply.count; ++i) {
    if (reply.samples[i].core != reply.core || reply.samples[i].overflowed == 0 ||
        (!sees_all && reply.samples[i].process != kOwnProcess)) {
      std::abort();
    }
  }
}

// Checks that records are complete and have the stated number of callers, and that only administrators get kernel
// callers.
void check_stacks(const u8* buffer, bool sees_all) {
  static WperfStackDrainReply reply;
  std::memcpy(&reply, buffer, sizeof reply);
  u32 at = 0, count = 0;
  while (at < reply.bytes) {
    WperfSample sample;
    WperfStack stack;
    if (reply.bytes > sizeof reply.records || reply.bytes - at < sizeof sample + sizeof stack) {
      std::abort();
    }
    std::memcpy(&sample, reply.records + at, sizeof sample);
    std::memcpy(&stack, reply.records + at + sizeof sample, sizeof stack);
    at += static_cast<u32>(sizeof sample + sample.stack_words * sizeof(u64));
    ++count;
    if (at > reply.bytes || sample.core != reply.core || sample.overflowed == 0 ||
        sample.stack_words != 1u + stack.kernel_frames + stack.user_frames ||
        (!sees_all && (sample.process != kOwnProcess || sample.exception_level != 0 || stack.kernel_frames != 0))) {
      std::abort();
    }
  }
  if (reply.taken < reply.lost_ring_full + reply.lost_filtered + count) {
    std::abort();
  }
}

// Checks that every byte was written by the hardware of this core, and that there are only whole records between gaps.
void check_profiled(const u8* buffer) {
  static WperfSpeDrainReply reply;
  std::memcpy(&reply, buffer, sizeof reply);
  if (reply.bytes > WPERF_SPE_MAX_DRAINED || reply.bytes > reply.written || reply.buffer_address > 0xffff) {
    std::abort();
  }
  for (u32 i = 0; i < reply.bytes; ++i) {
    if (reply.data[i] != 0xc0 + reply.core) {
      std::abort();
    }
  }
}

template <usize count>
void one_request(Core& core, Bytes& bytes, const Shape (&shapes)[count]) {
  const u8 choice = bytes.byte();
  const Shape& shape = shapes[choice % count];
  const bool wild = choice >= 0xc0;
  const u8 odd = wild ? bytes.byte() : u8{0};  // bits: code, input size, output size, header, rights
  const u32 code = (odd & 1) != 0 ? bytes.word() : shape.code;
  const u32 input = (odd & 2) != 0 ? bytes.word() % 6000 : shape.input;
  const u32 capacity = (odd & 4) != 0 ? bytes.word() % 6000 : shape.output;
  const u32 length = std::max(input, capacity);
  u8* buffer = static_cast<u8*>(std::calloc(1, length == 0 ? 1 : length));
  if (wild) {
    const usize body = std::min<usize>(sizeof(WperfHeader), length);
    bytes.fill(buffer + body, length - body);
  } else {
    make_plausible(code, buffer, bytes);
  }
  const bool bad_header = (odd & 8) != 0;
  const WperfHeader header = {bad_header ? bytes.word() : input, bad_header ? bytes.byte() : WPERF_WIRE_VERSION};
  std::memcpy(buffer, &header, std::min<usize>(sizeof header, length));
  const ClientId client = wild ? bytes.byte() % 4 : 1 + choice / 0x60;
  u32 returned = ~u32{0};
  const Rights rights{client != 2 && (odd & 0x10) == 0};
  const WperfStatus status = core.dispatch(client, rights, code, buffer, input, capacity, &returned);
  if (returned > capacity || (status != WPERF_OK && returned != 0)) {
    std::abort();
  }
  if (status == WPERF_OK && code == static_cast<u32>(WPERF_CODE_SAMPLE_DRAIN)) {
    check_drained(buffer, rights.administrator);
  }
  if (status == WPERF_OK && code == static_cast<u32>(WPERF_CODE_SAMPLE_STACK_DRAIN)) {
    check_stacks(buffer, rights.administrator);
  }
  if (status == WPERF_OK && code == static_cast<u32>(WPERF_CODE_SPE_DRAIN)) {
    check_profiled(buffer);
  }
  std::free(buffer);
}

// The hardware of a core makes some records, or its buffer has an event.
void profile(FakeHal& hal, Bytes& bytes) {
  const u8 choice = bytes.byte();
  const u32 core = choice % 4;
  if ((hal.spes[core].pmblimitr & kPmblimitrEnable) == 0) {
    return;
  }
  if (choice < 0x80) {
    const std::vector<u8> record(kFakeRecord, static_cast<u8>(0xc0 + core));
    for (u32 i = 0; i < choice; ++i) {
      hal.profile(core, record);
    }
  } else if (choice < 0xc0) {
    hal.disturb_profiling(core, kPmbsrService | bytes.word());
  } else {
    hal.disturb_profiling(core, bytes.word() & (kPmbsrCollision | kPmbsrDataLoss));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8* data, usize size) {
  Bytes bytes(data, size);
  FakeMachine machine;
  constexpr u32 kPmuVersions[] = {1, 4, 5, 6, 8, 0, 15};
  machine.reserved_mask = bytes.byte();
  const u8 versions = bytes.byte();
  machine.pmu_version = kPmuVersions[versions % 7];
  constexpr u32 kSpeVersions[] = {0, 1, 2, 3, 5};
  machine.spe_version = kSpeVersions[versions / 7 % 5];
  machine.pmsidr = versions >= 0xc0 ? 0 : kAllOfSpe;
  FakeHal hal(machine);
  const std::vector<FakeSpe> spes = hal.spes;
  const std::vector<FakePmu> cores = hal.cores;
  LockState lock;
  Core core(hal, lock, {1, 2, 3, "git", "+features"});
  u32 exception_level = 0;
  hal.hidden_processes = {kOthersProcess};
  const u64 kernel_stack[] = {reinterpret_cast<u64>(kernel_stack + 2), 0xffff'f800'0000'1000,
                              reinterpret_cast<u64>(kernel_stack), 0xffff'f800'0000'2000};
  hal.on_interrupt = [&](u32 number) {
    const u64 fp = exception_level == 0 ? hal.now_ns.load() : reinterpret_cast<u64>(kernel_stack);
    core.on_overflow(number, {1, 2, hal.now_ns % 3 == 0 ? kOthersProcess : kOwnProcess, 4, exception_level, fp, fp,
                              reinterpret_cast<u64>(kernel_stack), reinterpret_cast<u64>(kernel_stack + 4)});
  };
  hal.walks.on_walk = [&](u32 ticket, const WalkedStack& stack) { core.on_user_walk(ticket, stack); };
  hal.walks.on_lost = [&](u32 ticket) { core.on_user_walk_lost(ticket); };
  // A program's stack may have any contents. In this process, all addresses have the same contents.
  const u64 record[2] = {bytes.byte() * u64{8}, bytes.word()};
  hal.walks.read_memory = [&](u64 address, void* to, usize count) {
    const u64 words[2] = {address + record[0], record[1]};
    std::memcpy(to, words, count);
    return record[0] % 16 != 0;
  };
  if (machine.reserved_mask % 2 == 0) {  // not every shell has that interrupt
    hal.on_profiling_interrupt = [&](u32 number) { return core.on_profiling_interrupt(number); };
  }
  bool failed = false;
  while (!bytes.empty()) {
    switch (bytes.byte() % 16) {
      case 0:
        hal.advance(bytes.word(), [&](EventClass, u32, u32 event, bool) { return u64{event} << 24; });
        break;
      case 1:
        core.on_timer();
        break;
      case 2:
        core.client_gone(bytes.byte() % 4);
        break;
      case 3:
        hal.fail_at = bytes.byte();
        failed = failed || hal.fail_at != 0;
        break;
      case 4:
        lock.holder = bytes.byte() % 4;  // another process changed it
        break;
      case 5:
        exception_level = bytes.byte() % 3;
        break;
      case 6:
        hal.interrupt_from_elsewhere(bytes.byte() % 4);
        break;
      case 13:
        hal.walks.refuse = bytes.byte() % 8 == 0;
        bytes.byte() % 4 == 0 ? hal.walks.lose() : hal.take_walks();
        break;
      case 14:
        profile(hal, bytes);
        break;
      case 15:
        one_request(core, bytes, kSpeShapes);
        break;
      default:
        one_request(core, bytes, kShapes);
    }
  }
  hal.fail_at = 0;
  core.client_gone(lock.holder);
  core.shutdown();
  if (!hal.clean() || (!failed && !(hal.cores == cores && hal.spes == spes))) {
    std::abort();
  }
  return 0;
}
