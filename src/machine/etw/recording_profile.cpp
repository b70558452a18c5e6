// SPDX-License-Identifier: BSD-3-Clause
#include "machine/etw/recording_profile.h"

#include <fmt/format.h>

#include <iterator>

namespace wperf::etw {
namespace {

constexpr u32 kBufferKbOfProfile = 1024;
constexpr u64 kSamplesPerSecond = 4000;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    }
  }
  return out;
}

std::string name_of(const WantedSource& wanted, std::span<const ProfileSource> sources) {
  for (const ProfileSource& one : sources) {
    if (wanted.number == one.number) return one.name;
  }
  return wanted.name;
}

// Windows' model number of an Arm core is the part number.
std::string added_sources(std::span<const WantedSource> added, u64 midr) {
  constexpr u32 kPartShift = 4, kPartMask = 0xfff, kFamily = 8;
  std::string out = fmt::format(
      "    <!-- Microsoft documents no values for Arm cores. Family and Model are from the environment variable\n"
      "         PROCESSOR_IDENTIFIER; if wpr refuses them, use its values on the machine to be recorded. -->\n"
      "    <MicroArchitecturalConfig Id=\"Sources_wperf\" Base=\"\" Strict=\"true\">\n"
      "      <ProfileSources Architecture=\"ARM\" Family=\"{}\" Model=\"{}\" Description=\"events of wperf\">\n",
      kFamily, midr >> kPartShift & kPartMask);
  for (const WantedSource& one : added) {
    fmt::format_to(std::back_inserter(out),
                   "        <ProfileSource Name=\"{}\" Event=\"0x{:x}\" Interval=\"{}\" Persist=\"false\"/>\n",
                   escaped(one.name), one.event, one.interval);
  }
  return out + "      </ProfileSources>\n    </MicroArchitecturalConfig>\n";
}

}  // namespace

std::string recording_profile(const SessionPlan& plan, std::span<const ProfileSource> sources, u64 midr) {
  std::vector<WantedSource> counters, added;
  const WantedSource* timer = nullptr;
  for (const WantedSource& one : plan.sources) {
    if (one.number == kTimer) {
      timer = &one;
      continue;
    }
    counters.push_back(one);
    if (!one.number.has_value()) added.push_back(one);
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
  const auto to = std::back_inserter(out);
  if (timer != nullptr) {
    fmt::format_to(to,
                   "<!-- The interval of the timer is not part of a profile; set it with: wpr -setprofint {} (units of "
                   "100 ns). -->\n",
                   timer->interval);
  }
  fmt::format_to(to,
                 "<WindowsPerformanceRecorder Version=\"1.0\" Author=\"wperf\">\n  <Profiles>\n"
                 "    <SystemCollector Id=\"SystemCollector_wperf\" Name=\"NT Kernel Logger\">\n"
                 "      <BufferSize Value=\"{}\"/>\n      <Buffers Value=\"{}\"/>\n    </SystemCollector>\n",
                 kBufferKbOfProfile, buffers_for(plan.cores, kSamplesPerSecond, plan.stacks));
  out +=
      "    <SystemProvider Id=\"SystemProvider_wperf\">\n      <Keywords>\n"
      "        <Keyword Value=\"CpuConfig\"/>\n        <Keyword Value=\"Loader\"/>\n"
      "        <Keyword Value=\"ProcessThread\"/>\n";
  if (!counters.empty()) out += "        <Keyword Value=\"PmcProfile\"/>\n";
  if (timer != nullptr) out += "        <Keyword Value=\"SampledProfile\"/>\n";
  if (plan.switches) out += "        <Keyword Value=\"CSwitch\"/>\n        <Keyword Value=\"ReadyThread\"/>\n";
  out += "      </Keywords>\n";
  if (plan.stacks) {
    out += "      <Stacks>\n";
    if (!counters.empty()) out += "        <Stack Value=\"PmcInterrupt\"/>\n";
    if (timer != nullptr) out += "        <Stack Value=\"SampledProfile\"/>\n";
    if (plan.switches) out += "        <Stack Value=\"CSwitch\"/>\n        <Stack Value=\"ReadyThread\"/>\n";
    out += "      </Stacks>\n";
  }
  out += "    </SystemProvider>\n";
  if (!added.empty()) out += added_sources(added, midr);
  if (!counters.empty()) {
    out += "    <HardwareCounter Id=\"HardwareCounter_wperf\" Base=\"\" Strict=\"true\">\n";
    if (!added.empty()) out += "      <MicroArchitecturalConfigId Value=\"Sources_wperf\"/>\n";
    out += "      <SampledCounters>\n";
    for (const WantedSource& one : counters) {
      fmt::format_to(to, "        <SampledCounter Value=\"{}\" Interval=\"{}\"/>\n", escaped(name_of(one, sources)),
                     one.interval);
    }
    out += "      </SampledCounters>\n    </HardwareCounter>\n";
  }
  out +=
      "    <Profile Id=\"wperf.Verbose.File\" Name=\"wperf\" DetailLevel=\"Verbose\" LoggingMode=\"File\"\n"
      "             Description=\"what wperf record samples\">\n      <Collectors>\n"
      "        <SystemCollectorId Value=\"SystemCollector_wperf\">\n"
      "          <SystemProviderId Value=\"SystemProvider_wperf\"/>\n";
  if (!counters.empty()) out += "          <HardwareCounterId Value=\"HardwareCounter_wperf\"/>\n";
  out +=
      "        </SystemCollectorId>\n      </Collectors>\n    </Profile>\n"
      "    <Profile Id=\"wperf.Verbose.Memory\" Name=\"wperf\" Base=\"wperf.Verbose.File\" DetailLevel=\"Verbose\"\n"
      "             LoggingMode=\"Memory\" Description=\"what wperf record samples\"/>\n"
      "  </Profiles>\n</WindowsPerformanceRecorder>\n";
  return out;
}

}  // namespace wperf::etw
