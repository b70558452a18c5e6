// SPDX-License-Identifier: BSD-3-Clause
// Plans for a machine whose own kernel counts.
#include "machine/plan/kernel_plan.h"

#include <gtest/gtest.h>

#include "ground/diag/names_all_test.h"
#include "machine/plan/sample_plan.h"
#include "machine/plan/test_machine.h"
#include "model/request/sampling_options.h"

namespace wperf::plan {
namespace {

class FakeKernelEvents final : public KernelEvents {
 public:
  FakeKernelEvents(bool catalogue, bool counters) : catalogue_(catalogue), counters_(counters) {}
  diag::Result<std::optional<KernelEvent>> find(std::string_view name) const override {
    using Found = std::optional<KernelEvent>;
    if (name == "page-faults") return Found(KernelEvent{.type = 1, .config = 2, .cores = {}});
    if (name == "cpu-clock") return Found(KernelEvent{.type = 1, .config = 0, .clock = true, .cores = {}});
    if (name == "cycles") return Found(KernelEvent{.type = 0, .config = 0, .hardware = true, .cores = {}});
    if (name == "instructions") return Found(KernelEvent{.type = 0, .config = 1, .hardware = true, .cores = {}});
    if (name == "sched:sched_switch") return Found(KernelEvent{.type = 2, .config = 316, .cores = {}});
    if (name == "outer/x/") return Found(KernelEvent{.type = 9, .config = 1, .cores = {2}});
    if (name == "cpu/event=1,umask=2/")
      return Found(KernelEvent{.type = 4, .config = 0x201, .hardware = true, .cores = {}});
    return Found();
  }
  bool counts_catalogue() const override { return catalogue_; }
  bool has_counters() const override { return counters_; }
  std::string why_no_cycles() const override { return counters_ ? "" : "none here"; }
  std::string way_to_counters() const override { return counters_ ? "" : "ask the host"; }
  std::vector<Word> words(bool) const override { return {}; }

