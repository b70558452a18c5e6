// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/scenarios/client.h"

#include "tests/nthost/check.h"

namespace wperf::nthost {

Client::Client(Process& process) : file_(nullptr) {
  const Opened opened = open(process);
  if (CHECK_EQUAL(opened.status, 0)) {
    file_ = opened.file;
  }
}

void Client::close_handle() {
  if (file_ != nullptr) {
    cleanup_and_close(file_);
  }
  file_ = nullptr;
}

void Client::close_without_cleanup() {
  close(file_);
  file_ = nullptr;
}

u32 Client::raw(u32 code, const void* input, u32 input_size, void* output, u32 capacity, u32* returned) {
  if (file_ == nullptr) {
    return ~u32{0};
  }
  const u32 status = control(*file_, code, input, input_size, output, capacity, returned);
  return WPERF_IS_NT_STATUS(status) ? WPERF_STATUS_OF_NT(status) : status;
}

void Client::check_answer(u32 status, u32 returned, u32 size, const WperfHeader& header) {
  CHECK_EQUAL(returned, status == WPERF_OK ? size : 0);
  if (status == WPERF_OK) {
    CHECK_EQUAL(header.size, size);
    CHECK_EQUAL(header.version, WPERF_WIRE_VERSION);
  }
}

u32 Client::lock(u32 action) {
  WperfLockRequest request = {};
  request.action = action;
  return send(WPERF_CODE_LOCK, request);
}

u32 Client::core(u32 core, WperfCoreReply& reply) {
  WperfCoreRequest request = {};
  request.core = core;
  return ask(WPERF_CODE_CORE, request, reply);
}

u32 Client::read(u32 core, WperfCountReply& reply) {
  WperfCountReadRequest request = {};
  request.event_class = WPERF_CLASS_CORE;
  request.unit = core;
  return ask(WPERF_CODE_COUNT_READ, request, reply);
}

u32 Client::drain(u32 core, WperfDrainReply& reply) {
  WperfDrainRequest request = {};
  request.core = core;
  return ask(WPERF_CODE_SAMPLE_DRAIN, request, reply);
}

u32 Client::drain(u32 core, WperfStackDrainReply& reply) {
  WperfDrainRequest request = {};
  request.core = core;
  return ask(WPERF_CODE_SAMPLE_STACK_DRAIN, request, reply);
}

WperfCountRequest count_request(u64 core_mask, const u16* events, u32 count) {
  WperfCountRequest request = {};
  request.period_ms = 10;
  request.dmc_channel = WPERF_ALL_CHANNELS;
  request.core_mask[0] = core_mask;
  request.entry_count[WPERF_CLASS_CORE] = count;
  for (u32 i = 0; i < count; ++i) {
    request.core[i] = {events[i], WPERF_NO_GROUP};
  }
  return request;
}

WperfSampleRequest sample_request(u64 core_mask, u16 event, u32 interval) {
  WperfSampleRequest request = {};
  request.core_mask[0] = core_mask;
  request.event_count = 1;
  request.events[0] = {event, 0, interval};
  return request;
}

}  // namespace wperf::nthost
