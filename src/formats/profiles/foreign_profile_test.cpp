// SPDX-License-Identifier: BSD-3-Clause
#include "formats/profiles/foreign_profile.h"

#include <gtest/gtest.h>

#include <map>

#include "ground/diag/names_all_test.h"
#include "ground/text/json_reader.h"
#include "ground/text/protobuf.h"

namespace wperf::profiles {
namespace {

Bytes bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

ForeignProfile read(const std::string& file, const ProfileReadOptions& options = {}) {
  auto out = read_foreign_profile(bytes_of(file), format_of(bytes_of(file)), options, [](u64) {});
  EXPECT_TRUE(out.has_value()) << (out.has_value() ? "" : out.error().text);
  return out.has_value() ? std::move(out).value() : ForeignProfile{};
}

// "outermost;…;innermost" of each sample, with its period.
std::map<std::string, u64> stacks_of(const stacks::StackProfile& profile, u32 event = 0) {
  std::map<std::string, u64> out;
  for (const stacks::StackSample& sample : profile.samples) {
    if (sample.event != event) continue;
    std::string path;
    for (u32 node = sample.node; node != ProfileBuilder::kRoot; node = profile.nodes[node].parent) {
      const stacks::StackFunction& function = profile.functions[profile.function_of(node)];
      path = function.name + (path.empty() ? "" : ";" + path);
    }
    out[path] += sample.period;
  }
  return out;
}

using Stacks = std::map<std::string, u64>;

void put_number(std::string& out, u64 value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}
std::string number(u32 field, u64 value) {
  std::string out;
  put_number(out, u64{field} << 3);
  put_number(out, value);
  return out;
}
std::string block(u32 field, const std::string& value) {
  std::string out;
  put_number(out, u64{field} << 3 | 2);
  put_number(out, value.size());
  return out + value;
}
std::string packed(u32 field, const std::vector<u64>& values) {
  std::string out;
  for (const u64 value : values) put_number(out, value);
  return block(field, out);
}

// Samples come before the entries that they refer to. main calls work, which contains an inlined function.
std::string small_pprof() {
  const auto sample = [](const std::vector<u64>& stack, const std::vector<u64>& values) {
    return block(2, packed(1, stack) + packed(2, values) + block(3, number(1, 8) + number(3, 77)));
  };
  std::string out = sample({20, 10}, {2, 200}) + sample({10}, {1, 100});
  out += block(1, number(1, 1) + number(2, 2)) + block(1, number(1, 3) + number(2, 4));
  out += block(3, number(1, 5) + number(2, 0x1000) + number(3, 0x2000) + number(5, 9));
  out += block(4, number(1, 10) + number(2, 5) + number(3, 0x1010) + block(4, number(1, 1) + number(2, 12)));
  out += block(4, number(1, 20) + number(2, 5) + block(4, number(1, 3) + number(2, 5)) + block(4, number(1, 2)));
  out += block(5, number(1, 1) + number(2, 5) + number(4, 10)) + block(5, number(1, 2) + number(2, 6)) +
         block(5, number(1, 3) + number(2, 7));
  for (const char* const text :
       {"", "samples", "count", "cpu", "nanoseconds", "main", "work", "inlined", "tid", "/bin/prog", "/src/main.c"}) {
    out += block(6, text);
  }
  return out + number(10, 1'500'000'000);
}

TEST(Pprof, CountsAndInlinedFrames) {
  const ForeignProfile got = read(small_pprof(), {.lines = true});
  ASSERT_EQ(got.profile.events.size(), 1u);
  EXPECT_EQ(got.profile.events[0].name, "cpu (nanoseconds)");
  EXPECT_EQ(got.profile.events[0].samples, 3u);
  EXPECT_EQ(stacks_of(got.profile), (Stacks{{"main;work;inlined", 200}, {"main", 100}}));
  EXPECT_EQ(got.profile.tasks.at(0).tid, 77u);
  EXPECT_EQ(got.profile.modules.at(0).name, "prog");
  EXPECT_EQ(got.profile.elapsed_seconds, 1.5);
  EXPECT_EQ(got.profile.lines, std::vector<std::string>{"main.c:12"});
  EXPECT_TRUE(got.profile.has_callers);
}

// A location with 512 lines, and a sample that names it many times: a few bytes stand for millions of frames.
TEST(Pprof, InlinedFramesDoNotMultiplyWithoutEnd) {
  std::string lines, good = small_pprof();
  for (int i = 0; i < 512; ++i) lines += block(4, number(1, 3));
  const auto sample = [](const std::vector<u64>& stack) { return block(2, packed(1, stack) + packed(2, {1, 100})); };
  const std::string bomb = block(4, number(1, 99) + lines) + sample(std::vector<u64>(50'000, 99)) + sample({10});
  const ForeignProfile got = read(good + bomb);
  EXPECT_LT(got.profile.nodes.size(), good.size() + bomb.size() + (1 << 20) + 512);
  EXPECT_EQ(stacks_of(got.profile).at("main"), 200u);  // the samples before and after the bomb
  EXPECT_EQ(got.profile.losses.damaged_records, 1u);
  ASSERT_EQ(got.warnings.size(), 1u);
  EXPECT_NE(got.warnings[0].find("1 samples are left out"), std::string::npos) << got.warnings[0];
  // If the same frames repeat, nothing new is stored, but the same limit on walked frames applies.
  std::string walks;
  for (int i = 0; i < 2'000; ++i) walks += sample(std::vector<u64>(200, 99));
  const ForeignProfile walked = read(good + block(4, number(1, 99) + lines) + walks);
  EXPECT_LT(walked.profile.events.at(0).samples, 2'000u);
  EXPECT_EQ(walked.profile.events.at(0).samples + walked.profile.losses.damaged_records, 2'003u);
}

// Without inlined frames, a stack may be as deep as the file allows.
TEST(Pprof, DeepStacksAreNoBombs) {
  std::string file = small_pprof() + block(2, packed(1, std::vector<u64>(3'000'000, 10)) + packed(2, {1, 7}));
  const ForeignProfile got = read(file);
  EXPECT_TRUE(got.warnings.empty());
  EXPECT_EQ(got.profile.events.at(0).samples, 4u);
}

// The file was written by wperf itself.
TEST(Pprof, AnEventMayBeCalledSamples) {
  for (const u64 event : {2, 4}) {
    std::string file = block(1, number(1, 1) + number(2, 3)) + block(1, number(1, 2) + number(2, 3));
    if (event == 4) file += block(1, number(1, 5) + number(2, 3)) + block(1, number(1, 4) + number(2, 3));
    file +=
        block(2, packed(1, {10}) + packed(2, event == 2 ? std::vector<u64>{2, 20} : std::vector<u64>{2, 20, 3, 30}));
    file += block(4, number(1, 10) + block(4, number(1, 1))) + block(5, number(1, 1) + number(2, 6));
    for (const char* const text : {"", "samples.samples", "samples", "count", "cycles", "cycles.samples", "main"}) {
      file += block(6, text);
    }
    const ForeignProfile got = read(file);
    ASSERT_EQ(got.profile.events.size(), event / 2);
    EXPECT_EQ(got.profile.events[0].name, "samples");
    EXPECT_EQ(got.profile.events[0].samples, 2u);
    EXPECT_EQ(stacks_of(got.profile), (Stacks{{"main", 20}}));
    EXPECT_EQ(got.profile.events.back().samples, event == 2 ? 2u : 3u);
  }
}

TEST(Pprof, CutInTheMiddleAndNamesThatAreNotThere) {
  const std::string whole = small_pprof();
  for (usize size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    static_cast<void>(read_pprof(bytes_of(cut), {}, [](u64) {}));
  }
  const ForeignProfile got = read(block(2, packed(1, {99}) + packed(2, {1, 1})) + small_pprof());
  EXPECT_EQ(got.profile.losses.damaged_records, 1u);
}

// Each view is made for each event, so the number of events has a limit.
TEST(Pprof, KindsOfValuesHaveALimit) {
  std::string file;
  for (u64 kind = 0; kind < 1'200; ++kind) file += block(1, number(1, 3 + kind) + number(2, 2));
  file += block(2, packed(1, {10}) + packed(2, std::vector<u64>(1'200, 5)));
  file += block(4, number(1, 10) + block(4, number(1, 1))) + block(5, number(1, 1) + number(2, 1));
  for (const char* const text : {"", "main", "count"}) file += block(6, text);
  for (u64 kind = 0; kind < 1'200; ++kind) file += block(6, "kind" + std::to_string(kind));
  const ForeignProfile got = read(file);
  ASSERT_EQ(got.profile.events.size(), 1'000u);
  EXPECT_EQ(got.profile.events.back().name, "kind999");
  EXPECT_EQ(got.profile.events.back().samples, 5u);
  ASSERT_EQ(got.warnings.size(), 1u);
  EXPECT_NE(got.warnings[0].find("1200 kinds of values; the last 200 are left out"), std::string::npos)
      << got.warnings[0];
}

TEST(Pprof, ValuesBelowZeroAreSaid) {
  const ForeignProfile got = read(block(2, packed(1, {10}) + packed(2, {1, ~u64{0}})) + small_pprof());
  ASSERT_EQ(got.warnings.size(), 1u);
  EXPECT_NE(got.warnings[0].find("1 negative values"), std::string::npos);
}

// A time of 0 means unknown, so a clock that begins at 0 is shifted. Slices begin with the first sample.
TEST(ProfileBuilder, KeepsTimesWhereTheyAreAskedFor) {
  const auto made = [](const ProfileReadOptions& options, std::vector<std::int64_t> times) {
    ProfileBuilder builder(options);
    const u32 event = builder.event("cycles"), task = builder.task(1, 1, "a");
    const u32 place = builder.place(builder.function("main", builder.module("")), {}, 0);
    const stacks::StackSample sample{
        .event = event, .task = task, .node = builder.node(ProfileBuilder::kRoot, place), .count = 2, .period = 20};
    for (const std::int64_t time : times) builder.add_at(sample, time);
    builder.add(sample);
    builder.add_about(sample, 1e30);
    return finish_profile(builder, {});
  };
  const ForeignProfile got = made({.times = true, .slice_ns = 10}, {25, -5, 0});
  EXPECT_EQ(std::vector<u64>(got.moments.samples.times_ns.begin(), got.moments.samples.times_ns.end()),
            (std::vector<u64>{31, 1, 6, 0, 0}));
  EXPECT_EQ(got.moments.begin_ns, 1u);
  EXPECT_EQ(got.moments.end_ns, 31u);
  ASSERT_EQ(got.profile.slices.count, 3u);
  std::vector<u64> counts(3);
  for (const stacks::SliceCount& one : got.profile.slice_counts) counts[one.slice] += one.count;
  EXPECT_EQ(counts, (std::vector<u64>{8, 0, 2}));
  EXPECT_EQ(got.profile.events[0].samples, 10u);
  EXPECT_DOUBLE_EQ(got.profile.elapsed_seconds, 30e-9);
  EXPECT_EQ(made({}, {25}).moments.samples.size(), 0u);
  const ForeignProfile some = made({.times = true, .from_seconds = 5e-9, .to_seconds = 25e-9}, {25, -5, 0});
  EXPECT_EQ(std::vector<u64>(some.moments.samples.times_ns.begin(), some.moments.samples.times_ns.end()),
            (std::vector<u64>{0, 0, 1}));
}

TEST(Folded, TheFirstLineWithoutACountIsNamed) {
  const auto line = [](const std::string& text) { return first_line_without_count(bytes_of(text)); };
  EXPECT_EQ(line("main;a 3\n\nmain;b x\n"), 3u);
  EXPECT_EQ(line("# made by hand\nmain;a\n"), 2u);
  EXPECT_EQ(line("main;a 3\n"), 0u);
  EXPECT_EQ(line("hello\n"), 0u);
  EXPECT_EQ(line("#include <cmath>\n\nint main() {\n  for (int i = 0;i < 9; ++i) work();\n  work();\n}\n"), 0u)
      << "C++";
  EXPECT_EQ(line(std::string("main;a\0b\n", 9)), 0u);
  const ForeignProfile got = read("main;a 3\nmain;b x\nmain;c 4\n");
  ASSERT_EQ(got.warnings.size(), 1u);
  EXPECT_TRUE(diag::names_all(got.warnings[0], {"1 of 3 lines", "count", "line 2"}));
}

TEST(Folded, StacksCountsAndBadLines) {
  const ForeignProfile got = read("# made by hand\nmain;a b;c 3\nmain;sys_read_[k] 4\r\nmain;a b;c 2\nno count\n");
  EXPECT_EQ(stacks_of(got.profile), (Stacks{{"main;a b;c", 5}, {"main;sys_read", 4}}));
  EXPECT_EQ(got.profile.events[0].samples, 9u);
  ASSERT_EQ(got.warnings.size(), 1u);
  EXPECT_NE(got.warnings[0].find("1 of 4 lines"), std::string::npos);
  const auto is_kernel = [](const stacks::StackFunction& one) { return one.is_kernel && one.name == "sys_read"; };
  EXPECT_TRUE(std::any_of(got.profile.functions.begin(), got.profile.functions.end(), is_kernel));
}

TEST(Folded, SumsThatDoNotFitAreLeftOut) {
  const ForeignProfile got = read("a;b 18000000000000000000\na;b 18000000000000000000\n");
  EXPECT_EQ(got.profile.events[0].period, 18'000'000'000'000'000'000u);
  ASSERT_EQ(got.warnings.size(), 1u);
}

constexpr const char* kFrames = R"("shared":{"frames":[{"name":"main"},{"name":"work","file":"w.js","line":7}]})";

TEST(Speedscope, SampledWithFramesBehindTheProfiles) {
  const ForeignProfile got = read(
      std::string(R"({"profiles":[{"type":"sampled","name":"t1","unit":"milliseconds","startValue":0,"endValue":5,)") +
          R"("samples":[[0],[0,1],[0,9]],"weights":[1,2.5,1]}],)" + kFrames + "}",
      {.lines = true});
  EXPECT_EQ(stacks_of(got.profile), (Stacks{{"main", 1'000'000}, {"main;work", 2'500'000}}));
  EXPECT_EQ(got.profile.losses.damaged_records, 1u);
  EXPECT_EQ(got.profile.names, std::vector<std::string>{"t1"});
  EXPECT_EQ(got.profile.lines, std::vector<std::string>{"w.js:7"});
  EXPECT_TRUE(got.has_times);
}

TEST(Speedscope, EventsBecomeStretchesOfTime) {
  const ForeignProfile got =
      read(std::string(R"({"$schema":"https://www.speedscope.app/file-format-schema.json",)") + kFrames +
           R"(,"profiles":[{"type":"evented","unit":"none","events":[{"type":"O","frame":0,"at":0},)"
           R"({"type":"O","frame":1,"at":4},{"type":"C","frame":1,"at":10},{"type":"C","frame":0,"at":11}]}]})");
  EXPECT_EQ(stacks_of(got.profile), (Stacks{{"main", 5}, {"main;work", 6}}));
}

constexpr const char* kTables =
    R"("stackTable":{"frame":[0,1,1],%,"length":3},"frameTable":{"func":[0,1],"address":[16,32],"line":[null,9]},)"
    R"("funcTable":{"name":[0,1],"resource":[0,0],"fileName":[null,2]},"resourceTable":{"lib":[0],"name":[3]})";
std::string tables(const std::string& prefix) {
  std::string out = kTables;
  return out.replace(out.find('%'), 1, prefix);
}

TEST(Firefox, TablesOfAThread) {
  const ForeignProfile got =
      read(R"({"meta":{"preprocessedProfileVersion":57},"libs":[{"name":"x.so","path":"/lib/x.so"}],"threads":[{)"
           R"("name":"worker","pid":"12","tid":13,"stringArray":["main","0x20","a.c","x.so"],)" +
               tables(R"("prefix":[null,0,7])") +
               R"(,"samples":{"stack":[0,1,1,null,2],"time":[10,11,12,13,14],"weight":[1,2,3,1,1],)"
               R"("weightType":"samples"}}]})",
           {.lines = true});
  EXPECT_EQ(stacks_of(got.profile), (Stacks{{"main", 1}, {"main;x.so+0x20", 5}}));
  EXPECT_EQ(got.profile.losses.damaged_records, 1u);  // its caller is missing
  ASSERT_EQ(got.warnings.size(), 1u);                 // the sample without a stack
  EXPECT_EQ(got.profile.tasks.at(0).pid, 12u);
  EXPECT_EQ(got.profile.tasks.at(0).tid, 13u);
  EXPECT_EQ(got.profile.modules.at(0).path, "/lib/x.so");
  EXPECT_EQ(got.profile.lines, std::vector<std::string>{"a.c:9"});
}

TEST(Firefox, SharedTablesBehindTheThreads) {
  const ForeignProfile got =
      read(R"({"meta":{"preprocessedProfileVersion":66},"libs":[{"name":"x.so"}],"threads":[{"name":"w",)"
           R"("samples":{"stack":[0,2],"timeDeltas":[1000,500],"weight":null}}],"shared":{)"
           R"("stringArray":["main","work","a.c","x.so"],)" +
               tables(R"("prefixOffset":[0,1,2])") + "}}",
           {.to_seconds = 0.2});
  EXPECT_EQ(stacks_of(got.profile), (Stacks{{"main", 1}}));  // the other sample is half a second later
  EXPECT_TRUE(got.has_times);
}

std::string packet(u64 time, const std::string& rest) {
  return block(1, number(8, time) + number(10, 1) + rest);
}

std::string interned_stack() {
  return block(5, number(1, 1) + block(2, "main")) + block(5, number(1, 2) + block(2, "work")) +
         block(17, number(1, 1) + block(2, "prog")) + block(19, number(1, 1) + number(7, 1)) +
         block(6, number(1, 1) + number(2, 1) + number(3, 1)) + block(6, number(1, 2) + number(2, 2) + number(3, 1)) +
         block(7, number(1, 1) + number(2, 1) + number(2, 2));
}

TEST(Perfetto, SamplesOfPerf) {
  const std::string defaults = block(59, block(12, block(1, number(4, 10) + number(1, 5000))));
  const ForeignProfile got =
      read(packet(5, number(13, 1) + defaults + block(12, interned_stack())) +
           packet(1'000'000'000, block(66, number(1, 3) + number(2, 7) + number(3, 8) + number(4, 1))) +
           packet(3'000'000'000, block(66, number(1, 3) + number(2, 7) + number(3, 8) + number(4, 1))) +
           packet(3'000'000'000, block(66, number(3, 8) + number(18, 3))) +
           packet(6, block(2, block(2, number(1, 8) + block(2, "worker")))));
  EXPECT_EQ(stacks_of(got.profile), (Stacks{{"main;work", 10'000}}));
  EXPECT_EQ(got.profile.events.at(0).name, "cycles");
  EXPECT_EQ(got.profile.names, std::vector<std::string>{"worker"});
  EXPECT_EQ(got.profile.samples[0].core, 3u);
  EXPECT_EQ(got.profile.elapsed_seconds, 2.0);
  EXPECT_EQ(got.profile.losses.lost_samples, 1u);
}

TEST(Perfetto, StackSamples) {
  const std::string counters =
      block(50, number(1, 1) + block(2, "cache")) + block(50, number(1, 2) + block(2, "cache.samples")) +
      block(48, number(1, 4) + number(2, 7) + number(3, 8)) + block(49, number(1, 2) + number(2, 6));
  const std::string frames = block(5, block(1, block(1, "top")) + block(1, block(1, "leaf")));
  const ForeignProfile got =
      read(packet(1, block(12, interned_stack() + counters) +
                         block(135, number(2, 4) + number(4, 2) + number(6, 1) + number(10, 1) + number(11, 900) +
                                        packed(13, {2}) + packed(14, {3}))) +
           packet(2, block(135, frames + number(10, 1) + number(11, 50))) + packet(3, block(135, number(10, 44))));
  EXPECT_EQ(stacks_of(got.profile), (Stacks{{"main;work", 900}, {"top;leaf", 50}}));
  EXPECT_EQ(got.profile.events.at(0).name, "cache");
  EXPECT_EQ(got.profile.events.at(0).samples, 4u);
  EXPECT_EQ(got.profile.samples[0].core, 6u);
  EXPECT_EQ(got.profile.tasks.at(0).tid, 8u);
  EXPECT_EQ(got.profile.losses.damaged_records, 1u);  // the record refers to a missing counter
}

TEST(Formats, AreKnownByContent) {
  const auto format = [](const std::string& file) { return format_of(bytes_of(file)); };
  EXPECT_EQ(format(small_pprof()), Format::pprof);
  EXPECT_EQ(format("a;b 1\n"), Format::folded);
  EXPECT_EQ(format("[libc.so];b 1\n"), Format::folded);
  EXPECT_EQ(format("just text\n"), Format::none);
  EXPECT_EQ(format(""), Format::none);
  EXPECT_EQ(format(R"({"traceEvents":[]})"), Format::chrome);
  EXPECT_EQ(format(R"({"a":1})"), Format::other_json);
  EXPECT_EQ(format("\xef\xbb\xbf {\"meta\":{\"preprocessedProfileVersion\":1}}"), Format::firefox);
  EXPECT_EQ(format(std::string(200, '\0')), Format::none);
}

TEST(JsonReader, StringsNumbersAndDamage) {
  const std::string text = R"(["a\u00e9\ud83d\ude00\n\"", -1.5, 1e3, 123456789012345678901, {"k":[{}]}, null, "end"])";
  text::JsonReader json(bytes_of(text));
  std::vector<std::string> strings;
  std::vector<double> numbers;
  json.for_each([&] {
    if (json.kind() == text::JsonReader::Kind::string)
      strings.emplace_back(json.string());
    else if (json.kind() == text::JsonReader::Kind::number)
      numbers.push_back(json.number());
  });
  EXPECT_TRUE(json.sound());
  EXPECT_EQ(strings, (std::vector<std::string>{"a\xc3\xa9\xf0\x9f\x98\x80\n\"", "end"}));
  EXPECT_EQ(numbers, (std::vector<double>{-1.5, 1000, 123456789012345678901.0}));
  for (const char* const bad : {"[1,", "[\"a", "{\"a\" 1}", "[1 2]", "{1:2}", "]", "[\"\\q\"]"}) {
    const std::string kept = bad;
    text::JsonReader broken(bytes_of(kept));
    if (broken.kind() == text::JsonReader::Kind::object) {
      broken.for_each_member([&](std::string_view) { static_cast<void>(broken.number()); });
    } else {
      broken.for_each([&] { static_cast<void>(broken.string()); });
    }
    EXPECT_FALSE(broken.sound()) << bad;
  }
  for (const std::string bad : {"01", "-01", "-", "1.", "1.e5", "1e", "1e+"}) {
    text::JsonReader broken(bytes_of(bad));
    broken.number();
    EXPECT_FALSE(broken.sound()) << bad;
  }
  for (const auto& [good, value] : {std::pair("0", 0.0), {"-0.25", -0.25}, {"2E-1", 0.2}, {"1e999", 7.0}}) {
    const std::string kept = good;
    text::JsonReader json_number(bytes_of(kept));
    EXPECT_EQ(json_number.number(7), value) << good;
    EXPECT_TRUE(json_number.sound()) << good;
  }
}

}  // namespace
}  // namespace wperf::profiles
