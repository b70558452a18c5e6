// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/sample_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "views/report/golden_profiles.h"

namespace wperf::report {
namespace {

using compat::CompatView;
using nlohmann::json;
using testing::expect_golden;

SampleOptions everything() {
  SampleOptions options;
  options.annotate = options.disassemble = true;
  return options;
}

compat::NameFilter only(std::string name) {
  return [name = std::move(name)](std::string_view other) { return other == name; };
}

json parsed(const CompatView& profile, const SampleOptions& options) {
  return json::parse(sample_json(profile, options));
}

TEST(sample_golden, two_events) {
  const CompatView profile = testing::two_events_sampled();
  SampleOptions options;
  expect_golden("sample_two_events.txt", sample_text(profile, options));
  expect_golden("sample_two_events.json", sample_json(profile, options));
  options.annotate = true;
  expect_golden("sample_two_events_annotated.txt", sample_text(profile, options));
  expect_golden("sample_two_events_annotated.json", sample_json(profile, options));
  options.disassemble = true;
  expect_golden("sample_two_events_disassembled.txt", sample_text(profile, options));
  expect_golden("sample_two_events_disassembled.json", sample_json(profile, options));
  options.source = options.colour = true;
  expect_golden("sample_two_events_terminal.txt", sample_text(profile, options));
}

TEST(sample_golden, two_events_verbose) {
  const CompatView profile = testing::two_events_sampled();
  SampleOptions options;
  options.verbose = options.annotate = true;
  expect_golden("sample_two_events_verbose.txt",
                sample_start_text(profile.run.target, "googolplex.exe", true) + sample_text(profile, options));
  expect_golden("sample_two_events_verbose.json", sample_json(profile, options));
}

TEST(sample_golden, three_cores_with_every_breakdown) {
  const CompatView profile = testing::three_cores_sampled();
  SampleOptions options;
  options.by = {request::Breakdown::process, request::Breakdown::thread, request::Breakdown::module,
                request::Breakdown::core, request::Breakdown::caller};
  expect_golden("sample_three_cores.txt", sample_text(profile, options));
  expect_golden("sample_three_cores.json", sample_json(profile, options));
}

TEST(sample_golden, nothing) {
  expect_golden("sample_nothing.txt", sample_text(testing::nothing_sampled(), {}));
  expect_golden("sample_nothing.json", sample_json(testing::nothing_sampled(), {}));
}

TEST(sample_losses, counters_that_were_wiped_are_told) {
  CompatView profile = testing::two_events_sampled();
  EXPECT_EQ(sample_text(profile, {}).find("gaps: "), std::string::npos);
  profile.run.cores[0].register_losses = 1;
  EXPECT_NE(sample_text(profile, {}).find("gaps: counters were reset by something else once and set up again; "),
            std::string::npos);
  const json losses = parsed(profile, {})["sampling"]["losses"];
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(losses[0]["register_losses"], 1);
}

TEST(sample_start, says_where_the_program_is) {
  EXPECT_EQ(sample_start_text(testing::two_events_sampled().run.target, "googolplex.exe", false),
            "base address of 'googolplex.exe': 0x7ff7a2b11000, runtime delta: 0x7ff662b10000\n");
  answers::SampleTarget missing;
  missing.image_name = "no.exe";
  EXPECT_EQ(sample_start_text(missing, "no.exe", false), "failed to query base address of 'no.exe' with 0x490\n");
}

TEST(sample_text, total_stands_after_the_table) {
  SampleOptions options;
  options.rows = 2;
  const std::string text = sample_text(testing::two_events_sampled(), options);
  EXPECT_TRUE(finds(text,
                    "\n={24} sample source: ld_spec, top 2 hot functions ={24}\n"
                    "        overhead  count  symbol\n"
                    "        ========  =====  ======\n"
                    "           76.17    195  big_mul:bignum.dll\n"
                    "           11.72     30  main\n"
                    "           87.89%   225  top 2 in total\n"))
      << text;
}

TEST(sample_text, millions_in_total_stay_apart_from_their_share) {
  CompatView profile = testing::two_events_sampled();
  for (compat::SampledEvent& event : profile.events) {
    for (compat::SymbolRow& row : event.rows) row.count *= 100'000;
    event.samples *= 100'000;
  }
  EXPECT_TRUE(finds(sample_text(profile, {}), "\n +100\\.00% 25600000  top \\d+ in total\n"));
}

TEST(sample_text, a_filter_hides_rows_but_the_total_counts_all) {
  SampleOptions options;
  options.symbol = only("main");
  const std::string text = sample_text(testing::two_events_sampled(), options);
  EXPECT_FALSE(finds(text, "big_mul"));
  EXPECT_TRUE(finds(text, "  11\\.72     30  main\n +100\\.00%   256  top 5 in total\n")) << text;
}

TEST(sample_text, a_filter_finds_functions_beyond_the_row_limit) {
  SampleOptions options;
  options.symbol = only("parse<\"x\">");
  options.rows = 1;
  EXPECT_TRUE(finds(sample_text(testing::two_events_sampled(), options), "7\\.81     20  parse<\"x\">"));
}

TEST(sample_text, colour_changes_nothing_but_colour) {
  SampleOptions options = everything();
  const std::string plain = sample_text(testing::two_events_sampled(), options);
  options.colour = true;
  const std::string coloured = sample_text(testing::two_events_sampled(), options);
  EXPECT_NE(coloured, plain);
  EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9;]*m"), ""), plain);
  EXPECT_TRUE(finds(coloured, "\x1b\\[1;31m1034 .*umaddl x11, w12, w13, x11\x1b\\[0m"));
}

TEST(sample_text, of_one_second_still_has_a_decimal_point) {
  EXPECT_TRUE(finds(sample_text(testing::nothing_sampled(), {}), "\n {17}1\\.0 seconds time elapsed\n"));
}

TEST(sample_text, without_pdb_counts_modules_beyond_ten) {
  CompatView profile = testing::three_cores_sampled();
  for (u32 i = 0; i < 12; ++i) {
    profile.run.target.modules.push_back(profile.run.target.modules[2]);
    profile.run.target.modules.back().samples = 1;
  }
  const std::string text = sample_text(profile, {});
  EXPECT_TRUE(finds(text, "note: 25\\.0 % of samples in ntdll\\.dll: no PDB found")) << text;
  EXPECT_TRUE(finds(text, "note: and 3 more modules"));
}

// The rules for keys that known clients read (contract 9.8), checked for every document here.
void check_clients_rules(const json& document, const SampleOptions& options) {
  const json& sampling = document.at("sampling");
  for (const char* key :
       {"sample_display_row", "samples_generated", "samples_dropped", "base_address", "runtime_delta"}) {
    EXPECT_TRUE(sampling.at(key).is_number_unsigned()) << key;
  }
  std::string previous;
  for (const json& event : sampling.at("events")) {
    EXPECT_LE(previous, event.at("type").get<std::string>());
    previous = event.at("type").get<std::string>();
    EXPECT_TRUE(event.at("interval").is_number_unsigned());
    EXPECT_EQ(event.at("printed_sample_num"), event.at("samples").size());
    EXPECT_LE(event.size(), 6u);
    std::set<std::string> symbols;
    for (const json& sample : event.at("samples")) {
      EXPECT_EQ(sample.size(), 3u);
      EXPECT_TRUE(sample.at("overhead").is_number());
      EXPECT_TRUE(sample.at("count").is_number_unsigned());
      symbols.insert(sample.at("symbol").get<std::string>());
    }
    EXPECT_TRUE(event.at("annotate").is_array());
    EXPECT_TRUE(options.annotate || options.disassemble || event.at("annotate").empty());
    for (const json& annotation : event.at("annotate")) {
      EXPECT_TRUE(symbols.contains(annotation.at("function_name").get<std::string>()));
      for (const json& line : annotation.at("source_code")) {
        EXPECT_TRUE(line.at("filename").is_string());
        EXPECT_TRUE(line.at("line_number").is_number_unsigned());
        EXPECT_TRUE(line.at("hits").is_number_unsigned());
        const std::string hot = line.at("instruction_address").get<std::string>();
        EXPECT_EQ(hot.empty(), !options.disassemble);
        const json& code = line.at("disassembled_line").at("disassemble");
        bool has_hot = code.empty();
        for (const json& instruction : code) {
          EXPECT_TRUE(instruction.at("instruction").is_string());
          has_hot = has_hot || instruction.at("address") == hot;
        }
        EXPECT_TRUE(has_hot) << hot;
      }
    }
  }
}

TEST(sample_json, keeps_the_rules_of_the_clients) {
  const CompatView profiles[] = {testing::two_events_sampled(), testing::three_cores_sampled(),
                                 testing::nothing_sampled(), testing::many_functions_sampled(200)};
  for (const CompatView& profile : profiles) {
    for (u32 bits = 0; bits < 16; ++bits) {
      SampleOptions options;
      options.annotate = (bits & 1) != 0;
      options.disassemble = (bits & 2) != 0;
      options.verbose = (bits & 4) != 0;
      options.rows = (bits & 8) != 0 ? 2 : 50;
      const std::string text = sample_json(profile, options);
      for (const char c : text) ASSERT_TRUE(c >= 0x20 && c < 0x7f);
      check_clients_rules(json::parse(text), options);
    }
  }
}

TEST(sample_json, events_are_sorted_by_name_and_the_hottest_row_is_first) {
  const json events = parsed(testing::two_events_sampled(), {}).at("sampling").at("events");
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0]["type"], "cycle");
  EXPECT_EQ(events[0]["interval"], 0x8000000);
  EXPECT_EQ(events[1]["samples"][0]["symbol"], "big_mul:bignum.dll");
  EXPECT_EQ(events[1]["samples"][0]["count"], 195);
  EXPECT_NEAR(events[1]["samples"][0]["overhead"].get<double>(), 76.1719, 1e-9);
  CompatView swapped = testing::two_events_sampled();
  swapped.events[0].name = "zzz";
  EXPECT_EQ(parsed(swapped, {})["sampling"]["events"][0]["type"], "ld_spec");
}

