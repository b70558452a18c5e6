// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/tool_reports.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "ground/text/json_writer.h"
#include "views/report/count_tables.h"
#include "views/report/document_version.h"

namespace wperf::report {
namespace {

void write_blocks(text::JsonWriter& json, std::span<const Block> blocks) {
  for (const Block& block : blocks) {
    json.key(block.json_key);
    write_rows(json, block.table);
  }
}

}  // namespace

std::string blocks_text(std::span<const Block> blocks) {
  std::string out;
  for (const Block& block : blocks) {
    if (!block.heading.empty()) fmt::format_to(std::back_inserter(out), "\n{}\n\n", block.heading);
    append_table(out, block.table);
  }
  return out;
}

std::string blocks_json(std::span<const Block> blocks) {
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  write_blocks(json, blocks);
  json.end_object();
  return out;
}

std::string versioned_blocks_json(std::span<const Block> blocks) {
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  json.integer("version", kDocumentVersion);
  write_blocks(json, blocks);
  json.end_object();
  return out;
}

std::vector<Block> version_report(std::span<const answers::Component> components) {
  Table table;
  table.columns = {{"Component"}, {"Version"}, {"GitVer"}, {"FeatureString"}};
  for (const answers::Component& component : components) {
    table.rows.push_back({component.name, component.version, component.git, component.features});
  }
  return {{.json_key = "Version", .heading = {}, .table = std::move(table)}};
}

std::vector<Block> detect_report(std::span<const answers::DeviceInstance> devices) {
  Table table;
  table.columns = {{"Device Instance ID"}, {"Hardware IDs"}};
  for (const answers::DeviceInstance& device : devices) table.rows.push_back({device.instance_id, device.hardware_ids});
  return {{.json_key = "Devices", .heading = {}, .table = std::move(table)}};
}

std::vector<Block> machine_programs_report(std::span<const answers::MachineProgram> programs) {
  constexpr double kNsPerSecond = 1e9;
  Table table;
  table.columns = {
      {"PID", Align::right, true}, {"Core", Align::right, true},   {"Threads", Align::right, true},  {"State"},
      {"Exit code", Align::right}, {"User s", Align::right, true}, {"System s", Align::right, true}, {"Program"}};
  for (const answers::MachineProgram& one : programs) {
    table.rows.push_back({fmt::format("{}", one.pid), fmt::format("{}", one.core), fmt::format("{}", one.threads),
                          one.running ? "running" : "ended", one.running ? "-" : fmt::format("{:#x}", one.exit_code),
                          fmt::format("{:.3f}", static_cast<double>(one.user_ns) / kNsPerSecond),
                          fmt::format("{:.3f}", static_cast<double>(one.system_ns) / kNsPerSecond), one.image});
  }
  return {{.json_key = "Programs", .heading = {}, .table = std::move(table)}};
}

std::string header_text(const answers::Component& tool, std::string_view build, std::string_view bugs_url) {
  std::string text = fmt::format("WindowsPerf ver. {} ({}/{}{}) WOA profiling with performance counters.\n",
                                 tool.version, tool.git, build, tool.features);
  if (!bugs_url.empty()) text += fmt::format("Report bugs to: {}\n", bugs_url);
  return text;
}

std::string doctor_text(std::span<const answers::Check> checks) {
  static constexpr std::string_view kWords[] = {"ok", "warn", "FAIL"};
  std::string out;
  for (const answers::Check& check : checks) {
    fmt::format_to(std::back_inserter(out), "{:<5}{}: {}\n", kWords[static_cast<usize>(check.status)], check.name,
                   check.detail);
    if (!check.fix.empty()) fmt::format_to(std::back_inserter(out), "     fix: {}\n", check.fix);
  }
  return out;
}

std::string doctor_json(std::span<const answers::Check> checks) {
  static constexpr std::string_view kWords[] = {"ok", "warn", "fail"};
  Table table;
  table.columns = {{"check"}, {"status"}, {"detail"}, {"fix"}};
  for (const answers::Check& check : checks) {
    table.rows.push_back({check.name, std::string(kWords[static_cast<usize>(check.status)]), check.detail, check.fix});
  }
  const Block block{.json_key = "Doctor", .heading = {}, .table = std::move(table)};
  return versioned_blocks_json({&block, 1});
}

namespace {

constexpr std::string_view kOutcomes[] = {"ok", "FAILED", "not possible"};

}  // namespace

std::string selftest_text(const answers::Selftest& test) {
  std::string out = "---- wperf doctor --selftest ----\n";
  const auto to = std::back_inserter(out);
  for (const auto& [name, value] : test.facts) fmt::format_to(to, "{}: {}\n", name, value);
  usize counts[std::size(kOutcomes)] = {};
  for (const answers::TestedDevice& device : test.devices) {
    fmt::format_to(to, "\ndevice {}\n", device.name);
    for (const answers::Finding& one : device.findings) {
      const auto outcome = static_cast<usize>(one.outcome);
      ++counts[outcome];
      fmt::format_to(to, "  {:<13} {}: {}\n", kOutcomes[outcome], one.check, one.detail);
    }
  }
  fmt::format_to(to, "---- {} ok, {} failed, {} not possible ----\n", counts[0], counts[1], counts[2]);
  return out;
}

std::string selftest_json(const answers::Selftest& test) {
  Table facts, checks;
  facts.columns = {{"name"}, {"value"}};
  for (const auto& [name, value] : test.facts) facts.rows.push_back({name, value});
  checks.columns = {{"device"}, {"check"}, {"result"}, {"detail"}};
  for (const answers::TestedDevice& device : test.devices) {
    for (const answers::Finding& one : device.findings) {
      const std::string_view outcome =
          one.outcome == answers::Outcome::failed ? "failed" : kOutcomes[static_cast<usize>(one.outcome)];
      checks.rows.push_back({device.name, one.check, std::string(outcome), one.detail});
    }
  }
  const Block blocks[] = {{.json_key = "System", .heading = {}, .table = std::move(facts)},
                          {.json_key = "Selftest", .heading = {}, .table = std::move(checks)}};
  return versioned_blocks_json(blocks);
}

std::string schedule_text(const answers::TestReport& test) {
  std::string out = "events to be counted:\n";
  const auto to = std::back_inserter(out);
  for (const EventClass event_class : kEventClasses) {
    const std::vector<answers::ScheduledEvent>& schedule = test.schedules[index_of(event_class)];
    if (schedule.empty()) continue;
    fmt::format_to(to, "  {:>4}{:>18} events:", schedule.size(), class_name(event_class));
    for (const answers::ScheduledEvent& event : schedule) fmt::format_to(to, " 0x{:04x}", event.code);
    out += '\n';
  }
  return out;
}

}  // namespace wperf::report
