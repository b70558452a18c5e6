// SPDX-License-Identifier: BSD-3-Clause
// Measurement × catalogue × capabilities of the machine → the exact programming. Pure functions; all padding and
// multiplexing arithmetic (contract 4) is in this room.
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

// A moment on two clocks: the generic timer of Arm, whose ticks are SPE's timestamps, and the clock of samples.
struct TimerMoment {
  u32 hz = 0;  // frequency of the timer; 0 if unknown
  u64 ticks = 0, time_ns = 0;
};

// The abilities of the machine, as a device found them.
struct Capabilities {
  u64 midr = 0, id_aa64dfr0 = 0, pmsidr = 0, pmbidr = 0;
  u32 core_count = 0;
  std::array<u32, kEventClassCount> counters_total{}, counters_free{};  // per class
  u32 cycle_counters = 1;
  // How many counters of the cores a count can use on a machine where events cannot share counters in turns; the
  // remaining events are counted in further runs. 0 means any number.
  u32 counted_at_once = 0;
  u32 cluster_count = 0, cluster_size = 0, dmc_channels = 0;
  u32 named_clusters = 0, named_dmc_channels = 0;  // by ACPI, whether the driver may use them or not
  u32 period_min_ms = 10, period_max_ms = 100, period_default_ms = 100;
  std::vector<u64> core_midr;        // per core
  std::array<u8, 32> counter_map{};  // 0xff: none
  std::string device_id;
  u32 usual_cycle_interval = 0;  // default interval between samples; 0 for WindowsPerf's
  TimerMoment timer;
  bool call_stacks = true;    // samples can have call stacks
  bool shows_python = false;  // and the functions of Python programs in them
  std::string vendor;         // the vendor of cores without a MIDR; empty if the MIDR has it
  // The name of a driver that is not wperf's: it samples one core, and its samples have neither stack nor thread nor
  // time. Empty for wperf's driver or the kernel.
  std::string foreign_driver;
  std::string why_no_counters;  // set if the cores have counters that cannot be used; empty if the reason is unknown
  std::string why_no_spe;       // set if the hardware has SPE that cannot be used; empty if the reason is unknown
  // The event names of the system's own kernel, if that counts. Such a kernel multiplexes by itself, counts programs
  // wherever they run, and adapts intervals to a rate. Null if a driver counts.
  std::shared_ptr<const KernelEvents> kernel;
};

// The product of a core, if cores differ; and each kind once, the machine's own first.
pmu::Product product_of_core(const Capabilities& machine, u32 core);
std::vector<pmu::Product> kinds_of_cores(const Capabilities& machine);

inline constexpr u32 kAnyCore = ~u32{0};  // the core of a program that is not pinned

inline constexpr u16 kPaddingEvent = 0x1b;  // inst_spec

// One place in a class's ring of events.
struct Entry {
  std::string name;  // lower case, as shown; empty for padding
  u16 code = 0;
  std::optional<u32> group;  // number of the group within its class, in schedule order
  std::string metric;        // the metric it belongs to, or empty
  bool padding = false;
  bool optional = false;                    // a default event: left out if it cannot be counted
  std::optional<KernelEvent> kernel_event;  // the device is asked for this instead of `code`
  EventModifiers modifiers = {};            // for events that the kernel counts
};
std::string note_of(const Entry& entry);  // contract 3.2: e, e,M, gN, gN,M, p

struct Schedule {
  std::vector<Entry> entries;
  u32 counters = 0;  // F: the number of events counted at a time
  bool multiplexed() const { return entries.size() > counters; }
};

// A metric for -m: the product's, a built-in one, or one from a -C file.
struct MetricDefinition {
  std::string name;
  std::string definition;  // "{a,b}" or "/dsu/x,/dsu/y": the Events column of `list`
  request::EventList events;
  // Set for metrics with a formula (Telemetry Solution), from the first kind of cores that has it.
  std::optional<pmu::Metric> solution;
};

// The words of this run: product tables + extra events + metrics that fit this machine.
struct EventCatalog {
  pmu::Product product = pmu::architectural();
  pmu::ExtraEvents extra;
  std::vector<MetricDefinition> metrics;  // alphabetical
  std::vector<std::string> warnings;      // metrics of a -C file that don't fit
  const MetricDefinition* find_metric(std::string_view name) const;
};
// metric_files: the contents of the -C files; extra_texts: the -E texts (contents already read).
diag::Result<EventCatalog> make_event_catalog(const Capabilities& machine, const std::vector<std::string>& extra_texts,
                                              const std::vector<std::string>& metric_files);

struct CountPlan {
  std::array<Schedule, kEventClassCount> schedules;
  std::vector<u32> cores;         // ascending, no duplicates
  std::vector<u32> clusters;      // the clusters to which the cores belong
  std::vector<u32> dmc_channels;  // those chosen
  bool kernel = false;
  u32 period_ms = 100;
  u32 program_core = 0;        // the core on which a program is started: one of the cores, or kAnyCore
  bool of_program = false;     // a program is counted, wherever it runs, instead of cores
  std::optional<u32> process;  // that program, once it exists
  bool has_events() const;
};
// count.period from --config; it becomes the plan's period_ms only if the machine supports it.
u32 configured_period_ms(const std::vector<request::ConfigSetting>& config, const Capabilities& machine);
// Resolves names, checks limits and groups, and pads. Also used by `test`. Raw numbers register in catalog.extra.
diag::Result<CountPlan> make_count_plan(const request::Measurement& wanted, const Capabilities& machine,
                                        EventCatalog& catalog);

}  // namespace wperf::plan
