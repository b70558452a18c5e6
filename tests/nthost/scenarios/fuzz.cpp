// SPDX-License-Identifier: BSD-3-Clause
// A million random and damaged requests from several clients, while programs run and are sampled. The host detects
// crashes, wrong IRQLs, writes beyond the end of memory and other faults, but not wrong answers. Words of the command
// line: requests=N, seed=N.
#include "tests/nthost/check.h"
#include "tests/nthost/machine/bare_machine.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/scenarios/client.h"
#include "tests/nthost/scenarios/measured_program.h"
#include "tests/nthost/scenarios/random_request.h"

inline void* operator new(decltype(sizeof 0), void* place) noexcept {
  return place;
}

namespace wperf::nthost {
namespace {

constexpr u64 kRequests = 1'000'000, kSeed = 20'260'101;
constexpr u32 kClients = 3;
constexpr u32 kOpenCloseEvery = 1'000, kSettleEvery = 20'000, kSleepEvery = 20;
constexpr u64 kSleepNs = 50'000;

RandomRequest request;
alignas(8) u8 answer[70'000];
alignas(8) u8 second_answer[70'000];

// Returns true if a whole word of poison remains, so that these bytes were not written. The poison is never 0 or 0xff,
// because answers contain many bytes with these values.
bool shows_poison(const u8* bytes, u32 size, u8 poison) {
  const u32* words = reinterpret_cast<const u32*>(bytes);
  const u32 unwritten = poison * 0x0101'0101u;
  for (u32 i = 0; i < size / sizeof(u32); ++i) {
    if (words[i] == unwritten) {
      return true;
    }
  }
  return false;
}

bool answers_alike_when_asked_twice(u32 code) {
  return code == WPERF_CODE_VERSION || code == WPERF_CODE_HARDWARE || code == WPERF_CODE_CORE;
}

// Clears the time in an answer, because it differs from call to call.
void forget_moment(u32 code, u8* reply) {
  if (code != WPERF_CODE_HARDWARE) return;
  auto& hardware = *reinterpret_cast<WperfHardwareReply*>(reply);
  hardware.timer_ticks = hardware.timer_time_ns = 0;
}

struct Totals {
  u64 granted, refused, bytes;
};

class Fuzzer {
 public:
  explicit Fuzzer(u64 seed) : random_(seed) {
    for (Client*& client : clients_) {
      client = nullptr;
    }
  }

  bool one_request() {
    make_random_request(random_, cpu_count(), request);
    // The first client holds the driver most of the time.
    Client& client = *clients_[random_.one_in(256) ? random_.below(kClients) : 0];
    const u8 poison = static_cast<u8>(0x81 + random_.below(0x7d));
    set_buffer_poison(poison);
    u32 returned = 0;
    const u32 status = client.raw(request.code, request.input, request.input_size, answer, request.capacity, &returned);
    if (status != WPERF_OK) {
      ++totals_.refused;
      return CHECK_EQUAL(returned, 0) && CHECK(status <= WPERF_NO_INTERRUPT);
    }
    ++totals_.granted;
    totals_.bytes += returned;
    bool good = CHECK_EQUAL(returned, request.answer);
    good = CHECK(!shows_poison(answer, returned, poison)) && good;
    if (good && answers_alike_when_asked_twice(request.code)) {
      set_buffer_poison(static_cast<u8>(~poison));
      good = CHECK_EQUAL(
          client.raw(request.code, request.input, request.input_size, second_answer, request.capacity, &returned),
          WPERF_OK);
      forget_moment(request.code, answer);
      forget_moment(request.code, second_answer);
      good = good && CHECK_EQUAL(__builtin_memcmp(answer, second_answer, request.answer), 0);
    }
    return good;
  }

  Random& random() { return random_; }
  const Totals& totals() const { return totals_; }
  Client*& client(u32 index) { return clients_[index]; }

 private:
  Random random_;
  Client* clients_[kClients];
  Totals totals_ = {};
};

// Storage for clients that come and go, because the host has no heap for scenarios.
template <typename T>
struct Slot {
  alignas(T) u8 bytes[sizeof(T)];
};
Slot<Client> client_slots[kClients];

void open_client(Fuzzer& fuzzer, u32 index, Process& process) {
  fuzzer.client(index) = new (client_slots[index].bytes) Client(process);
}

void close_client(Fuzzer& fuzzer, u32 index) {
  Client* client = fuzzer.client(index);
  if (fuzzer.random().one_in(2)) {
    client->close_without_cleanup();
  }
  client->~Client();
  fuzzer.client(index) = nullptr;
}

// With `sleeps`, programs also run on this core, and started work continues for a while.
void run_requests(Fuzzer& fuzzer, Program* programs, u64 requests, bool sleeps) {
  for (u32 i = 0; i < kClients; ++i) {
    open_client(fuzzer, i, programs[i].process());
  }
  u64 memory_at_rest = ~u64{0};
  for (u64 done = 0; done < requests; ++done) {
    if (!fuzzer.one_request()) {
      note("request {} of the sequence, code {x}, {} bytes in, {} bytes of room", done, request.code,
           request.input_size, request.capacity);
      break;
    }
    if (sleeps && done % kSleepEvery == 0) sleep_ns(kSleepNs);
    if (done % kOpenCloseEvery == 0) {
      const u32 index = fuzzer.random().below(kClients);
      close_client(fuzzer, index);
      open_client(fuzzer, index, programs[index].process());
    }
    if (done % kSettleEvery == 0) {
      CHECK_EQUAL(fuzzer.client(0)->lock(WPERF_LOCK_FORCE), WPERF_OK);
      CHECK_EQUAL(fuzzer.client(0)->lock(WPERF_LOCK_RELEASE), WPERF_OK);
      memory_at_rest = memory_at_rest == ~u64{0} ? pool_bytes_in_use() : memory_at_rest;
      CHECK_EQUAL(counters_held_by_driver(), 0);
      CHECK(pool_bytes_in_use() <= memory_at_rest);
    }
  }
  for (u32 i = 0; i < kClients; ++i) {
    close_client(fuzzer, i);
  }
}

}  // namespace

SCENARIO(a_million_random_requests, kNeedsSpeed | kOnlyByName) {
  if (!CHECK_EQUAL(load(), 0)) return;
  const u64 begin = time_ns();
  const u32 calls = apcs_run();
  const u64 requests = number_of("requests", kRequests);
  Fuzzer fuzzer(number_of("seed", kSeed));
  {
    Program programs[kClients] = {{100, kAdministrator}, {104, kPerformanceLogUser}, {108, kAdministrator}};
    MeasuredProgram measured(2000, kStranger, 0x7ff6'1234'0000);
    // The first part runs mostly on this core, which is fast. The second part runs on several cores, with a program
    // that is interrupted.
    place_driver_threads_on(0);
    run_requests(fuzzer, programs, requests - requests / 20, false);
    place_driver_threads_on(cpu_count() - 1);
    note("{} ms", (time_ns() - begin) / 1'000'000);
    Workload* works[] = {measured.start_deep_work(0, 20), measured.start_deep_work(cpu_count() - 1, 200)};
    if (!scenario_failed()) {
      run_requests(fuzzer, programs, requests / 20, true);
    }
    for (Workload* work : works) stop(work);
  }
  CHECK_EQUAL(unload(), 0);
  const Totals& totals = fuzzer.totals();
  note("{} requests granted, {} refused, {} bytes answered", totals.granted, totals.refused, totals.bytes);
  note("{} ms, {} stacks of programs", (time_ns() - begin) / 1'000'000, apcs_run() - calls);
  CHECK(apcs_run() != calls);
  CHECK(totals.granted > requests / 10);
  CHECK(totals.refused > requests / 10);
}

}  // namespace wperf::nthost
