// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/tool_reports.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "views/report/golden_profiles.h"

namespace wperf::report {
namespace {

using nlohmann::json;
using testing::expect_golden;

pmu::Product neoverse_n1() {
  return pmu::find_product("neoverse-n1").value_or(pmu::architectural());
}

answers::CatalogueListing listing() {
  answers::CatalogueListing result;
  result.classes = {true, true, true, true};
  result.metrics = {{.name = "imix", .definition = "{inst_spec,dp_spec}", .formula = {}, .unit = {}, .description = {}},
                    {.name = "ipc",
                     .definition = "{inst_retired,cpu_cycles}",
                     .formula = "inst_retired / cpu_cycles",
                     .unit = "per cycle",
                     .description = "Instructions per cycle"},
                    {.name = "l3_cache",
                     .definition = "/dsu/l3d_cache,/dsu/l3d_cache_refill",
                     .formula = {},
                     .unit = {},
                     .description = {}}};
  return result;
}

const std::vector<pmu::ExtraEvent> kExtra = {{EventClass::core, "my_event", 0x1234}, {EventClass::dsu, "mine", 0x99}};

void expect_unique_strings(const json& rows) {
  std::set<std::string> seen;
  for (const json& row : rows) {
    for (const auto& [key, value] : row.items()) EXPECT_TRUE(value.is_string()) << key;
    EXPECT_TRUE(seen.insert(row.dump()).second) << row;
  }
}

TEST(list_report, has_three_blocks) {
  const auto blocks = list_report(neoverse_n1(), kExtra, listing(), false);
  const std::string text = blocks_text(blocks);
  const usize events = text.find("\nList of pre-defined events (to be used in -e)\n\n");
  const usize metrics = text.find("\n\nList of supported metrics (to be used in -m)\n\n");
  const usize groups = text.find("\n\nList of supported groups of metrics (to be used in -m)\n\n");
  EXPECT_EQ(events, 0u);
  EXPECT_LT(events, metrics);
  EXPECT_LT(metrics, groups);
  EXPECT_NE(groups, std::string::npos);
  EXPECT_TRUE(finds(text, R"(inst_spec\s+0x001b  \[core PMU event\])"));
  EXPECT_TRUE(finds(text, R"(/dsu/l3d_cache\s+0x002b  \[dsu PMU event\])"));
  EXPECT_TRUE(finds(text, R"(/dmc_clkdiv2/rdwr\s+0x[0-9a-f]{4}  \[dmc_clkdiv2 PMU event\])"));
  EXPECT_TRUE(finds(text, R"(my_event\s+0x1234  \[core PMU event\*\])"));
  EXPECT_TRUE(finds(text, R"(/dsu/mine\s+0x0099  \[dsu PMU event\*\])"));
}

TEST(list_report, json_has_verbose_keys_only_when_asked) {
  const json brief = json::parse(blocks_json(list_report(neoverse_n1(), kExtra, listing(), false)));
  const json verbose = json::parse(blocks_json(list_report(neoverse_n1(), kExtra, listing(), true)));
  EXPECT_EQ(keys_of(brief),
            (std::set<std::string>{"Predefined_Events", "Predefined_Groups_of_Metrics", "Predefined_Metrics"}));
  EXPECT_EQ(keys_of(brief["Predefined_Events"][0]), (Keys{"Alias_Name", "Event_Type", "Raw_Index"}));
  EXPECT_EQ(keys_of(brief["Predefined_Metrics"][0]), (Keys{"Events", "Metric"}));
  EXPECT_EQ(keys_of(brief["Predefined_Groups_of_Metrics"][0]), (Keys{"Group", "Metrics"}));
  EXPECT_EQ(keys_of(verbose["Predefined_Events"][0]), (Keys{"Alias_Name", "Description", "Event_Type", "Raw_Index"}));
  EXPECT_EQ(keys_of(verbose["Predefined_Metrics"][0]), (Keys{"Description", "Events", "Formula", "Metric", "Unit"}));
  EXPECT_EQ(keys_of(verbose["Predefined_Groups_of_Metrics"][0]), (Keys{"Description", "Group", "Metrics"}));
  EXPECT_EQ(verbose["Predefined_Metrics"][0]["Formula"], "---");
  EXPECT_EQ(verbose["Predefined_Metrics"][1]["Unit"], "per cycle");
  EXPECT_EQ(verbose["Predefined_Events"].back()["Description"], "<extra event>");
  for (const json* document : {&brief, &verbose}) {
    for (const json& rows : *document) expect_unique_strings(rows);
  }
}

TEST(manual, explains_events_of_the_kernel) {
  const answers::ListedWord word{.name = "page-faults", .kind = "[software]", .description = "Accesses to memory."};
  EXPECT_EQ(manual_text(kernel_event_page(word)),
            "NAME\n    page-faults - software event\nDESCRIPTION\n    Accesses to memory.\n");
  const auto page = find_manual_page(*pmu::find_product("armv8-a"), "l1d_cache", "name a CPU");
  EXPECT_EQ(page->back().text, "name a CPU");
}

TEST(list_report, leaves_out_what_the_machine_lacks) {
  answers::CatalogueListing core_only = listing();
  core_only.classes = {true, false, false, false};
  const json document = json::parse(blocks_json(list_report(neoverse_n1(), {}, core_only, false)));
  EXPECT_EQ(document["Predefined_Events"].size(), neoverse_n1().event_count());
  for (const json& row : document["Predefined_Events"]) EXPECT_EQ(row["Event_Type"], "[core PMU event]");
}

TEST(list_report, marks_events_that_the_hardware_does_not_count) {
  answers::CatalogueListing few = listing();
  few.absent_events = {0x1b};
  const std::string text = blocks_text(list_report(neoverse_n1(), {}, few, false));
  EXPECT_TRUE(finds(text, R"(inst_spec\s+0x001b  \[not in this PMU\])"));
  EXPECT_TRUE(finds(text, R"(inst_retired\s+0x0008  \[core PMU event\])"));
}

TEST(list_report, shows_spe_when_there_is_one) {
  answers::CatalogueListing with_spe = listing();
  with_spe.spe_version = "FEAT_SPEv1p1";
  const json document = json::parse(blocks_json(list_report(neoverse_n1(), {}, with_spe, true)));
  const json& rows = document["Predefined_Events"];
  const json& device = rows[rows.size() - 6];
  EXPECT_EQ(device["Alias_Name"], "arm_spe_0//");
  EXPECT_EQ(device["Raw_Index"], "");
  EXPECT_EQ(device["Event_Type"], "[Kernel PMU event]");
  EXPECT_EQ(device["Description"], "FEAT_SPEv1p1");
  EXPECT_EQ(rows.back()["Alias_Name"], "min_latency");
  EXPECT_EQ(rows.back()["Event_Type"], "[SPE filter]");
}

answers::TestReport simulated_machine() {
  answers::TestReport test;
  test.midr = 0x413fd0c1;
  test.id_aa64dfr0 = 0x0000'0001'1030'5408;
  test.core_count = 80;
  test.counters_total = 6;
  test.counters_free = {6, 6, 2, 8};
  test.counters_fixed = {1, 1, 0, 0};
  test.classes = {true, true, false, false};
  test.counter_map.fill(255);
  for (u8 i = 0; i < 6; ++i) test.counter_map[i] = i;
  test.device_id = "core.stat=core;dsu.stat=dsu";
  test.requested = {true, false, false, false};
  test.schedules[0] = {{117, "g0"}, {116, "g0"}, {119, "e"}, {115, "e"}, {27, "p"}, {27, "p"}};
  test.period_ms = 13;
  test.period_max_ms = 100;
  test.period_min_ms = 10;
  test.spe = true;
  return test;
}

// Finds the first row with a name that contains `part`, like clients of WindowsPerf.
std::string result_of(const json& rows, std::string_view part) {
  for (const json& row : rows) {
    if (row["Test_Name"].get<std::string>().find(part) != std::string::npos) return row["Result"].get<std::string>();
  }
  return "no such row";
}

TEST(test_report, answers_every_key) {
  const json rows = json::parse(blocks_json(test_report(neoverse_n1(), simulated_machine())))["Test_Results"];
  expect_unique_strings(rows);
  EXPECT_EQ(result_of(rows, "request.ioctl_events [EVT_CORE]"), "True");
  EXPECT_EQ(result_of(rows, "request.ioctl_events [EVT_DMC_CLK/EVT_DMC_CLKDIV2]"), "False");
  EXPECT_EQ(result_of(rows, "pmu_device.vendor_name"), "Arm Limited");
  EXPECT_EQ(result_of(rows, "pmu_device.product_name"), "neoverse-n1");
  EXPECT_TRUE(std::regex_match(result_of(rows, "pmu_device.product_name(extended)"),
                               std::regex(R"(Neoverse[- ]N1 \(neoverse-n1\), armv8\.2, pmu_v3)")));
  EXPECT_EQ(result_of(rows, "pmu_device.events_query(events) [EVT_CORE]"), std::to_string(neoverse_n1().event_count()));
  EXPECT_EQ(result_of(rows, "pmu_device.events_query(events) [EVT_DMC_CLK]"), "0");
  EXPECT_EQ(result_of(rows, "pmu_device.sampling.INTERVAL_DEFAULT"), "0x4000000");
  EXPECT_EQ(result_of(rows, "pmu_device.version_name"), "FEAT_PMUv3p1");
  EXPECT_EQ(result_of(rows, "[arch_id]"), "0x000f");
  EXPECT_EQ(result_of(rows, "PMU_CTL_QUERY_HW_CFG [core_num]"), "0x0050");
  EXPECT_EQ(result_of(rows, "PMU_CTL_QUERY_HW_CFG [gpc_num]"), "0x0006");
  EXPECT_EQ(result_of(rows, "PMU_CTL_QUERY_HW_CFG [total_gpc_num]"), "0x0006");
  EXPECT_EQ(result_of(rows, "[part_id]"), "0x0d0c");
  EXPECT_EQ(result_of(rows, "[pmu_ver]"), "0x0004");
  EXPECT_EQ(result_of(rows, "[rev_id]"), "0x0001");
  EXPECT_EQ(result_of(rows, "[variant_id]"), "0x0003");
  EXPECT_EQ(result_of(rows, "[vendor_id]"), "0x0041");
  EXPECT_EQ(result_of(rows, "[midr_value]"), "0x000000000000413fd0c1");
  EXPECT_TRUE(std::regex_match(result_of(rows, "[id_aa64dfr0_value]"), std::regex("0x[0-9a-f]{20}")));
  EXPECT_TRUE(std::regex_match(result_of(rows, "[counter_idx_map]"), std::regex(R"(0,1,2,3,4,5(,255){26})")));
  EXPECT_EQ(result_of(rows, "gpc_nums[EVT_DMC_CLKDIV2]"), "8");
  EXPECT_EQ(result_of(rows, "fpc_nums[EVT_CORE]"), "1");
  EXPECT_EQ(result_of(rows, "ioctl_events[EVT_CORE].index"), "117,116,119,115,27,27");
  EXPECT_EQ(result_of(rows, "ioctl_events[EVT_CORE].note"), "(g0),(g0),(e),(e),(p),(p)");
  EXPECT_EQ(result_of(rows, "ioctl_events[EVT_DSU].index"), "");
  EXPECT_EQ(result_of(rows, "config.count.period"), "13");
  EXPECT_EQ(result_of(rows, "config.count.period_max"), "100");
  EXPECT_EQ(result_of(rows, "spe_device.version_name"), "FEAT_SPE");
  EXPECT_EQ(result_of(rows, "spe_device.pmsidr_el1_value"), "0x00000000000000000000");
}

TEST(test_report, names_unknown_hardware) {
  answers::TestReport test = simulated_machine();
  test.id_aa64dfr0 = 0xf'0000'0f00;
  test.spe = false;
  const json rows = json::parse(blocks_json(test_report(pmu::architectural(), test)))["Test_Results"];
  EXPECT_EQ(result_of(rows, "pmu_device.version_name"), "unknown PMU configuration!");
  EXPECT_EQ(result_of(rows, "spe_device.version_name"), "unknown SPE configuration!");
  EXPECT_EQ(result_of(rows, "pmu_device.product_name(extended)"), "");
  EXPECT_EQ(result_of(rows, "spe_device.pmbidr_el1_value"), "no such row");
}

TEST(manual, wraps_within_81_characters) {
  const answers::ManualPage page = {
      {"CPU", "neoverse-n1"},
      {"NAME", "ld_spec - Operation speculatively executed, load"},
      {"DESCRIPTION",
       "The first paragraph is long enough to be broken into lines, of which none may be longer than the limit.\n\nThe "
       "second one says \"little\".\n" +
           std::string(200, 'x') + " end"}};
  const std::string text = manual_text(page);
  expect_golden("man.txt", text);
  expect_golden("man.json", manual_json(page));
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) EXPECT_LE(line.size(), 81u) << line;
  EXPECT_EQ(json::parse(manual_json(page))["Manual_Results"][2]["Result"], page[2].text);
}

TEST(manual, fills_a_line_to_the_last_character) {
  const std::string word(36, 'a');
  EXPECT_EQ(manual_text({{"F", word + " " + word + "bbbb next"}}), "F\n    " + word + " " + word + "bbbb\n    next\n");
}

TEST(manual, finds_metrics_events_and_groups_of_the_product) {
  const auto event = find_manual_page(neoverse_n1(), "ld_spec");
  ASSERT_TRUE(event.has_value());
  ASSERT_EQ(event->size(), 3u);
  EXPECT_EQ(event->at(0).text, "neoverse-n1");
  EXPECT_TRUE(event->at(1).text.starts_with("ld_spec - "));
  const auto metric = find_manual_page(neoverse_n1(), "ipc");
  ASSERT_TRUE(metric.has_value());
  ASSERT_EQ(metric->size(), 6u);
  EXPECT_NE(metric->at(2).text.find(", "), std::string::npos);
  EXPECT_EQ(metric->at(4).type, "FORMULA");
  ASSERT_GT(neoverse_n1().group_count(), 0u);
  const auto group = find_manual_page(neoverse_n1(), neoverse_n1().group(0).name);
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(group->at(3).type, "METRICS");
  const auto built_in = find_manual_page(neoverse_n1(), "imix");
  ASSERT_TRUE(built_in.has_value());
  EXPECT_EQ(built_in->at(2).text, "inst_spec, dp_spec, vfp_spec, ase_spec, ld_spec, st_spec");
  EXPECT_EQ(built_in->at(4).text, "n/a");
  EXPECT_TRUE(find_manual_page(pmu::find_product("cortex-a76").value(), "ipc").has_value());
  EXPECT_FALSE(find_manual_page(neoverse_n1(), "LD_SPEC").has_value());
  EXPECT_EQ(find_manual_page(pmu::architectural(), "ld_spec").value().at(2).text, "n/a");
}

const std::vector<answers::Component> kComponents = {
    {.name = "wperf", .version = "3.8.0", .git = "5b2fc1a0", .features = "+spe"},
    {.name = "wperf-driver", .version = "3.8.0", .git = "5b2fc1a0", .features = "+trace+spe"}};

TEST(version_report, has_two_rows) {
  expect_golden("version.txt", blocks_text(version_report(kComponents)));
  expect_golden("version.json", blocks_json(version_report(kComponents)));
  const json rows = json::parse(blocks_json(version_report(kComponents)))["Version"];
  ASSERT_EQ(rows.size(), 2u);
  expect_unique_strings(rows);
  EXPECT_EQ(keys_of(rows[0]), (std::set<std::string>{"Component", "FeatureString", "GitVer", "Version"}));
}

TEST(header, matches_what_scripts_look_for) {
  const std::string text = header_text(kComponents[1], "Release", "https://example.org/issues");
  EXPECT_TRUE(finds(text, R"(WindowsPerf ver\. \d+\.\d+\.\d+ \([0-9a-fA-F]+(-\w+)?/(Release|Debug)[+a-z0-9-]*\))"));
  EXPECT_NE(text.find(" WOA profiling with performance counters.\n"), std::string::npos);
  EXPECT_NE(text.find("\nReport bugs to: https://example.org/issues\n"), std::string::npos);
  EXPECT_EQ(header_text(kComponents[1], "Release", "").find("bugs"), std::string::npos);
}

TEST(detect_report, keeps_backslashes) {
  const std::vector<answers::DeviceInstance> devices = {{"ROOT\\WPERFDRV\\0000", "Root\\WPERFDRV"}};
  expect_golden("detect.txt", blocks_text(detect_report(devices)));
  expect_golden("detect.json", blocks_json(detect_report(devices)));
  const json document = json::parse(blocks_json(detect_report(devices)));
  EXPECT_EQ(document["Devices"][0]["Device_Instance_ID"], "ROOT\\WPERFDRV\\0000");
  EXPECT_EQ(blocks_json(detect_report({})), R"({"Devices":[]})");
}

TEST(selftest, is_a_block_for_a_bug_report) {
  using answers::Outcome;
  const answers::Selftest test{
      .facts = {{"wperf", "3.8.0"}},
      .devices = {{"sim", {{"counts", Outcome::ok, "10 of 10"}, {"stacks", Outcome::failed, "none"}}},
                  {"etw", {{"counts", Outcome::not_possible, "\"no\""}}}}};
  EXPECT_EQ(selftest_text(test),
            "---- wperf doctor --selftest ----\nwperf: 3.8.0\n\ndevice sim\n  ok            counts: 10 of 10\n"
            "  FAILED        stacks: none\n\ndevice etw\n  not possible  counts: \"no\"\n"
            "---- 1 ok, 1 failed, 1 not possible ----\n");
  const auto made = json::parse(selftest_json(test));
  EXPECT_EQ(made["System"][0]["value"], "3.8.0");
  EXPECT_EQ(made["Selftest"][1]["result"], "failed");
  EXPECT_EQ(made["Selftest"][2]["device"], "etw");
  EXPECT_EQ(made["Selftest"][2]["detail"], "\"no\"");
}

TEST(doctor, says_what_to_do) {
  const std::vector<answers::Check> checks = {
      {"device", answers::CheckStatus::ok, "a simulated Neoverse N1 with 8 cores", ""},
      {"counters", answers::CheckStatus::warn, "5 of 6 are free", "close other profilers"},
      {"lock", answers::CheckStatus::fail, "another process holds the driver", "run again with --force-lock"}};
  expect_golden("doctor.txt", doctor_text(checks));
  expect_golden("doctor.json", doctor_json(checks));
  EXPECT_EQ(doctor_text(checks).substr(0, 5 + 6), "ok   device");
  EXPECT_EQ(json::parse(doctor_json(checks))["Doctor"][2]["status"], "fail");
}

TEST(schedule_text, lists_codes_by_class) {
  EXPECT_EQ(schedule_text(simulated_machine()),
            "events to be counted:\n"
            "     6              core events: 0x0075 0x0074 0x0077 0x0073 0x001b 0x001b\n");
}

}  // namespace
}  // namespace wperf::report
