// SPDX-License-Identifier: BSD-3-Clause
// Tests the Linux device on this machine. Software events need no hardware; a test that needs a counter is skipped on
// machines without one.
#include "machine/linux_kernel/linux_device.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/event_class.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/perf_data/perf_file.h"
#include "formats/perf_data/record_bytes.h"
#include "ground/os/mapped_file.h"
#include "ground/os/process.h"
#include "machine/linux_kernel/linux_sessions_linux.h"
#include "machine/perf_events/counter_linux.h"

namespace wperf::linux_kernel {
namespace {

constexpr u64 kTenSeconds = 10'000'000'000;

class LinuxDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    device_ = std::move(open_linux_device()).value();
    plan::KernelEvent clock{.type = 1, .config = 1, .clock = true, .cores = {}};
    perf_event_attr attributes = perf_events::attributes_of(clock, false);
    if (!perf_events::open_event(attributes, {.thread = 0, .core = -1}).is_open()) {
      GTEST_SKIP() << "this user may not measure anything here (perf_event_paranoid, or a sandbox)";
    }
    auto machine = device_->capabilities(device::Device::Spe::asked_for);
    ASSERT_TRUE(machine.has_value()) << machine.error().text;
    machine_ = std::move(machine).value();
  }

  u32 start(std::vector<std::string> words) {
    const auto pid = device_->programs().spawn(words.front(), os::join_command_line(words), plan::kAnyCore);
    EXPECT_TRUE(pid.has_value()) << (pid.has_value() ? "" : pid.error().text);
    return pid.has_value() ? pid.value() : 0;
  }
  void let_end(u32 pid) {
    for (int turn = 0; turn < 100 && device_->programs().process(pid).running; ++turn) {
      ASSERT_TRUE(device_->programs().wait(kTenSeconds / 100, pid).has_value());
    }
    EXPECT_FALSE(device_->programs().process(pid).running);
  }
  plan::CountPlan counted(std::vector<std::string> names, std::optional<u32> process) {
    plan::CountPlan plan;
    plan.cores = {0};
    plan.of_program = process.has_value();
    plan.process = process;
    plan::Schedule& schedule = plan.schedules[index_of(EventClass::core)];
    for (std::string& name : names) {
      plan::Entry& entry = schedule.entries.emplace_back();
      entry.kernel_event = machine_.kernel->find(name).value();
      entry.name = std::move(name);
    }
    schedule.counters = static_cast<u32>(schedule.entries.size());
    return plan;
  }
  readings::UnitCounts count_program(std::vector<std::string> names, std::vector<std::string> words) {
    const u32 pid = start(std::move(words));
    auto session = device_->open_count(counted(std::move(names), pid));
    EXPECT_TRUE(session.has_value()) << (session.has_value() ? "" : session.error().text);
    if (!session.has_value()) return {};
    EXPECT_TRUE(session.value()->start().has_value());
    let_end(pid);
    EXPECT_TRUE(session.value()->stop().has_value());
    auto capture = session.value()->read();
    EXPECT_TRUE(capture.has_value());
    return capture.has_value() ? capture.value().units.at(0) : readings::UnitCounts{};
  }

  std::unique_ptr<device::Device> device_;
  plan::Capabilities machine_;
};

TEST_F(LinuxDeviceTest, WhatTheMachineIs) {
  EXPECT_GT(machine_.core_count, 0u);
  EXPECT_EQ(machine_.core_midr.size(), machine_.core_count);
  ASSERT_NE(machine_.kernel, nullptr);
  EXPECT_EQ(machine_.kernel->has_counters(), machine_.counters_total[0] != 0);
  EXPECT_TRUE(device_->driver_version().value().compatible);
  EXPECT_EQ(device_->driver_version().value().name, "linux");
}

