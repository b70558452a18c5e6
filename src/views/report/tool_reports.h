// SPDX-License-Identifier: BSD-3-Clause
// The answers of small commands (contract 8) and of doctor. Most answers are blocks: named tables that are written as
// text or as one JSON document. Pure functions.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/pmu/catalogue.h"
#include "machine/pmu/extra_events.h"
#include "model/answers/tool_answers.h"
#include "views/report/table.h"

namespace wperf::report {

struct Block {
  std::string_view json_key;
  std::string_view heading;  // empty: the text is only the table
  Table table;
};
std::string blocks_text(std::span<const Block> blocks);
std::string blocks_json(std::span<const Block> blocks);
// For documents that WindowsPerf does not have; these begin with their version.
std::string versioned_blocks_json(std::span<const Block> blocks);

// In the list of events, the beginning of the description of an alternative name of an event.
inline constexpr std::string_view kAnotherNameOf = "Another name of ";
std::vector<Block> list_report(pmu::Product product, std::span<const pmu::ExtraEvent> extra,
                               const answers::CatalogueListing& listing, bool verbose);
std::vector<Block> test_report(pmu::Product product, const answers::TestReport& test);
std::vector<Block> version_report(std::span<const answers::Component> components);
std::vector<Block> machine_programs_report(std::span<const answers::MachineProgram> programs);
std::vector<Block> detect_report(std::span<const answers::DeviceInstance> devices);

// Finds a metric (also a built-in one), an event or a group of metrics with this name, in this order; case matters.
// Returns nullopt if nothing has this name.
// `way_out`: used as the description of an event that the product does not describe.
std::optional<answers::ManualPage> find_manual_page(pmu::Product product, std::string_view name,
                                                    std::string_view way_out = {});
// The page of an event with a name from the kernel.
answers::ManualPage kernel_event_page(const answers::ListedWord& word);
std::string manual_text(const answers::ManualPage& page);
std::string manual_json(const answers::ManualPage& page);

// The two lines at the start of every run that prints no results (8.1). `build` is "Release" or "Debug".
std::string header_text(const answers::Component& tool, std::string_view build, std::string_view bugs_url);

std::string doctor_text(std::span<const answers::Check> checks);
std::string doctor_json(std::span<const answers::Check> checks);
// A block for bug reports.
std::string selftest_text(const answers::Selftest& test);
std::string selftest_json(const answers::Selftest& test);

// "events to be counted:" of -v (5.2): the event classes with events, including padding.
std::string schedule_text(const answers::TestReport& test);

}  // namespace wperf::report