TEST(sample_json, has_no_more_rows_than_asked_for) {
  SampleOptions options;
  options.rows = 3;
  const json event = parsed(testing::two_events_sampled(), options)["sampling"]["events"][1];
  EXPECT_EQ(event["samples"].size(), 3u);
  EXPECT_EQ(event["printed_sample_num"], 3);
  options.symbol = only("main");
  EXPECT_EQ(parsed(testing::two_events_sampled(), options)["sampling"]["events"][1]["printed_sample_num"], 1);
}

TEST(sample_json, without_samples_is_an_event_that_clients_hide) {
  const json events = parsed(testing::nothing_sampled(), {})["sampling"]["events"];
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0]["type"], "unknown event");
  EXPECT_TRUE(events[0]["samples"].empty());
}

TEST(sample_json, verbose_has_modules_and_addresses) {
  SampleOptions options;
  options.verbose = true;
  const json sampling = parsed(testing::two_events_sampled(), options)["sampling"];
  ASSERT_EQ(sampling["modules"].size(), 3u);
  EXPECT_EQ(sampling["modules"][1]["address"], 0x7ffa10000000);
  ASSERT_EQ(sampling["modules_info"].size(), 2u);  // the modules with a PDB
  EXPECT_EQ(sampling["modules_info"][0]["sections"][1]["offset"], 0x2000);
  EXPECT_EQ(sampling["events"][1]["pcs"][0]["in_symbol"], "big_mul:bignum.dll");
  EXPECT_EQ(sampling["events"][1]["pcs"][0]["count"], 150);
}