TEST_F(LinuxDeviceTest, AProgramIsHeldUntilTimePasses) {
  const std::string file = testing::TempDir() + "wperf_held_" + std::to_string(::getpid());
  const u32 pid = start({"touch", file});
  EXPECT_TRUE(device_->programs().process(pid).running);
  EXPECT_FALSE(std::filesystem::exists(file));
  let_end(pid);
  EXPECT_TRUE(std::filesystem::exists(file));
  std::filesystem::remove(file);
}

TEST_F(LinuxDeviceTest, ProgramsEndWithTheirStatus) {
  const u32 seven = start({"sh", "-c", "exit 7"});
  let_end(seven);
  EXPECT_EQ(device_->programs().process(seven).exit_code, 7u);
  EXPECT_EQ(device_->programs().process(seven).signal, 0u);
  const u32 killed = start({"sleep", "60"});
  ASSERT_TRUE(device_->programs().wait(1'000'000, killed).has_value());
  device_->programs().kill(killed);
  EXPECT_FALSE(device_->programs().process(killed).running);
}

TEST_F(LinuxDeviceTest, ArgumentsArriveAsTheyWere) {
  const u32 pid =
      start({"sh", "-c", "[ \"$1\" = 'a \"b\" \\c' ] && [ -z \"$2\" ] && [ $# = 2 ]", "sh", "a \"b\" \\c", ""});
  let_end(pid);
  EXPECT_EQ(device_->programs().process(pid).exit_code, 0u);
}

TEST_F(LinuxDeviceTest, ProgramsForWindowsAreNoScripts) {
  const std::string file = testing::TempDir() + "wperf_windows_" + std::to_string(::getpid()) + ".exe";
  const auto refusal = [&](std::string_view begin) {
    std::ofstream(file) << begin;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    const auto pid = device_->programs().spawn(file, file, plan::kAnyCore);
    return pid.has_value() ? diag::Error{} : pid.error();
  };
  if (!refusal("MZqFpD='\n' echo both").text.empty()) GTEST_SKIP() << "no program can be started here";
  const diag::Error windows = refusal(std::string("MZ\x90\0\3\0\0\0", 8));
  std::filesystem::remove(file);
  if (windows.text.empty()) GTEST_SKIP() << "this system runs programs for Windows";
  EXPECT_NE(windows.text.find("is a Windows program"), std::string::npos) << windows.text;
  EXPECT_NE(windows.hint.find("--device sim"), std::string::npos);
}

TEST_F(LinuxDeviceTest, ProgramsThatCannotStart) {
  EXPECT_FALSE(device_->programs().spawn("no-such-program-here", "no-such-program-here", 0).has_value());
  EXPECT_FALSE(device_->programs().spawn("/no/such/program", "/no/such/program", 0).has_value());
  EXPECT_FALSE(device_->programs().spawn("/usr", "/usr", 0).has_value());
  const auto script = [](const std::string& name, const std::string& interpreter) {
    const std::string file = testing::TempDir() + "wperf_no_program_" + name + std::to_string(::getpid());
    std::filesystem::remove(file);
    std::ofstream(file) << "#! " << interpreter << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  };
  const std::string alone = script("a", "/no/such/interpreter"), file = script("b", alone);
  EXPECT_FALSE(device_->programs().spawn(alone, alone, 0).has_value());
  const u32 pid = start({file});  // its interpreter exists but is not a program, which only the start notices
  EXPECT_TRUE(device_->programs().has_started(pid));
  const auto waited = device_->programs().wait(kTenSeconds, pid);
  EXPECT_FALSE(waited.has_value());
  EXPECT_FALSE(device_->programs().has_started(pid));
  std::filesystem::remove(alone);
  std::filesystem::remove(file);
}

