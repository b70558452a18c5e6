// SPDX-License-Identifier: BSD-3-Clause
// Answers of Windows' tracing. For any bytes, sizes and errors, a session ends with a result or an error, and wperf
// asked Windows to end each session that it began.
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "machine/etw/system_state.h"
#include "machine/etw/trace_api.h"
#include "machine/etw/trace_session.h"

namespace {

using namespace wperf;
using namespace wperf::etw;

void require(bool holds) {
  if (!holds) std::abort();
}

class FuzzedApi final : public TraceApi {
 public:
  FuzzedApi(const uint8_t* data, size_t size) : data_(data), left_(size) {}
  ~FuzzedApi() override { require(!runs_ && !changes_); }

  HostFacts machine() override {
    return {.build = byte() % 2 == 0 ? 22631u : 9600u,
            .elevated = byte() % 16 != 0,
            .hypervisor = byte() % 16 == 0,
            .core_midr = std::vector<u64>(1 + byte() % 4, byte() % 2 == 0 ? 0x411fd490 : 0)};
  }
  WindowsError enable_privilege() override { return error(); }
  WindowsError start(u64& session, const std::u16string&, std::span<std::byte> properties) override {
    require(properties.size() >= kPropertiesSize);
    const WindowsError answer = error();
    if (answer == kNoError) {
      require(!runs_);
      runs_ = true;
      session = 7;
    }
    return answer;
  }
  WindowsError control(u64, const std::u16string&, std::span<std::byte> properties, ControlCode code) override {
    require(properties.size() >= kPropertiesSize);
    fill(properties.subspan(0, byte() % 2 == 0 ? properties.size() : kPropertiesSize));
    const WindowsError answer = error();
    if (code == ControlCode::stop || answer == kInstanceNotFound) runs_ = false;
    return answer;
  }
  WindowsError set(u64, TraceClass, std::span<const std::byte>) override { return error(); }
  WindowsError query(u64, TraceClass, std::span<std::byte> information, u32& returned) override {
    fill(information);
    constexpr u32 kSizes[] = {0, 4, 8, 27, 28, 64, 200, 65536, ~u32{0}};
    const u32 which = byte() % (std::size(kSizes) + 4);
    returned = which < std::size(kSizes) ? kSizes[which] : static_cast<u32>(information.size());
    return error();
  }
  u32 set_performance(std::span<std::byte> information) override {
    constexpr u32 kAdd = 21, kRemove = 22;
    const u32 what = number_at<u32>(information, 0);
    require(what == kAdd || what == kRemove);
    return byte() % 8 == 0 ? 0xc0000001 : 0;
  }
  std::vector<std::u16string> sessions() override {
    if (byte() % 4 != 0) return {};
    return {u"wperf.4711", std::u16string(byte(), u'w'), u"wperf.", u"NT Kernel Logger"};
  }
  u32 own_process() override { return 42; }
  void visit_cores() override {}
  bool process_runs(u32) override { return byte() % 2 == 0; }
  std::optional<std::string> kept(const std::string& name) override {
    if (byte() % 2 == 0) return std::nullopt;
    const auto found = kept_.find(name);
    return found != kept_.end() ? found->second : text();
  }
  std::vector<std::string> kept_names() override {
    std::vector<std::string> names;
    for (const auto& [name, text] : kept_) names.push_back(name);
    if (byte() % 2 == 0) names.push_back("interval of source " + text());
    return names;
  }
  void keep(const std::string& name, const std::string& text) override { kept_[name] = text; }
  void forget(const std::string& name) override { kept_.erase(name); }
  void begin_changes() override { require(!std::exchange(changes_, true)); }
  void end_changes() override { require(std::exchange(changes_, false)); }
  u64 free_bytes(const std::string&) override { return size(); }
  u64 file_bytes(const std::string&) override { return size(); }
  std::vector<Volume> volumes() override { return {}; }

 private:
  u32 byte() {
    if (left_ == 0) return 1;
    --left_;
    return *data_++;
  }
  u64 size() { return u64{1} << byte() % 64; }
  std::string text() {
    const size_t length = std::min(left_, size_t{byte() % 32});
    const std::string said(reinterpret_cast<const char*>(data_), length);
    data_ += length;
    left_ -= length;
    return said;
  }
  WindowsError error() {
    constexpr WindowsError kErrors[] = {
        kAccessDenied,     kBadLength,      kDiskFull,          kInvalidParameter, kAlreadyExists, kMoreData,
        kPrivilegeNotHeld, kNotAllAssigned, kNoSystemResources, kInstanceNotFound, kBusy,          kNotSupported};
    const u32 which = byte();
    return which % 8 == 0 ? kErrors[which / 8 % std::size(kErrors)] : kNoError;
  }
  void fill(std::span<std::byte> out) {
    const size_t size = std::min({out.size(), left_, size_t{byte()}});
    std::memcpy(out.data(), data_, std::min(size, left_));
    const size_t used = std::min(size, left_);
    data_ += used;
    left_ -= used;
  }

  const uint8_t* data_;
  size_t left_;
  bool runs_ = false;
  bool changes_ = false;
  std::map<std::string, std::string> kept_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const auto bytes = std::as_bytes(std::span(data, size));
  const std::vector<ProfileSource> sources = source_list(bytes);
  require(source_list(source_list_bytes(sources)).size() == sources.size());
  static_cast<void>(session_state(bytes));
  FuzzedApi api(data + 1, size - 1);
  if ((data[0] & 1) != 0) static_cast<void>(leftovers(api).size() + end_leftovers(api).size());
  SessionPlan plan;
  plan.switches = (data[0] & 2) != 0;
  plan.force = (data[0] & 4) != 0;
  plan.cores = 1 + data[0] % 8;
  if ((data[0] & 8) != 0) plan.counted.resize(2);
  plan.sources.resize((data[0] >> 4) % 4);
  for (usize i = 0; i < plan.sources.size(); ++i) plan.sources[i].interval = 65536;
  auto session = Session::start(api, plan);
  if (!session.has_value()) return 0;
  static_cast<void>(session.value()->state().has_value());
  if ((data[0] & 16) != 0) static_cast<void>(session.value()->stop().has_value());
  return 0;
}