TEST(sample_json, our_keys_are_inside_sampling_and_only_when_there_is_something) {
  const json plain = parsed(testing::two_events_sampled(), {});
  EXPECT_EQ(plain.size(), 1u);
  for (const char* key : {"losses", "by", "over_time", "without_symbols", "lines_not_disassembled"}) {
    EXPECT_FALSE(plain["sampling"].contains(key)) << key;
  }
  SampleOptions options;
  options.by = {request::Breakdown::caller, request::Breakdown::core};
  const json sampling = parsed(testing::three_cores_sampled(), options)["sampling"];
  EXPECT_EQ(sampling["losses"][0]["ring_full"], 1000);
  EXPECT_EQ(sampling["losses"][2]["filtered"], 5);
  EXPECT_EQ(sampling["by"]["caller"][0]["rows"][0]["caller"], "main");
  EXPECT_EQ(sampling["by"]["core"][0]["rows"][2]["core"], 10);
  EXPECT_EQ(sampling["by"]["core"][0]["rows"][2]["overhead"], 10.0);
  EXPECT_EQ(sampling["over_time"]["slice_ms"], 500);
  EXPECT_EQ(sampling["over_time"]["events"][0]["functions"][0]["counts"], json({100, 200, 300}));
  EXPECT_EQ(sampling["without_symbols"][0]["module"], "ntdll.dll");
  EXPECT_EQ(sampling["samples_dropped"], 1005);
}

TEST(sample_json, stays_under_the_limit_of_clients) {
  const CompatView profile = testing::many_functions_sampled(200);
  SampleOptions options = everything();
  options.rows = 200;
  EXPECT_GT(sample_json(profile, options).size(), 2 * kMostBytesForClients);
  options.most_bytes = kMostBytesForClients;
  const std::string text = sample_json(profile, options);
  EXPECT_LE(text.size(), kMostBytesForClients);
  EXPECT_GT(text.size(), kMostBytesForClients * 9 / 10);
  const json sampling = json::parse(text)["sampling"];
  const json& annotations = sampling["events"][0]["annotate"];
  // the hottest line keeps its disassembly
  EXPECT_FALSE(annotations[0]["source_code"][0]["disassembled_line"]["disassemble"].empty());
  EXPECT_TRUE(annotations[199]["source_code"][0]["disassembled_line"]["disassemble"].empty());
  EXPECT_GT(sampling["lines_not_disassembled"], 50);
  check_clients_rules(json::parse(text), options);
}

TEST(sample_json, odd_numbers_are_still_numbers) {
  CompatView profile = testing::two_events_sampled();
  profile.run.target.base_address = ~u64{0};
  profile.run.target.runtime_delta = ~u64{0};
  profile.run.elapsed_seconds = std::numeric_limits<double>::quiet_NaN();
  profile.events[0].samples = 0;
  const json sampling = parsed(profile, {})["sampling"];
  EXPECT_EQ(sampling["base_address"], ~u64{0});
  EXPECT_EQ(sampling["events"][0]["samples"][0]["overhead"], 0);
}

}  // namespace
}  // namespace wperf::report
