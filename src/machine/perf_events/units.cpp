// SPDX-License-Identifier: BSD-3-Clause
#include "machine/perf_events/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "formats/perf_data/features.h"

namespace wperf::perf_events {
namespace {

std::optional<u64> parse_value(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  u64 value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (text.empty() || end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

bool plain_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string_view::npos;
}

diag::Error wrong(std::string text, const Unit& unit) {
  return diag::usage_error(
      std::move(text),
      fmt::format("{1}{0}/events lists the events of {0}, {1}{0}/format its terms", unit.name, kUnitFolder));
}

class TermReader {
 public:
  TermReader(const SystemFiles& files, const Unit& unit) : files_(files), unit_(unit) {
    event.type = unit.type;
    event.hardware = unit.of_cores();
    event.cores = unit.mask;
  }
  diag::Result<void> read(std::string_view terms, bool names_allowed);
  plan::KernelEvent event;

 private:
  diag::Result<void> read_term(std::string_view term, bool names_allowed);
  std::string folder() const { return kUnitFolder + unit_.name; }

  const SystemFiles& files_;
  const Unit& unit_;
};

diag::Result<void> TermReader::read(std::string_view terms, bool names_allowed) {
  while (!terms.empty()) {
    const std::string_view term = terms.substr(0, terms.find(','));
    terms.remove_prefix(std::min(term.size() + 1, terms.size()));
    WPERF_CHECK_OK(read_term(term, names_allowed));
  }
  return {};
}

diag::Result<void> TermReader::read_term(std::string_view term, bool names_allowed) {
  const usize equals = term.find('=');
  const std::string name(term.substr(0, equals));
  if (!plain_name(name)) return wrong(fmt::format("'{}' is not a term of an event of {}", term, unit_.name), unit_);
  if (equals == std::string_view::npos && names_allowed) {
    const auto known = files_.text(folder() + "/events/" + name);
    if (known.has_value()) return read(*known, false);
  }
  const auto format = files_.text(folder() + "/format/" + name);
  std::string_view bits;
  if (format.has_value()) {
    bits = *format;
  } else if (name == "config" || name == "config1" || name == "config2") {
    bits = name;
  } else {
    return wrong(fmt::format("{} has no event or term '{}'", unit_.name, name), unit_);
  }
  // A term without a value is a switch.
  const auto value = equals == std::string_view::npos ? std::optional<u64>(1) : parse_value(term.substr(equals + 1));
  if (!value.has_value()) return wrong(fmt::format("'{}' has no number after the equals sign", term), unit_);
  if (!set_bits(bits, *value, event)) {
    return wrong(fmt::format("the value of '{}' is too large: {} stores it in {}", term, unit_.name, bits), unit_);
  }
  return {};
}

}  // namespace

std::vector<u32> online_cores(const SystemFiles& files) {
  return perf_data::parse_kernel_list(files.text("/sys/devices/system/cpu/online").value_or(""));
}

u64 midr_of(const SystemFiles& files, u32 core) {
  return files.number(fmt::format("/sys/devices/system/cpu/cpu{}/regs/identification/midr_el1", core)).value_or(0);
}

std::vector<Unit> find_units(const SystemFiles& files) {
  std::vector<Unit> units;
  for (const std::string& name : files.names(kUnitFolder)) {
    const auto type = files.number(kUnitFolder + name + "/type");
    if (!type.has_value() || *type > ~u32{0}) continue;
    Unit unit{.name = name, .type = static_cast<u32>(*type), .cores = {}, .mask = {}};
    unit.cores = perf_data::parse_kernel_list(files.text(kUnitFolder + name + "/cpus").value_or(""));
    unit.mask = perf_data::parse_kernel_list(files.text(kUnitFolder + name + "/cpumask").value_or(""));
    units.push_back(std::move(unit));
  }
  return units;
}

bool set_bits(std::string_view format, u64 value, plan::KernelEvent& event) {
  const usize colon = format.find(':');
  const std::string_view word = format.substr(0, colon);
  u64* target = word == "config"    ? &event.config
                : word == "config1" ? &event.config1
                : word == "config2" ? &event.config2
                                    : nullptr;
  if (target == nullptr) return false;
  if (colon == std::string_view::npos) {
    *target = value;
    return true;
  }
  std::string_view ranges = format.substr(colon + 1);
  while (!ranges.empty()) {
    const std::string_view range = ranges.substr(0, ranges.find(','));
    ranges.remove_prefix(std::min(range.size() + 1, ranges.size()));
    const usize dash = range.find('-');
    const auto first = parse_value(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_value(range.substr(dash + 1));
    if (!first.has_value() || !last.has_value() || *first > *last || *last > 63) return false;
    const u64 width = *last - *first + 1;
    const u64 mask = width == 64 ? ~u64{0} : (u64{1} << width) - 1;
    *target = (*target & ~(mask << *first)) | (value & mask) << *first;
    value = width == 64 ? 0 : value >> width;
  }
  return value == 0;
}

diag::Result<plan::KernelEvent> parse_unit_event(const SystemFiles& files, const Unit& unit, std::string_view terms) {
  TermReader reader(files, unit);
  WPERF_CHECK_OK(reader.read(terms, true));
  return std::move(reader.event);
}

namespace {

constexpr std::string_view kNamePrefix = "arm_spe_";
constexpr u32 kVersionShift = 32;  // ID_AA64DFR0_EL1.PMSVer
// PMSIDR_EL1
constexpr u64 kFiltersEvents = 1u << 0, kFiltersTypes = 1u << 1, kFiltersLatency = 1u << 2,
              kFiltersAbsentEvents = 1u << 6;
constexpr u32 kIntervalShift = 8, kCountSizeShift = 16;

u64 interval_field(u64 operations) {
  constexpr std::pair<u64, u64> kFields[] = {{256, 0},  {512, 2},  {768, 3},  {1024, 4},
                                             {1536, 5}, {2048, 6}, {3072, 7}, {4096, 8}};
  for (const auto& [least, field] : kFields) {
    if (operations == least) return field;
  }
  return kFields[std::size(kFields) - 1].second;
}

}  // namespace

std::vector<Unit> spe_units(const std::vector<Unit>& units) {
  std::vector<Unit> found;
  for (const Unit& unit : units) {
    if (unit.name.starts_with(kNamePrefix)) found.push_back(unit);
  }
  return found;
}

const Unit* spe_unit_of_core(const std::vector<Unit>& spe_units, u32 core) {
  for (const Unit& unit : spe_units) {
    if (std::find(unit.mask.begin(), unit.mask.end(), core) != unit.mask.end()) return &unit;
  }
  return nullptr;
}

// The kernel only shows the register fields that programs need, and lists a format only if the hardware has it.
SpeIdentity spe_identity(const SystemFiles& files, const std::vector<Unit>& spe_units) {
  if (spe_units.empty()) return {};
  const std::string folder = kUnitFolder + spe_units.front().name;
  const auto has_format = [&](const char* name) { return files.exists(folder + "/format/" + name); };
  SpeIdentity identity{.id_aa64dfr0 = u64{1} << kVersionShift, .pmsidr = 0};
  if (has_format("event_filter")) identity.pmsidr |= kFiltersEvents;
  if (has_format("load_filter")) identity.pmsidr |= kFiltersTypes;
  if (has_format("min_latency")) identity.pmsidr |= kFiltersLatency;
  if (has_format("inv_event_filter")) identity.pmsidr |= kFiltersAbsentEvents;
  identity.pmsidr |= interval_field(files.number(folder + "/caps/min_interval").value_or(0)) << kIntervalShift;
  constexpr u64 kWideCounters = 16, kWideField = 3, kNarrowField = 2;
  const bool wide = files.number(folder + "/caps/count_size").value_or(0) == kWideCounters;
  identity.pmsidr |= (wide ? kWideField : kNarrowField) << kCountSizeShift;
  return identity;
}

diag::Result<plan::KernelEvent> spe_event(const SystemFiles& files, const Unit& unit, const plan::SpePlan& plan) {
  const std::pair<const char*, u64> settings[] = {
      {"ts_enable", plan.timestamps ? 1 : 0}, {"pa_enable", plan.physical ? 1 : 0},
      {"jitter", plan.jitter ? 1 : 0},        {"load_filter", plan.loads ? 1 : 0},
      {"store_filter", plan.stores ? 1 : 0},  {"branch_filter", plan.branches ? 1 : 0},
      {"event_filter", plan.events},          {"inv_event_filter", plan.not_events},
      {"min_latency", plan.min_latency}};
  std::string terms;
  for (const auto& [name, value] : settings) {
    if (value != 0) terms += fmt::format("{}{}=0x{:x}", terms.empty() ? "" : ",", name, value);
  }
  WPERF_TRY(plan::KernelEvent event, parse_unit_event(files, unit, terms));
  event.hardware = true;
  event.cores.clear();  // its mask lists the cores that have this PMU, not the cores that read it
  return event;
}

}  // namespace wperf::perf_events
