// SPDX-License-Identifier: BSD-3-Clause
// The contents of the profile for Microsoft's recorder, by kind of source. tests/e2e checks that it is well-formed XML.
#include "machine/etw/recording_profile.h"

#include <gtest/gtest.h>

#include "sim/tracing/fake_trace_api.h"

namespace wperf::etw {
namespace {

using namespace fake;

constexpr u64 kNeoverseN1 = 0x413fd0c1;

std::string profile_of(std::vector<WantedSource> sources, bool stacks = true) {
  SessionPlan plan;
  plan.sources = std::move(sources);
  plan.stacks = stacks;
  plan.cores = 8;
  return recording_profile(plan, usual_sources(), kNeoverseN1);
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const WantedSource kByTime{.name = "timer", .number = kTimer, .interval = 2500};
const WantedSource kInBox{.name = "branchmispredictions", .number = 11, .interval = 65536};
const WantedSource kOfCatalogue{.name = "ld_spec", .number = {}, .event = 0x70, .interval = 100'000};

TEST(recording_profile, the_timer_alone_needs_no_counter) {
  const std::string text = profile_of({kByTime});
  EXPECT_TRUE(has(text, "<Keyword Value=\"SampledProfile\"/>"));
  EXPECT_TRUE(has(text, "<Stack Value=\"SampledProfile\"/>"));
  EXPECT_TRUE(has(text, "wpr -setprofint 2500"));
  for (const char* part : {"PmcProfile", "HardwareCounter", "MicroArchitecturalConfig"}) EXPECT_FALSE(has(text, part));
}

TEST(recording_profile, sources_of_windows_go_by_its_names) {
  const std::string text = profile_of({kInBox});
  EXPECT_TRUE(has(text, "<SampledCounter Value=\"BranchMispredictions\" Interval=\"65536\"/>"));
  EXPECT_TRUE(has(text, "<Keyword Value=\"PmcProfile\"/>"));
  EXPECT_TRUE(has(text, "<Stack Value=\"PmcInterrupt\"/>"));
  EXPECT_TRUE(has(text, "<HardwareCounterId Value=\"HardwareCounter_wperf\"/>"));
  for (const char* part : {"SampledProfile", "MicroArchitecturalConfig", "setprofint"}) EXPECT_FALSE(has(text, part));
}

TEST(recording_profile, events_of_the_catalogue_become_sources) {
  const std::string text = profile_of({kByTime, kInBox, kOfCatalogue});
  EXPECT_TRUE(has(text, "<ProfileSources Architecture=\"ARM\" Family=\"8\" Model=\"3340\""));  // 0xd0c
  EXPECT_TRUE(has(text, "<ProfileSource Name=\"ld_spec\" Event=\"0x70\" Interval=\"100000\" Persist=\"false\"/>"));
  EXPECT_TRUE(has(text, "<MicroArchitecturalConfigId Value=\"Sources_wperf\"/>"));
  EXPECT_TRUE(has(text, "<SampledCounter Value=\"ld_spec\" Interval=\"100000\"/>"));
  EXPECT_LT(text.find("<MicroArchitecturalConfig Id"), text.find("<HardwareCounter Id"));
}

TEST(recording_profile, names_cannot_break_it) {
  WantedSource odd = kOfCatalogue;
  odd.name = "a\"<&>\n";
  EXPECT_TRUE(has(profile_of({odd}), "Name=\"a&quot;&lt;&amp;&gt;?\""));
  EXPECT_FALSE(has(profile_of({kByTime}, false), "<Stacks>"));
}

}  // namespace
}  // namespace wperf::etw