TEST_F(LinuxDeviceTest, CountsAProgramFromItsFirstInstructionOn) {
  const readings::UnitCounts unit = count_program({"task-clock", "page-faults"}, {"true"});
  ASSERT_EQ(unit.entries.size(), 2u);
  EXPECT_GT(unit.entries[0].value, 0u);
  EXPECT_LT(unit.entries[0].value, kTenSeconds);
  EXPECT_GT(unit.entries[1].value, 10u) << "loading a program faults";
  EXPECT_EQ(unit.entries[0].running_ns, unit.entries[0].enabled_ns);
  EXPECT_FALSE(unit.multiplexed);
}

TEST_F(LinuxDeviceTest, CountsChildrenToo) {
  const std::string loop = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
  const readings::UnitCounts alone = count_program({"task-clock"}, {"sh", "-c", loop});
  const readings::UnitCounts with =
      count_program({"task-clock"}, {"sh", "-c", "(" + loop + ") & (" + loop + ") & (" + loop + ") & wait"});
  EXPECT_GT(with.entries.at(0).value, alone.entries.at(0).value * 3 / 2);
}

// The records of one program in a recording.
struct Seen {
  u64 samples = 0, lost = 0, executed = 0, mapped = 0, deepest = 0;
};
Seen seen_in(const perf_data::PerfFile& file, u32 pid, u64 begin, u64 end) {
  Seen seen;
  const perf_data::ReadStatistics statistics = file.for_each_record(perf_data::Visitors{
      [&](const perf_data::Sample& sample, const perf_data::Record&) {
        ++seen.samples;
        seen.deepest = std::max<u64>(seen.deepest, sample.callchain.size());
        EXPECT_EQ(sample.pid, pid);
        EXPECT_GE(sample.time, begin) << "the clock is that of now_ns()";
        EXPECT_LE(sample.time, end);
      },
      [&](const perf_data::Lost& lost, const perf_data::Record&) { seen.lost += lost.records; },
      [&](const perf_data::Comm& comm, const perf_data::Record&) { seen.executed += comm.by_exec ? 1 : 0; },
      [&](const perf_data::Mmap& mapping, const perf_data::Record&) {
        seen.mapped += mapping.pid == pid && !mapping.file.empty() ? 1 : 0;
      },
  });
  EXPECT_EQ(statistics.all_damaged(), 0u);
  EXPECT_EQ(statistics.of_unknown_event, 0u);
  EXPECT_FALSE(statistics.stop.has_value());
  return seen;
}

TEST_F(LinuxDeviceTest, RecordsAProgramAndWhatItMapped) {
  for (const auto stacks : {request::StackSource::none, request::StackSource::frame_pointers}) {
    const u32 pid = start({"sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"});
    plan::SamplePlan plan;
    plan.process = pid;
    plan.call_stacks.source = stacks;
    for (u32 core = 0; core < machine_.core_count; ++core) plan.cores.push_back(core);
    plan::SampleEvent& event = plan.events.emplace_back();
    event.name = "cpu-clock";
    event.kernel_event = machine_.kernel->find("cpu-clock").value();
    event.interval = 1'000'000;
    auto session = device_->open_recording(plan, {.file = {}, .tool_version = "a test"});
    ASSERT_TRUE(session.has_value()) << session.error().text;
    ASSERT_TRUE(session.value()->start().has_value());
    const u64 begin = device_->programs().now_ns();
    let_end(pid);
    ASSERT_TRUE(session.value()->stop().has_value());
    EXPECT_FALSE(session.value()->error().has_value());
    auto mapped = os::MappedFile::open(session.value()->readable_path());
    ASSERT_TRUE(mapped.has_value()) << mapped.error().text;
    auto file = perf_data::PerfFile::open(mapped.value().bytes());
    ASSERT_TRUE(file.has_value()) << file.error().text;
    EXPECT_FALSE(file.value().is_unfinished());
    EXPECT_FALSE(file.value().is_cut());
    EXPECT_EQ(file.value().features().text(perf_data::Feature::perf_version), "a test");
    ASSERT_EQ(file.value().attrs().size(), 1u);
    EXPECT_EQ(file.value().attrs()[0].name, "cpu-clock");
    const Seen seen = seen_in(file.value(), pid, begin, device_->programs().now_ns());
    EXPECT_GT(seen.samples, 5u);
    EXPECT_EQ(seen.executed, 1u);
    EXPECT_GT(seen.mapped, 2u) << "the program, its loader, its library";
    EXPECT_EQ(seen.deepest > 0, stacks == request::StackSource::frame_pointers);
  }
}

