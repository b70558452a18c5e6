// SPDX-License-Identifier: BSD-3-Clause
// A client of the core in tests and fuzzers. As in the kernel, request and answer share one buffer; it has exactly the
// required length, so that a sanitizer sees every overrun.
#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include "driver/core/core.h"

namespace wperf::driver {

class TestClient {
 public:
  TestClient(Core& core, ClientId id, bool administrator = true) : core_(core), id_(id), rights_{administrator} {}

  // Sends a raw request. The bytes are returned as the core left them.
  WperfStatus raw(u32 code, std::vector<u8>& bytes, u32 input_size, u32 capacity, u32& returned) {
    std::vector<u8> shared(std::max(input_size, capacity));
    std::copy_n(bytes.begin(), std::min(bytes.size(), shared.size()), shared.begin());
    shared.shrink_to_fit();
    returned = 0xdead;
    const WperfStatus status = core_.dispatch(id_, rights_, code, shared.data(), input_size, capacity, &returned);
    bytes = shared;
    return status;
  }
  template <typename Request>
  WperfStatus send(u32 code, Request request) {
    request.header = {sizeof request, WPERF_WIRE_VERSION};
    std::vector<u8> bytes(sizeof request);
    std::memcpy(bytes.data(), &request, sizeof request);
    u32 returned = 0;
    return raw(code, bytes, sizeof request, 0, returned);
  }
  template <typename Request, typename Reply>
  WperfStatus ask(u32 code, Request request, Reply& reply) {
    request.header = {sizeof request, WPERF_WIRE_VERSION};
    std::vector<u8> bytes(std::max(sizeof request, sizeof reply));
    std::memcpy(bytes.data(), &request, sizeof request);
    u32 returned = 0;
    const WperfStatus status = raw(code, bytes, sizeof request, sizeof reply, returned);
    if (status == WPERF_OK && returned == sizeof reply) {
      std::memcpy(&reply, bytes.data(), sizeof reply);
    }
    return status;
  }

  WperfStatus plain(u32 code) { return send(code, WperfPlainRequest{}); }
  WperfStatus start() { return plain(WPERF_CODE_COUNT_START); }
  WperfStatus stop() { return plain(WPERF_CODE_COUNT_STOP); }
  WperfStatus lock(u32 action) {
    WperfLockRequest request = {};
    request.action = action;
    return send(WPERF_CODE_LOCK, request);
  }
  WperfStatus hardware(WperfHardwareReply& reply) { return ask(WPERF_CODE_HARDWARE, WperfPlainRequest{}, reply); }
  WperfStatus set_up_dmc(const std::vector<u64>& bases, u64 size = 0x2000) {
    WperfDmcSetupRequest request = {};
    request.channel_count = static_cast<u32>(bases.size());
    for (usize i = 0; i < bases.size() && i < WPERF_MAX_DMC_CHANNELS; ++i) {
      request.channels[i] = {bases[i], size};
    }
    return send(WPERF_CODE_DMC_SETUP, request);
  }
  WperfStatus configure(const WperfCountRequest& request) { return send(WPERF_CODE_COUNT_CONFIGURE, request); }
  WperfStatus read(EventClass event_class, u32 unit, WperfCountReply& reply) {
    WperfCountReadRequest request = {};
    request.event_class = static_cast<u32>(event_class);
    request.unit = unit;
    return ask(WPERF_CODE_COUNT_READ, request, reply);
  }
  WperfStatus configure(const WperfSampleRequest& request) { return send(WPERF_CODE_SAMPLE_CONFIGURE, request); }
  WperfStatus start_sampling() { return plain(WPERF_CODE_SAMPLE_START); }
  WperfStatus stop_sampling() { return plain(WPERF_CODE_SAMPLE_STOP); }
  WperfStatus drain(u32 core, WperfDrainReply& reply) {
    return ask(WPERF_CODE_SAMPLE_DRAIN, WperfDrainRequest{{}, core, 0}, reply);
  }
  WperfStatus drain(u32 core, WperfStackDrainReply& reply) {
    return ask(WPERF_CODE_SAMPLE_STACK_DRAIN, WperfDrainRequest{{}, core, 0}, reply);
  }
  WperfStatus configure(const WperfSpeRequest& request) { return send(WPERF_CODE_SPE_CONFIGURE, request); }
  WperfStatus start_profiling() { return plain(WPERF_CODE_SPE_START); }
  WperfStatus stop_profiling() { return plain(WPERF_CODE_SPE_STOP); }
  WperfStatus drain(u32 core, WperfSpeDrainReply& reply) {
    return ask(WPERF_CODE_SPE_DRAIN, WperfDrainRequest{{}, core, 0}, reply);
  }
  WperfStatus spe(u32 core, WperfSpeCoreReply& reply) {
    return ask(WPERF_CODE_SPE_CORE, WperfCoreRequest{{}, core, 0}, reply);
  }

 private:
  Core& core_;
  ClientId id_;
  Rights rights_;
};

// A count request with ungrouped events; tests change the fields that they test.
inline WperfCountRequest count_request(const std::vector<u32>& cores, const std::vector<u16>& core_events) {
  WperfCountRequest request = {};
  request.period_ms = 10;
  request.dmc_channel = WPERF_ALL_CHANNELS;
  for (const u32 core : cores) {
    request.core_mask[core / 64] |= u64{1} << (core % 64);
  }
  request.entry_count[WPERF_CLASS_CORE] = static_cast<u32>(core_events.size());
  for (usize i = 0; i < core_events.size() && i < WPERF_MAX_CORE_EVENTS; ++i) {
    request.core[i] = {core_events[i], WPERF_NO_GROUP};
  }
  return request;
}

inline WperfSampleRequest sample_request(const std::vector<u32>& cores, const std::vector<WperfSampleEvent>& events) {
  WperfSampleRequest request = {};
  for (const u32 core : cores) {
    request.core_mask[core / 64] |= u64{1} << (core % 64);
  }
  request.event_count = static_cast<u32>(events.size());
  std::copy_n(events.begin(), std::min(events.size(), std::size(request.events)), request.events);
  return request;
}

// The smallest buffers: two halves of 8 KB.
inline WperfSpeRequest spe_request(const std::vector<u32>& cores) {
  WperfSpeRequest request = {};
  for (const u32 core : cores) {
    request.core_mask[core / 64] |= u64{1} << (core % 64);
  }
  request.interval = 4096;
  request.buffer_bytes = WPERF_SPE_MIN_BUFFER;
  return request;
}

inline void set_events(WperfCountRequest& request, EventClass event_class, const std::vector<u16>& events) {
  WperfEventEntry* const lists[] = {request.core, request.dsu, request.dmc_clk, request.dmc_clkdiv2};
  request.entry_count[index_of(event_class)] = static_cast<u32>(events.size());
  for (usize i = 0; i < events.size(); ++i) {
    lists[index_of(event_class)][i] = {events[i], WPERF_NO_GROUP};
  }
}

}  // namespace wperf::driver
