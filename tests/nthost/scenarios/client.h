// SPDX-License-Identifier: BSD-3-Clause
// A program that uses the driver, in scenarios: a process with one open handle. Requests go through the I/O manager
// (driver_under_test.h); each call returns the driver's WperfStatus if there is one, otherwise the NTSTATUS.
#pragma once
#include "abi/device_interface.h"
#include "abi/wire.h"
#include "base/ints.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/processes.h"

namespace wperf::nthost {

// A process for one scenario.
class Program {
 public:
  Program(u32 id, const Person& person) : process_(create_process(id, person)) {}
  ~Program() { end_process(*process_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Process& process() { return *process_; }

 private:
  Process* process_;
};

class Client {
 public:
  explicit Client(Process& process);  // checks that it may open the device
  explicit Client(File* file) : file_(file) {}
  ~Client() { close_handle(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  File& file() { return *file_; }
  bool is_open() const { return file_ != nullptr; }
  void close_handle();           // cleanup and close, as Windows does
  void close_without_cleanup();  // as Wine does
  void cleanup_only() { cleanup(*file_); }

  u32 raw(u32 code, const void* input, u32 input_size, void* output, u32 capacity, u32* returned);

  template <typename Request>
  u32 send(u32 code, Request request) {
    request.header = {sizeof request, WPERF_WIRE_VERSION};
    u32 returned = 0;
    return raw(code, &request, sizeof request, nullptr, 0, &returned);
  }
  // Checks that the answer is complete.
  template <typename Request, typename Reply>
  u32 ask(u32 code, Request request, Reply& reply) {
    request.header = {sizeof request, WPERF_WIRE_VERSION};
    u32 returned = 0;
    const u32 status = raw(code, &request, sizeof request, &reply, sizeof reply, &returned);
    check_answer(status, returned, sizeof reply, reply.header);
    return status;
  }

  u32 plain(u32 code) { return send(code, WperfPlainRequest{}); }
  u32 lock(u32 action);
  u32 version(WperfVersionReply& reply) { return ask(WPERF_CODE_VERSION, WperfPlainRequest{}, reply); }
  u32 hardware(WperfHardwareReply& reply) { return ask(WPERF_CODE_HARDWARE, WperfPlainRequest{}, reply); }
  u32 core(u32 core, WperfCoreReply& reply);
  u32 read(u32 core, WperfCountReply& reply);
  u32 drain(u32 core, WperfDrainReply& reply);
  u32 drain(u32 core, WperfStackDrainReply& reply);

 private:
  static void check_answer(u32 status, u32 returned, u32 size, const WperfHeader& header);

  File* file_;
};

// Requests with ungrouped events on the cores of `core_mask`.
WperfCountRequest count_request(u64 core_mask, const u16* events, u32 count);
WperfSampleRequest sample_request(u64 core_mask, u16 event, u32 interval);

}  // namespace wperf::nthost
