// SPDX-License-Identifier: BSD-3-Clause
// Rights: which users may open the driver, and what they may see and set.
#include "tests/nthost/check.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/scenarios/client.h"
#include "tests/nthost/scenarios/measured_program.h"
#include "tests/nthost/scenarios/stack_samples.h"

namespace wperf::nthost {
namespace {

constexpr u32 kAccessDenied = 0xC000'0022;
constexpr u16 kCycles = 0x11;
constexpr u32 kTool = 100;
constexpr Person kSomebodyElse = {1009, false, false, false};

WperfDrainReply reply;
WperfHardwareReply hardware_reply;

void check_opening(const Person& person, u32 expected) {
  Program program(kTool, person);
  const Opened opened = open(program.process());
  CHECK_EQUAL(opened.status, expected);
  if (opened.file != nullptr) {
    cleanup_and_close(opened.file);
  }
}

// Takes samples of two programs, one of the client's user and one of another user, and drains the samples that `person`
// may see.
struct Seen {
  u32 own, foreign;
  u64 hidden, taken;
};
Seen sample_as(const Person& person, const Person& other = kSomebodyElse) {
  Seen seen = {};
  Program tool(kTool, person);
  Client client(tool.process());
  MeasuredProgram own(2000, person, 0x40'0000);
  MeasuredProgram foreign(2004, other, 0x80'0000);
  CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
  CHECK_EQUAL(client.send(WPERF_CODE_SAMPLE_CONFIGURE, sample_request(2, kCycles, 50'000)), WPERF_OK);
  CHECK_EQUAL(client.plain(WPERF_CODE_SAMPLE_START), WPERF_OK);
  own.run_known_work(1, 500'000);
  foreign.run_known_work(1, 500'000);
  CHECK_EQUAL(client.plain(WPERF_CODE_SAMPLE_STOP), WPERF_OK);
  CHECK_EQUAL(client.drain(1, reply), WPERF_OK);
  for (u32 i = 0; i < reply.count; ++i) {
    const WperfSample& sample = reply.samples[i];
    seen.own += sample.process == own.id() ? 1 : 0;
    seen.foreign += sample.process == foreign.id() ? 1 : 0;
  }
  CHECK_EQUAL(seen.own + seen.foreign, reply.count);
  seen.hidden = reply.lost_filtered;
  seen.taken = reply.taken;
  return seen;
}

}  // namespace

SCENARIO(strangers_do_not_get_in, kNeedsNothing) {
  const Start starts[] = {Start::service, Start::pnp};
  for (const Start start : starts) {
    if (!CHECK_EQUAL(load(start), 0)) return;
    check_opening(kStranger, kAccessDenied);
    check_opening(kPerformanceLogUser, 0);
    check_opening(kAdministrator, 0);
    check_opening(kSystem, 0);
    CHECK_EQUAL(unload(), 0);
  }
}

SCENARIO(rights_of_whom_the_kernel_opens_for, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  Program stranger(kTool, kStranger);
  const Opened forced = open(stranger.process(), Opener::kernel_for_program);
  CHECK_EQUAL(forced.status, kAccessDenied);
  const Opened trusted = open(stranger.process(), Opener::kernel);
  CHECK_EQUAL(trusted.status, 0);
  if (forced.file != nullptr) cleanup_and_close(forced.file);
  if (trusted.file != nullptr) cleanup_and_close(trusted.file);
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(set_up_is_for_administrators, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  {
    Program program(kTool, kPerformanceLogUser);
    Client client(program.process());
    CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    WperfDmcSetupRequest dmc = {};
    dmc.channel_count = 1;
    dmc.channels[0] = {0x9000'0000'0000, 0x1'0000};
    CHECK_EQUAL(client.send(WPERF_CODE_DMC_SETUP, dmc), WPERF_ACCESS_DENIED);
    CHECK_EQUAL(client.send(WPERF_CODE_DSU_SETUP, WperfDsuSetupRequest{}), WPERF_ACCESS_DENIED);
    CHECK_EQUAL(client.send(WPERF_CODE_SPE_CONFIGURE, WperfSpeRequest{}), WPERF_ACCESS_DENIED);
    CHECK_EQUAL(client.plain(WPERF_CODE_SPE_START), WPERF_ACCESS_DENIED);
    CHECK_EQUAL(client.hardware(hardware_reply), WPERF_OK);
  }
  CHECK_EQUAL(unload(), 0);
}

SCENARIO(samples_of_other_users_are_hidden, kNeedsIcount | kNeedsUntrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  const u64 expected = user_instructions(500'000) * 2 / 50'000;
  const Seen plain = sample_as(kPerformanceLogUser);
  CHECK_WITHIN(plain.own, expected, expected + 1);
  CHECK_EQUAL(plain.foreign, 0);
  CHECK_WITHIN(plain.hidden, expected, expected + 1);
  CHECK_EQUAL(plain.taken, plain.own + plain.hidden);
  const Seen administrator = sample_as(kAdministrator);
  CHECK_WITHIN(administrator.own, expected, expected + 1);
  CHECK_WITHIN(administrator.foreign, expected, expected + 1);
  CHECK_EQUAL(administrator.hidden, 0);
  CHECK_EQUAL(unload(), 0);
}

// A process with the client's SID is still hidden if it has a higher integrity level than the client, or is another
// service of a shared account.
SCENARIO(samples_of_processes_above_the_client_are_hidden, kNeedsIcount | kNeedsUntrapped) {
  if (!CHECK_EQUAL(load(), 0)) return;
  constexpr Person kUnelevated = {1002, false, true, false, kMediumIntegrity};
  constexpr Person kLow = {1002, false, true, false, kLowIntegrity};
  constexpr Person kElevated = {1002, true, true, false, kHighIntegrity};
  constexpr Person kSignedInAgain = {1002, false, true, false, kMediumIntegrity, 0, 2};
  constexpr Person kLocal1 = {0, false, true, false, kSystemIntegrity, 19, 1};
  constexpr Person kLocal2 = {0, false, true, false, kSystemIntegrity, 19, 2};
  constexpr Person kNetwork1 = {0, false, true, false, kSystemIntegrity, 20, 1};
  constexpr Person kNetwork2 = {0, false, true, false, kSystemIntegrity, 20, 2};
  const struct {
    Person client, other;
    bool seen;
  } cases[] = {
      {kUnelevated, kUnelevated, true}, {kUnelevated, kElevated, false}, {kUnelevated, kLow, true},
      {kLow, kUnelevated, false},       {kElevated, kUnelevated, true},  {kUnelevated, kSignedInAgain, true},
      {kLocal1, kLocal1, true},         {kLocal1, kLocal2, false},       {kNetwork1, kNetwork1, true},
      {kNetwork1, kNetwork2, false},    {kLocal1, kNetwork1, false},
  };
  const u64 expected = user_instructions(500'000) * 2 / 50'000;
  for (const auto& it : cases) {
    const Seen seen = sample_as(it.client, it.other);
    CHECK_WITHIN(seen.own, expected, expected + 1);
    CHECK_WITHIN(seen.foreign, it.seen ? expected : 0, it.seen ? expected + 1 : 0);
    CHECK_EQUAL(seen.taken, seen.own + seen.foreign + seen.hidden);
  }
  CHECK_EQUAL(unload(), 0);
}

// A process of another user ends, and before the samples are drained a process of the client's user gets its number.
SCENARIO(samples_stay_with_their_process_when_its_number_is_used_again, kNeedsNothing) {
  if (!CHECK_EQUAL(load(), 0)) return;
  const Person people[] = {kPerformanceLogUser, kAdministrator};
  for (const Person& person : people) {
    constexpr u32 kNumber = 2000;
    Program tool(kTool, person);
    Client client(tool.process());
    CHECK_EQUAL(client.lock(WPERF_LOCK_ACQUIRE), WPERF_OK);
    CHECK_EQUAL(client.send(WPERF_CODE_SAMPLE_CONFIGURE, sample_request(2, kCycles, 50'000)), WPERF_OK);
    CHECK_EQUAL(client.plain(WPERF_CODE_SAMPLE_START), WPERF_OK);
    {
      MeasuredProgram ended(kNumber, kSomebodyElse, 0x80'0000);
      Workload* work = ended.start_endless_work(1, 1'000);
      wait_for_interrupts(1, 10);
      stop(work);
    }
    u32 own = 0, foreign = 0;
    const auto look = [&] {
      CHECK_EQUAL(client.drain(1, reply), WPERF_OK);
      for (u32 i = 0; i < reply.count; ++i) {
        const WperfSample& sample = reply.samples[i];
        foreign += sample.pc >= 0x80'0000 && sample.pc < 0x90'0000 ? 1 : 0;
        own += sample.pc >= 0x40'0000 && sample.pc < 0x50'0000 ? 1 : 0;
      }
    };
    {
      MeasuredProgram again(kNumber, person, 0x40'0000);
      Workload* work = again.start_endless_work(1, 1'000);
      wait_for_interrupts(1, 10);
      look();
      stop(work);
    }
    CHECK(own > 5);
    CHECK((foreign != 0) == person.administrator);
    CHECK((reply.lost_filtered > 5) == !person.administrator);
    CHECK_EQUAL(client.plain(WPERF_CODE_SAMPLE_STOP), WPERF_OK);
  }
  CHECK_EQUAL(unload(), 0);
}

// Without -icount the times differ, but the rule is the same.
SCENARIO(samples_of_other_users_are_hidden_in_real_time, kNeedsSpeed) {
  if (!CHECK_EQUAL(load(), 0)) return;
  const Seen plain = sample_as(kPerformanceLogUser);
  CHECK_EQUAL(plain.foreign, 0);
  CHECK_EQUAL(plain.taken, plain.own + plain.hidden);
  CHECK_EQUAL(unload(), 0);
}

}  // namespace wperf::nthost