 private:
  bool catalogue_, counters_;
};

Capabilities kernel_machine(bool catalogue, bool counters) {
  Capabilities machine = test_machine(catalogue ? kNeoverseN1 : 0);
  if (!counters) machine.counters_total = machine.counters_free = {};
  machine.kernel = std::make_shared<FakeKernelEvents>(catalogue, counters);
  return machine;
}

// "name type:config|group" of each entry, or the error.
std::string planned(const Capabilities& machine, std::string_view list) {
  request::Measurement request;
  request.items.emplace_back(event_list(list));
  EventCatalog catalog = catalog_of(machine);
  const auto plan = make_count_plan(request, machine, catalog);
  if (!plan.has_value()) return plan.error().text;
  std::string text;
  for (const Entry& entry : plan.value().schedules[0].entries) {
    text += text.empty() ? "" : " ";
    text += entry.name;
    if (entry.kernel_event.has_value()) {
      text += " " + std::to_string(entry.kernel_event->type) + ":" + std::to_string(entry.kernel_event->config);
    } else {
      text += " code " + std::to_string(entry.code);
    }
    if (entry.group.has_value()) text += "|" + std::to_string(*entry.group);
  }
  return text;
}

TEST(KernelPlan, WordsOfTheKernel) {
  const Capabilities machine = kernel_machine(false, true);
  EXPECT_EQ(planned(machine, "page-faults,cycles"), "page-faults 1:2 cycles 0:0");
  EXPECT_EQ(planned(machine, "r1c2"), "r1c2 4:450");
  EXPECT_EQ(planned(machine, "sched:sched_switch"), "sched:sched_switch 2:316");
  EXPECT_EQ(planned(machine, "cpu/event=1,umask=2/,page-faults"), "cpu/event=1,umask=2/ 4:513 page-faults 1:2");
  EXPECT_EQ(planned(machine, "{cycles,page-faults},cpu-clock"), "cycles 0:0|0 page-faults 1:2|0 cpu-clock 1:0");
  EXPECT_EQ(planned(machine, "ld_spec"), "unknown event name: ld_spec") << "an Arm event elsewhere";
}

TEST(KernelPlan, AnArmEventElsewhereSaysSo) {
  const Capabilities machine = kernel_machine(false, true);
  request::Measurement request;
  request.items.emplace_back(event_list("inst_retired:u"));
  EventCatalog catalog = catalog_of(machine);
  const auto refused = make_count_plan(request, machine, catalog);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().text, "unknown event name: inst_retired");
  EXPECT_TRUE(diag::names_all(refused.error().hint, {"inst_retired is an event of Arm cores", "wperf list"}));
}

TEST(KernelPlan, TheCatalogueGoesFirstWhereItsNumbersHold) {
  const Capabilities machine = kernel_machine(true, true);
  EXPECT_EQ(planned(machine, "ld_spec,page-faults"), "ld_spec code 112 page-faults 1:2");
  EXPECT_EQ(planned(machine, "nonsense"), "unknown event name: nonsense");
}

// "name ukp" for each entry: its modes, and a p for each level of precision.
std::string planned_modifiers(const Capabilities& machine, std::string_view list) {
  request::Measurement request;
  request.items.emplace_back(event_list(list));
  EventCatalog catalog = catalog_of(machine);
  const auto plan = make_count_plan(request, machine, catalog);
  if (!plan.has_value()) return plan.error().text;
  std::string text;
  for (const Entry& entry : plan.value().schedules[0].entries) {
    text += text.empty() ? "" : " ";
    text += entry.name + " ";
    text += entry.modifiers.user ? "u" : "";
    text += entry.modifiers.kernel ? "k" : "";
    text += std::string(entry.modifiers.precision, 'p');
  }
  return text;
}

TEST(KernelPlan, ModifiersOfPerf) {
  const Capabilities machine = kernel_machine(true, true);
  EXPECT_EQ(planned(machine, "ld_spec:u,page-faults:uk,r1b:k"), "ld_spec:u code 112 page-faults:uk 1:2 r1b:k code 27");
  EXPECT_EQ(planned_modifiers(machine, "ld_spec:u,cpu/event=1,umask=2/ppp,cycles"),
            "ld_spec:u u cpu/event=1,umask=2/ppp ppp cycles ");
  EXPECT_TRUE(diag::names_all(planned(machine, "cycles:D"), {"'D'", "cycles:D"}));
  EXPECT_EQ(planned(machine, "sched:sched_switch"), "sched:sched_switch 2:316") << "a tracepoint, not modifiers";
  EXPECT_TRUE(diag::names_all(planned(machine, "outer/x/u"), {"outer/x/", "outside the cores"}));
}

TEST(KernelPlan, NoPaddingAndNoLimitForWhatNeedsNoCounter) {
  const Capabilities machine = kernel_machine(false, true);
  std::string many = "{page-faults";
  for (int i = 0; i < 40; ++i) many += ",page-faults";
  EXPECT_EQ(planned(machine, many + "}").find("exceeds"), std::string::npos);
  EXPECT_NE(planned(machine, "{cycles,cycles,cycles,cycles,cycles,cycles,cycles}").find("exceeds"), std::string::npos);
}

TEST(KernelPlan, WithoutCountersSoftwareEventsStay) {
  const Capabilities machine = kernel_machine(false, false);
  EXPECT_EQ(planned(machine, "page-faults"), "page-faults 1:2");
  EXPECT_EQ(planned(machine, "cycles"), "cycles needs a hardware counter: none here");
  EXPECT_EQ(planned(kernel_machine(true, false), "ld_spec"), "ld_spec needs a hardware counter: none here");
  EXPECT_EQ(planned(kernel_machine(true, false), "ld_spec:u"), "ld_spec needs a hardware counter: none here");
  EventCatalog catalog = catalog_of(machine);
  const auto refused = make_kernel_entry({.event_class = EventClass::core, .text = "cycles", .number = {}, .group = {}},
                                         machine, catalog);
  EXPECT_EQ(refused.error().hint, "ask the host") << "who has no rights is not told that the machine is at fault";
}

TEST(KernelPlan, WhoIsCounted) {
  const Capabilities machine = kernel_machine(false, true);
  EventCatalog catalog = catalog_of(machine);
  request::Measurement request;
  request.items.emplace_back(event_list("page-faults"));
  EXPECT_FALSE(make_count_plan(request, machine, catalog).value().of_program);
  EXPECT_EQ(make_count_plan(request, machine, catalog).value().cores.size(), 8u);
  request.process = 42;
  EXPECT_EQ(make_count_plan(request, machine, catalog).value().process, 42u);
  EXPECT_FALSE(make_count_plan(request, test_machine(), catalog).has_value()) << "a driver counts cores only";
  request.process.reset();
  request.program = request::Program{"true", "true", true};
  const CountPlan unpinned = make_count_plan(request, machine, catalog).value();
  EXPECT_TRUE(unpinned.of_program);
  EXPECT_EQ(unpinned.program_core, kAnyCore);
  request.cores = {{3, 3}};
  EXPECT_EQ(make_count_plan(request, machine, catalog).value().program_core, 3u);
}

SamplePlan sampled(const Capabilities& machine, std::string_view list, std::optional<u32> rate = {}) {
  request::Measurement request;
  request.command = request::Command::record;
  request.sampling.events = request::parse_sampling_list(list).value();
  request.sampling.rate_hz = rate;
  const auto plan = make_sample_plan(request, {}, machine, catalog_of(machine));
  EXPECT_TRUE(plan.has_value()) << (plan.has_value() ? "" : plan.error().text);
  return plan.has_value() ? plan.value() : SamplePlan{};
}

TEST(KernelPlan, SampledByDefault) {
  const SamplePlan cycles = sampled(kernel_machine(false, true), "");
  EXPECT_EQ(cycles.events.at(0).name, "cycles");
  EXPECT_EQ(cycles.note, "");
  EXPECT_EQ(cycles.rate_hz, 4000u);
  EXPECT_EQ(cycles.cores.size(), 8u);
  EXPECT_EQ(cycles.program_core, kAnyCore);
  const SamplePlan clock = sampled(kernel_machine(false, false), "", 1000);
  EXPECT_EQ(clock.events.at(0).name, "cpu-clock");
  EXPECT_EQ(clock.events.at(0).interval, 1'000'000u);
  EXPECT_EQ(clock.note, "sampling by CPU time: none here");
  EXPECT_EQ(clock.rate_hz, 1000u);
}

TEST(KernelPlan, SampledForCompilers) {
  request::Measurement request;
  request.command = request::Command::record;
  request.sampling.for_compilers = true;
  const Capabilities machine = kernel_machine(false, true);
  const SamplePlan plan = make_sample_plan(request, {}, machine, catalog_of(machine)).value();
  EXPECT_EQ(plan.events.at(0).name, "instructions");
  EXPECT_EQ(plan.rate_hz, 10'000u);
  EXPECT_EQ(plan.branch_stacks, BranchStacks::optional);
  const Capabilities bare = kernel_machine(false, false);
  const SamplePlan by_time = make_sample_plan(request, {}, bare, catalog_of(bare)).value();
  EXPECT_EQ(by_time.events.at(0).name, "cpu-clock");
  EXPECT_EQ(by_time.events.at(0).interval, 100'000u);  // nanoseconds
  EXPECT_EQ(by_time.branch_stacks, BranchStacks::none);
}

TEST(KernelPlan, BranchStacksOfEachSample) {
  const Capabilities machine = kernel_machine(false, true);
  request::RecordingView view;
  view.branches = true;
  const auto plan = make_sample_plan(request::Measurement(), view, machine, catalog_of(machine));
  EXPECT_EQ(plan.value().branch_stacks, BranchStacks::needed);
  request::Measurement with_stacks;
  with_stacks.sampling.call_stacks = request::automatic_stacks();
  const auto refused = make_sample_plan(with_stacks, view, machine, catalog_of(machine));
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(diag::names_all(refused.error().hint, {"-g"}));
}

TEST(KernelPlan, SampledWithModifiers) {
  const SamplePlan plan = sampled(kernel_machine(true, true), "cycles:u,ld_spec:kp:5000");
  EXPECT_EQ(plan.events.at(0).name, "cycles:u");
  EXPECT_TRUE(plan.events[0].modifiers.user);
  EXPECT_TRUE(plan.events[0].adaptive);
  EXPECT_EQ(plan.events.at(1).name, "ld_spec:kp");
  EXPECT_EQ(plan.events[1].code, 112u);
  EXPECT_EQ(plan.events[1].interval, 5000u);
  EXPECT_EQ(plan.events[1].modifiers.precision, 1);
  EXPECT_TRUE(plan.looks_into_kernel()) << "its code is named, too";
}

TEST(KernelPlan, SampledEventsKeepTheirOrder) {
  const SamplePlan plan = sampled(kernel_machine(false, true), "sched:sched_switch:5,cpu-clock:70000,cycles");
  ASSERT_EQ(plan.events.size(), 3u);
  EXPECT_EQ(plan.events[0].name, "sched:sched_switch");
  EXPECT_EQ(plan.events[0].interval, 5u);
  EXPECT_FALSE(plan.events[0].adaptive);
  EXPECT_EQ(plan.events[1].interval, 70000u);
  EXPECT_TRUE(plan.events[2].adaptive);
}

TEST(KernelPlan, NoTracepointsElsewhere) {
  request::Measurement request;
  request.command = request::Command::record;
  request.sampling.events = request::parse_sampling_list("ld_spec:many").value();
  request.pe_file = "x.exe";
  const Capabilities machine = test_machine();
  const auto plan = make_sample_plan(request, {}, machine, catalog_of(machine));
  ASSERT_FALSE(plan.has_value());
  EXPECT_EQ(plan.error().text.substr(0, plan.error().text.find('\n')), "event interval: many is invalid!");
}

// A kernel that knows every name.
class AllKernelEvents final : public KernelEvents {
 public:
  explicit AllKernelEvents(bool counters) : counters_(counters) {}
  diag::Result<std::optional<KernelEvent>> find(std::string_view) const override {
    return std::optional<KernelEvent>(KernelEvent{.type = 1, .cores = {}});
  }
  bool counts_catalogue() const override { return false; }
  bool has_counters() const override { return counters_; }
  std::string why_no_cycles() const override { return {}; }
  std::vector<Word> words(bool) const override { return {}; }

 private:
  bool counters_;
};

std::string default_names(bool counters, const request::Measurement& request) {
  Capabilities machine = test_machine();
  machine.kernel = std::make_shared<AllKernelEvents>(counters);
  EventCatalog catalog = catalog_of(machine);
  const auto plan = make_count_plan(request, machine, catalog);
  if (!plan.has_value()) return plan.error().text;
  std::string names;
  for (const Entry& entry : plan.value().schedules[0].entries) {
    EXPECT_TRUE(entry.optional) << entry.name;
    names += (names.empty() ? "" : " ") + entry.name;
  }
  return names;
}

TEST(KernelPlan, DefaultEvents) {
  request::Measurement request;
  request.command = request::Command::stat;
  EXPECT_EQ(default_names(false, request), "") << "nor what to measure";
  request.timeout = request::Duration{1000};
  EXPECT_EQ(default_names(false, request), "cpu-clock context-switches cpu-migrations page-faults");
  request.program = request::Program{"prog", "prog", true};
  EXPECT_EQ(default_names(false, request), "task-clock context-switches cpu-migrations page-faults");
  EXPECT_EQ(default_names(true, request),
            "task-clock context-switches cpu-migrations page-faults cycles instructions branches branch-misses");
  request.command = request::Command::test;
  EXPECT_EQ(default_names(true, request), "");
}

}  // namespace
}  // namespace wperf::plan
