// SPDX-License-Identifier: BSD-3-Clause
// The event names of this Linux kernel: generic hardware and cache events, software events, tracepoints, and
// `unit/terms/` from sysfs.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "machine/perf_events/system_files.h"
#include "machine/perf_events/units.h"
#include "machine/plan/kernel_words.h"

namespace wperf::perf_events {

struct CounterFacts {
  bool has_counters = false;      // a cycle counter could be opened
  std::string why_no_cycles;      // why the cycle counter could not be opened
  std::string way_out;            // the remedy
  bool counts_catalogue = false;  // Arm
};

class EventWords final : public plan::KernelEvents {
 public:
  EventWords(SystemFiles files, CounterFacts facts) : files_(std::move(files)), facts_(std::move(facts)) {}

  diag::Result<std::optional<plan::KernelEvent>> find(std::string_view name) const override;
  bool counts_catalogue() const override { return facts_.counts_catalogue; }
  bool has_counters() const override { return facts_.has_counters; }
  std::string why_no_cycles() const override { return facts_.why_no_cycles; }
  std::string way_to_counters() const override { return facts_.way_out; }
  std::optional<bool> counts_code(u16 code) const override;
  std::vector<Word> words(bool of_hardware) const override;
  std::vector<Word> session_facts() const override;

 private:
  diag::Result<std::optional<plan::KernelEvent>> find_unit_event(std::string_view name) const;
  diag::Result<std::optional<plan::KernelEvent>> find_tracepoint(std::string_view name) const;

  struct ListedEvent {
    std::string name;
    u64 code = 0;
  };
  // The events of the core PMUs in sysfs. For Arm's common events, only those that the hardware reports (PMCEID).
  std::vector<ListedEvent> listed_events() const;

  SystemFiles files_;
  CounterFacts facts_;
  mutable std::optional<std::vector<ListedEvent>> listed_;  // read on first use
};

// The mount point of tracefs; empty if it is not mounted, or not accessible.
std::string tracefs_folder(const SystemFiles& files);
// The mount point even if this user may not read it; empty if it is not mounted.
std::string tracefs_mount(const SystemFiles& files);

}  // namespace wperf::perf_events
