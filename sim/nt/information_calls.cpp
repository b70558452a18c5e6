// SPDX-License-Identifier: BSD-3-Clause
// Information about the system, its clocks and its language tables, and the calls of user32 that programs without
// windows make.
#include <algorithm>
#include <array>
#include <cstddef>

#include "sim/nt/placement.h"
#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

// RTL_DYNAMIC_TIME_ZONE_INFORMATION. The simulated machine's time zone is UTC.
struct TimeZone {
  u32 bias = 0;
  u16 standard_name[32] = {'U', 'T', 'C'}, standard_date[8] = {};
  u32 standard_bias = 0;
  u16 daylight_name[32] = {'U', 'T', 'C'}, daylight_date[8] = {};
  u32 daylight_bias = 0;
  u16 key[128] = {'U', 'T', 'C'};
  u8 has_fixed_daylight = 1, padding[3] = {};
};
static_assert(sizeof(TimeZone) == 432);
constexpr TimeZone kUtc;

constexpr u32 kPages = kMemoryBytes / kPageSize;
constexpr u32 kTick = 156'250;  // of the clock, in 100 ns

u64 answer_basic(Call& call, u64 buffer, u64 room, u64 size_at) {
  struct {
    u32 unknown, tick_100ns, page, pages, lowest_page, highest_page, granularity, padding;
    u64 lowest, highest, affinity;
    u8 processors, padding2[7];
  } basic{0,
          kTick,
          static_cast<u32>(kPageSize),
          kPages,
          1,
          kPages,
          static_cast<u32>(kAllocationGranularity),
          0,
          kLowestAddress,
          kHighestAddress,
          all_processors(call.state),
          static_cast<u8>(std::min<u32>(call.state.processor_count, 64)),
          {}};
  static_assert(sizeof basic == 64);
  return call.answer_with(buffer, room, &basic, sizeof basic, size_at);
}

u64 answer_performance(Call& call, u64 buffer, u64 room, u64 size_at) {
  std::array<u32, 86> performance{};
  constexpr u32 kLimit = 2 * kPages;
  u64 committed = 0;
  for (const State* const process : call.state.system->processes) committed += process->memory.committed() / kPageSize;
  const auto used = static_cast<u32>(std::min<u64>(committed, kPages));
  performance[11] = kPages - used;           // available
  performance[12] = performance[14] = used;  // committed, and the most so far
  performance[13] = kLimit;
  return call.answer_with(buffer, room, performance.data(), std::min<u64>(room, sizeof performance), size_at);
}

std::vector<CoreCycles> cycles_of_cores(const Call& call) {
  const ProgramHost* const host = call.state.system->host;
  std::vector<CoreCycles> cores = host != nullptr ? host->core_cycles(call.now_ns) : std::vector<CoreCycles>();
  cores.resize(call.state.processor_count);
  return cores;
}

// Returns the times of as many processors as fit. The kernel time includes the idle time.
u64 answer_processor_times(Call& call, u64 buffer, u64 room, u64 size_at) {
  constexpr u64 kTicksPerUs = 10;
  struct Times {
    u64 idle = 0, system = 0, user = 0, deferred_calls = 0, interrupts = 0;
    u32 interrupt_count = 0, padding = 0;
  };
  static_assert(sizeof(Times) == 48);
  const std::vector<ProcessorFacts>& known = call.state.system->processors;
  const std::vector<CoreCycles> cores = cycles_of_cores(call);
  std::vector<Times> times(std::min<u64>(cores.size(), std::max<u64>(room / sizeof(Times), 1)));
  for (usize index = 0; index < times.size() && index < known.size(); ++index) {
    const u64 mhz = std::max<u32>(known[index].mhz, 1);
    times[index].idle = cores[index].idle * kTicksPerUs / mhz;
    times[index].system = (cores[index].idle + cores[index].system) * kTicksPerUs / mhz;
    times[index].user = cores[index].user * kTicksPerUs / mhz;
  }
  return call.answer_with(buffer, room, times.data(), times.size() * sizeof(Times), size_at);
}

// Random bytes are derived from the machine's seed, so that two runs are the same.
u64 answer_random(Call& call, u64 buffer, u64 room, u64 size_at) {
  constexpr u64 kMost = 1 << 16;
  std::vector<u8> bytes(std::min(room, kMost));
  for (u8& one : bytes) one = static_cast<u8>(random_bits(call.state.seed, PlacedThing::chance, call.state.chances++));
  return call.answer_with(buffer, room, bytes.data(), bytes.size(), size_at);
}

