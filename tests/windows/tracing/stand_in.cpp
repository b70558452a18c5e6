// SPDX-License-Identifier: BSD-3-Clause
// wperf-etw-stand-in.dll: the functions of Windows' tracing for wperf.exe in Wine, because Wine's own functions do not
// work. They use the fake of sim/tracing with all its checks, so each byte that trace_api_win.cpp passes to Windows is
// checked. Only wperf-traced.exe loads it (machine/etw/trace_api_win.cpp). It simulates two cores, and thread 12 of
// process 8 runs on one of them.
#include <windows.h>

#include <cstring>

#include "sim/tracing/fake_trace_api.h"

namespace {

using namespace wperf;

class PlayedMachine final : public etw::fake::FakeMachine {
 public:
  u64 now_ns() override { return now_; }
  std::vector<u64> core_midr() override { return {0x413fd0c1, 0x413fd0c1}; }
  diag::Result<void> begin(std::span<const Sampling> sources, bool stacks) override {
    sampled_.assign(sources.begin(), sources.end());
    stacks_ = stacks;
    return {};
  }
  diag::Result<u64> drain(std::vector<etw::fake::FakeSample>& samples) override {
    if (!watched_) play();
    samples.insert(samples.end(), samples_.begin(), samples_.end());
    samples_.clear();
    return u64{0};
  }
  diag::Result<void> end() override { return {}; }
  std::vector<etw::fake::FakeProcess> processes() override {
    return {{.process = 8, .path = "C:\\played.exe", .threads = {12}, .images = {{"C:\\played.exe", 0x7000, 0x3000}}}};
  }
  void watch_switches(std::span<const Sampling> counted) override {
    watched_ = true;
    counts_.assign(counted.size(), 0);
  }
  void take_switches(std::vector<etw::fake::FakeSwitch>& switches) override {
    play();
    switches.insert(switches.end(), switches_.begin(), switches_.end());
    switches_.clear();
  }
  void visit_cores(u32 process, u32 thread) override {
    for (u16 core = 0; core < 2; ++core) {
      come(core, process, thread);
      now_ += 1000;
      leave(core, process, thread);
      now_ += 1000;
    }
  }

 private:
  // Plays ten milliseconds, each with one sample. The thread runs for 0.6 ms of each millisecond, and in that time each
  // source counts 1000.
  void play() {
    for (u32 turn = 0; turn < 10; ++turn) {
      come(1, 8, 12);
      now_ += 600'000;
      if (!sampled_.empty()) take_sample(sampled_[turn % sampled_.size()].source);
      for (u64& count : counts_) count += 1000;
      leave(1, 8, 12);
      now_ += 400'000;
    }
  }
  void take_sample(u32 source) {
    etw::fake::FakeSample sample{.time_ns = now_,
                                 .address = 0x7010,
                                 .process = 8,
                                 .thread = 12,
                                 .source = source,
                                 .core = 1,
                                 .kernel_frames = {},
                                 .user_frames = {}};
    if (stacks_) sample.user_frames = {0x7010, 0x7100};
    samples_.push_back(std::move(sample));
  }
  void come(u16 core, u32 process, u32 thread) { change(core, {process, thread}, {0, 0}); }
  void leave(u16 core, u32 process, u32 thread) { change(core, {0, 0}, {process, thread}); }
  struct Thread {
    u32 process = 0, thread = 0;  // 0: idle
  };
  void change(u16 core, Thread comes, Thread leaves) {
    constexpr u8 kWaiting = 5;
    if (!watched_) return;
    etw::fake::FakeSwitch made{.time_ns = now_,
                               .core = core,
                               .process = comes.process,
                               .thread = comes.thread,
                               .old_process = leaves.process,
                               .old_thread = leaves.thread,
                               .state = kWaiting,
                               .kernel_frames = {},
                               .user_frames = {},
                               .counts = core == 1 ? counts_ : std::vector<u64>(counts_.size(), 0)};
    if (comes.thread == 12) made.user_frames = {0x7020, 0x7100};
    switches_.push_back(std::move(made));
  }

  u64 now_ = 5'000'000;
  std::vector<Sampling> sampled_;
  std::vector<etw::fake::FakeSample> samples_;
  std::vector<etw::fake::FakeSwitch> switches_;
  std::vector<u64> counts_;  // of core 1
  bool stacks_ = false, watched_ = false;
};

etw::fake::FakeTraceApi& api() {
  static PlayedMachine machine;
  static etw::fake::FakeTraceApi made = [] {
    etw::fake::FakeWindows windows;
    windows.sessions = {u"wperf recording 4194300"};  // a session of a wperf that was killed
    return etw::fake::FakeTraceApi(std::move(windows), machine);
  }();
  static_cast<void>(made.enable_privilege());
  return made;
}

// The caller's structure begins with its size.
std::span<std::byte> properties_of(void* properties) {
  u32 size = 0;
  std::memcpy(&size, properties, sizeof size);
  return {static_cast<std::byte*>(properties), size};
}
std::u16string text_of(const wchar_t* text) {
  std::u16string made;
  for (; text != nullptr && *text != 0; ++text) made += static_cast<char16_t>(*text);
  return made;
}

}  // namespace

extern "C" {

__declspec(dllexport) ULONG WINAPI StartTraceW(u64* session, const wchar_t* name, void* properties) {
  return api().start(*session, text_of(name), properties_of(properties));
}
__declspec(dllexport) ULONG WINAPI ControlTraceW(u64 session, const wchar_t* name, void* properties, ULONG code) {
  return api().control(session, text_of(name), properties_of(properties), static_cast<etw::ControlCode>(code));
}
__declspec(dllexport) ULONG WINAPI TraceSetInformation(u64 session, ULONG what, const void* bytes, ULONG size) {
  return api().set(session, static_cast<etw::TraceClass>(what), {static_cast<const std::byte*>(bytes), size});
}
__declspec(dllexport) ULONG WINAPI TraceQueryInformation(u64 session, ULONG what, void* bytes, ULONG size,
                                                         ULONG* back) {
  u32 returned = 0;
  const ULONG error =
      api().query(session, static_cast<etw::TraceClass>(what), {static_cast<std::byte*>(bytes), size}, returned);
  if (back != nullptr) *back = returned;
  return error;
}
__declspec(dllexport) ULONG WINAPI QueryAllTracesW(void** properties, ULONG room, ULONG* count) {
  *count = 0;
  for (const std::u16string& name : api().sessions()) {
    if (*count == room) return ERROR_MORE_DATA;
    const std::span<std::byte> bytes = properties_of(properties[*count]);
    const u32 at = etw::number_at<u32>(bytes, etw::kLoggerNameAt);
    for (usize i = 0; i <= name.size(); ++i) {
      etw::put_at(bytes, at + i * sizeof(char16_t), i < name.size() ? name[i] : char16_t{0});
    }
    ++*count;
  }
  return ERROR_SUCCESS;
}
__declspec(dllexport) LONG NTAPI NtSetSystemInformation(ULONG what, void* bytes, ULONG size) {
  constexpr ULONG kPerformanceTraceInformation = 31;
  constexpr LONG kInvalidClass = static_cast<LONG>(0xc0000003);
  if (what != kPerformanceTraceInformation) return kInvalidClass;
  return static_cast<LONG>(api().set_performance({static_cast<std::byte*>(bytes), size}));
}
}
