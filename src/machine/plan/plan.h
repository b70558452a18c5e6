// SPDX-License-Identifier: BSD-3-Clause
// Plans a measurement exactly, from the request, the catalogue and the machine's capabilities. Pure functions; this
// room has all arithmetic of padding and multiplexing (contract 4).
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_class.h"
#include "base/ints.h"
#include "ground/diag/result.h"
#include "machine/plan/kernel_words.h"
#include "machine/pmu/catalogue.h"
#include "machine/pmu/extra_events.h"
#include "model/request/measurement.h"

namespace wperf::plan {

// The same point in time on two clocks: Arm's generic timer, whose ticks are SPE's timestamps, and the clock of
// samples.
struct TimerMoment {
  u32 hz = 0;  // frequency of the timer; 0 if unknown
  u64 ticks = 0, time_ns = 0;
};

// The abilities of the machine, according to a device.
struct Capabilities {
  u64 midr = 0, id_aa64dfr0 = 0, pmsidr = 0, pmbidr = 0;
  u32 core_count = 0;
  std::array<u32, kEventClassCount> counters_total{}, counters_free{};  // per class
  u32 cycle_counters = 1;
  // For machines where events cannot take turns on the counters: how many events a run can count on the cores. Other
  // events are counted in further runs. 0 means any number.
  u32 counted_at_once = 0;
  u32 cluster_count = 0, cluster_size = 0, dmc_channels = 0;
  u32 named_clusters = 0, named_dmc_channels = 0;  // according to ACPI, whether the driver may use them or not
  u32 period_min_ms = 10, period_max_ms = 100, period_default_ms = 100;
  std::vector<u64> core_midr;        // per core
  std::array<u8, 32> counter_map{};  // 0xff: no counter
  std::string device_id;
  u32 usual_cycle_interval = 0;  // default interval between samples; 0: WindowsPerf's default
  TimerMoment timer;
  bool call_stacks = true;    // samples can have call stacks
  bool shows_python = false;  // these can have functions of Python programs
  std::string vendor;         // vendor of cores without a MIDR; empty if cores have a MIDR
  // The name of a driver that is not wperf's. It samples only one core, and its samples have no stack, thread or time.
  // Empty for wperf's driver and for the kernel.
  std::string foreign_driver;
  std::string why_no_counters;  // why the cores' counters cannot be used; empty if the reason is unknown
  std::string why_no_spe;       // why the hardware's SPE cannot be used; empty if the reason is unknown
  // The event names of the system's own kernel; null if a driver counts. Such a kernel multiplexes events itself,
  // counts programs on any core, and adapts intervals to a rate.
  std::shared_ptr<const KernelEvents> kernel;
};

// The product of one core, because cores can differ. Then all different products, the machine's main product first.
pmu::Product product_of_core(const Capabilities& machine, u32 core);
std::vector<pmu::Product> kinds_of_cores(const Capabilities& machine);

inline constexpr u32 kAnyCore = ~u32{0};  // for a program that is not pinned to a core

inline constexpr u16 kPaddingEvent = 0x1b;  // inst_spec

// One place in the event ring of a class.
struct Entry {
  std::string name;  // in lower case, as displayed; empty for padding
  u16 code = 0;
  std::optional<u32> group;  // number of the group within its class, in the order of the schedule
  std::string metric;        // the metric to which the event belongs, or empty
  bool padding = false;
  bool optional = false;                    // a default event, which is left out if it cannot be counted
  std::optional<KernelEvent> kernel_event;  // used by the device instead of `code`
  EventModifiers modifiers = {};            // for events that the kernel counts
};
std::string note_of(const Entry& entry);  // contract 3.2: e, e,M, gN, gN,M, p

struct Schedule {
  std::vector<Entry> entries;
  u32 counters = 0;  // F: the number of events that are counted at a time
  bool multiplexed() const { return entries.size() > counters; }
};

// A metric for -m: from the product, built in, or from a -C file.
struct MetricDefinition {
  std::string name;
  std::string definition;  // "{a,b}" or "/dsu/x,/dsu/y": the column Events of `list`
  request::EventList events;
  // Set for metrics with a formula (Telemetry Solution); taken from the first kind of core that has it.
  std::optional<pmu::Metric> solution;
};

// The names that are valid in this run: product tables, extra events, and metrics that fit this machine.
struct EventCatalog {
  pmu::Product product = pmu::architectural();
  pmu::ExtraEvents extra;
  std::vector<MetricDefinition> metrics;  // alphabetical
  std::vector<std::string> warnings;      // metrics of a -C file that do not fit
  const MetricDefinition* find_metric(std::string_view name) const;
};
// `metric_files`: the contents of the -C files. `extra_texts`: the texts of -E (contents of files).
diag::Result<EventCatalog> make_event_catalog(const Capabilities& machine, const std::vector<std::string>& extra_texts,
                                              const std::vector<std::string>& metric_files);

struct CountPlan {
  std::array<Schedule, kEventClassCount> schedules;
  std::vector<u32> cores;         // ascending, no duplicates
  std::vector<u32> clusters;      // the clusters to which the cores belong
  std::vector<u32> dmc_channels;  // the chosen channels
  bool kernel = false;
  u32 period_ms = 100;
  u32 program_core = 0;        // where a program is started: one of the cores, or kAnyCore
  bool of_program = false;     // counts a program on whatever core it runs, instead of cores
  std::optional<u32> process;  // the process of that program, once it exists
  bool has_events() const;
};
// The value of count.period from --config. It becomes the plan's period_ms only if the machine supports it.
u32 configured_period_ms(const std::vector<request::ConfigSetting>& config, const Capabilities& machine);
// Resolves names, checks limits and groups, and pads. Also used by `test`. Events given as numbers are added to
// catalog.extra.
diag::Result<CountPlan> make_count_plan(const request::Measurement& wanted, const Capabilities& machine,
                                        EventCatalog& catalog);

}  // namespace wperf::plan