// arguments: class, buffer, its size, size used
u64 system_information(Call& call) {
  constexpr u32 kBasic = 0, kProcessor = 1, kPerformance = 2, kTimeOfDay = 3, kProcesses = 5, kProcessorTimes = 8,
                kInterrupts = 23, kTimeZone = 44, kDynamicTimeZone = 102, kFirmwareTable = 76, kKernelDebugger = 35,
                kEmulation = 63, kRangeStart = 50, kCodeIntegrity = 103, kCores = 73, kIdleCycles = 83,
                kTimeAdjustment = 28, kVersionOfDlls = 1000;
  const u64 buffer = call.argument(1), room = call.argument32(2), size_at = call.argument(3);
  const auto answer = [&](const auto& value) {
    return u64{call.answer_with(buffer, room, &value, sizeof value, size_at)};
  };
  switch (call.argument32(0)) {
    case kBasic:
    case kEmulation:
      return answer_basic(call, buffer, room, size_at);
    case kProcessor: {
      const std::vector<ProcessorFacts>& processors = call.state.system->processors;
      const ProcessorFacts first = processors.empty() ? ProcessorFacts{} : processors.front();
      struct {
        u16 architecture, level, revision, most;
        u32 features;
      } processor{12, first.part(), first.revision(), static_cast<u16>(call.state.processor_count), 0};
      return answer(processor);
    }
    case kPerformance:
      return answer_performance(call, buffer, room, size_at);
    case kTimeOfDay:
      return answer(std::array<u64, 6>{kBootTime, kBootTime + call.now_ns / kNsPerTick, 0, 0, 0, 0});
    case kProcessorTimes:
      return answer_processor_times(call, buffer, room, size_at);
    case kTimeAdjustment:  // the clock advances by this much in this time; it is never adjusted
      return answer(std::array<u32, 3>{kTick, kTick, 1});
    case kIdleCycles: {
      std::vector<u64> idle;
      for (const CoreCycles& core : cycles_of_cores(call)) idle.push_back(core.idle);
      return call.answer_with(buffer, room, idle.data(), idle.size() * sizeof idle[0], size_at);
    }
    case kInterrupts:
      return answer_random(call, buffer, room, size_at);
    case kTimeZone:
    case kDynamicTimeZone:
      return call.answer_with(buffer, room, &kUtc,
                              call.argument32(0) == kTimeZone ? offsetof(TimeZone, key) : sizeof kUtc, size_at);
    case kKernelDebugger:
      return answer(std::array<u8, 2>{0, 1});
    case kRangeStart:
      return answer(u64{0xffff800000000000});
    case kCodeIntegrity:
      return answer(std::array<u32, 2>{8, 0});
    case kVersionOfDlls: {
      constexpr std::array<char, 5> kVersion = {'1', '0', '.', '0', 0};
      return call.write(buffer, kVersion.data(), std::min<u64>(room, kVersion.size())) ? kSuccess : kAccessViolation;
    }
    case kProcesses:
      return answer_processes(call, buffer, room, size_at);
    case kCores:
      return answer_topology(call, buffer, room, size_at);
    case kFirmwareTable:
    default:
      return kInvalidInfoClass;
  }
}

// arguments: class, query, its size, buffer, its size, size used
u64 system_information_ex(Call& call) {
  constexpr u32 kProcessors = 107, kMachines = 181, kCpuSets = 175;
  const u64 buffer = call.argument(3), room = call.argument32(4), size_at = call.argument(5);
  switch (call.argument32(0)) {
    case kProcessors: {
      u32 relation = 0;
      if (!call.get(call.argument(1), relation)) return 0;
      return answer_topology_of(call, relation, buffer, room, size_at);
    }
    case kMachines: {
      constexpr std::array<u32, 2> kArm64 = {0xaa64 | 0x7u << 16, 0};  // native, in the kernel and in programs
      return call.answer_with(buffer, room, kArm64.data(), sizeof kArm64, size_at);
    }
    case kCpuSets:
      return answer_cpu_sets(call, buffer, room, size_at);
    default:
      return kInvalidInfoClass;
  }
}

