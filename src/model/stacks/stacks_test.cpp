// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "model/stacks/call_tree.h"
#include "model/stacks/stack_aggregator.h"

namespace wperf::stacks {
namespace {

std::function<bool(std::string_view)> named(std::string_view wanted) {
  return [wanted](std::string_view name) { return name == wanted; };
}

TEST(IdTable, NumbersPairsInTheirOrder) {
  IdTable table;
  std::map<std::pair<u64, u64>, u32> expected;
  std::mt19937_64 chance(1);
  for (u32 i = 0; i < 20000; ++i) {
    const std::pair<u64, u64> key{chance() % 300, (chance() % 40) << 40};
    const auto [entry, is_new] = expected.try_emplace(key, static_cast<u32>(expected.size()));
    const IdTable::Found found = table.insert(key.first, key.second);
    ASSERT_EQ(found.id, entry->second);
    ASSERT_EQ(found.is_new, is_new);
  }
  EXPECT_EQ(table.size(), expected.size());
  for (const auto& [key, id] : expected) EXPECT_EQ(table.find(key.first, key.second), id);
  EXPECT_EQ(table.find(1, 1), IdTable::kNone);
}

std::vector<StackFrame> stack(std::initializer_list<u64> addresses) {
  std::vector<StackFrame> frames;
  for (const u64 address : addresses) frames.push_back({address, AddressKind::user});
  return frames;
}

SampleHash hash_of(const StackAggregator::Origin& origin, std::span<const StackFrame> frames) {
  SampleHash hash;
  hash.mix((u64{origin.event} << 32) | origin.task);
  hash.mix((u64{origin.core} << 32) | origin.space);
  std::vector<u64> words;
  for (const StackFrame& frame : frames) {
    words.push_back(frame.address);
    words.push_back(static_cast<u64>(frame.kind));
  }
  hash.mix_words(std::as_bytes(std::span(words)));
  return hash;
}

void add(StackAggregator& aggregator, const StackAggregator::Origin& origin, std::span<const StackFrame> frames,
         u64 period) {
  const SampleHash hash = hash_of(origin, frames);
  if (aggregator.add_again(hash, period) != StackAggregator::kNoRow) return;
  aggregator.add_row(hash, origin, period);
  aggregator.add_stack(origin.space, frames);
}

TEST(StackAggregator, EqualStacksAreOneRow) {
  StackAggregator aggregator;
  add(aggregator, {0, 1, 0, 5}, stack({3, 2, 1}), 10);
  add(aggregator, {0, 1, 0, 5}, stack({3, 2, 1}), 20);
  add(aggregator, {0, 1, 0, 5}, stack({4, 2, 1}), 1);  // another innermost frame
  add(aggregator, {0, 1, 0, 6}, stack({3, 2, 1}), 1);  // another process
  add(aggregator, {1, 1, 0, 5}, stack({3, 2, 1}), 1);  // another event
  add(aggregator, {0, 2, 0, 5}, stack({3, 2, 1}), 1);  // another thread
  add(aggregator, {0, 1, 3, 5}, stack({3, 2, 1}), 1);  // another core
  const GrowingArray<StackSample> samples = aggregator.take_samples();
  ASSERT_EQ(samples.size(), 6u);
  EXPECT_EQ(samples[0].count, 2u);
  EXPECT_EQ(samples[0].period, 30u);
  EXPECT_EQ(samples[5].core, 3u);
  EXPECT_EQ(aggregator.address_count(), 4u + 3u);  // of the first process, and of the second
}

TEST(StackAggregator, TheKindOfAnAddressTellsFramesApart) {
  StackAggregator aggregator;
  const StackFrame user[] = {{1, AddressKind::user}}, kernel[] = {{1, AddressKind::kernel}};
  add(aggregator, {0, 0, 0, 0}, user, 1);
  add(aggregator, {0, 0, 0, 0}, kernel, 1);
  ASSERT_EQ(aggregator.take_samples().size(), 2u);
  EXPECT_EQ(aggregator.address(0).kind, AddressKind::user);
  EXPECT_EQ(aggregator.address(1).kind, AddressKind::kernel);
}

TEST(StackAggregator, InterruptedCodeIsNoCaller) {
  StackAggregator aggregator;
  const StackFrame interrupted[] = {{9, AddressKind::kernel}, {1, AddressKind::user}, {2, AddressKind::user}};
  const StackFrame calling[] = {{3, AddressKind::user}, {1, AddressKind::user}, {2, AddressKind::user}};
  add(aggregator, {}, interrupted, 1);
  add(aggregator, {}, calling, 1);
  aggregator.finish();
  std::vector<std::pair<u64, bool>> seen;
  for (u32 i = 0; i < aggregator.address_count(); ++i)
    seen.emplace_back(aggregator.address(i).address, aggregator.address(i).is_caller);
  EXPECT_EQ(seen, (std::vector<std::pair<u64, bool>>{{2, true}, {1, false}, {9, false}, {1, true}, {3, false}}));
}

// Collisions in the hash table must not change the result.
TEST(StackAggregator, KeepsEveryStackOfMany) {
  StackAggregator aggregator;
  std::map<std::vector<u64>, u64> expected;
  std::mt19937 chance(2);
  for (u32 i = 0; i < 60000; ++i) {
    std::vector<u64> addresses(1 + chance() % 6);
    for (u64& one : addresses) one = chance() % 7;
    std::vector<StackFrame> frames;
    for (const u64 one : addresses) frames.push_back({one, AddressKind::user});
    add(aggregator, {0, 0, 0, 9}, frames, 1);
    ++expected[addresses];
  }
  const GrowingArray<StackSample> samples = aggregator.take_samples();
  std::map<std::vector<u64>, u64> found;
  std::vector<u64> path;  // outermost first
  aggregator.for_each_stack(0, aggregator.stack_count(), [&](u32 row, u32 depth, std::span<const u32> own) {
    path.resize(depth);
    for (const u32& one : own) {
      EXPECT_EQ(aggregator.address(one).is_caller, &one != &own.back());
      EXPECT_EQ(aggregator.address(one).space, 9u);
      path.push_back(aggregator.address(one).address);
    }
    found[{path.rbegin(), path.rend()}] += samples[row].count;
  });
  EXPECT_EQ(found, expected);
  // If the walk starts at a later row, that row's stack is complete.
  std::vector<std::vector<u32>> whole;
  std::vector<u32> numbers;
  aggregator.for_each_stack(0, aggregator.stack_count(), [&](u32, u32 depth, std::span<const u32> own) {
    numbers.resize(depth);
    numbers.insert(numbers.end(), own.begin(), own.end());
    whole.push_back(numbers);
  });
  for (u32 from = 1; from < whole.size(); from += 97) {
    numbers.assign(1, ~u32{0});  // a number that no stack has
    aggregator.for_each_stack(from, std::min<u32>(from + 3, aggregator.stack_count()),
                              [&](u32 row, u32 depth, std::span<const u32> own) {
                                numbers.resize(depth);
                                numbers.insert(numbers.end(), own.begin(), own.end());
                                EXPECT_EQ(numbers, whole[row]);
                              });
  }
}

// main → a → b and main → a → a → c, by two threads of "one", and only b in a thread of "two".
StackProfile example() {
  StackProfile profile;
  profile.events = {{"cycles", 10, 100}};
  profile.names = {"one", "two"};
  profile.tasks = {{1, 1, 0}, {1, 2, 0}, {3, 3, 1}};
  profile.modules = {{"prog", "/bin/prog", ""}, {"lib", "/lib/lib", ""}};
  profile.functions = {{"main", 0, true, false}, {"a", 0, true, false}, {"b", 1, true, false}, {"c", 1, true, false}};
  profile.places = {{0}, {1}, {2}, {3}};
  profile.nodes = {{kNothing, kNothing}, {0, 0}, {1, 1}, {2, 2}, {2, 1}, {4, 3}, {0, 2}};
  profile.samples = {{0, 0, 0, 3, 4, 40}, {0, 1, 1, 5, 3, 30}, {0, 2, 1, 6, 2, 20}, {0, 0, 0, 4, 1, 10}};
  return profile;
}

const StackRow* find_row(const StackRows& rows, u32 function, u32 comm = kNothing) {
  for (const StackRow& row : rows.rows) {
    if (row.function == function && row.comm == comm) return &row;
  }
  return nullptr;
}

TEST(StackRows, CountSelfAndChildrenOnce) {
  const StackProfile profile = example();
  const StackRows rows = make_rows(profile, 0, {SortKey::symbol}, {}, true);
  EXPECT_EQ(rows.samples, 10u);
  EXPECT_EQ(rows.period, 100u);
  EXPECT_EQ(find_row(rows, 0)->all_period, 80u);
  EXPECT_EQ(find_row(rows, 0)->self_period, 0u);
  EXPECT_EQ(find_row(rows, 1)->all_period, 80u);  // the function calls itself, but is counted only once
  EXPECT_EQ(find_row(rows, 1)->self_samples, 1u);
  EXPECT_EQ(find_row(rows, 2)->self_period, 60u);
  EXPECT_EQ(find_row(rows, 3)->all_samples, 3u);
}

TEST(StackRows, WithCalleesAFunctionWithoutOwnSamplesHasARow) {
  const StackProfile profile = example();
  StackFilter filter{.symbol = [](std::string_view name) { return name == "main"; }, .in_callers = true};
  const StackRows all = make_rows(profile, 0, {SortKey::symbol}, {}, true);
  const StackRows some = make_rows(profile, 0, {SortKey::symbol}, filter, true);
  ASSERT_EQ(some.rows.size(), 1u);
  EXPECT_EQ(some.rows[0].all_samples, find_row(all, some.rows[0].function)->all_samples);
  EXPECT_EQ(some.samples, some.rows[0].all_samples);
  filter.in_callers = false;
  EXPECT_LT(make_rows(profile, 0, {SortKey::symbol}, filter, true).samples, some.samples);
}

TEST(StackRows, ThreadsWithTheirOwnNamesAreOneProcess) {
  StackProfile profile = example();
  profile.tasks = {{1, 1, 0}, {1, 2, 1}, {3, 4, 1, 0}};
  const auto by = [&](SortKey name) { return make_rows(profile, 0, {name, SortKey::pid}, {}, false).rows; };
  EXPECT_EQ(by(SortKey::comm).size(), 3u);
  const std::vector<StackRow> processes = by(SortKey::process);
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_EQ(processes[0].comm, 0u);
  EXPECT_EQ(processes[1].comm, 0u) << "the recorded name of a process whose first thread has no samples";
}

TEST(StackRows, AFirstThreadWithSeveralNamesIsOneProcess) {
  StackProfile profile = example();
  const auto processes = [&] { return make_rows(profile, 0, {SortKey::process}, {}, false).rows; };
  profile.tasks = {{1, 1, 0, 0}, {1, 1, 1, 0}, {1, 2, 1, 0}};
  ASSERT_EQ(processes().size(), 1u);
  EXPECT_EQ(processes()[0].comm, 0u);
  profile.tasks = {{1, 1, 0}, {1, 1, 1}, {1, 2, 1}};  // the name of the program is not known
  EXPECT_EQ(processes().size(), 1u);
  profile.tasks = {{1, 1, 0, 0}, {1, 1, 1, 1}, {1, 2, 1, 1}};  // the process ran two programs
  EXPECT_EQ(processes().size(), 2u);
}

TEST(StackRows, ThreadsMayHaveCommasInTheirNames) {
  StackProfile profile = example();
  const auto samples = [&](const std::vector<std::string>& comms) {
    return make_rows(profile, 0, {SortKey::symbol}, {.comms = comms}, false).samples;
  };
  EXPECT_EQ(samples({"one"}), 8u);
  EXPECT_EQ(samples({"two,one"}), 10u);
  EXPECT_EQ(samples({"two,,none"}), 2u);
  profile.names[1] = "one,two";
  EXPECT_EQ(samples({"one,two"}), 2u) << "the whole text is a name";
  EXPECT_EQ(samples({"one,none"}), 8u);
  profile.names[1] = ",";
  EXPECT_EQ(samples({","}), 2u);
}

TEST(StackRows, KeysMakeTheRows) {
  const StackProfile profile = example();
  const StackRows rows = make_rows(profile, 0, {SortKey::comm, SortKey::symbol}, {}, false);
  EXPECT_EQ(rows.rows.size(), 4u);
  EXPECT_EQ(find_row(rows, 2, 0)->self_samples, 4u);
  EXPECT_EQ(find_row(rows, 2, 1)->self_samples, 2u);
  EXPECT_EQ(make_rows(profile, 0, {SortKey::tid}, {}, false).rows.size(), 3u);
  EXPECT_EQ(make_rows(profile, 0, {SortKey::pid}, {}, false).rows.size(), 2u);
  EXPECT_EQ(make_rows(profile, 0, {SortKey::core}, {}, false).rows.size(), 2u);
  EXPECT_EQ(make_rows(profile, 0, {SortKey::process, SortKey::pid}, {}, false).rows.size(), 2u);
  const StackRows modules = make_rows(profile, 0, {SortKey::module}, {}, false);
  ASSERT_EQ(modules.rows.size(), 2u);
  EXPECT_EQ(modules.rows[0].module, 1u);
  EXPECT_EQ(modules.rows[0].self_samples, 9u);
  EXPECT_TRUE(make_rows(profile, 1, {SortKey::pid}, {}, false).rows.empty());
}

TEST(StackRows, KindsOfCores) {
  StackProfile profile = example();
  profile.core_kinds.names = {"big", "little"};
  profile.core_kinds.of_core = {1, 0};
  profile.core_kinds.events = {{.has_cores = true}};
  const StackRows kinds = make_rows(profile, 0, {SortKey::core_kind}, {}, false);
  ASSERT_EQ(kinds.rows.size(), 2u);
  EXPECT_EQ(kinds.rows[0].core_kind, 1u);
  EXPECT_EQ(kinds.rows[0].self_period, 50u);
  EXPECT_EQ(kinds.rows[0].core, kNothing);
  EXPECT_EQ(kinds.rows[1].core_kind, 0u);
  // Two cores of the same kind are one row, unless the core is also a key.
  profile.core_kinds.of_core = {1, 1};
  EXPECT_EQ(make_rows(profile, 0, {SortKey::core_kind}, {}, false).rows.size(), 1u);
  const StackRows cores = make_rows(profile, 0, {SortKey::core_kind, SortKey::core}, {}, false);
  ASSERT_EQ(cores.rows.size(), 2u);
  EXPECT_EQ(cores.rows[0].core_kind, 1u);
  EXPECT_EQ(cores.rows[1].core_kind, 1u);
}

TEST(CoreKinds, TheCoreGoesBeforeTheEvent) {
  const CoreKinds kinds{.names = {"big", "little", "one"},
                        .of_core = {0, kNothing},
                        .events = {{.has_cores = true, .kind = 1}, {.has_cores = false, .kind = 1}, {}},
                        .of_others = 2};
  EXPECT_EQ(kinds.of(0, 0), 0u);
  EXPECT_EQ(kinds.of(0, 1), 1u);  // a core that the recording does not list
  EXPECT_EQ(kinds.of(0, 9), 1u);
  EXPECT_EQ(kinds.of(1, 0), 1u);  // the sample's core is not known
  EXPECT_EQ(kinds.of(2, 0), 2u);
  EXPECT_EQ(kinds.of(7, 0), 2u);  // there is no such event
  EXPECT_EQ(kinds.name(1), "little");
  EXPECT_EQ(kinds.name(kNothing), "?");
}

TEST(StackRows, FiltersChooseSamples) {
  const StackProfile profile = example();
  const auto samples = [&](const StackFilter& filter) {
    return make_rows(profile, 0, {SortKey::pid}, filter, false).samples;
  };
  EXPECT_EQ(samples({.comms = {"two"}}), 2u);
  EXPECT_EQ(samples({.comms = {"two", "one"}}), 10u);
  EXPECT_EQ(samples({.modules = {"/lib/lib"}}), 9u);
  EXPECT_EQ(samples({.modules = {"prog"}}), 1u);
  EXPECT_EQ(samples({.pids = {1}}), 8u);
  EXPECT_EQ(samples({.tids = {2}}), 3u);
  EXPECT_EQ(samples({.symbol = named("b")}), 6u);
  EXPECT_EQ(samples({.symbol = named("x")}), 0u);
  EXPECT_EQ(samples({.symbol = [](std::string_view name) { return name.starts_with("mai"); }}),
            0u);  // main itself was never sampled
}

// "label self/all" of each node, depth first.
std::string drawn(const CallTree& tree, u32 node = 0) {
  std::string out;
  const auto children = tree.children();
  for (const u32 child : children[node]) {
    const CallNode& one = tree.nodes()[child];
    out += "(" + std::to_string(one.label) + " " + std::to_string(one.self_period) + "/" +
           std::to_string(one.all_period) + drawn(tree, child) + ")";
  }
  return out;
}

TEST(CallTree, GoesDownFromTheOutermostCaller) {
  EXPECT_EQ(drawn(make_call_tree(example(), 0, {})), "(0 0/80(1 0/80(2 40/40)(1 10/40(3 30/30))))(2 20/20)");
}

TEST(CallTree, TellsOnlyOfChosenSamples) {
  EXPECT_EQ(drawn(make_call_tree(example(), 0, {.symbol = named("c")})), "(0 0/30(1 0/30(1 0/30(3 30/30))))");
}

TEST(CallTree, FoldedBeginsWithTheThreadsName) {
  EXPECT_EQ(drawn(make_folded_tree(example(), 0, {})),
            "(0 0/80(0 0/80(1 0/80(2 40/40)(1 10/40(3 30/30)))))(1 0/20(2 20/20))");
}

TEST(CallTree, CallersGoUp) {
  EXPECT_EQ(drawn(make_caller_tree(example(), 0, {2, 3}, {})),
            "(2 20/60(1 0/40(0 40/40)))(3 0/30(1 0/30(1 0/30(0 30/30))))");
}

TEST(CallTree, CalleesGoDownFromTheOutermostCall) {
  EXPECT_EQ(drawn(make_callee_tree(example(), 0, {1}, {})), "(1 0/80(2 40/40)(1 10/40(3 30/30)))");
}

TEST(CallTree, CallersShareTheTimeBelowAFunction) {
  const auto shares = [](u32 function) {
    std::vector<std::pair<u32, u64>> found;
    for (const CallerShare& share : caller_shares(example(), 0, {function}, {})) {
      EXPECT_EQ(share.function, function);
      found.emplace_back(share.caller, share.period);
    }
    return found;
  };
  using Shares = std::vector<std::pair<u32, u64>>;
  EXPECT_EQ(shares(1), (Shares{{0, 80}})) << "with b and c, and not twice for a that a called";
  EXPECT_EQ(shares(3), (Shares{{1, 30}}));
  EXPECT_EQ(shares(2), (Shares{{1, 40}, {kNothing, 20}})) << "once it is the outermost";
}

}  // namespace
}  // namespace wperf::stacks
