// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/event_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/ascii.h"

namespace wperf::perf_events {
namespace {

// Types and numbers of perf_event_open(2). The kernel guarantees that they never change.
constexpr u32 kTypeHardware = 0, kTypeSoftware = 1, kTypeTracepoint = 2, kTypeCache = 3;

enum class CountedIn { anywhere, in_kernel, as_time };
struct Named {
  std::string_view name;
  u64 config;
  std::string_view description;
  CountedIn counted_in = CountedIn::anywhere;
};
// The first of several names is the one that wperf shows.
constexpr Named kHardware[] = {
    {"cycles", 0, "Cycles of the core, at its changing frequency."},
    {"cpu-cycles", 0, {}},
    {"instructions", 1, "Instructions that the core completed."},
    {"cache-references", 2, "Accesses to a cache, usually to the last one before the memory."},
    {"cache-misses", 3, "Misses of a cache, usually of the last one before the memory."},
    {"branch-instructions", 4, "Branches that the core completed."},
    {"branches", 4, {}},
    {"branch-misses", 5, "Branches that were predicted wrongly."},
    {"bus-cycles", 6, "Cycles of the bus."},
    {"stalled-cycles-frontend", 7, "Cycles in which the core got no instruction to execute."},
    {"stalled-cycles-backend", 8, "Cycles in which instructions waited for data or for a free unit of the core."},
    {"ref-cycles", 9, "Cycles at a constant frequency."},
};
constexpr Named kSoftware[] = {
    {"cpu-clock", 0, "Time of a core, in nanoseconds.", CountedIn::as_time},
    {"task-clock", 1, "Time that threads ran on cores, in nanoseconds.", CountedIn::as_time},
    {"page-faults", 2, "Accesses to memory for which the kernel had to provide a page."},
    {"faults", 2, {}},
    {"context-switches", 3, "Times that a core changed from one thread to another.", CountedIn::in_kernel},
    {"cs", 3, {}, CountedIn::in_kernel},
    {"cpu-migrations", 4, "Times that a thread moved to another core.", CountedIn::in_kernel},
    {"migrations", 4, {}, CountedIn::in_kernel},
    {"minor-faults", 5, "Page faults for which nothing was read from a disk."},
    {"major-faults", 6, "Page faults for which a page was read from a disk."},
    {"alignment-faults", 7, "Unaligned accesses that the kernel had to carry out."},
    {"emulation-faults", 8, "Instructions that the kernel had to carry out."},
    {"dummy", 9, "Counts nothing: its recording has records but no samples."},
    {"cgroup-switches", 11, "Context switches to a thread of another control group.", CountedIn::in_kernel},
};
constexpr Named kCaches[] = {{"l1-dcache", 0, "the level-1 data cache"},
                             {"l1-icache", 1, "the level-1 instruction cache"},
                             {"llc", 2, "the last-level cache"},
                             {"dtlb", 3, "the data TLB"},
                             {"itlb", 4, "the instruction TLB"},
                             {"branch", 5, "the branch predictor"},
                             {"node", 6, "the memory of the core's own node"}};
// operation | result << 8, which go into bits 8 to 23
constexpr Named kAccesses[] = {
    {"loads", 0x0000, "Loads"},           {"load-misses", 0x0100, "Loads that missed"},
    {"stores", 0x0001, "Stores"},         {"store-misses", 0x0101, "Stores that missed"},
    {"prefetches", 0x0002, "Prefetches"}, {"prefetch-misses", 0x0102, "Prefetches that missed"}};

const Named* find_in(std::span<const Named> table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Named& one) { return one.name == name; });
  return found == table.end() ? nullptr : &*found;
}

void add_words(std::span<const Named> table, const char* kind, std::vector<plan::KernelEvents::Word>& words) {
  for (const Named& one : table) {
    const auto first = std::ranges::find(table, one.config, &Named::config);
    words.push_back({.name = std::string(one.name),
                     .kind = kind,
                     .description = std::string(one.description),
                     .same_as = first->name == one.name ? std::string() : std::string(first->name)});
  }
}