// arguments: class, input, its size, buffer, its size. The machine has no battery and one clock for all cores.
u64 power_information(Call& call) {
  constexpr u32 kBattery = 5, kProcessors = 11;
  const u64 buffer = call.argument(3), room = call.argument32(4);
  if (call.argument32(0) == kBattery) {
    std::array<u32, 8> battery{};
    battery[0] = 1;  // on external power
    if (room < sizeof battery) return kBufferTooSmall;
    return call.put(buffer, battery) ? kSuccess : kAccessViolation;
  }
  if (call.argument32(0) != kProcessors) return kNotImplemented;
  const std::vector<ProcessorFacts>& known = call.state.system->processors;
  std::vector<std::array<u32, 6>> processors;  // number, highest and present MHz, its limit, idle states
  for (u32 index = 0; index < known.size(); ++index)
    processors.push_back({index, known[index].mhz, known[index].mhz, known[index].mhz, 0, 0});
  if (room < processors.size() * sizeof processors[0]) return kBufferTooSmall;
  return call.write(buffer, processors.data(), processors.size() * sizeof processors[0]) ? kSuccess : kAccessViolation;
}

u64 performance_counter(Call& call) {
  const u64 now = kUptimeTicks + call.now_ns / kNsPerTick, frequency = 10'000'000;
  return call.put(call.argument(0), now) && call.put_if_wanted(call.argument(1), frequency) ? kSuccess
                                                                                            : kAccessViolation;
}

u64 system_time(Call& call) {
  return call.put(call.argument(0), kBootTime + call.now_ns / kNsPerTick) ? kSuccess : kAccessViolation;
}

// The requested timer resolution has no effect here.
u64 timer_resolution(Call& call) {
  constexpr u32 kFinest = 5'000, kCoarsest = 156'250;
  const u64 at = call.name == "NtSetTimerResolution" ? 2 : 0;
  if (at == 2) return call.put(call.argument(2), kCoarsest) ? kSuccess : kAccessViolation;
  return call.put(call.argument(0), kCoarsest) && call.put(call.argument(1), kFinest) &&
                 call.put(call.argument(2), kCoarsest)
             ? kSuccess
             : kAccessViolation;
}

// Maps a file of C:\windows\system32 once; every later call gets the same address.
u64 map_table(State& state, u64 key, const std::string& name, u64& size) {
  const auto bytes = FileSystem::contents(state.files.find("\\??\\C:\\windows\\system32\\" + name));
  if (!bytes || bytes->empty()) return 0;
  size = bytes->size();
  u64& address = state.nls_sections[key];
  if (address != 0) return address;
  Memory::ReserveOptions options;
  options.size = size;
  options.type = MemoryType::mapped;
  options.protection = kPageReadOnly;
  address = state.memory.reserve(options);
  if (address == 0 || state.memory.commit(address, page_up(size), kPageReadOnly) != kSuccess) return 0;
  state.space.write(address, bytes->data(), size);
  return address;
}

// arguments: pointer to the tables, language, its size
u64 initialize_languages(Call& call) {
  constexpr u32 kEnglish = 0x409;
  u64 size = 0;
  const u64 tables = map_table(call.state, 0, "locale.nls", size);
  if (tables == 0) return kObjectNameNotFound;
  return call.put(call.argument(0), tables) && call.put(call.argument(1), kEnglish) &&
                 call.put_if_wanted(call.argument(2), size)
             ? kSuccess
             : kAccessViolation;
}

// arguments: type, id, context, pointer, size
u64 language_section(Call& call) {
  constexpr u32 kSorting = 9, kCases = 10, kCodePage = 11, kNormalization = 12;
  const u32 type = call.argument32(0), id = call.argument32(1);
  std::string name;
  if (type == kSorting) name = "sortdefault.nls";
  if (type == kCases) name = "l_intl.nls";
  if (type == kCodePage) {
    std::string number = std::to_string(id);
    if (number.size() < 3) number.insert(0, 3 - number.size(), '0');
    name = "c_" + number + ".nls";
  }
  if (type == kNormalization) {
    name = id == 1    ? "normnfc.nls"
           : id == 2  ? "normnfd.nls"
           : id == 5  ? "normnfkc.nls"
           : id == 6  ? "normnfkd.nls"
           : id == 13 ? "normidna.nls"
                      : "";
  }
  if (name.empty()) return kInvalidParameter;
  u64 size = 0;
  const u64 table = map_table(call.state, u64{type} << 32 | id, name, size);
  if (table == 0) return kObjectNameNotFound;
  return call.put(call.argument(3), table) && call.put_if_wanted(call.argument(4), size) ? kSuccess : kAccessViolation;
}

