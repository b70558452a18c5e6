// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/recording_facts_linux.h"

#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <map>

#include "formats/perf_data/byte_writing.h"
#include "machine/perf_events/event_words.h"

namespace wperf::perf_events {
namespace {

// The text after the colon in the first row of /proc/cpuinfo with this name.
std::string processor_row(std::string_view text, std::string_view name) {
  const usize row = text.find(name);
  const usize begin = row == std::string_view::npos ? row : text.find(": ", row);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin + 2, text.find('\n', begin) - begin - 2));
}

// In perf's form: on Arm the MIDR, otherwise vendor, family, model and stepping.
std::string processor_id(const SystemFiles& files, std::string_view processors) {
  const auto midr = files.text("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
  if (midr.has_value()) return *midr;
  const std::string vendor = processor_row(processors, "vendor_id");
  if (vendor.empty()) return {};
  return fmt::format("{},{},{},{}", vendor, processor_row(processors, "cpu family"),
                     processor_row(processors, "model\t"), processor_row(processors, "stepping"));
}

std::vector<std::string> own_command_line(const SystemFiles& files) {
  std::vector<std::string> words;
  const std::string text = files.text("/proc/self/cmdline").value_or("");
  for (usize begin = 0; begin < text.size();) {
    const usize end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

}  // namespace

perf_data::RecordingFacts recording_facts(const SystemFiles& files, const std::vector<Unit>& units,
                                          const std::string& version) {
  perf_data::RecordingFacts facts;
  utsname system{};
  if (uname(&system) == 0) {
    facts.host_name = system.nodename;
    facts.os_release = system.release;
    facts.architecture = system.machine;
  }
  facts.version = version;
  const std::string processors = files.text("/proc/cpuinfo").value_or("");
  facts.cpu_description = processor_row(processors, "model name");
  facts.cpu_id = processor_id(files, processors);
  facts.cores_online = static_cast<u32>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 0L));
  facts.cores_available = static_cast<u32>(std::max(sysconf(_SC_NPROCESSORS_CONF), 0L));
  struct sysinfo memory{};
  if (sysinfo(&memory) == 0) facts.memory_bytes = u64{memory.totalram} * memory.mem_unit;
  facts.command_line = own_command_line(files);
  for (const Unit& unit : units) {
    facts.units.emplace_back(unit.type, unit.name);
    const auto cores = files.text(kUnitFolder + unit.name + "/cpus");
    if (cores.has_value()) facts.core_units.emplace_back(unit.name, *cores);
  }
  return facts;
}

std::string tracing_data(const SystemFiles& files, std::span<const std::string> tracepoints) {
  using perf_data::put;
  const std::string folder = tracefs_folder(files);
  std::map<std::string, std::vector<std::string>> systems;  // name → the formats of its tracepoints
  for (const std::string& name : tracepoints) {
    const usize colon = name.find(':');
    if (colon == std::string::npos || folder.empty()) continue;
    const std::string system = name.substr(0, colon);
    const auto format = files.text(fmt::format("{}/events/{}/{}/format", folder, system, name.substr(colon + 1)));
    if (format.has_value()) systems[system].push_back(*format);
  }
  if (systems.empty()) return {};
  // With the line end of the kernel's texts, because readers look for it.
  const auto put_sized = [](std::string& out, const std::string& text) {
    put(out, static_cast<u64>(text.size() + 1));
    out.append(text).push_back('\n');
  };
  std::string out("\x17\x08\x44tracing", 10);
  out.append("0.5").push_back('\0');
  put(out, static_cast<u8>(std::endian::native == std::endian::big ? 1 : 0));
  put(out, static_cast<u8>(sizeof(long)));
  put(out, static_cast<u32>(sysconf(_SC_PAGESIZE)));
  for (const char* const name : {"header_page", "header_event"}) {
    out.append(name).push_back('\0');
    put_sized(out, files.text(fmt::format("{}/events/{}", folder, name)).value_or(""));
  }
  put(out, u32{0});  // events of ftrace
  put(out, static_cast<u32>(systems.size()));
  for (const auto& [name, formats] : systems) {
    out.append(name).push_back('\0');
    put(out, static_cast<u32>(formats.size()));
    for (const std::string& format : formats) put_sized(out, format);
  }
  put(out, u32{0});  // addresses of kernel functions
  put(out, u32{0});  // formats of printk
  return out;
}

}  // namespace wperf::perf_events
