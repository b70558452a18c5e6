// SPDX-License-Identifier: BSD-3-Clause
// A machine whose driver answers from a script, for tests. Every request is kept as text: "CODE INPUT" in hexadecimal
// digits, with final zeros written as "..n". The size of the answer's buffer is checked.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine/windowsperf/windowsperf_machine.h"
#include "machine/windowsperf/windowsperf_wire.h"

namespace wperf::windowsperf {

inline std::string hex(std::span<const std::byte> bytes) {
  size_t end = bytes.size();
  while (end != 0 && bytes[end - 1] == std::byte{0}) --end;
  std::string text;
  for (const std::byte byte : bytes.first(end)) {
    constexpr const char* kDigits = "0123456789abcdef";
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text + (end != bytes.size() ? ".." + std::to_string(bytes.size() - end) : "");
}

class ScriptedMachine final : public WindowsPerfMachine {
 public:
  using Handler = std::function<Answer(std::span<const std::byte>, std::span<std::byte>)>;

  ScriptedMachine() {
    hardware.free_counters = hardware.total_counters = 6;
    hardware.core_count = 4;
    hardware.midr = 0x414fd0c1;
    for (u8 i = 0; i < 6; ++i) hardware.counter_map[i] = i;
    version.major = 3;
    version.minor = 8;
  }

  // The requests since the last call of this function.
  std::vector<std::string> sent() { return std::exchange(sent_, {}); }
  void answer(Request request, Handler handler) { handlers_[static_cast<u32>(request)] = std::move(handler); }
  void refuse(Request request, u32 error) {
    answer(request, [error](auto, auto) { return Answer{.error = error, .bytes = 0}; });
  }
  template <typename Struct>
  void answer_with(Request request, const Struct& value, size_t bytes = sizeof(Struct)) {
    answer(request, [value, bytes](auto, std::span<std::byte> output) {
      std::memcpy(output.data(), &value, std::min(sizeof value, output.size()));
      return Answer{.error = 0, .bytes = bytes};
    });
  }

  diag::Result<Answer> control(u32 code, std::span<const std::byte> input, std::span<std::byte> output) override;
  std::optional<FileVersion> file_version() override { return file; }
  std::vector<u64> core_midrs() override { return {}; }
  void pause(u64 nanoseconds) override {
    sent_.push_back("pause");
    EXPECT_GE(nanoseconds, 1'000'000u);
  }
  diag::Result<u32> spawn(const std::string&, const std::string&, u32) override { return 1u; }
  device::ProcessState process(u32) override { return {}; }
  void kill(u32) override {}
  std::vector<readings::Process> processes() override { return {}; }
  diag::Result<void> wait(u64 nanoseconds, u32) override {
    now += nanoseconds;
    return {};
  }
  u64 now_ns() override { return now; }
  void measuring(bool begins) override { measurements += begins ? 1 : -1; }
  std::vector<device::DeviceMemory> dmc_channels() override { return channels; }
  u32 dsu_clusters() override { return clusters; }
  device::DeviceIdentity identity() override { return {}; }

  std::optional<FileVersion> file = FileVersion{.major = 3, .minor = 8, .patch = 0};
  HardwareAnswer hardware{};
  VersionBlock version{};
  u32 lock_status = 2;
  std::vector<device::DeviceMemory> channels;
  u32 clusters = 0, dsu_counters = 6;
  u64 now = 0;
  u64 tick_ns = 20'000'000;  // 0: no tick
  int measurements = 0;
  SampleAnswer samples{};
  SampleTotals totals{};

 private:
  Answer usual(Request request, std::span<const std::byte> input, std::span<std::byte> output);
  std::vector<u16> codes_[4];

  std::map<u32, Handler> handlers_;
  std::vector<std::string> sent_;
};

inline diag::Result<Answer> ScriptedMachine::control(u32 code, std::span<const std::byte> input,
                                                     std::span<std::byte> output) {
  const std::string number = hex(std::as_bytes(std::span(&code, 1)));
  sent_.push_back(number.substr(0, 4) + " " + hex(input));  // these digits distinguish requests
  EXPECT_EQ(code >> 16, 0x9C44u);
  EXPECT_FALSE(input.empty());
  EXPECT_LE(output.size(), kMostOutput);
  EXPECT_TRUE(output.empty() || output.size() >= 4112) << "an answer might not find room";
  if (const auto handler = handlers_.find(code); handler != handlers_.end()) return handler->second(input, output);
  return usual(static_cast<Request>(code), input, output);
}

inline Answer ScriptedMachine::usual(Request request, std::span<const std::byte> input, std::span<std::byte> output) {
  const auto put = [&](const auto& value) {
    std::memcpy(output.data(), &value, sizeof value);
    return Answer{.error = 0, .bytes = sizeof value};
  };
  const u64 round = tick_ns == 0 ? 0 : now / tick_ns;
  switch (request) {
    case Request::lock_acquire:
      return put(lock_status);
    case Request::lock_release:
      return put(u32{0});
    case Request::hardware:
      return put(hardware);
    case Request::version:
      return put(version);
    case Request::assign:
      for (size_t at = 16; at + 8 <= input.size();) {
        u32 event_class = 0;
        u16 count = 0;
        std::memcpy(&event_class, input.data() + at, 4);
        std::memcpy(&count, input.data() + at + 4, 2);
        codes_[event_class].resize(count);
        std::memcpy(codes_[event_class].data(), input.data() + at + 8, count * 2u);
        at += 8 + count * 2u;
      }
      return {};
    case Request::count_read: {
      CountAnswer answer{};
      answer.count = static_cast<u32>(codes_[0].size()) + 1;
      answer.round = round;
      answer.events[0] = {
          .event = kCycleCounter, .padding = 0, .filter_bits = 0, .value = 7 * round, .scheduled = round};
      for (size_t i = 0; i < codes_[0].size(); ++i)
        answer.events[i + 1] = {
            .event = codes_[0][i], .padding = 0, .filter_bits = 0, .value = (i + 1) * round, .scheduled = round};
      return put(answer);
    }
    case Request::dsu_read: {
      DsuAnswer answer{};
      answer.count = static_cast<u32>(codes_[1].size()) + 1;
      answer.round = round;
      for (size_t i = 0; i < codes_[1].size(); ++i)
        answer.events[i + 1] = {
            .event = codes_[1][i], .padding = 0, .filter_bits = 0, .value = (i + 1) * round, .scheduled = round};
      return put(answer);
    }
    case Request::dmc_read: {
      std::vector<DmcAnswer> answers(channels.size());
      for (DmcAnswer& answer : answers) answer.clkdiv2[0].value = answer.clkdiv2[0].scheduled = round;
      std::memcpy(output.data(), answers.data(), answers.size() * sizeof(DmcAnswer));
      return {.error = 0, .bytes = answers.size() * sizeof(DmcAnswer)};
    }
    case Request::dsu_init:
      return put(DsuCounters{.fixed = 1, .general = static_cast<u8>(dsu_counters)});
    case Request::dmc_init:
      return put(DmcCounters{.clk_fixed = 0, .clk_general = 2, .clkdiv2_fixed = 0, .clkdiv2_general = 8});
    case Request::sample_stop:
      return put(totals);
    case Request::sample_get:
      return put(samples);
    default:
      return {};
  }
}

}  // namespace wperf::windowsperf
