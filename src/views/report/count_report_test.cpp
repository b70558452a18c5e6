// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/count_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "views/report/golden_profiles.h"

namespace wperf::report {
namespace {

using nlohmann::json;
using testing::expect_golden;

usize occurrences(const std::string& text, std::string_view part) {
  usize count = 0;
  for (usize at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void check_rows(const json& rows, bool multiplexed, bool with_slots) {
  Keys expected = {"counter_value", "event_idx", "event_name", "event_note"};
  if (with_slots) expected.insert("multiplexed");
  if (multiplexed) expected.insert("scaled_value");
  for (const json& row : rows) {
    EXPECT_EQ(keys_of(row), expected);
    EXPECT_TRUE(row["counter_value"].is_number_integer());
    EXPECT_TRUE(row["event_idx"].is_string());
  }
}

// Checks that there are exactly the keys that clients allow (contract 5.6).
void check_document(const json& document) {
  const bool multiplexed = document["core"]["Multiplexing"].get<bool>();
  EXPECT_EQ(keys_of(document["core"]), (Keys{"Kernel_mode", "Multiplexing", "cores", "overall", "ts_metric"}));
  ASSERT_TRUE(document["core"]["cores"].is_array());
  for (const json& core : document["core"]["cores"]) {
    EXPECT_EQ(keys_of(core), (Keys{"Performance_counter", "core_number"}));
    EXPECT_TRUE(core["core_number"].is_number_integer());
    check_rows(core["Performance_counter"], multiplexed, multiplexed);
  }
  const json& overall = document["core"]["overall"];
  if (!overall.empty()) check_rows(overall.at("Systemwide_Overall_Performance_Counters"), multiplexed, false);
  const json& metrics = document["core"]["ts_metric"];
  if (!metrics.empty()) {
    for (const json& row : metrics.at("Telemetry_Solution_Metrics")) {
      EXPECT_EQ(keys_of(row), (Keys{"core", "metric_name", "product_name", "unit", "value"}));
      for (const auto& [key, value] : row.items()) EXPECT_TRUE(value.is_string()) << key;
    }
  }
  for (const auto& [key, value] : document["dsu"].items()) {
    EXPECT_TRUE(key == "l3metric" || key == "overall" || std::regex_match(key, std::regex("[0-9]+"))) << key;
    EXPECT_TRUE(value.is_object());
  }
  EXPECT_TRUE(document["dsu"].contains("l3metric") && document["dsu"].contains("overall"));
  EXPECT_EQ(keys_of(document["dmc"]), (Keys{"ddr", "pmu"}));
  Keys top = {"Time_elapsed", "core", "dmc", "dsu"};
  for (const char* ours : {"Multiplexing_estimates", "Cycles", "Lost_counts"}) {
    if (document.contains(ours)) top.insert(ours);
  }
  EXPECT_EQ(keys_of(document), top);
  EXPECT_TRUE(document["Time_elapsed"].is_number());
}

struct Case {
  const char* name;
  answers::CountProfile (*make)();
};
constexpr Case kCases[] = {{"one_core", testing::one_core_plain},
                           {"two_cores_multiplexed", testing::two_cores_multiplexed},
                           {"four_cores_dsu", testing::four_cores_dsu},
                           {"one_core_dmc", testing::one_core_dmc},
                           {"nothing", testing::nothing}};

TEST(count_report, matches_golden_files) {
  for (const Case& c : kCases) {
    const answers::CountProfile profile = c.make();
    expect_golden(std::string("stat_") + c.name + ".txt", count_text(profile, {}));
    expect_golden(std::string("stat_") + c.name + ".json", count_json(profile));
    expect_golden(std::string("stat_") + c.name + ".prom", count_prometheus(profile));
  }
  expect_golden("stat_two_cores_multiplexed_verbose.txt",
                count_text(testing::two_cores_multiplexed(), {.verbose = true}));
}

TEST(count_report, prometheus_leaves_out_what_was_not_counted_and_escapes_names) {
  answers::CountProfile profile = testing::one_core_plain();
  profile.program = "a\"b\\c\n\xff";
  answers::CountRow& row = profile.classes[index_of(EventClass::core)].units[0].rows[1];
  row.name = "never_there";
  row.fraction = 0;
  const std::string text = count_prometheus(profile);
  EXPECT_NE(text.find(R"(program="a\"b\\c\n\\xff",class="core")"), std::string::npos) << text;
  EXPECT_EQ(text.find(R"(wperf_event_value{program="a\"b\\c\n\\xff",class="core",unit="0",event="never_there"})"),
            std::string::npos);
  EXPECT_NE(text.find(R"(event="never_there"} 0)"), std::string::npos) << text;
}

TEST(count_report, timeline_matches_golden_files) {
  for (const Case& c : kCases) {
    expect_golden(std::string("timeline_") + c.name + ".json", timeline_json(testing::timeline_of(c.make())));
  }
  expect_golden("timeline_one_core.csv",
                timeline_csv(testing::timeline_of(testing::one_core_plain()), EventClass::core));
  expect_golden("timeline_two_cores_multiplexed.csv",
                timeline_csv(testing::timeline_of(testing::two_cores_multiplexed()), EventClass::core));
  expect_golden("timeline_four_cores_dsu.csv",
                timeline_csv(testing::timeline_of(testing::four_cores_dsu()), EventClass::dsu));
  expect_golden("timeline_one_core_dmc.csv",
                timeline_csv(testing::timeline_of(testing::one_core_dmc()), EventClass::dmc_clkdiv2));
}

TEST(count_text, has_what_the_contract_lists) {
  const std::string text = count_text(testing::one_core_plain(), {});
  EXPECT_TRUE(finds(text, R"([\d,]+\s+inst_spec\s+0x[0-9a-f]+\s+g0,imix)"));
  EXPECT_TRUE(finds(text, R"(5,123,456,789  inst_spec\s+0x1b)"));  // two blanks between value and name
  EXPECT_TRUE(finds(text, R"(\s+cycle\s+fixed\s+e)"));
  EXPECT_TRUE(finds(text, R"(counter value\s+event name\s+event idx\s+event note\s*\n)"));
  EXPECT_TRUE(finds(text, R"(=============\s+==========\s+=========\s+==========\s*\n)"));
  EXPECT_TRUE(finds(text, R"(\n\n {16}1\.09 seconds time elapsed\n$)"));
  EXPECT_TRUE(
      finds(text,
            "Performance counter stats for core 1, no multiplexing, kernel mode excluded, on Arm Limited core "
            "implementation:\nnote: 'e' - normal event, 'gN' - grouped event with group number N, metric name will "
            "be appended if 'e' or 'g' comes from it\n\n"));
  EXPECT_EQ(occurrences(text, "System-wide Overall:"), 0u);
  EXPECT_EQ(occurrences(text, "Telemetry Solution Metrics"), 0u);
}

TEST(count_text, multiplexed_has_slots_and_scaled_values) {
  const std::string text = count_text(testing::two_cores_multiplexed(), {});
  EXPECT_TRUE(finds(text, R"([\d,]+\s+inst_retired\s+0x08\s+g0,ipc\s+\d+/\d+\s+[\d,]+)"));
  EXPECT_TRUE(finds(text, R"(counter value\s+event name\s+event idx\s+event note\s+multiplexed\s+scaled value)"));
  EXPECT_TRUE(finds(text, R"([\d,]+\s+cycle\s+fixed\s+e\s+10/10\s+[\d,]+)"));
  EXPECT_TRUE(finds(text, R"(core 3, multiplexed, kernel mode included, on )"));
  EXPECT_TRUE(finds(text, R"(\nSystem-wide Overall:\n)"));
  EXPECT_TRUE(finds(text, R"(inst_retired\s+0x0008\s+g0,ipc\s+[\d,]+)"));
  EXPECT_TRUE(finds(text, R"(neoverse-n1\s+ipc\s+1\.560\s+per cycle)"));
  EXPECT_TRUE(finds(text, R"(\s1\.0 seconds time elapsed)"));
  EXPECT_EQ(occurrences(text, "Multiplexing estimates"), 0u);
}

TEST(count_text, verbose_tells_how_sure_scaled_values_are) {
  const std::string text = count_text(testing::two_cores_multiplexed(), {.verbose = true});
  EXPECT_TRUE(finds(text, R"(\n\nMultiplexing estimates:\n)"));
  EXPECT_TRUE(finds(text, R"(core 0\s+inst_retired\s+g0,ipc\s+50\.00\s+1,622,000,000\s+[\d,]+ \.\. [\d,]+\s*\n)"));
  EXPECT_TRUE(finds(text, R"(core 3\s+dtlb_walk\s+e\s+10\.00\s+40\s+unknown\s*\n)"));
  EXPECT_EQ(count_text(testing::one_core_plain(), {.verbose = true}), count_text(testing::one_core_plain(), {}));
}

TEST(count_text, sections_appear_only_for_scheduled_classes) {
  const std::string dmc = count_text(testing::one_core_dmc(), {});
  EXPECT_EQ(occurrences(dmc, "Performance counter stats"), 0u);
  EXPECT_TRUE(finds(dmc, R"(dmc 0\s+84,410,000\s+rdwr\s+0x0012\s+e,ddr_bw)"));
  EXPECT_TRUE(finds(dmc, R"(overall\s+168,820,000\s+rdwr)"));
  EXPECT_TRUE(finds(dmc, R"(\nddr metrics:\n)"));
  EXPECT_TRUE(finds(dmc, R"(all\s+21608\.96MB)"));
  const std::string dsu = count_text(testing::four_cores_dsu(), {});
  EXPECT_TRUE(finds(dsu, R"(\nPerformance counter stats for DSU cluster 1, no multiplexing, on Qualcomm Inc core )"));
  EXPECT_TRUE(finds(dsu, R"(l3d_cache\s+0x002b\s+e,l3_cache)"));
  EXPECT_TRUE(finds(dsu, R"(0\s+0, 1\s+1594\.92MB\s+35\.01%)"));
  EXPECT_TRUE(finds(dsu, R"(all\s+all\s+4784\.75MB\s+23\.34%)"));
  EXPECT_EQ(count_text(testing::nothing(), {}), "\n                 0.0 seconds time elapsed\n");
}

answers::CountProfile without_a_turn() {
  answers::CountProfile profile = testing::two_cores_multiplexed();
  for (answers::CountUnit& unit : profile.classes[0].units) {
    for (answers::CountRow& row : unit.rows) {
      if (row.note != "g0,ipc") continue;
      row.fraction = 0;
      row.value = row.scaled = row.slots = 0;
      row.has_interval = false;
    }
  }
  profile.metrics[0].value = 0;
  profile.metrics[0].counted = false;
  return profile;
}

TEST(count_text, names_what_never_had_a_turn) {
  const std::string text = count_text(without_a_turn(), {.verbose = true});
  EXPECT_TRUE(finds(
      text,
      "ld_spec +0x70 +e +0/10 +0 *\n\nNot counted, because they were never scheduled on a counter: ipc, ld_spec.\n"
      "Count for longer, or count fewer at a time.\n"));
  EXPECT_TRUE(finds(text, R"(0\s+neoverse-n1\s+ipc\s+-\s+per cycle)"));
  EXPECT_TRUE(finds(text, R"(0\s+neoverse-n1\s+l1d_cache_mpki\s+0\.188\s+MPKI)"));
  EXPECT_TRUE(finds(text, R"(core 0\s+ld_spec\s+e\s+0\.00\s+0\s+not counted)"));
  EXPECT_EQ(occurrences(count_text(testing::one_core_plain(), {}), "Not counted"), 0u);
}

TEST(count_text, metrics_of_the_uncore_that_were_not_counted_have_no_value) {
  answers::CountProfile clusters = testing::four_cores_dsu();
  clusters.l3[0].counted = false;
  EXPECT_TRUE(finds(count_text(clusters, {}), R"(0\s+0, 1\s+-\s+-\s*\n)"));
  EXPECT_EQ(json::parse(count_json(clusters))["dsu"]["l3metric"]["L3_Cache_Metrics"][0]["miss_rate"], "35.01%");
  answers::CountProfile channels = testing::one_core_dmc();
  channels.ddr[1].counted = false;
  channels.classes[index_of(EventClass::dmc_clkdiv2)].overall[0].fraction = 0;
  const std::string text = count_text(channels, {});
  EXPECT_TRUE(finds(text, R"(1\s+-\s*\n)"));
  EXPECT_TRUE(finds(text, "Not counted, [^:]*: ddr_bw\\."));
}

TEST(count_json, says_what_was_not_counted_beside_the_number) {
  const json document = json::parse(count_json(without_a_turn()));
  const json& metrics = document["core"]["ts_metric"]["Telemetry_Solution_Metrics"];
  EXPECT_EQ(metrics[0]["value"], "0.000");
  EXPECT_EQ(metrics[0]["not_counted"], true);
  EXPECT_FALSE(metrics[1].contains("not_counted"));
  const json& estimates = document["Multiplexing_estimates"];
  EXPECT_EQ(estimates[0]["not_counted"], true);
  EXPECT_FALSE(estimates[2].contains("not_counted"));
}

TEST(timeline_csv, leaves_the_cell_of_an_uncounted_metric_empty) {
  const std::string text = timeline_csv(testing::timeline_of(without_a_turn()), EventClass::core);
  EXPECT_TRUE(finds(text, ",,0.188,1.560,0.188,\n"));
}

TEST(count_json, has_exactly_the_keys_clients_allow) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const std::string text = count_json(c.make());
    for (const char byte : text) ASSERT_TRUE(byte >= 0x20 && byte < 0x7f);
    check_document(json::parse(text));
  }
}

TEST(count_json, counts_survive_the_way) {
  const json document = json::parse(count_json(testing::two_cores_multiplexed()));
  const json& row = document["core"]["cores"][1]["Performance_counter"][1];
  EXPECT_EQ(document["core"]["cores"][1]["core_number"], 3);
  EXPECT_EQ(row["counter_value"], 3'244'000'000u);
  EXPECT_EQ(row["scaled_value"], 6'488'000'000u);
  EXPECT_EQ(row["multiplexed"], "5/10");
  EXPECT_EQ(row["event_idx"], "0x08");
  EXPECT_EQ(document["core"]["overall"]["Systemwide_Overall_Performance_Counters"][0]["event_idx"], "fixed");
  EXPECT_EQ(document["core"]["overall"]["Systemwide_Overall_Performance_Counters"][1]["event_idx"], "0x0008");
  EXPECT_EQ(document["core"]["ts_metric"]["Telemetry_Solution_Metrics"][1]["value"], "0.188");
}

TEST(count_json, estimates_stand_beside_time_elapsed) {
  const json document = json::parse(count_json(testing::two_cores_multiplexed()));
  const json& estimates = document["Multiplexing_estimates"];
  ASSERT_EQ(estimates.size(), 12u);  // without the cycle counters
  EXPECT_EQ(estimates[0]["class"], "core");
  EXPECT_EQ(estimates[0]["unit"], 0);
  EXPECT_EQ(estimates[0]["event_name"], "inst_retired");
  EXPECT_EQ(estimates[0]["event_note"], "g0,ipc");
  EXPECT_EQ(estimates[0]["fraction"], 0.5);
  EXPECT_LT(estimates[0]["low"], 1'622'000'000u);
  EXPECT_GT(estimates[0]["high"], 1'622'000'000u);
  EXPECT_FALSE(estimates[4].contains("low"));  // one slot: no interval
  EXPECT_FALSE(json::parse(count_json(testing::one_core_plain())).contains("Multiplexing_estimates"));
}

TEST(count_json, notes_stand_beside_time_elapsed) {
  answers::CountProfile profile = testing::two_cores_multiplexed();
  EXPECT_FALSE(json::parse(count_json(profile)).contains("Cycles"));
  EXPECT_FALSE(json::parse(count_json(profile)).contains("Lost_counts"));
  answers::CountUnit& core = profile.classes[0].units[1];
  core.cycle_row = answers::CycleRow::with_kernel;
  core.losses = 2;
  core.lost_seconds = 0.25;
  const json document = json::parse(count_json(profile));
  check_document(document);
  EXPECT_EQ(document["Cycles"], "with kernel");
  EXPECT_EQ(document["Lost_counts"], json::parse(R"([{"class": "core", "unit": 3, "times": 2, "seconds": 0.25}])"));
  core.cycle_row = answers::CycleRow::uncounted;
  EXPECT_EQ(json::parse(count_json(profile))["Cycles"], "not counted");
}

TEST(count_text, says_whose_cycles_they_are_and_what_is_missing) {
  answers::CountProfile profile = testing::one_core_plain();
  EXPECT_FALSE(finds(count_text(profile, {}), "\nnote: c|\nnote: the"));
  answers::CountUnit& core = profile.classes[0].units[0];
  core.cycle_row = answers::CycleRow::with_kernel;
  EXPECT_TRUE(finds(count_text(profile, {}), "note: cycle includes the kernel, "));
  core.cycle_row = answers::CycleRow::uncounted;
  core.losses = 3;
  core.lost_seconds = 0.6;
  EXPECT_TRUE(finds(count_text(profile, {}), "note: cycle is not counted, "));
  EXPECT_TRUE(
      finds(count_text(profile, {}), "note: the counters of core [0-9] were reset [^,]*3 times, [^;]*0.600 seconds"));
}

TEST(timeline_notes, are_those_of_all_counts) {
  answers::TimelineProfile timeline = testing::timeline_of(testing::one_core_plain());
  EXPECT_EQ(timeline_notes(timeline), "");
  EXPECT_EQ(timeline_notes({}), "");
  timeline.counts[1].classes[0].units[0].losses = 1;
  timeline.counts[2].classes[0].units[0].losses = 2;
  timeline.counts[2].classes[0].units[0].lost_seconds = 0.5;
  timeline.counts[2].classes[0].units[0].cycle_row = answers::CycleRow::with_kernel;
  EXPECT_TRUE(finds(timeline_notes(timeline), "^\nnote: cycle includes the kernel, "));
  EXPECT_TRUE(finds(timeline_notes(timeline), "core [0-9] were reset [^,]*3 times, [^;]*0.500 seconds"));
}

TEST(count_json, uncore_rows_keep_their_names) {
  const json dsu = json::parse(count_json(testing::four_cores_dsu()))["dsu"];
  EXPECT_EQ(dsu["1"]["Performance_counter"][0]["event_idx"], "0x002b");
  const json& l3 = dsu["l3metric"]["L3_Cache_Metrics"][0];
  EXPECT_EQ(keys_of(l3), (Keys{"cluster", "cores", "miss_rate", "read_bandwidth"}));
  EXPECT_EQ(l3["cores"], "0, 1");
  const json dmc = json::parse(count_json(testing::one_core_dmc()))["dmc"];
  const json& pmu = dmc["pmu"]["PMU_Performance_Counters"];
  EXPECT_EQ(keys_of(pmu[0]), (Keys{"counter_value", "event_idx", "event_name", "event_note", "pmu_id"}));
  EXPECT_EQ(pmu.back()["pmu_id"], "overall");
  EXPECT_EQ(keys_of(dmc["ddr"]["DDR_Metrics"][0]), (Keys{"channel", "rw_bandwidth"}));
}

TEST(count_json, values_beyond_signed_64_bits_are_clamped) {
  answers::CountProfile profile = testing::one_core_plain();
  profile.classes[0].units[0].rows[0].value = ~u64{0};
  const json document = json::parse(count_json(profile));
  EXPECT_EQ(document["core"]["cores"][0]["Performance_counter"][0]["counter_value"], 9223372036854775807u);
}

TEST(count_json, never_holds_nan_or_infinity) {
  answers::CountProfile profile = testing::two_cores_multiplexed();
  profile.metrics[0].value = std::numeric_limits<double>::quiet_NaN();
  profile.metrics[1].value = std::numeric_limits<double>::infinity();
  profile.elapsed_seconds = std::numeric_limits<double>::infinity();
  profile.classes[0].units[0].rows[1].fraction = std::numeric_limits<double>::quiet_NaN();
  profile.classes[0].units[0].rows[1].high = std::numeric_limits<double>::infinity();
  const json document = json::parse(count_json(profile));
  check_document(document);
  EXPECT_EQ(document["core"]["ts_metric"]["Telemetry_Solution_Metrics"][0]["value"], "0.000");
}

TEST(timeline_json, keeps_what_was_asked) {
  const json document = json::parse(timeline_json(testing::timeline_of(testing::two_cores_multiplexed())));
  EXPECT_EQ(keys_of(document), (Keys{"count_duration", "count_interval", "count_timeline", "timeline"}));
  EXPECT_EQ(document["count_duration"], 2.2);
  EXPECT_EQ(document["count_interval"], 0.1);
  EXPECT_EQ(document["count_timeline"], 3);
  ASSERT_EQ(document["timeline"].size(), 3u);
  for (const json& item : document["timeline"]) {
    check_document(item);
    EXPECT_TRUE(item["core"]["overall"].empty());
    EXPECT_EQ(item["core"]["ts_metric"]["Telemetry_Solution_Metrics"].size(), 4u);
    EXPECT_TRUE(item.contains("Multiplexing_estimates"));
  }
  const json dmc = json::parse(timeline_json(testing::timeline_of(testing::one_core_dmc())));
  EXPECT_TRUE(dmc["timeline"][0]["dmc"]["pmu"].empty());
}

TEST(timeline_csv, has_what_the_contract_lists) {
  const std::string text = timeline_csv(testing::timeline_of(testing::one_core_plain()), EventClass::core);
  EXPECT_TRUE(finds(text,
                    "^Multiplexing,FALSE\nKernel mode,FALSE\nCount interval,0.10\nVendor,Arm Limited\n"
                    "Event class,core\n\n(core 1,){7}\n"
                    "cycle,inst_spec,dp_spec,vfp_spec,ase_spec,ld_spec,r4000,\n(([0-9]+,){7}\n){3}$"));
}

TEST(timeline_csv, multiplexed_has_the_times_and_metrics_follow) {
  const std::string text = timeline_csv(testing::timeline_of(testing::two_cores_multiplexed()), EventClass::core);
  EXPECT_TRUE(finds(text, "\n(core 0,){14}(core 3,){14}(core 0,){2}(core 3,){2}\n"));
  EXPECT_TRUE(finds(text, "\ncycle,sched_times,inst_retired,sched_times,"));
  EXPECT_TRUE(finds(text, "M@ipc,M@l1d_cache_mpki,M@ipc,M@l1d_cache_mpki,\n"));
  EXPECT_TRUE(finds(text, "\n1040000000,10,811000000,5,"));
  EXPECT_TRUE(finds(text, ",1.560,0.188,1.560,0.188,\n"));
}

TEST(timeline_csv, without_counts_there_is_still_a_head) {
  const std::string text = timeline_csv({}, EventClass::dmc_clk);
  EXPECT_EQ(text, "Multiplexing,FALSE\nCount interval,0.00\nVendor,\nEvent class,dmc_clk\n\n\n\n");
}

}  // namespace
}  // namespace wperf::report
