// SPDX-License-Identifier: BSD-3-Clause
// The overflow interrupt's handler: registered with the HAL, and removed or kept.
#include "tests/nthost/check.h"
#include "tests/nthost/scenarios/client.h"

namespace wperf::nthost {
namespace {

constexpr u16 kCycles = 0x11;
constexpr u32 kTool = 100;

u32 start_sampling(Client& client) {
  CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  const u32 status = client.send(WPERF_CODE_SAMPLE_CONFIGURE, sample_request(1, kCycles, 4'000));
  return status == WPERF_OK ? client.plain(WPERF_CODE_SAMPLE_START) : status;
}

u32 interrupt_state(Client& client) {
  WperfInterruptReply reply = {};
  CHECK_EQUAL(client.ask(WPERF_CODE_INTERRUPT, WperfPlainRequest{}, reply), WPERF_OK);
  return reply.state;
}

}  // namespace

SCENARIO(interrupt_is_taken_only_to_sample, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  CHECK(!interrupt_handler_is_drivers());
  {
    Program tool(kTool, kAdministrator);
    Client client(tool.process());
    // This request does not register the handler either.
    CHECK_EQUAL(interrupt_state(client), WPERF_INTERRUPT_NOT_ASKED);
    CHECK(!interrupt_handler_is_drivers());
    CHECK_EQUAL(start_sampling(client), WPERF_OK);
    CHECK(interrupt_handler_is_drivers());
    CHECK_EQUAL(interrupt_state(client), WPERF_INTERRUPT_HELD);
  }
  CHECK_EQUAL(unload(), 0);
  CHECK(!interrupt_handler_is_drivers());
  CHECK(!stays_in_memory());
}

SCENARIO(refused_sampling_takes_no_interrupt, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Program tool(kTool, kPerformanceLogUser);
    Client client(tool.process());
    CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    CHECK_EQUAL(client.plain(WPERF_CODE_SAMPLE_START), WPERF_WRONG_STATE);
    CHECK_EQUAL(client.plain(WPERF_CODE_SAMPLE_CONFIGURE), WPERF_BAD_SIZE);
    WperfSampleRequest request = sample_request(1, kCycles, 4'000);
    request.flags = WPERF_SAMPLE_KERNEL;
    CHECK_EQUAL(client.send(WPERF_CODE_SAMPLE_CONFIGURE, request), WPERF_ACCESS_DENIED);
    request.flags = 0;
    CHECK_EQUAL(client.send(WPERF_CODE_SAMPLE_CONFIGURE, request), WPERF_OK);
    CHECK_EQUAL(interrupt_state(client), WPERF_INTERRUPT_NOT_ASKED);
    CHECK(!interrupt_handler_is_drivers());
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(without_the_interrupt_sampling_is_refused, kNeedsNothing) {
  offer_interrupt_handler(false);
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Program tool(kTool, kAdministrator);
    Client client(tool.process());
    CHECK_EQUAL(start_sampling(client), WPERF_NO_INTERRUPT);
    CHECK_EQUAL(interrupt_state(client), WPERF_INTERRUPT_REFUSED);
    WperfVersionReply version = {};
    CHECK_EQUAL(client.version(version), WPERF_OK);
  }
  CHECK_EQUAL(unload(), 0);
  CHECK(!stays_in_memory());
}

SCENARIO(code_stays_when_the_interrupt_cannot_be_given_back, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Program tool(kTool, kAdministrator);
    Client client(tool.process());
    CHECK_EQUAL(start_sampling(client), WPERF_OK);
  }
  offer_interrupt_handler(false);
  CHECK_EQUAL(unload(), 0);
  CHECK(stays_in_memory());
}

SCENARIO(interrupt_that_is_not_given_again_is_told, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Program tool(kTool, kAdministrator);
    Client client(tool.process());
    CHECK_EQUAL(start_sampling(client), WPERF_OK);
  }
  offer_interrupt_handler(false);
  CHECK_EQUAL(unload(), 0);
  if (!CHECK_EQUAL(load(), 0)) return;  // updated
  {
    Program tool(kTool, kAdministrator);
    Client client(tool.process());
    CHECK_EQUAL(interrupt_state(client), WPERF_INTERRUPT_MAYBE_NOT_AGAIN);
    CHECK_EQUAL(start_sampling(client), WPERF_NO_INTERRUPT);
    CHECK_EQUAL(interrupt_state(client), WPERF_INTERRUPT_NOT_GIVEN_AGAIN);
    offer_interrupt_handler(true);
    CHECK_EQUAL(client.plain(WPERF_CODE_SAMPLE_START), WPERF_OK);
    CHECK_EQUAL(interrupt_state(client), WPERF_INTERRUPT_HELD);
  }
  CHECK_EQUAL(unload(), 0);
}

}  // namespace wperf::nthost
