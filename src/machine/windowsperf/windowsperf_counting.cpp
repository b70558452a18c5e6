// SPDX-License-Identifier: BSD-3-Clause
// Arm's driver adds up its counters at each tick of a timer. When it is stopped, counts since the last tick are lost.
// So the session waits for the next tick of each core before it stops, and reports the time that was covered. The
// driver has no groups, but the plan's padding keeps them together, as with wperf's driver.
#include <fmt/format.h>

#include <algorithm>

#include "machine/windowsperf/driver.h"

namespace wperf::windowsperf {
namespace {

constexpr u64 kPollNs = 1'000'000;
constexpr u64 kPatienceNs = 2'000'000'000;  // for a tick, which takes at most 200 ms
constexpr u16 kCyclesEvent = 0x11;

std::vector<u16> codes_of(const plan::Schedule& schedule) {
  std::vector<u16> codes;
  for (const plan::Entry& entry : schedule.entries) codes.push_back(entry.code);
  // Padding keeps groups together in one time slot. If all events fit at once, no padding is needed, and the padding's
  // counters are free.
  for (size_t i = schedule.entries.size(); !schedule.multiplexed() && i != 0 && schedule.entries[i - 1].padding; --i) {
    codes.pop_back();
  }
  return codes;
}

// A unit whose ticks are observed: a core, its cluster, or all memory channels.
struct Ticking {
  EventClass event_class = EventClass::core;
  u32 core = 0;  // the core whose answer is read
  u64 round = 0;
  u64 moved_ns = 0;  // when the unit's latest tick was noticed
  std::vector<EventReading> readings;
};

class CountingByTicks final : public device::CountSession {
 public:
  CountingByTicks(Opened& opened, const plan::CountPlan& plan) : opened_(opened), plan_(plan) {}
  ~CountingByTicks() override {
    if (running_) (void)stop_driver();
  }
  CountingByTicks(const CountingByTicks&) = delete;
  CountingByTicks& operator=(const CountingByTicks&) = delete;

  diag::Result<void> configure();
  diag::Result<void> start() override;
  diag::Result<void> check() override;
  diag::Result<void> stop() override;
  diag::Result<readings::CountCapture> read() override;
  std::vector<std::string> remarks() const override;

 private:
  bool counts(EventClass event_class) const { return !plan_.schedules[index_of(event_class)].entries.empty(); }
  u32 filter_bits() const { return plan_.kernel ? 0 : u32{kUserOnly}; }
  u32 free_counters() const { return opened_.hardware.free_counters; }
  diag::Result<void> check_plan() const;
  diag::Result<void> choose_cores();
  void choose_codes();
  void list_ticking();
  diag::Result<void> assign_to_cores(const std::vector<ClassEvents>& lists);
  diag::Result<void> assign_all();
  diag::Result<void> read_ticking(Ticking& one);
  diag::Result<void> wait_for_tick();
  diag::Result<void> stop_driver();
  u32 tick_ms() const { return rotates_ ? plan_.period_ms : 2 * plan_.period_ms; }
  readings::UnitCounts unit_of(const Ticking& one, u32 number, usize first) const;
  void append_units(const Ticking& one, std::vector<readings::UnitCounts>& units) const;