u64 accept(Call&) {
  return kSuccess;
}
// An ordinary user may not set the clock.
u64 no_privilege(Call&) {
  return 0xc0000061;  // STATUS_PRIVILEGE_NOT_HELD
}

u64 not_here(Call&) {
  return kNotImplemented;
}

// The machine has no desktop. These calls report failure by returning 0.
u64 no_desktop(Call&) {
  return 0;
}

u64 no_such_name(Call&) {
  return kObjectNameNotFound;
}

// arguments: user's default, language
u64 query_language(Call& call) {
  constexpr u32 kEnglish = 0x409;
  return call.put(call.argument(1), kEnglish) ? kSuccess : kAccessViolation;
}
u64 query_interface_language(Call& call) {
  constexpr u16 kEnglish = 0x409;
  return call.put(call.argument(0), kEnglish) ? kSuccess : kAccessViolation;
}

// The only link is the drive's.
u64 open_link(Call& call) {
  ObjectName name;
  if (const Status status = call.read_name(call.argument(2), name); status != kSuccess) return status;
  for (const std::string_view drive : {"\\??\\C:", "\\DosDevices\\C:", "\\GLOBAL??\\C:"}) {
    if (!same_ignoring_case(name.text, drive)) continue;
    auto link = std::make_shared<Link>();
    link->name = name.text;
    return call.give_handle(call.argument(0), link);
  }
  return kObjectNameNotFound;
}

// arguments: link, UNICODE_STRING for the target, the target's size
u64 query_link(Call& call) {
  if (call.state.handles.at<Link>(call.argument(0)) == nullptr) return kInvalidHandle;
  const std::vector<u16> target = to_utf16(kVolumeDevice);
  struct {
    u16 size, room;
    u32 padding;
    u64 text;
  } text{};
  if (!call.get(call.argument(1), text)) return kAccessViolation;
  const u32 size = static_cast<u32>(target.size() * 2);
  if (!call.put_if_wanted(call.argument(2), size)) return kAccessViolation;
  if (text.room < size) return kBufferTooSmall;
  text.size = static_cast<u16>(size);
  return call.write(text.text, target.data(), size) && call.put(call.argument(1), text) ? kSuccess : kAccessViolation;
}

constexpr Service kInformation[] = {
    {"NtQuerySystemInformation", system_information},
    {"NtQuerySystemInformationEx", system_information_ex},
    {"NtQueryPerformanceCounter", performance_counter},
    {"NtPowerInformation", power_information},
    {"NtQuerySystemTime", system_time},
    {"NtSetSystemTime", no_privilege},
    {"NtQueryTimerResolution", timer_resolution},
    {"NtSetTimerResolution", timer_resolution},
    {"NtInitializeNlsFiles", initialize_languages},
    {"NtGetNlsSectionPtr", language_section},
    {"NtQueryDefaultLocale", query_language},
    {"NtQueryDefaultUILanguage", query_interface_language},
    {"NtQueryInstallUILanguage", query_interface_language},
    {"NtOpenSymbolicLinkObject", open_link},
    {"NtQuerySymbolicLinkObject", query_link},
    {"NtTraceControl", not_here},
    {"NtTraceEvent", accept},
    {"NtSetThreadExecutionState", accept},
    {"NtSystemDebugControl", not_here},
    {"NtRaiseHardError", not_here},
    {"NtQueryLicenseValue", not_here},
    {"NtSetDebugFilterState", accept},
    {"wine_nt_to_unix_file_name", no_such_name},
    {"wine_unix_to_nt_file_name", no_such_name},
    {"NtUserInitializeClientPfnArrays", not_here},
    {"NtUserGetSystemDpiForProcess", not_here},
    {"NtUserCallNoParam", not_here},
    {"NtUserCallOneParam", no_desktop},
};

}  // namespace

std::span<const Service> information_services() {
  return kInformation;
}

}  // namespace wperf::sim::nt
