// SPDX-License-Identifier: BSD-3-Clause
// The whole driver without its shell. One Core is one driver: the shell creates it, passes it every request of every
// client, calls its timer and reports the clients that have left (driver/README.md lists the shell's duties). A Core
// has no globals, and allocates memory only when a session is configured. A client may count and profile with the SPE
// at the same time. Sampling by overflow excludes both: configuring it discards them, and configuring one of them
// discards it.
//
// The shell serialises dispatch(), client_gone() and shutdown(); on_timer() and the interrupts may run concurrently
// with any of them.
#pragma once
#include "abi/status.h"
#include "abi/wire.h"
#include "base/ints.h"
#include "driver/core/count_session.h"
#include "driver/core/dmc_channels.h"
#include "driver/core/hardware_facts.h"
#include "driver/core/lock.h"
#include "driver/core/sample_session.h"
#include "driver/core/shared_timer.h"
#include "driver/core/spe_session.h"
#include "driver/hal.h"

namespace wperf::driver {

struct Rights {
  bool administrator = false;
};

// The answer to a VERSION request. The texts must outlive the Core; a text that is too long for its field is cut.
struct CoreConfig {
  u32 major = 0, minor = 0, patch = 0;
  const char* git = "";
  const char* features = "";
};

class Core {
 public:
  // The Core reads `lock` again in every call, so other processes may change it between calls.
  Core(Hal& hal, LockState& lock, const CoreConfig& config);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // Handles one request. `buffer` holds the request of `input_size` bytes and receives the answer of at most `capacity`
  // bytes: the shell guarantees that the buffer has room for the longer of the two. `*returned` is set to the length of
  // the answer; a refused request does not write into the buffer.
  [[nodiscard]] WperfStatus dispatch(ClientId client, Rights rights, u32 code, void* buffer, u32 input_size,
                                     u32 capacity, u32* returned);

  void on_timer();
  // Called from the overflow interrupt of `core`, on that core, even if the overflow may belong to another user. Takes
  // no lock. Calls only the hal's registers, synchronize, time_ns and ask_for_user_walk. Returns the counters of this
  // core that this driver samples with (0 if it does not sample); their interrupt has been handled.
  u64 on_overflow(u32 core, const InterruptedContext& interrupted) { return sampling_.on_overflow(core, interrupted); }
  // The two answers to Hal::ask_for_user_walk: the stack, or that there is no stack.
  void on_user_walk(u32 ticket, const WalkedStack& stack) { sampling_.on_user_walk(ticket, stack); }
  void on_user_walk_lost(u32 ticket) { sampling_.on_user_walk_lost(ticket); }
  // Called from the interrupt of `core`'s profiling buffer (PMBIRQ), on that core, even if it belongs to another user.
  // Takes no lock. Calls only the hal's registers, synchronize, drain_profiling and time_ns. Returns true if the
  // interrupt belonged to this driver and has been handled. A shell without that interrupt never calls this function;
  // then the timer and drain do its work.
  bool on_profiling_interrupt(u32 core) { return profiling_.on_interrupt(core); }
  void client_gone(ClientId client);
  // Ends counting, sampling and profiling before the machine sleeps, as if the client had ended them. The results so
  // far can still be read.
  void end_measurement();
  void shutdown();  // returns all resources; the last call

 private:
  struct DispatchTable;  // the dispatch table: dispatch.cpp
  struct Caller {
    ClientId client;
    Rights rights;
  };
  struct NoReply {};

  WperfStatus version(Caller caller, const WperfPlainRequest& request, WperfVersionReply& reply);
  WperfStatus lock(Caller caller, const WperfLockRequest& request, NoReply& reply);
  WperfStatus interrupt(Caller caller, const WperfPlainRequest& request, WperfInterruptReply& reply);
  WperfStatus hardware(Caller caller, const WperfPlainRequest& request, WperfHardwareReply& reply);
  WperfStatus core(Caller caller, const WperfCoreRequest& request, WperfCoreReply& reply);
  WperfStatus dmc_setup(Caller caller, const WperfDmcSetupRequest& request, NoReply& reply);
  WperfStatus dsu_setup(Caller caller, const WperfDsuSetupRequest& request, NoReply& reply);
  WperfStatus count_configure(Caller caller, const WperfCountRequest& request, NoReply& reply);
  WperfStatus count_start(Caller caller, const WperfPlainRequest& request, NoReply& reply);
  WperfStatus count_stop(Caller caller, const WperfPlainRequest& request, NoReply& reply);
  WperfStatus count_read(Caller caller, const WperfCountReadRequest& request, WperfCountReply& reply);
  WperfStatus sample_configure(Caller caller, const WperfSampleRequest& request, NoReply& reply);
  WperfStatus sample_start(Caller caller, const WperfPlainRequest& request, NoReply& reply);
  WperfStatus sample_stop(Caller caller, const WperfPlainRequest& request, NoReply& reply);
  WperfStatus sample_drain(Caller caller, const WperfDrainRequest& request, WperfDrainReply& reply);
  WperfStatus sample_stack_drain(Caller caller, const WperfDrainRequest& request, WperfStackDrainReply& reply);
  WperfStatus spe_configure(Caller caller, const WperfSpeRequest& request, NoReply& reply);
  WperfStatus spe_start(Caller caller, const WperfPlainRequest& request, NoReply& reply);
  WperfStatus spe_stop(Caller caller, const WperfPlainRequest& request, NoReply& reply);
  WperfStatus spe_drain(Caller caller, const WperfDrainRequest& request, WperfSpeDrainReply& reply);
  WperfStatus spe_core(Caller caller, const WperfCoreRequest& request, WperfSpeCoreReply& reply);

  bool running() const { return counting_.counting() || sampling_.sampling() || profiling_.profiling(); }
  [[nodiscard]] WperfStatus occupy(ClientId client);
  [[nodiscard]] WperfStatus occupy_idle(ClientId client);  // only while no measurement runs
  [[nodiscard]] WperfStatus check_core(ClientId client, const WperfCoreRequest& request);
  void release_units();
  void release_if_lock_moved();

  Hal& hal_;
  LockState& lock_;
  const CoreConfig config_;
  ClientId owner_ = 0;     // the client that counters are reserved for and that owns the sessions; 0 without a client
  ClusterSetup clusters_;  // this member, machine_ and channels_ belong to the owner and end with its tenure
  HardwareFacts machine_;
  DmcChannels channels_;
  SharedTimer timer_;
  CountSession counting_;
  SampleSession sampling_;  // configured only while neither counting_ nor profiling_ is
  SpeSession profiling_;
  // Requests and answers share the client's buffer, so both are built here and never in place.
  alignas(8) u8 request_[sizeof(WperfCountRequest)] = {};
  alignas(8) u8 reply_[sizeof(WperfSpeDrainReply)] = {};
};

}  // namespace wperf::driver