  Opened& opened_;
  plan::CountPlan plan_;
  Scope scope_;
  std::array<std::vector<u16>, kEventClassCount> codes_;
  bool counts_cycles_ = false;  // by an ordinary event, because the cycle counter does not count the kernel
  bool rotates_ = false;
  std::vector<Ticking> ticking_;
  bool running_ = false;
  u64 start_ns_ = 0;
};

diag::Result<void> CountingByTicks::check_plan() const {
  if (counts(EventClass::dmc_clk)) {
    return diag::Error{.text = "Arm's driver reads the dmc_clk counters from wrong addresses, so its answers are wrong",
                       .hint = "count dmc_clkdiv2 events, or use wperf's own driver"};
  }
  if ((counts(EventClass::dsu) && opened_.dsu_counters == 0) ||
      (counts(EventClass::dmc_clkdiv2) && plan_.dmc_channels.empty()))
    return diag::Error{.text = opened_.name + " has no counters for these events on this machine", .hint = {}};
  const usize dsu = codes_of(plan_.schedules[index_of(EventClass::dsu)]).size();
  if (std::min<usize>(dsu, opened_.dsu_counters) > free_counters()) {
    return diag::Error{
        .text = fmt::format(
            "Arm's driver can program at most as many DSU counters as free core counters ({}), but {} are needed",
            free_counters(), dsu),
        .hint = "count fewer DSU events at a time, or use wperf's own driver"};
  }
  return {};
}

// Each listed core of a cluster would read and reset the cluster's counters, so only one of them is listed.
diag::Result<void> CountingByTicks::choose_cores() {
  scope_.cores = plan_.cores;
  if (!counts(EventClass::core) && !counts(EventClass::dsu)) scope_.cores = {plan_.cores.front()};
  if (!counts(EventClass::dsu)) return {};
  std::vector<u32> leaders;
  for (const u32 core : plan_.cores) {
    if (leaders.empty() || leaders.back() / opened_.cluster_size != core / opened_.cluster_size)
      leaders.push_back(core);
  }
  const bool all = plan_.cores.size() == opened_.cluster_count * usize{opened_.cluster_size};
  if (!counts(EventClass::core)) {
    scope_.cores = leaders;
  } else if (!all && leaders.size() != plan_.cores.size()) {
    return diag::Error{
        .text =
            "Arm's driver counts a DSU wrongly if several cores of its cluster are chosen, but not all cores of the "
            "machine",
        .hint = "choose all cores, or one core of each cluster with -c, or count DSU and core events in two runs"};
  }
  return {};
}

void CountingByTicks::choose_codes() {
  scope_.flags = 0;
  for (const EventClass event_class : kEventClasses) {
    const usize i = index_of(event_class);
    codes_[i] = codes_of(plan_.schedules[i]);
    rotates_ = rotates_ || plan_.schedules[i].multiplexed();
  }
  if (counts(EventClass::core)) scope_.flags |= kCountCore;
  if (counts(EventClass::dsu)) scope_.flags |= kCountDsu;
  if (counts(EventClass::dmc_clkdiv2)) scope_.flags |= kCountDmc;
  std::vector<u16>& core = codes_[index_of(EventClass::core)];
  counts_cycles_ = plan_.kernel && counts(EventClass::core) && core.size() < free_counters();
  if (counts_cycles_) core.push_back(kCyclesEvent);
  if (counts(EventClass::dmc_clkdiv2) && plan_.dmc_channels.size() == 1) {
    scope_.dmc_channel = static_cast<u8>(plan_.dmc_channels.front());
  }
}

void CountingByTicks::list_ticking() {
  for (const u32 core : plan_.cores) {
    if (counts(EventClass::core)) ticking_.push_back({.event_class = EventClass::core, .core = core, .readings = {}});
  }
  u32 last_cluster = ~u32{0};
  for (const u32 core : scope_.cores) {
    if (!counts(EventClass::dsu) || core / opened_.cluster_size == last_cluster) continue;
    last_cluster = core / opened_.cluster_size;
    ticking_.push_back({.event_class = EventClass::dsu, .core = core, .readings = {}});
  }
  if (counts(EventClass::dmc_clkdiv2)) ticking_.push_back({.event_class = EventClass::dmc_clkdiv2, .readings = {}});
}

diag::Result<void> CountingByTicks::assign_to_cores(const std::vector<ClassEvents>& lists) {
  if (scope_.cores.size() == opened_.driver.core_count() && scope_.cores.size() != 1)
    return opened_.driver.assign(kAllCores, scope_.dmc_channel, filter_bits(), lists);
  for (const u32 core : scope_.cores)
    WPERF_CHECK_OK(opened_.driver.assign(core, scope_.dmc_channel, filter_bits(), lists));
  return {};
}

// The driver programs DSU counters with codes from the core's list, so the core's list temporarily has the DSU's codes.
diag::Result<void> CountingByTicks::assign_all() {
  const auto& core = codes_[index_of(EventClass::core)];
  const auto& dsu = codes_[index_of(EventClass::dsu)];
  const auto& dmc = codes_[index_of(EventClass::dmc_clkdiv2)];
  if (!dsu.empty()) {
    WPERF_CHECK_OK(assign_to_cores({{.event_class = 0, .codes = dsu}}));
    WPERF_CHECK_OK(assign_to_cores({{.event_class = 1, .codes = dsu}}));
  }
  std::vector<ClassEvents> lists{{.event_class = 0, .codes = core}};
  if (core.empty()) lists.front().codes = {kFillerEvent};
  if (!dmc.empty()) lists.push_back({.event_class = 3, .codes = dmc});
  return assign_to_cores(lists);
}

diag::Result<void> CountingByTicks::configure() {
  WPERF_CHECK_OK(check_plan());
  WPERF_CHECK_OK(choose_cores());
  choose_codes();
  list_ticking();
  WPERF_CHECK_OK(opened_.driver.stop(scope_));
  WPERF_CHECK_OK(assign_all());
  WPERF_CHECK_OK(opened_.driver.reset(scope_));
  opened_.machine.pause(kSettlingNs);
  return {};
}

diag::Result<void> CountingByTicks::start() {
  WPERF_CHECK_OK(opened_.driver.start(scope_, plan_.period_ms));
  running_ = true;
  opened_.machine.measuring(true);
  start_ns_ = opened_.machine.now_ns();
  for (Ticking& one : ticking_) one.moved_ns = start_ns_;
  return {};
}

diag::Result<void> CountingByTicks::check() {
  return read_ticking(ticking_.front());
}

diag::Result<void> CountingByTicks::read_ticking(Ticking& one) {
  u64 round = 0;
  if (one.event_class == EventClass::dmc_clkdiv2) {
    WPERF_TRY(const std::vector<DmcAnswer> channels, opened_.driver.read_dmc());
    one.readings.clear();
    for (const DmcAnswer& channel : channels) {
      one.readings.insert(one.readings.end(), std::begin(channel.clkdiv2), std::end(channel.clkdiv2));
    }
    round = one.readings[usize{plan_.dmc_channels.front()} * kMostClkdiv2Events].scheduled;
  } else if (one.event_class == EventClass::dsu) {
    WPERF_TRY(const auto answer, opened_.driver.read_dsu(one.core));
    one.readings.assign(answer->events, answer->events + answer->count);
    round = answer->round;
  } else {
    WPERF_TRY(const auto answer, opened_.driver.read_core(one.core));
    one.readings.assign(answer->events, answer->events + answer->count);
    round = answer->round;
  }
  if (round != one.round) one.moved_ns = opened_.machine.now_ns();
  one.round = round;
  return {};
}

diag::Result<void> CountingByTicks::wait_for_tick() {
  const u64 asked_ns = opened_.machine.now_ns();
  std::vector<u64> rounds;
  for (Ticking& one : ticking_) {
    WPERF_CHECK_OK(read_ticking(one));
    rounds.push_back(one.round);
  }
  const auto waits = [&] {
    for (usize i = 0; i < ticking_.size(); ++i) {
      if (ticking_[i].round == rounds[i]) return true;
    }
    return false;
  };
  while (waits()) {
    if (opened_.machine.now_ns() - asked_ns > kPatienceNs) {
      return diag::Error{.text = fmt::format("{} did not add up its counters: no timer tick came within {} seconds",
                                             opened_.name, kPatienceNs / 1'000'000'000),
                         .hint = "if the machine was asleep, try again; if that does not help, restart Windows"};
    }
    WPERF_CHECK_OK(opened_.machine.wait(kPollNs, 0));
    for (Ticking& one : ticking_) WPERF_CHECK_OK(read_ticking(one));
  }
  return {};
}

diag::Result<void> CountingByTicks::stop_driver() {
  if (running_) opened_.machine.measuring(false);
  running_ = false;
  return opened_.driver.stop(scope_);
}

diag::Result<void> CountingByTicks::stop() {
  auto ticked = wait_for_tick();
  WPERF_CHECK_OK(stop_driver());
  if (!ticked.has_value()) return ticked;
  for (Ticking& one : ticking_) WPERF_CHECK_OK(read_ticking(one));
  return {};
}

// `first`: the reading of the unit's first event.
readings::UnitCounts CountingByTicks::unit_of(const Ticking& one, u32 number, usize first) const {
  const plan::Schedule& schedule = plan_.schedules[index_of(one.event_class)];
  readings::UnitCounts unit{.event_class = one.event_class,
                            .unit = number,
                            .multiplexed = schedule.multiplexed(),
                            .rounds = one.round,
                            .enabled_ns = one.moved_ns - start_ns_,
                            .entries = {}};
  const usize count = codes_of(schedule).size();
  for (usize i = first; i < first + count; ++i) {
    const EventReading& reading = one.readings[i];
    const u64 slots = unit.multiplexed ? std::min(reading.scheduled, one.round) : one.round;
    const u64 slot_ns = one.round == 0 ? 0 : unit.enabled_ns / one.round;
    unit.entries.push_back(
        {.value = reading.value, .slots = slots, .running_ns = slots == one.round ? unit.enabled_ns : slots * slot_ns});
  }
  return unit;
}

void CountingByTicks::append_units(const Ticking& one, std::vector<readings::UnitCounts>& units) const {
  switch (one.event_class) {
    case EventClass::core: {
      readings::UnitCounts unit = unit_of(one, one.core, 1);
      unit.cycle_source =
          plan_.kernel && !counts_cycles_ ? readings::CycleSource::none : readings::CycleSource::counted;
      if (unit.cycle_source == readings::CycleSource::counted)
        unit.cycles = plan_.kernel ? one.readings.back().value : one.readings.front().value;
      units.push_back(std::move(unit));
      return;
    }
    case EventClass::dsu:
      units.push_back(unit_of(one, one.core / opened_.cluster_size, 1));
      return;
    default:
      for (const u32 channel : plan_.dmc_channels) {
        units.push_back(unit_of(one, channel, usize{channel} * kMostClkdiv2Events));
      }
  }
}

diag::Result<readings::CountCapture> CountingByTicks::read() {
  readings::CountCapture capture{.start_ns = start_ns_, .end_ns = start_ns_, .units = {}};
  for (const Ticking& one : ticking_) {
    const auto& codes = codes_[index_of(one.event_class)];
    const bool uncore_memory = one.event_class == EventClass::dmc_clkdiv2;
    bool ours = uncore_memory || one.readings.size() == codes.size() + 1;
    for (usize i = 0; !uncore_memory && ours && i < codes.size(); ++i) ours = one.readings[i + 1].event == codes[i];
    if (!ours) {
      return diag::Error{.text = fmt::format("{} counted other events than requested", opened_.name),
                         .hint = "another program may have used it meanwhile; try again"};
    }
    append_units(one, capture.units);
    capture.end_ns = std::max(capture.end_ns, one.moved_ns);
  }
  return capture;
}

std::vector<std::string> CountingByTicks::remarks() const {
  std::vector<std::string> remarks{fmt::format(
      "counted by {} in whole ticks of {} ms, so up to one tick longer than requested", opened_.name, tick_ms())};
  if (plan_.kernel && counts(EventClass::core) && !counts_cycles_)
    remarks.emplace_back(
        "its cycle counter excludes the kernel; if there are fewer events than counters, cycles are counted as an "
        "event");
  if (counts(EventClass::dsu))
    remarks.emplace_back(
        "this driver programs DSU counters with wrong events; wperf works around it, which is not yet tested on "
        "hardware");
  return remarks;
}

}  // namespace

diag::Result<std::unique_ptr<device::CountSession>> open_count_session(Opened& opened, const plan::CountPlan& plan) {
  auto session = std::make_unique<CountingByTicks>(opened, plan);
  WPERF_CHECK_OK(session->configure());
  return std::unique_ptr<device::CountSession>(std::move(session));
}

}  // namespace wperf::windowsperf
