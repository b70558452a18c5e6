// SPDX-License-Identifier: BSD-3-Clause
#include "views/report/spe_report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "views/report/count_report.h"
#include "views/report/golden_profiles.h"
#include "views/report/spe_tables.h"

namespace wperf::report {
namespace {

using nlohmann::json;
using operations::SpeProfile;
using operations::SpeRecordRow;
using testing::expect_golden;

SpeOptions with_memory() {
  SpeOptions options;
  options.memory = true;
  return options;
}

TEST(spe_golden, loads_and_branches) {
  const SpeProfile profile = testing::loads_and_branches();
  const answers::CountProfile counting = testing::population_counted();
  expect_golden("spe_loads_and_branches.txt", spe_text(profile, testing::view_of(profile), &counting, {}));
  expect_golden("spe_loads_and_branches.json", spe_json(profile, testing::view_of(profile), &counting, {}));
  SpeOptions options;
  options.samples.annotate = options.samples.disassemble = true;
  expect_golden("spe_loads_and_branches_disassembled.txt",
                spe_text(profile, testing::view_of(profile), &counting, options));
  expect_golden("spe_loads_and_branches_disassembled.json",
                spe_json(profile, testing::view_of(profile), &counting, options));
}

TEST(spe_golden, memory) {
  const SpeProfile profile = testing::memory_sampled();
  expect_golden("spe_memory.txt", spe_text(profile, testing::view_of(profile), nullptr, with_memory()));
  expect_golden("spe_memory.json", spe_json(profile, testing::view_of(profile), nullptr, with_memory()));
}

TEST(SpeText, TheSectionsFollowTheCountingWithOneTimeAtTheEnd) {
  const answers::CountProfile counting = testing::population_counted();
  const std::string text =
      spe_text(testing::loads_and_branches(), testing::view_of(testing::loads_and_branches()), &counting, {});
  const usize counted = text.find("sample_filtrate"), section = text.find("sample source: LOAD_STORE_ATOMIC-LOAD-GP/");
  ASSERT_NE(counted, std::string::npos);
  ASSERT_NE(section, std::string::npos);
  EXPECT_LT(counted, section);
  const usize time = text.find("seconds time elapsed");
  EXPECT_GT(time, section);
  EXPECT_EQ(text.find("seconds time elapsed", time + 1), std::string::npos);
  EXPECT_NE(count_text(counting, {}).find("seconds time elapsed"), std::string::npos);
}

TEST(SpeJson, EventsAreInBothPlacesAndNothingElseAtTheTop) {
  const answers::CountProfile counting = testing::population_counted();
  const json document = json::parse(
      spe_json(testing::loads_and_branches(), testing::view_of(testing::loads_and_branches()), &counting, {}));
  EXPECT_EQ(document.size(), 2U);
  const json& sampling = document.at("sampling");
  EXPECT_EQ(sampling.at("events"), sampling.at("sampling").at("events"));
  EXPECT_FALSE(sampling.contains("memory"));
  u64 counts = 0;
  for (const json& event : sampling.at("events")) {
    EXPECT_EQ(event.at("interval"), 0);
    for (const json& row : event.at("samples")) counts += row.at("count").get<u64>();
  }
  const json& rows = document.at("counting").at("core").at("cores").at(0).at("Performance_counter");
  const auto filtrate =
      std::find_if(rows.begin(), rows.end(), [](const json& row) { return row.at("event_name") == "sample_filtrate"; });
  EXPECT_EQ(counts, filtrate->at("counter_value").get<u64>());
  EXPECT_EQ(sampling.at("sampling").at("samples_generated"), counts);
  EXPECT_EQ(sampling.at("sampling").at("samples_dropped"), 0);
}

TEST(SpeJson, StaysBelowTheLimitOfClients) {
  SpeOptions options = with_memory();
  options.samples.disassemble = true;
  const SpeProfile profile = testing::memory_sampled();
  const std::string all = spe_json(profile, testing::view_of(profile), nullptr, options);
  for (const usize less : {1U, 200U, 500U}) {
    options.samples.most_bytes = all.size() - less;
    const std::string document = spe_json(profile, testing::view_of(profile), nullptr, options);
    EXPECT_LE(document.size(), options.samples.most_bytes);
    EXPECT_TRUE(json::parse(document).at("sampling").at("sampling").contains("lines_not_disassembled"));
  }
  options.samples.most_bytes = all.size() + 100;
  EXPECT_EQ(spe_json(profile, testing::view_of(profile), nullptr, options), all);
}

TEST(SpeJson, MemoryIsThereWhenAskedFor) {
  const json memory = json::parse(spe_json(testing::memory_sampled(), testing::view_of(testing::memory_sampled()),
                                           nullptr, with_memory()))
                          .at("sampling")
                          .at("memory");
  EXPECT_EQ(memory.at("hits"), 220);
  EXPECT_EQ(memory.at("sources").at(1).at("source"), "dram");
  EXPECT_EQ(memory.at("false_sharing").at(0).at("places").size(), 2U);
  EXPECT_EQ(memory.at("branches").size(), 2U);  // branches that were never mispredicted are left out
}

TEST(MemoryText, RowsAndFunctionsAreChosen) {
  SpeOptions options = with_memory();
  options.memory_rows = 1;
  const SpeProfile profile = testing::memory_sampled();
  EXPECT_NE(memory_text(profile, with_memory()).find("0xffff800000000000"), std::string::npos);
  EXPECT_EQ(memory_text(profile, options).find("0xffff800000000000"), std::string::npos);
  options = with_memory();
  options.samples.symbol = [](std::string_view name) { return name == "main"; };
  const std::string text = memory_text(profile, options);
  EXPECT_EQ(text.find("page table walks"), std::string::npos);
  EXPECT_NE(text.find("memory: by function"), std::string::npos);
}

TEST(MemoryText, ANoteSaysWhichTablesAreOfAllFunctions) {
  const SpeProfile profile = testing::memory_sampled();
  const compat::CompatView view = testing::view_of(profile);
  SpeOptions options = with_memory();
  const auto says_so = [&] {
    const bool in_text = spe_text(profile, view, nullptr, options).find("note: -s filters") != std::string::npos;
    EXPECT_EQ(spe_json(profile, view, nullptr, options).find("-s filters") != std::string::npos, in_text);
    return in_text;
  };
  EXPECT_FALSE(says_so());
  options.samples.symbol = [](std::string_view name) { return name == "main"; };
  EXPECT_TRUE(says_so());
  options.memory = false;
  EXPECT_FALSE(says_so());
}

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(MemoryText, ANarrowTerminalBreaksNoNumber) {
  const SpeProfile profile = testing::memory_sampled();
  SpeOptions options = with_memory();
  const std::string wide = memory_text(profile, options);
  options.width = 80;
  const std::string narrow = memory_text(profile, options);
  for (const std::string& line : lines_in(narrow)) {
    EXPECT_TRUE(line.size() <= 80 || line.starts_with("====")) << line;
  }
  std::istringstream words(wide);
  for (std::string word; words >> word;) EXPECT_NE(narrow.find(word), std::string::npos) << word;
  options.width = 1000;
  EXPECT_EQ(memory_text(profile, options), wide);
}

TEST(MemoryText, NothingWithoutMemory) {
  EXPECT_EQ(memory_text(testing::loads_and_branches(), with_memory()), "");
}

bool says(const SpeProfile& profile, std::string_view what) {
  for (const std::string& note : spe_notes(profile)) {
    if (note.find(what) != std::string::npos) return true;
  }
  return false;
}

TEST(SpeNotes, OnlyWhatIsTrue) {
  SpeProfile profile;
  EXPECT_TRUE(spe_notes(profile).empty());
  profile.population = {.operations = 1'024'000, .chosen = 1000, .recorded = 1000};
  EXPECT_TRUE(says(profile, "one in 1024.0"));
  EXPECT_FALSE(says(profile, "filters"));
  EXPECT_FALSE(says(profile, "too few samples"));
  profile.population->collided = 1000;
  profile.population->recorded = 250;
  EXPECT_TRUE(says(profile, "50.00 % of the selections were dropped"));
  EXPECT_TRUE(says(profile, "75.00 % of the selected operations did not pass"));

  EXPECT_FALSE(says(profile, "mappings"));
  profile.forgotten_mappings = 4'200'000;
  EXPECT_TRUE(says(profile, "4,200,000 mappings of forked processes were too many"));

  profile.memory.emplace();
  EXPECT_TRUE(says(profile, "no load or store was sampled"));
  profile.memory->all.hits = profile.memory->all.stores = 5;
  profile.memory->limits.stores_without_source = 5;
  profile.memory->limits.unnamed_sources = 3;
  profile.memory->limits.nameless_cores = {"Neoverse V3", "C1-Ultra"};
  EXPECT_TRUE(says(profile, "does not record where the data of stores"));
  EXPECT_TRUE(says(profile, "3 data sources are numbers whose meaning is not published for Neoverse V3, C1-Ultra"));
  EXPECT_TRUE(says(profile, "do not distinguish threads"));
  EXPECT_FALSE(says(profile, "rounded"));
  profile.memory->limits.latencies_rounded = true;
  EXPECT_TRUE(says(profile, "functions and lines are rounded up"));
  profile.memory->limits.stores_without_source = 4;
  profile.memory->limits.threads_known = true;
  EXPECT_TRUE(says(profile, "4 stores have no data source"));
  EXPECT_FALSE(says(profile, "distinguish threads"));
}

SpeRecordRow load_row() {
  SpeRecordRow row;
  row.time = {.value = 1234, .given = true};
  row.core = 3;
  row.pc = {.value = 0x7ff61000, .given = true};
  row.function = "f<int, \"x\">";
  row.module = "a.exe";
  row.operation = "LOAD_STORE_ATOMIC-LOAD-GP";
  row.events = "retired+l1d-access";
  row.total_latency = {.value = 12, .given = true};
  row.data_virtual = {.value = 0xffff800000000000, .given = true};
  row.source = "l2";
  return row;
}

std::string document(RecordWriter& writer, const std::vector<RecordLines*>& runs) {
  std::string out(writer.begin());
  for (RecordLines* const lines : runs) {
    out += writer.before_lines();
    out += lines->text();
  }
  out += writer.end();
  return out;
}

TEST(RecordWriter, Csv) {
  RecordWriter writer(RecordFormat::csv);
  RecordLines lines(RecordFormat::csv);
  lines.add(load_row());
  SpeRecordRow row;
  row.pc = {.value = 0, .given = true};
  row.data_physical = {.value = ~u64{0}, .given = true};
  row.target = {.value = ~u64{0}, .given = true};
  row.damaged = true;
  lines.add(row);
  EXPECT_EQ(document(writer, {&lines}),
            "time,core,thread,exception_level,pc,function,module,operation,events,latency,issue_latency,"
            "translation_latency,data_address,physical_address,source,target,damaged\n"
            "1234,3,,0,0x7ff61000,\"f<int, \"\"x\"\">\",a.exe,LOAD_STORE_ATOMIC-LOAD-GP,retired+l1d-access,12,,,"
            "0xffff800000000000,,l2,,\n"
            ",0,,0,0x0,,,,,,,,,0xffffffffffffffff,,0xffffffffffffffff,1\n");
}

TEST(RecordWriter, NamesAreNoFormulas) {
  SpeRecordRow row = load_row();
  row.function = "=HYPERLINK(\"x\")";
  row.module = "@a.exe";
  RecordLines lines(RecordFormat::csv);
  lines.add(row);
  EXPECT_NE(lines.text().find(",\"'=HYPERLINK(\"\"x\"\")\",\"'@a.exe\","), std::string::npos) << lines.text();
}

TEST(RecordWriter, WhatWasSpelledBeforeIsTheSame) {
  const operations::RecordSpelling spelling = RecordLines::spelling(RecordFormat::csv);
  SpeRecordRow row = load_row();
  std::string place, kind;
  spelling.place(row, place);
  spelling.kind(row, kind);
  RecordLines parts(RecordFormat::csv), spelled(RecordFormat::csv);
  parts.add(row);
  row.place = place;
  row.kind = kind;
  row.function = row.module = row.operation = row.events = {};
  spelled.add(row);
  EXPECT_EQ(spelled.text(), parts.text());
  EXPECT_EQ(RecordLines::spelling(RecordFormat::json).place, nullptr);
}

TEST(RecordWriter, NumbersOfAnyLength) {
  for (const u64 step : {u64{10}, u64{16}}) {
    for (u64 power = 1; power != 0 && power <= ~u64{0} / step; power *= step) {
      for (const u64 value : {power - 1, power, power + 1, power * (step - 1)}) {
        SpeRecordRow row;
        row.time = row.pc = {.value = value, .given = true};
        RecordLines lines(RecordFormat::csv);
        lines.add(row);
        EXPECT_EQ(lines.text(), fmt::format("{},0,,0,0x{:x},,,,,,,,,,,,\n", value, value));
      }
    }
  }
}

TEST(RecordWriter, Json) {
  RecordWriter none(RecordFormat::json), writer(RecordFormat::json);
  EXPECT_EQ(json::parse(document(none, {})).at("records").size(), 0U);
  RecordLines first(RecordFormat::json), second(RecordFormat::json);
  first.add(load_row());
  first.add({});
  second.add({});
  const json records = json::parse(document(writer, {&first, &second})).at("records");
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0], json({{"time", 1234},
                              {"core", 3},
                              {"exception_level", 0},
                              {"pc", "0x7ff61000"},
                              {"function", "f<int, \"x\">"},
                              {"module", "a.exe"},
                              {"operation", "LOAD_STORE_ATOMIC-LOAD-GP"},
                              {"events", "retired+l1d-access"},
                              {"latency", 12},
                              {"data_address", "0xffff800000000000"},
                              {"source", "l2"}}));
  EXPECT_EQ(records[1], json({{"core", 0}}));
}

}  // namespace
}  // namespace wperf::report
