// SPDX-License-Identifier: BSD-3-Clause
// The work of each request that the dispatcher has accepted.
#include "driver/core/core.h"

#include "base/raw_bytes.h"
#include "driver/core/dmc620_registers.h"
#include "driver/core/pmu_registers.h"
#include "driver/core/spe_request.h"

namespace wperf::driver {

Core::Core(Hal& hal, LockState& lock, const CoreConfig& config)
    : hal_(hal),
      lock_(lock),
      config_(config),
      timer_(hal),
      counting_(hal, channels_, timer_),
      sampling_(hal),
      profiling_(hal, timer_) {}

void Core::on_timer() {
  const SharedTimer::Due due = timer_.tick();
  if (due.counting) {
    counting_.tick();
  }
  if (due.profiling) {
    profiling_.tick();
  }
}

void Core::client_gone(ClientId client) {
  if (client != 0) {
    forget_client(lock_, client);
  }
  release_if_lock_moved();
}

void Core::end_measurement() {
  static_cast<void>(counting_.stop());  // a session that does not run returns a wrong state, which does not matter here
  static_cast<void>(sampling_.stop());
  static_cast<void>(profiling_.stop());
}

void Core::shutdown() {
  release_units();
  profiling_.discard();  // memory that an unreachable core kept from an earlier owner
}

// The first request that needs the machine reserves it; the owner keeps the machine until the lock changes hands.
WperfStatus Core::occupy(ClientId client) {
  if (owner_ == client) {
    return WPERF_OK;
  }
  u32 mask = 0;
  if (const WperfStatus status = hal_.reserve_counters(&mask); status != WPERF_OK) {
    return status;
  }
  if (const WperfStatus status = read_hardware(hal_, mask, clusters_, machine_); status != WPERF_OK) {
    hal_.release_counters();
    return status;
  }
  owner_ = client;
  return WPERF_OK;
}

WperfStatus Core::occupy_idle(ClientId client) {
  if (running()) {
    return WPERF_WRONG_STATE;
  }
  return occupy(client);
}

// An administrator's settings for memory and clusters are dropped, too, because memory and cluster counts reveal the
// work of all users, and the settings may not fit the machine later.
void Core::release_units() {
  if (owner_ == 0) {
    return;
  }
  counting_.discard();
  sampling_.discard();
  profiling_.discard();
  channels_.unmap(hal_);
  clusters_ = {};
  hal_.release_counters();
  owner_ = 0;
}

void Core::release_if_lock_moved() {
  if (lock_.holder != owner_) {
    release_units();
  }
}

WperfStatus Core::version(Caller, const WperfPlainRequest&, WperfVersionReply& reply) {
  reply.major = config_.major;
  reply.minor = config_.minor;
  reply.patch = config_.patch;
  reply.wire_version = WPERF_WIRE_VERSION;
  TextField(reply.git).add(config_.git);
  TextField(reply.features).add(config_.features);
  return WPERF_OK;
}

WperfStatus Core::lock(Caller caller, const WperfLockRequest& request, NoReply&) {
  if (request.reserved != 0) {
    return WPERF_BAD_ARGUMENT;
  }
  const WperfStatus status = change_lock(lock_, caller.client, request.action);
  release_if_lock_moved();
  return status;
}

WperfStatus Core::interrupt(Caller, const WperfPlainRequest&, WperfInterruptReply& reply) {
  reply.state = hal_.interrupt_state();
  return WPERF_OK;
}

WperfStatus Core::hardware(Caller caller, const WperfPlainRequest&, WperfHardwareReply& reply) {
  if (const WperfStatus status = occupy(caller.client); status != WPERF_OK) {
    return status;
  }
  TimerMoment timer;
  if (const WperfStatus status = read_timer(hal_, timer); status != WPERF_OK) {
    return status;
  }
  reply.midr = machine_.first_core.midr;
  reply.id_aa64dfr0 = machine_.first_core.id_aa64dfr0;
  reply.timer_ticks = timer.ticks;
  reply.timer_time_ns = timer.time_ns;
  reply.timer_hz = timer.hz;
  reply.core_count = machine_.core_count;
  reply.counters_total = machine_.counters_total;
  reply.counters_free = machine_.counters_free();
  reply.cycle_counters = machine_.every_core_counts ? 1 : 0;
  reply.cluster_count = machine_.cluster_count;
  reply.cluster_size = machine_.cluster_size;
  reply.dsu_counters = machine_.dsu_counters;
  reply.dmc_channels = channels_.count();
  reply.dmc_clk_counters = channels_.count() != 0 ? dmc620::kClkCounters : 0;
  reply.dmc_clkdiv2_counters = channels_.count() != 0 ? dmc620::kClkdiv2Counters : 0;
  reply.period_min_ms = kPeriodMinMs;
  reply.period_max_ms = kPeriodMaxMs;
  reply.period_default_ms = kPeriodDefaultMs;
  copy_bytes(reply.counter_map, machine_.counter_map, sizeof reply.counter_map);
  TextField device_id(reply.device_id);
  device_id.add("core.stat=core;core.sample=core");
  if (machine_.cluster_count != 0) {
    device_id.add(";dsu.stat=dsu");
  }
  if (channels_.count() != 0) {
    device_id.add(";dmc.stat=dmc_clk,dmc_clkdiv2");
  }
  return WPERF_OK;
}

WperfStatus Core::check_core(ClientId client, const WperfCoreRequest& request) {
  if (const WperfStatus status = occupy(client); status != WPERF_OK) {
    return status;
  }
  return request.core >= machine_.core_count || request.reserved != 0 ? WPERF_BAD_ARGUMENT : WPERF_OK;
}

WperfStatus Core::core(Caller caller, const WperfCoreRequest& request, WperfCoreReply& reply) {
  CoreIdentity identity;
  if (const WperfStatus status = check_core(caller.client, request); status != WPERF_OK) {
    return status;
  }
  if (const WperfStatus status = read_core_identity(hal_, request.core, identity); status != WPERF_OK) {
    return status;
  }
  reply.midr = identity.midr;
  reply.id_aa64dfr0 = identity.id_aa64dfr0;
  reply.pmceid0 = identity.pmceid0;
  reply.pmceid1 = identity.pmceid1;
  reply.counters_total = identity.counters;
  reply.counters_free = machine_.counters_free();
  reply.cluster = machine_.cluster_of(request.core);
  return WPERF_OK;
}

WperfStatus Core::dmc_setup(Caller caller, const WperfDmcSetupRequest& request, NoReply&) {
  if (const WperfStatus status = occupy_idle(caller.client); status != WPERF_OK) {
    return status;
  }
  if (const WperfStatus status = channels_.set_up(hal_, request); status != WPERF_OK) {
    return status;
  }
  counting_.discard();  // the counters that it was configured for may belong to others now
  return WPERF_OK;
}

WperfStatus Core::dsu_setup(Caller caller, const WperfDsuSetupRequest& request, NoReply&) {
  if (const WperfStatus status = occupy_idle(caller.client); status != WPERF_OK) {
    return status;
  }
  if (const WperfStatus status = check_dsu_request(hal_, request, machine_.core_count); status != WPERF_OK) {
    return status;
  }
  const ClusterSetup setup = {true, request.cluster_count, request.cluster_size};
  HardwareFacts machine;
  if (const WperfStatus status = read_hardware(hal_, machine_.free_mask, setup, machine); status != WPERF_OK) {
    return status;
  }
  clusters_ = setup;
  machine_ = machine;
  counting_.discard();  // the counters that it was configured for may belong to others now
  return WPERF_OK;
}

WperfStatus Core::count_configure(Caller caller, const WperfCountRequest& request, NoReply&) {
  if (const WperfStatus status = occupy_idle(caller.client); status != WPERF_OK) {
    return status;
  }
  const bool administrator = caller.rights.administrator;
  if (const WperfStatus status = check_count_request(request, machine_, channels_.count(), administrator);
      status != WPERF_OK) {
    return status;
  }
  if (const WperfStatus status = sampling_.settle(); status != WPERF_OK) {
    return status;
  }
  if (const WperfStatus status = counting_.configure(request, machine_); status != WPERF_OK) {
    return status;
  }
  sampling_.discard();
  return WPERF_OK;
}

WperfStatus Core::count_start(Caller, const WperfPlainRequest&, NoReply&) {
  return counting_.start();
}

WperfStatus Core::count_stop(Caller, const WperfPlainRequest&, NoReply&) {
  return counting_.stop();
}

WperfStatus Core::count_read(Caller, const WperfCountReadRequest& request, WperfCountReply& reply) {
  return counting_.read(request, reply);
}

WperfStatus Core::sample_configure(Caller caller, const WperfSampleRequest& request, NoReply&) {
  if (const WperfStatus status = occupy_idle(caller.client); status != WPERF_OK) {
    return status;
  }
  if (const WperfStatus status = check_sample_request(request, machine_, caller.rights.administrator);
      status != WPERF_OK) {
    return status;
  }
  if (const WperfStatus status = counting_.settle(); status != WPERF_OK) {
    return status;
  }
  if (const WperfStatus status = profiling_.settle(); status != WPERF_OK) {
    return status;
  }
  profiling_.discard();  // first, so that its memory and the rings never exist at once
  if (const WperfStatus status = sampling_.configure(request, machine_); status != WPERF_OK) {
    return status;
  }
  counting_.discard();
  return WPERF_OK;
}

WperfStatus Core::sample_start(Caller, const WperfPlainRequest&, NoReply&) {
  return sampling_.start();
}

WperfStatus Core::sample_stop(Caller, const WperfPlainRequest&, NoReply&) {
  return sampling_.stop();
}

WperfStatus Core::sample_drain(Caller caller, const WperfDrainRequest& request, WperfDrainReply& reply) {
  VisibilityFilter visibility(hal_, caller.client, caller.rights.administrator);
  return sampling_.drain(request, visibility, reply);
}

WperfStatus Core::sample_stack_drain(Caller caller, const WperfDrainRequest& request, WperfStackDrainReply& reply) {
  VisibilityFilter visibility(hal_, caller.client, caller.rights.administrator);
  return sampling_.drain(request, visibility, reply);
}

WperfStatus Core::spe_configure(Caller caller, const WperfSpeRequest& request, NoReply&) {
  if (const WperfStatus status = occupy_idle(caller.client); status != WPERF_OK) {
    return status;
  }
  if (const WperfStatus status = sampling_.settle(); status != WPERF_OK) {
    return status;
  }
  if (const WperfStatus status = profiling_.check(request, machine_); status != WPERF_OK) {
    return status;
  }
  sampling_.discard();
  return profiling_.configure(request, machine_);
}

WperfStatus Core::spe_start(Caller, const WperfPlainRequest&, NoReply&) {
  return profiling_.start();
}

WperfStatus Core::spe_stop(Caller, const WperfPlainRequest&, NoReply&) {
  return profiling_.stop();
}

WperfStatus Core::spe_drain(Caller, const WperfDrainRequest& request, WperfSpeDrainReply& reply) {
  return profiling_.drain(request, reply);
}

WperfStatus Core::spe_core(Caller caller, const WperfCoreRequest& request, WperfSpeCoreReply& reply) {
  CoreIdentity identity;
  if (const WperfStatus status = check_core(caller.client, request); status != WPERF_OK) {
    return status;
  }
  if (const WperfStatus status = read_spe_identity(hal_, request.core, identity); status != WPERF_OK) {
    return status;
  }
  const SpeAbilities abilities = spe_abilities(identity);
  reply.pmsidr = abilities.usable ? identity.pmsidr : 0;
  reply.pmbidr = abilities.usable ? identity.pmbidr : 0;
  reply.version = abilities.version;
  reply.min_interval = abilities.min_interval;
  reply.latency_bits = abilities.latency_bits;
  reply.buffer_alignment = abilities.alignment;
  return WPERF_OK;
}

}  // namespace wperf::driver