plan::KernelEvent event_of(u32 type, const Named& named) {
  plan::KernelEvent event;
  event.type = type;
  event.config = named.config;
  event.hardware = type == kTypeHardware;
  event.in_kernel = named.counted_in == CountedIn::in_kernel;
  event.clock = named.counted_in == CountedIn::as_time;
  event.in_both_modes = type == kTypeSoftware && named.counted_in == CountedIn::anywhere;
  return event;
}

std::optional<plan::KernelEvent> find_cache_event(std::string_view name) {
  for (const Named& cache : kCaches) {
    if (!name.starts_with(cache.name) || name.size() <= cache.name.size() || name[cache.name.size()] != '-') continue;
    const Named* access = find_in(kAccesses, name.substr(cache.name.size() + 1));
    if (access == nullptr) continue;
    plan::KernelEvent event;
    event.type = kTypeCache;
    event.config = cache.config | access->config << 8;
    event.hardware = true;
    return event;
  }
  return std::nullopt;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

}  // namespace

std::string tracefs_folder(const SystemFiles& files) {
  for (const char* folder : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    if (files.exists(std::string(folder) + "/events")) return folder;
  }
  return {};
}

std::string tracefs_mount(const SystemFiles& files) {
  const std::string mounts = files.text("/proc/self/mounts").value_or("");
  for (usize begin = 0; begin < mounts.size();) {
    const usize end = std::min(mounts.find('\n', begin), mounts.size());
    const std::string_view line = std::string_view(mounts).substr(begin, end - begin);
    begin = end + 1;
    const usize place = line.find(' '), type = line.find(' ', place + 1);
    if (type == std::string_view::npos || !line.substr(type).starts_with(" tracefs ")) continue;
    return std::string(line.substr(place + 1, type - place - 1));
  }
  return {};
}

std::string way_to_tracefs(std::string_view mount) {
  if (mount.empty()) return "mount -t tracefs nodev /sys/kernel/tracing, and run as root or make it readable";
  return fmt::format("run as root, or let root make it readable: mount -o remount,mode=755 {}", mount);
}

diag::Result<std::optional<plan::KernelEvent>> EventWords::find(std::string_view name) const {
  using Found = std::optional<plan::KernelEvent>;
  if (name.find('/') != std::string_view::npos) return find_unit_event(name);
  if (name.find(':') != std::string_view::npos) return find_tracepoint(name);
  const std::string wanted = in_lower_case(std::string(name));
  if (const Named* known = find_in(kSoftware, wanted)) return Found(event_of(kTypeSoftware, *known));
  if (const Named* known = find_in(kHardware, wanted)) return Found(event_of(kTypeHardware, *known));
  if (auto cache = find_cache_event(wanted); cache.has_value()) return cache;
  if (!is_word(name)) return Found();
  for (const Unit& unit : find_units(files_)) {  // a core PMU's event with this name
    if (!unit.of_cores() || !files_.exists(kUnitFolder + unit.name + "/events/" + std::string(name))) continue;
    WPERF_TRY(plan::KernelEvent event, parse_unit_event(files_, unit, name));
    return Found(std::move(event));
  }
  return Found();
}

diag::Result<std::optional<plan::KernelEvent>> EventWords::find_unit_event(std::string_view name) const {
  using Found = std::optional<plan::KernelEvent>;
  const usize slash = name.find('/');
  if (slash == 0 || name.back() != '/' || slash + 1 == name.size()) return Found();
  const std::string_view unit_name = name.substr(0, slash);
  const std::string_view terms = name.substr(slash + 1, name.size() - slash - 2);
  std::string known;
  for (const Unit& unit : find_units(files_)) {
    if (unit.name == unit_name) {
      WPERF_TRY(plan::KernelEvent event, parse_unit_event(files_, unit, terms));
      return Found(std::move(event));
    }
    known += (known.empty() ? "" : ", ") + unit.name;
  }
  return diag::usage_error(fmt::format("this machine has no event source '{}'", unit_name), "available: " + known);
}

