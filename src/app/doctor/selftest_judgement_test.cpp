// SPDX-License-Identifier: BSD-3-Clause
// The selftest's verdicts on correct measurements, and on measurements with one error each.
#include "app/doctor/selftest_judgement.h"

#include <gtest/gtest.h>

#include <map>

namespace wperf::doctor {
namespace {

using answers::Finding;
using answers::Outcome;

// A profile with this many samples for each call path, outermost first.
class Played {
 public:
  Played() {
    profile.modules = {{.name = "wperf-selftest.exe", .path = {}, .reason = "no PDB"},
                       {.name = "[kernel]", .path = {}, .reason = {}}};
  }
  Played& add(const std::vector<std::string>& path, u64 count) {
    u32 node = stacks::kNothing;
    for (const std::string& name : path) node = child(node, name);
    profile.samples.push_back({.node = node, .count = count, .period = count});
    return *this;
  }
  stacks::StackProfile profile;

 private:
  u32 child(u32 parent, const std::string& name) {
    const auto [known, is_new] = functions_.try_emplace(name, static_cast<u32>(profile.functions.size()));
    if (is_new) {
      const bool kernel = name == "kernel";
      profile.functions.push_back(
          {.name = name, .module = kernel, .is_known = !name.starts_with("+"), .is_kernel = kernel});
      profile.places.push_back({.function = known->second});
    }
    profile.nodes.push_back({.parent = parent, .place = known->second});
    return static_cast<u32>(profile.nodes.size() - 1);
  }
  std::map<std::string, u32> functions_;
};

Played right() {
  return Played()
      .add({"start", "outer", "leaf_a"}, 200)
      .add({"start", "outer", "middle", "leaf_b"}, 300)
      .add({"start", "middle", "leaf_b"}, 300)
      .add({"start", "leaf_c"}, 200);
}

// Expects this outcome of a check such as "shares", and these words in its detail.
void expect(const std::vector<Finding>& findings, const std::string& check, Outcome outcome,
            const std::string& words = {}) {
  for (const Finding& one : findings) {
    if (one.check != check) continue;
    EXPECT_EQ(one.outcome, outcome) << check << ": " << one.detail;
    EXPECT_NE(one.detail.find(words), std::string::npos) << one.detail;
    return;
  }
  ADD_FAILURE() << check << " was not judged";
}

std::vector<Finding> judged(const stacks::StackProfile& profile) {
  return judge_samples({.user = profile, .why_no_filter = {}, .why_no_stacks = {}});
}

TEST(selftest_judgement, what_is_right_is_good) {
  const auto findings = judged(right().profile);
  EXPECT_EQ(findings.size(), 6u);
  for (const Finding& one : findings) EXPECT_EQ(one.outcome, Outcome::ok) << one.check << one.detail;
}

TEST(selftest_judgement, wrong_shares_and_stacks) {
  expect(judged(right().add({"start", "leaf_c"}, 200).profile), "shares", Outcome::failed, "leaf_c 33.3 % of 20.0 %");
  Played skipped = Played().add({"start", "outer", "leaf_a"}, 200).add({"start", "leaf_b"}, 600).add({"leaf_c"}, 200);
  expect(judged(skipped.profile), "shares", Outcome::ok);
  expect(judged(skipped.profile), "stacks", Outcome::failed, "called by middle in 0.0 %");
  Played one_way = Played().add({"leaf_a"}, 200).add({"start", "outer", "middle", "leaf_b"}, 600).add({"leaf_c"}, 200);
  expect(judged(one_way.profile), "stacks", Outcome::failed, "outer called in 100.0 %");
}

TEST(selftest_judgement, few_samples_and_no_names_say_nothing_of_shares) {
  const auto few = judged(Played().add({"leaf_a"}, 3).profile);
  expect(few, "samples", Outcome::failed, "3 in ");
  expect(few, "shares", Outcome::not_possible);
  expect(few, "stacks", Outcome::not_possible);
  const auto nameless = judged(Played().add({"+0x1010"}, 900).profile);
  expect(nameless, "samples", Outcome::ok);
  expect(nameless, "names", Outcome::failed, "no PDB");
  expect(nameless, "shares", Outcome::not_possible);
}

TEST(selftest_judgement, filters_and_losses) {
  const stacks::StackProfile user = right().profile;
  Played leaky = right().add({"kernel"}, 5);
  expect(judged(leaky.profile), "user and kernel samples", Outcome::failed, "5 of 1005 in the kernel");
  expect(judge_samples({.user = user, .with_kernel = &leaky.profile, .why_no_filter = {}, .why_no_stacks = {}}),
         "user and kernel samples", Outcome::ok, "with the kernel: 5 of 1005");
  expect(judge_samples({.user = leaky.profile, .why_no_filter = "it has none", .why_no_stacks = "nor these"}),
         "user and kernel samples", Outcome::not_possible, "it has none");
  stacks::StackProfile lossy = user;
  lossy.losses.lost_samples = 7;
  expect(judged(lossy), "losses", Outcome::failed, "7 samples lost");
  lossy.losses.lost_samples = 0;
  lossy.trace = stacks::TraceFacts{.events_lost = 2};
  expect(judged(lossy), "losses", Outcome::failed, "2 events and 0 buffers lost");
}

TEST(selftest_judgement, counts_are_never_fewer_than_the_loop_has) {
  const auto counted = [](u64 value, bool own, std::optional<u64> kernel) {
    return judge_counts({.known = 1000,
                         .counted = value,
                         .own_program_only = own,
                         .with_kernel = kernel,
                         .why_no_filter = "none here"});
  };
  expect(counted(1020, true, 1100), "counts", Outcome::ok);
  expect(counted(999, true, 1100), "counts", Outcome::failed);
  expect(counted(1100, true, 1100), "counts", Outcome::failed);
  expect(counted(1100, false, 1100), "counts", Outcome::ok, "everything else that ran");
  expect(counted(1020, true, 1100), "user and kernel counts", Outcome::ok);
  expect(counted(1020, true, 1020), "user and kernel counts", Outcome::not_possible);
  expect(counted(1020, true, 1000), "user and kernel counts", Outcome::failed);
  expect(counted(1020, true, {}), "user and kernel counts", Outcome::not_possible, "none here");
}

}  // namespace
}  // namespace wperf::doctor