// SPE needs special hardware, so this test uses other bytes in the same format.
TEST_F(LinuxDeviceTest, AuxDataIsInRecording) {
  const u32 pid = start({"true"});
  plan::SamplePlan plan;
  plan.process = pid;
  for (u32 core = 0; core < machine_.core_count; ++core) plan.cores.push_back(core);
  plan::SampleEvent& event = plan.events.emplace_back();
  event.name = "dummy";
  event.interval = 1;
  event.kernel_event = plan::KernelEvent{.type = 1, .config = 9, .cores = {}};
  const std::string bytes(48, '\x5a');
  device::RecordingTarget target{.file = {}, .tool_version = "a test"};
  target.traced = {.event = "arm_spe_0",
                   .interval = 1024,
                   .finish = [&](u32 unit_type, std::string& records, perf_data::RunFacts& run) {
                     const u64 parameters[] = {unit_type, 1};
                     perf_data::append_auxtrace_info(records, perf_data::kAuxArmSpe, parameters);
                     perf_data::append_auxtrace(records, 3, 0, bytes);
                     run.spe_cores.push_back({.core = 3, .collisions = 7});
                   }};
  auto session = device_->open_recording(plan, target);
  ASSERT_TRUE(session.has_value()) << session.error().text;
  ASSERT_TRUE(session.value()->start().has_value());
  let_end(pid);
  ASSERT_TRUE(session.value()->stop().has_value());
  auto mapped = os::MappedFile::open(session.value()->readable_path());
  ASSERT_TRUE(mapped.has_value()) << mapped.error().text;
  auto file = perf_data::PerfFile::open(mapped.value().bytes());
  ASSERT_TRUE(file.has_value()) << file.error().text;
  ASSERT_EQ(file.value().attrs().size(), 2u);
  EXPECT_EQ(file.value().attrs()[1].name, "arm_spe_0");
  const auto traces = perf_data::AuxTraces::collect(file.value());
  EXPECT_EQ(traces.statistics().all_damaged(), 0u);
  ASSERT_TRUE(traces.info().has_value());
  EXPECT_EQ(traces.info()->pmu_type, file.value().attrs()[1].attributes.type) << "by that perf finds the event";
  ASSERT_EQ(traces.buffers().size(), 1u);
  EXPECT_EQ(traces.buffers()[0].bytes.size(), bytes.size());
  EXPECT_EQ(traces.buffers()[0].cpu, 3u);
  const auto run = perf_data::read_run_facts(file.value().features().section(perf_data::kRunFactsFeature));
  ASSERT_TRUE(run.has_value());
  ASSERT_EQ(run->spe_cores.size(), 1u);
  EXPECT_EQ(run->spe_cores[0].collisions, 7u);
  EXPECT_EQ(seen_in(file.value(), pid, 0, ~u64{0}).executed, 1u) << "programs are told, too";
}

