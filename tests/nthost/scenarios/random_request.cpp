// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/scenarios/random_request.h"

#include "abi/wire.h"
#include "tests/nthost/scenarios/request_shapes.h"

namespace wperf::nthost {
namespace {

constexpr u32 kCycles = 0x11;

// Usually chooses only the calling core, because other cores answer slowly.
u64 random_cores(Random& random, u32 cores, u32 one_in_so_many = 32) {
  return random.one_in(one_in_so_many) ? random.next() & ((u64{1} << cores) - 1) : 1;
}

u16 random_event(Random& random) {
  constexpr u16 kEvents[] = {0x08, kCycles, 0x00, 0x23, 0x1b, 0xffff};
  return random.one_in(4) ? static_cast<u16>(random.next()) : kEvents[random.below(6)];
}

u32 random_length(Random& random, u32 room) {
  if (random.one_in(8)) {
    return random.below(2 * room);
  }
  return random.below(room < 12 ? room + 1 : 12);
}

template <typename Request>
Request& as(RandomRequest& request) {
  return *reinterpret_cast<Request*>(request.input);
}

void fill_count(Random& random, u32 cores, WperfCountRequest& count) {
  count.flags = random.one_in(4) ? WPERF_COUNT_KERNEL : 0;
  count.period_ms = random.below(120);
  count.dmc_channel = random.one_in(2) ? WPERF_ALL_CHANNELS : random.below(3);
  count.core_mask[0] = random_cores(random, cores);
  count.entry_count[WPERF_CLASS_CORE] = random_length(random, WPERF_MAX_CORE_EVENTS);
  if (random.one_in(4)) {
    count.entry_count[WPERF_CLASS_DSU] = random_length(random, WPERF_MAX_DSU_EVENTS);
    count.entry_count[WPERF_CLASS_DMC_CLK] = random_length(random, WPERF_MAX_DMC_CLK_EVENTS);
    count.entry_count[WPERF_CLASS_DMC_CLKDIV2] = random_length(random, WPERF_MAX_DMC_CLKDIV2_EVENTS);
  }
  const bool grouped = random.one_in(3);
  for (u32 i = 0; i < WPERF_MAX_CORE_EVENTS; ++i) {
    const u16 group = grouped ? static_cast<u16>(i / 3) : static_cast<u16>(WPERF_NO_GROUP);
    count.core[i] = {random_event(random), group};
  }
  for (WperfEventEntry& entry : count.dsu) {
    entry = {random_event(random), WPERF_NO_GROUP};
  }
  for (WperfEventEntry& entry : count.dmc_clk) {
    entry = {static_cast<u16>(random.below(40)), WPERF_NO_GROUP};
  }
  for (WperfEventEntry& entry : count.dmc_clkdiv2) {
    entry = {static_cast<u16>(random.below(40)), WPERF_NO_GROUP};
  }
}

void fill_sample(Random& random, u32 cores, WperfSampleRequest& sample) {
  sample.flags = random.below(4);
  sample.event_count = random.one_in(8) ? random.below(40) : 1 + random.below(3);
  sample.core_mask[0] = random_cores(random, cores, 8);  // the core of a running program
  sample.seed = random.next();
  sample.jitter_shift = random.below(33);
  sample.ring_samples = random.one_in(1000) ? static_cast<u32>(random.next()) : 1 + random.below(300);
  sample.max_stack = random.one_in(2) ? 0 : random.below(WPERF_MAX_STACK + 3);
  sample.most_per_second = random.one_in(8) ? static_cast<u32>(random.next() >> random.below(64)) : 0;
  for (WperfSampleEvent& event : sample.events) {
    const u32 bits = random.below(20);  // evenly spread over orders of magnitude, up to a million
    event = {random_event(random), 0, random.one_in(16) ? 0 : 1 + static_cast<u32>(random.next() >> (63 - bits))};
  }
}

void fill_spe(Random& random, u32 cores, WperfSpeRequest& spe) {
  spe.flags = random.below(256);
  spe.interval = static_cast<u32>(random.next() >> random.below(64));
  spe.core_mask[0] = random_cores(random, cores);
  spe.events = random.one_in(2) ? random.next() : 0;
  spe.min_latency = random.below(5000);
  spe.buffer_bytes = random.one_in(8) ? static_cast<u32>(random.next()) : random.below(4) * 8192;
}

void fill_dmc(Random& random, WperfDmcSetupRequest& dmc) {
  dmc.channel_count = random.below(18);
  for (auto& channel : dmc.channels) {
    channel.base = random.next() >> random.below(64);
    if (!random.one_in(4)) {
      channel.base &= ~u64{0xfff};
    }
    channel.size = random.one_in(4) ? random.next() >> random.below(64) : 0x1000 * random.below(32);
  }
}

void fill(Random& random, u32 cores, RandomRequest& request) {
  switch (request.code) {
    case WPERF_CODE_LOCK:
      as<WperfLockRequest>(request).action = random.one_in(64) ? random.below(5) : static_cast<u32>(WPERF_LOCK_ACQUIRE);
      break;
    case WPERF_CODE_CORE:
      as<WperfCoreRequest>(request).core = random.one_in(16) ? random.below(cores + 1) : 0;
      break;
    case WPERF_CODE_DMC_SETUP:
      fill_dmc(random, as<WperfDmcSetupRequest>(request));
      break;
    case WPERF_CODE_DSU_SETUP:
      as<WperfDsuSetupRequest>(request).cluster_count = random.below(3);
      as<WperfDsuSetupRequest>(request).cluster_size = random.below(cores + 2);
      break;
    case WPERF_CODE_COUNT_CONFIGURE:
      fill_count(random, cores, as<WperfCountRequest>(request));
      break;
    case WPERF_CODE_COUNT_READ:
      as<WperfCountReadRequest>(request).event_class = random.one_in(4) ? random.below(6) : 0;
      as<WperfCountReadRequest>(request).unit = random.one_in(4) ? random.below(cores + 2) : 0;
      break;
    case WPERF_CODE_SAMPLE_CONFIGURE:
      fill_sample(random, cores, as<WperfSampleRequest>(request));
      break;
    case WPERF_CODE_SPE_CONFIGURE:
      fill_spe(random, cores, as<WperfSpeRequest>(request));
      break;
    case WPERF_CODE_SPE_CORE:
    case WPERF_CODE_SPE_DRAIN:
    case WPERF_CODE_SAMPLE_DRAIN:
    case WPERF_CODE_SAMPLE_STACK_DRAIN:
      as<WperfDrainRequest>(request).core = random.one_in(4) ? random.below(cores + 2) : 0;
      break;
    default:
      break;
  }
}

void damage(Random& random, RandomRequest& request) {
  switch (random.below(6)) {
    case 0:  // a wrong size
      request.input_size = random.one_in(4) ? random.below(kMostInput) : random.below(request.input_size + 24);
      break;
    case 1:
      request.capacity = random.one_in(4) ? random.below(70'000) : random.below(request.capacity + 24);
      break;
    case 2:  // an unknown code, with the driver's method
      request.code = static_cast<u32>(random.next()) & ~3u;
      break;
    case 3:
      request.input[random.below(8)] = static_cast<u8>(random.next());  // the header
      break;
    default:
      for (u32 times = 1 + random.below(4); times != 0; --times) {
        request.input[random.below(request.input_size)] ^= static_cast<u8>(1u << random.below(8));
      }
      break;
  }
}

}  // namespace

void make_random_request(Random& random, u32 cores, RandomRequest& request) {
  // Weights, in the order of kRequestShapes. A start must be likely after a configuration. A drain copies 41 KB or 65
  // KB, which takes time.
  constexpr u8 kChoice[] = {0,  1,  1,  2,  2,  3, 3, 4, 4, 5, 5, 6, 6, 7, 7,  7,  7,  8,  8,  9,  9,  9,  10, 10, 11,
                            11, 11, 11, 12, 12, 0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 14, 15, 16, 16, 17, 18, 19, 20};
  const RequestShape& shape = kRequestShapes[kChoice[random.below(sizeof kChoice)]];
  request.code = shape.code;
  request.input_size = shape.input;
  request.capacity = shape.output;
  request.answer = shape.output;
  for (u32 i = 0; i < shape.input; ++i) {
    request.input[i] = 0;
  }
  fill(random, cores, request);
  as<WperfHeader>(request) = {shape.input, WPERF_WIRE_VERSION};
  if (random.one_in(2)) {
    damage(random, request);
    for (const RequestShape& other : kRequestShapes) {
      request.answer = other.code == request.code ? other.output : request.answer;
    }
  }
}

}  // namespace wperf::nthost
