// SPDX-License-Identifier: BSD-3-Clause
#include "views/html/html_report.h"

#include <gtest/gtest.h>

#include <vector>

#include "views/html/profile_columns.h"
#include "views/html/svg_flame_graph.h"
#include "views/report/escaping.h"

namespace wperf::html {
namespace {

stacks::StackProfile profile_of(const std::string& name) {
  stacks::StackProfile profile;
  profile.file = name;
  profile.events = {{.name = name, .samples = 5, .period = 50, .type = 0, .code = 0, .interval = 10}};
  profile.names = {name};
  profile.tasks = {{1, 2, 0}};
  profile.modules = {{.name = name, .path = name, .reason = name}};
  profile.functions = {{.name = name}, {.name = "inner"}};
  profile.places = {{0}, {1}};
  profile.nodes = {{}, {0, 0}, {1, 1}, {2, 1}};
  profile.samples = {{0, 0, 0, 2, 3, 30}, {0, 0, 1, 1, 1, 10}, {0, 0, 0, 3, 1, 10}};
  profile.slices = {2, 0, 20};
  profile.slice_counts = {{0, 1, 2, 20}, {1, 0, 1, 10}, {2, 1, 1, 10}, {0, 1, 1, 10}};
  return profile;
}

TEST(HtmlReport, EscapesWhateverANameHolds) {
  EXPECT_EQ(report::markup_text("</script><b a='1'>&\""), "&lt;/script&gt;&lt;b a=&#39;1&#39;&gt;&amp;&quot;");
  EXPECT_EQ(report::markup_text(std::string_view("a\0b\x1b\xff\xc3\xa9\xed\xa0\x80", 10)),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(report::markup_text("\xef\xbf\xbf"), "\xef\xbf\xbd");  // U+FFFF is not a character
}

TEST(HtmlReport, ALengthThatIsNotKnownIsNotZero) {
  stacks::StackProfile profile = profile_of("main");
  EXPECT_NE(html_text(profile, {}).find("<th scope=\"row\">Length</th><td>not known</td>"), std::string::npos);
  profile.elapsed_seconds = 2;
  EXPECT_NE(html_text(profile, {}).find("<th scope=\"row\">Length</th><td>2.000 s</td>"), std::string::npos);
}

TEST(HtmlReport, BeginsWithWhatItIsOf) {
  stacks::StackProfile profile = profile_of("/tmp/x.data");
  stacks::RecordingAbout about;
  about.image = "work";
  about.command = "wperf record -- ./work <20>";
  about.host = "build7";
  about.processor = "Neoverse-N1";
  about.cores = 4;
  about.elapsed_ns = 1'790'000'000;
  about.cpu_ns = 1'000'000;
  about.program = "./work '<20>'";
  about.has_ended = true;
  const std::string page = html_text(profile, {.about = &about});
  EXPECT_NE(page.find("<title>work: /tmp/x.data - wperf</title>"), std::string::npos) << page.substr(0, 600);
  EXPECT_NE(
      page.find("<p id=\"headline\">ran 1.790 s, used 1.0 ms of CPU (0.1 % of a core); 1 thread sampled<br>\n"
                "It was off the CPU most of the time. `wperf waits -- ./work &#39;&lt;20&gt;&#39;` shows whether it "
                "waited, and for what, or whether other programs had the cores."
                "<br>\nonly 5 samples: it used 1.0 ms of CPU, too little for a profile</p>\n"),
      std::string::npos)
      << page;
  EXPECT_NE(page.find("Command</th><td>wperf record -- ./work &lt;20&gt;</td>"), std::string::npos);
  EXPECT_NE(page.find("Processor</th><td>Neoverse-N1, 4 cores</td>"), std::string::npos);
  EXPECT_NE(html_text(profile, {}).find("<title>x.data: /tmp/x.data - wperf</title>"), std::string::npos);
}

TEST(HtmlReport, HostileNamesStayText) {
  const std::string name =
      "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)> \xe2\x80\xae \xff" + std::string(10'000, 'x');
  const stacks::StackProfile profile = profile_of(name);
  const std::string page = html_text(profile, {});
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find('\xff'), std::string::npos);
  EXPECT_NE(page.find("&lt;/script&gt;&lt;script&gt;alert(1)"), std::string::npos);
  const std::string picture = svg_flame_graph(profile, {});
  EXPECT_EQ(picture.find("<script"), std::string::npos);
  EXPECT_EQ(picture.find("<img"), std::string::npos);
}

TEST(HtmlReport, NoneOfManySamplesMayStillBeSome) {
  stacks::StackProfile profile = profile_of("cycles");
  profile.events[0].samples = 594;
  profile.samples = {{0, 0, 0, 2, 594, 50}};
  profile.slices = {};
  profile.slice_counts = {};
  const std::string page = html_text(profile, {});
  EXPECT_NE(page.find("<td>0.00</td><td>0.64</td><td>0</td><td>100.00</td>"), std::string::npos);
}

TEST(HtmlReport, SharesAreOfWhatWasChosen) {
  stacks::StackProfile profile = profile_of("cycles");
  profile.names.push_back("other");
  profile.tasks.push_back({3, 4, 1});
  profile.samples = {{0, 0, 0, 2, 3, 30}, {0, 1, 0, 2, 1, 10}, {0, 0, 0, 1, 1, 10}};
  EXPECT_EQ(html_text(profile, {}).find("Shares refer to"), std::string::npos);
  stacks::StackFilter filter;
  filter.tids = {4};
  const std::string page = html_text(profile, {.filter = filter});
  EXPECT_NE(page.find("<p>Shares refer to the 1 chosen samples, of 5 in total.</p>"), std::string::npos);
  EXPECT_NE(page.find("<tr><td>100.00</td>"), std::string::npos);
}

TEST(HtmlReport, ClocksTellTime) {
  for (const char* const name : {"Timer", "wait (ns)"}) {
    stacks::StackProfile profile = profile_of(name);
    profile.events[0].period = 1'500'000'000;
    EXPECT_NE(html_text(profile, {}).find(std::string(name) + ": 5 samples, 1.500 s"), std::string::npos) << name;
  }
}

TEST(HtmlReport, ColumnsHoldTreeAndRows) {
  const std::string bytes = profile_columns(profile_of("main"), {}).profile;
  u32 length = 0;
  for (u32 i = 0; i < 4; ++i) length |= u32{static_cast<u8>(bytes[i])} << (8 * i);
  const std::string json = bytes.substr(4, length);
  EXPECT_NE(json.find(R"("columns":[["up",3,3],["function",3,3],["slice",2,2],)"), std::string::npos) << json;
  const std::vector<u8> columns(bytes.begin() + 4 + length, bytes.end());
  const std::vector<u8> expected = {0, 0, 0,     // up: each node is below the previous one
                                    0, 1, 1,     // function
                                    0, 1,        // slice, as a difference
                                    0, 0, 0, 0,  // task, event
                                    1, 0,        // core
                                    1, 2,        // size
                                    1, 2, 1,     // node, as a difference within the group
                                    1, 3, 1,     // count
                                    0, 0, 0};    // period: equal to the interval
  EXPECT_EQ(columns, expected);
}

std::vector<u64> numbers_of(std::string_view bytes) {
  std::vector<u64> out;
  for (usize at = 0; at < bytes.size(); ++at) {
    u64 value = 0;
    for (u32 shift = 0;; shift += 7, ++at) {
      value |= u64{static_cast<u8>(bytes[at]) & 0x7fu} << shift;
      if (static_cast<u8>(bytes[at]) < 0x80) break;
    }
    out.push_back(value);
  }
  return out;
}

TEST(HtmlReport, SamplesHaveTheirTimesAndRows) {
  stacks::StackProfile profile = profile_of("main");
  profile.slices = {2, 100, 20};
  stacks::Moments moments;
  moments.begin_ns = 100;
  moments.end_ns = 140;
  // In the order of the slice counts: slice 1 of row 0 twice, slice 0 of row 1, slice 1 of rows 2 and 0.
  const std::vector<std::pair<u32, u64>> samples = {{0, 120}, {0, 125}, {1, 0}, {2, 135}, {0, 138}};
  for (const auto& [row, time] : samples) {
    moments.samples.rows.push_back(row);
    moments.samples.times_ns.push_back(time);
  }
  const PageData data = profile_columns(profile, {.moments = &moments, .all_samples = true});
  // One stream, for core 0. Its usual distance is 5; one sample without a time is counted and left out.
  EXPECT_NE(data.profile.find(R"("streams":[[0,0,4,5]],"without_time":1)"), std::string::npos);
  const std::vector<u64> expected = {30, 0, 10, 3,   // 120 - 100 - 5 = 15, 5 - 5, 10 - 5, 3 - 5; signed
                                     0,  0, 1,  0};  // rows of the slice: main;inner, main;inner;inner
  EXPECT_EQ(numbers_of(data.samples), expected);
  EXPECT_EQ(profile_columns(profile, {.moments = &moments}).samples, "");
}

TEST(HtmlReport, CountersAndMarksAreColumns) {
  const stacks::StackProfile profile = profile_of("main");
  stacks::Moments moments;
  moments.counters.push_back(
      {.name = "inst", .unit = "", .core = 3, .points = {{7, 1000}, {5, 300}, {9, stacks::kNotCounted}}});
  moments.marks.push_back({.time_ns = 4, .pid = 1, .tid = 2, .kind = stacks::MarkKind::ends, .text = {}});
  moments.marks.push_back({.time_ns = 9, .pid = 5, .tid = 5, .kind = stacks::MarkKind::program_begins, .text = "x"});
  const std::string bytes = profile_columns(profile, {.moments = &moments}).profile;
  EXPECT_NE(bytes.find(R"("counters":[["inst","",4,0,3]],"mark_texts":["","x"])"), std::string::npos);
  const std::vector<u64> expected = {14, 3, 8, 1001, 301, 0, 8, 10, 1, 5, 2, 5, 2, 0, 0, 1};
  const std::vector<u64> all = numbers_of(bytes.substr(bytes.size() - 18));
  EXPECT_EQ(all, expected);
}

}  // namespace
}  // namespace wperf::html