// A stack copy at each page fault gives more data than can be read in time.
TEST_F(LinuxDeviceTest, LostRingRecordsAreCounted) {
  const u32 pid = start({"sh", "-c", "i=0; while [ $i -lt 40 ]; do (:); i=$((i+1)); done"});
  plan::SamplePlan plan;
  plan.process = pid;
  plan.call_stacks = {.source = request::StackSource::stack_copies, .stack_bytes = 65528};
  for (u32 core = 0; core < machine_.core_count; ++core) plan.cores.push_back(core);
  plan::SampleEvent& event = plan.events.emplace_back();
  event.name = "page-faults";
  event.kernel_event = machine_.kernel->find("page-faults").value();
  event.interval = 1;
  auto session = device_->open_recording(plan, {.file = {}, .tool_version = "a test"});
  ASSERT_TRUE(session.has_value()) << session.error().text;
  ASSERT_TRUE(session.value()->start().has_value());
  let_end(pid);
  ASSERT_TRUE(session.value()->stop().has_value());
  auto mapped = os::MappedFile::open(session.value()->readable_path());
  ASSERT_TRUE(mapped.has_value()) << mapped.error().text;
  auto file = perf_data::PerfFile::open(mapped.value().bytes());
  ASSERT_TRUE(file.has_value()) << file.error().text;
  u64 told = 0, counted = 0;
  const perf_data::ReadStatistics statistics = file.value().for_each_record(perf_data::Visitors{
      [&](const perf_data::Lost& lost, const perf_data::Record&) { told += lost.records; },
      [&](const perf_data::LostSamples& lost, const perf_data::Record&) { counted += lost.samples; }});
  EXPECT_EQ(statistics.all_damaged(), 0u);
  if ((file.value().attrs().at(0).attributes.read_format & perf_data::kReadLost) == 0) {
    EXPECT_EQ(counted, 0u);
    GTEST_SKIP() << "this kernel does not count losses by event";
  }
  if (told + counted == 0) GTEST_SKIP() << "nothing was lost";
  EXPECT_GE(counted, told);
}

TEST_F(LinuxDeviceTest, TheFileOfARecordingMustBeThere) {
  plan::SamplePlan plan;
  plan.cores = {0};
  const auto session = device_->open_recording(plan, {.file = "/no/such/folder/file", .tool_version = {}});
  ASSERT_FALSE(session.has_value());
  EXPECT_NE(session.error().text.find("/no/such/folder/file"), std::string::npos);
  EXPECT_FALSE(device_->open_sampling(plan).has_value()) << "samples are recorded, not handed out";
}

TEST_F(LinuxDeviceTest, CountsHardwareEvents) {
  if (!machine_.kernel->has_counters()) GTEST_SKIP() << machine_.kernel->why_no_cycles();
  const readings::UnitCounts unit = count_program({"instructions"}, {"true"});
  EXPECT_GT(unit.entries.at(0).value, 1000u);
  EXPECT_GT(unit.cycles, 1000u);
}

TEST_F(LinuxDeviceTest, UnknownProcessesAreRefused) {
  const auto session = device_->open_count(counted({"task-clock"}, 0x3fff'fff0));
  ASSERT_FALSE(session.has_value());
  EXPECT_NE(session.error().text.find("has ended"), std::string::npos) << session.error().text;
}

// Without the error, an empty table would look like a result.
TEST(LinuxCounting, WhereEveryUsualEventIsRefusedTheReasonIsTheAnswer) {
  plan::CountPlan plan;
  plan.cores = {0};
  for (const char* const name : {"cpu-clock", "page-faults"}) {
    plan::Entry& entry = plan.schedules[index_of(EventClass::core)].entries.emplace_back();
    entry.name = name;
    entry.optional = true;
    entry.kernel_event = plan::KernelEvent{.type = 1, .config = 0, .cores = {}};
  }
  LinuxMachine machine;
  machine.cores = {0};
  LinuxPrograms programs;
  const perf_events::OpenEvent refuse_all = [](perf_event_attr&, perf_events::Scope, int) {
    errno = EACCES;
    return perf_events::Descriptor();
  };
  const auto session = open_linux_count(programs, machine, plan, refuse_all);
  ASSERT_FALSE(session.has_value());
  EXPECT_NE(session.error().text.find("this user may not measure cpu-clock"), std::string::npos)
      << session.error().text;
  EXPECT_EQ(session.error().code, diag::ExitCode::no_device);
}

}  // namespace
}  // namespace wperf::linux_kernel
