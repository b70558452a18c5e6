// SPDX-License-Identifier: BSD-3-Clause
// The device that is chosen on Windows without --device, for each command and each set of drivers.
#include "app/measure/opened_machine.h"

#include <gtest/gtest.h>

namespace wperf::measure {
namespace {

using request::Command;
using request::Measurement;

Measurement asked(Command command) {
  Measurement request;
  request.command = command;
  return request;
}
Measurement of_program(Measurement request) {
  request.program = request::Program{.path = "a.exe", .command_line = "a.exe"};
  return request;
}
Measurement counting(EventClass event_class, std::optional<u32> group = {}) {
  Measurement request = asked(Command::stat);
  request.items.emplace_back(
      request::EventList{.tokens = {{.event_class = event_class, .text = "x", .number = {}, .group = group}}});
  return request;
}
Measurement metrics() {
  Measurement request = asked(Command::stat);
  request.items.emplace_back(request::MetricName{"imix"});
  return request;
}
Measurement timeline() {
  Measurement request = counting(EventClass::core);
  request.timeline.enabled = true;
  return request;
}
Measurement spe() {
  Measurement request = of_program(asked(Command::record));
  request.sampling.spe.emplace();
  return request;
}
Measurement of_process(Measurement request) {
  request.process = 12;
  return request;
}

constexpr devices::DevicesHere kStock{.tracing = true};
constexpr devices::DevicesHere kArms{.windowsperf = true, .tracing = true};
constexpr devices::DevicesHere kOurs{.driver = true, .tracing = true};
constexpr devices::DevicesHere kBoth{.driver = true, .windowsperf = true, .tracing = true};

TEST(device_choice, our_driver_goes_first_and_nothing_is_said) {
  for (const auto& here : {kOurs, kBoth}) {
    for (const Command command : {Command::stat, Command::record, Command::sample, Command::waits, Command::list,
                                  Command::test, Command::man, Command::doctor, Command::version, Command::detect}) {
      const ChosenDevice chosen = choose_device(asked(command), here);
      EXPECT_EQ(chosen.name, "driver");
      EXPECT_EQ(chosen.why, "");
    }
  }
}

TEST(device_choice, without_it_by_what_is_asked) {
  struct Row {
    Measurement request;
    const char *stock, *arms;  // the device that is chosen without and with Arm's driver
    const char* word;          // a word in the sentence if there is Arm's driver
  };
  const Row rows[] = {
      {of_program(asked(Command::record)), "etw", "etw", "no call stacks"},
      {asked(Command::sample), "etw", "etw", "no call stacks"},
      {asked(Command::waits), "etw", "etw", "no call stacks"},
      {spe(), "etw", "etw", "no call stacks"},
      {asked(Command::list), "etw", "etw", ""},
      {asked(Command::man), "etw", "etw", ""},
      {asked(Command::doctor), "etw", "etw", ""},
      {of_program(counting(EventClass::core)), "etw", "etw", "no call stacks"},
      {of_process(counting(EventClass::core)), "etw", "etw", "no call stacks"},
      {counting(EventClass::core), "etw", "windowsperf", "whole cores"},
      {of_program(counting(EventClass::core, 0)), "etw", "windowsperf", "groups"},
      {of_program(counting(EventClass::dsu)), "etw", "windowsperf", "outside the cores"},
      {counting(EventClass::dmc_clkdiv2), "etw", "windowsperf", "outside the cores"},
      {of_program(metrics()), "etw", "windowsperf", "metrics"},
      {of_program(timeline()), "etw", "windowsperf", "timelines"},
      {asked(Command::version), "driver", "driver", ""},
      {asked(Command::detect), "driver", "driver", ""},
      {asked(Command::none), "driver", "driver", ""},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(choose_device(row.request, kStock).name, row.stock);
    const ChosenDevice with_arms = choose_device(row.request, kArms);
    EXPECT_EQ(with_arms.name, row.arms);
    EXPECT_NE(with_arms.why.find(row.word), std::string::npos) << with_arms.why;
    EXPECT_EQ(with_arms.why.starts_with("device " + with_arms.name + ": "), with_arms.name != "driver");
  }
}

TEST(device_choice, what_tracing_cannot_count_is_said_at_once) {
  EXPECT_NE(choose_device(counting(EventClass::dsu), kStock).why.find("outside the cores"), std::string::npos);
}

TEST(device_choice, elsewhere_the_kernel) {
  EXPECT_EQ(choose_device(asked(Command::stat), {.linux_kernel = true}).name, "");
}

TEST(device_choice, the_default_device_decides_whether_a_recording_is_a_trace) {
  const auto is_trace = [](Command command, const std::string& device, const devices::DevicesHere& here) {
    Measurement wanted = of_program(asked(command));
    wanted.device = device;
    return records_trace(wanted, here);
  };
  const devices::DevicesHere on_linux{.linux_kernel = true};
  EXPECT_TRUE(is_trace(Command::record, "", kStock));
  EXPECT_TRUE(is_trace(Command::record, "", kArms));
  EXPECT_FALSE(is_trace(Command::record, "", kOurs));
  EXPECT_FALSE(is_trace(Command::record, "", on_linux));
  EXPECT_FALSE(is_trace(Command::waits, "", on_linux));
  EXPECT_TRUE(is_trace(Command::record, "etw", kOurs));
  EXPECT_FALSE(is_trace(Command::record, "windowsperf", kArms));
  EXPECT_FALSE(is_trace(Command::record, "sim:cores=2", on_linux));
  EXPECT_TRUE(is_trace(Command::waits, "sim:cores=2", on_linux));
}

}  // namespace
}  // namespace wperf::measure