diag::Result<std::optional<plan::KernelEvent>> EventWords::find_tracepoint(std::string_view name) const {
  using Found = std::optional<plan::KernelEvent>;
  const usize colon = name.find(':');
  const std::string_view system = name.substr(0, colon), point = name.substr(colon + 1);
  if (!is_word(system) || !is_word(point)) return Found();
  WPERF_TRY(const Found event_before_colon, find(system));
  if (event_before_colon.has_value()) {
    return diag::usage_error(fmt::format("'{}' cannot follow the event {}", point, system),
                             "only modifiers can follow it, in one word as in NAME:up; record, sample and top also "
                             "take an interval, as in NAME:100000");
  }
  const std::string folder = tracefs_folder(files_);
  if (folder.empty()) {
    return diag::Error{.text = fmt::format("cannot look up the tracepoint {}: this user may not read tracefs", name),
                       .hint = way_to_tracefs(tracefs_mount(files_))};
  }
  const auto id = files_.number(fmt::format("{}/events/{}/{}/id", folder, system, point));
  if (!id.has_value()) {
    return diag::usage_error(fmt::format("the tracepoint {} does not exist, or this user may not read it", name),
                             fmt::format("`ls {}/events/{}` lists the tracepoints of {}", folder, system, system));
  }
  plan::KernelEvent event;
  event.type = kTypeTracepoint;
  event.config = *id;
  event.in_kernel = true;
  return Found(event);
}

std::vector<EventWords::ListedEvent> EventWords::listed_events() const {
  std::vector<ListedEvent> events;
  for (const Unit& unit : find_units(files_)) {
    if (!unit.of_cores()) continue;
    for (const std::string& name : files_.names(kUnitFolder + unit.name + "/events")) {
      const auto event = parse_unit_event(files_, unit, name);
      if (event.has_value()) events.push_back({name, event.value().config});
    }
  }
  return events;
}

// A hardware register (PMCEID) covers the first 64 numbers, and 64 more from 0x4000 on. The kernel lists its contents.
std::optional<bool> EventWords::counts_code(u16 code) const {
  constexpr u16 kReportedEvents = 64, kReportedFromAlso = 0x4000;
  const bool is_reported =
      code < kReportedEvents || (code >= kReportedFromAlso && code < kReportedFromAlso + kReportedEvents);
  if (!facts_.counts_catalogue || !is_reported) return std::nullopt;
  if (!listed_.has_value()) listed_ = listed_events();
  if (listed_->empty()) return std::nullopt;
  return std::any_of(listed_->begin(), listed_->end(), [&](const ListedEvent& event) { return event.code == code; });
}

std::vector<plan::KernelEvents::Word> EventWords::session_facts() const {
  constexpr std::string_view kListed = "pmu_device.listed_events [core]";
  if (!facts_.has_counters) return {{std::string(kListed), "none: " + facts_.why_no_cycles}};
  std::string names;
  for (const ListedEvent& event : listed_events()) names += (names.empty() ? "" : ", ") + event.name;
  return {{std::string(kListed), names.empty() ? "the kernel lists no such events" : names}};
}

std::vector<plan::KernelEvents::Word> EventWords::words(bool of_hardware) const {
  std::vector<Word> words;
  if (of_hardware) {
    add_words(kHardware, "[hardware]", words);
    for (const Named& cache : kCaches) {
      for (const Named& access : kAccesses) {
        words.push_back({.name = fmt::format("{}-{}", cache.name, access.name),
                         .kind = "[hardware cache]",
                         .description = fmt::format("{} in {}.", access.description, cache.description)});
      }
    }
  }
  add_words(kSoftware, "[software]", words);
  for (const Unit& unit : find_units(files_)) {
    for (const std::string& name : files_.names(kUnitFolder + unit.name + "/events")) {
      if (name.find('.') != std::string::npos) continue;  // units and scales are attributes of other events
      words.push_back({.name = fmt::format("{}/{}/", unit.name, name), .kind = "[unit]"});
    }
  }
  return words;
}

}  // namespace wperf::perf_events
