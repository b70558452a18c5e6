// SPDX-License-Identifier: BSD-3-Clause
// The server: requests of programs outside (in Wine, through a bridge driver) reach the driver in the same way as
// requests of scenarios. It is a scenario (only=serve_a_bridge), so that leaks of the driver are found. The word "pnp"
// starts the driver as a device instead of a service.
#include "tests/nthost/check.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/server/protocol.h"
#include "tests/nthost/server/residents.h"
#include "tests/nthost/server/serial_line.h"

namespace wperf::nthost {
namespace {

alignas(16) u8 input[kMaxPayload];
alignas(16) u8 output[kMaxPayload];

template <typename T>
bool read_input(const Frame& frame, T& value) {
  if (frame.input < sizeof value) {
    return false;
  }
  __builtin_memcpy(&value, input, sizeof value);
  return true;
}

template <typename T>
Answer answer_with(u32 status, const T& value, const Frame& frame) {
  if (status != kDone || frame.capacity < sizeof value) {
    return {status != kDone ? status : kBadFrameArgument, 0, 0, 0};
  }
  __builtin_memcpy(output, &value, sizeof value);
  return {status, sizeof value, 0, 0};
}

Answer control_device(const Frame& frame) {
  File* file = file_of_client(frame.client);
  if (file == nullptr) {
    return {kNoSuchClient, 0, 0, 0};
  }
  u32 returned = 0;
  const u32 status = control(*file, frame.code, input, frame.input, output, frame.capacity, &returned);
  return {status, returned, 0, 0};
}

Answer run(const Frame& frame) {
  RunRequest request;
  if (!read_input(frame, request) || frame.input - sizeof request != request.code_size) {
    return {kBadFrameArgument, 0, 0, 0};
  }
  return {run_program(frame.process, frame.rights, request, input + sizeof request), 0, 0, 0};
}

Answer ask_program(const Frame& frame) {
  RunName name;
  RunState state = {};
  if (!read_input(frame, name)) {
    return {kBadFrameArgument, 0, 0, 0};
  }
  const u32 status = frame.kind == kRunState ? state_of_program(frame.process, name.cpu, state)
                                             : stop_program(frame.process, name.cpu, state);
  return answer_with(status, state, frame);
}

Answer clean_up(const Frame& frame) {
  File* file = file_of_client(frame.client);
  return {file != nullptr ? cleanup(*file) : kNoSuchClient, 0, 0, 0};
}

Answer serve(const Frame& frame) {
  switch (frame.kind) {
    case kHello:
      return answer_with(kDone, HelloReply{kProtocolVersion, cpu_count()}, frame);
    case kOpen:
      return {open_client(frame.client, frame.process, frame.rights), 0, 0, 0};
    case kControl:
      return control_device(frame);
    case kCleanup:
      return clean_up(frame);
    case kClose:
      return {close_client(frame.client), 0, 0, 0};
    case kRun:
      return run(frame);
    case kRunState:
    case kStopRun:
      return ask_program(frame);
    case kShutdown:
      return {kDone, 0, 0, 0};
    default:
      return {kNotKnownKind, 0, 0, 0};
  }
}

// Zeros at the end are not sent: the receiver adds them.
u32 without_zeros_at_end(u32 size) {
  while (size != 0 && output[size - 1] == 0) {
    --size;
  }
  return size;
}

}  // namespace

SCENARIO(serve_a_bridge, kOnlyByName) {
  if (!CHECK_EQUAL(load(has_word("pnp") ? Start::pnp : Start::service), 0)) return;
  place_driver_threads_on(0);  // the other cores are for programs
  open_line();
  print("serving");
  Frame frame = {};
  u64 requests = 0;
  while (frame.kind != kShutdown) {
    receive(&frame, sizeof frame);
    if (frame.magic != kFrameMagic || frame.input > kMaxPayload || frame.capacity > kMaxPayload) {
      give_up("a frame that is none: magic {x}, {} bytes in, {} out", frame.magic, frame.input, frame.capacity);
    }
    receive(input, frame.input);
    Answer answer = serve(frame);
    answer.sent = without_zeros_at_end(answer.returned);
    send(&answer, sizeof answer);
    send(output, answer.sent);
    ++requests;
  }
  close_everything();
  note("{} requests", requests);
  CHECK_EQUAL(unload(), 0);
}

}  // namespace wperf::nthost
