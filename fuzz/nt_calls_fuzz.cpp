// SPDX-License-Identifier: BSD-3-Clause
// System calls of a hostile program: any call with any arguments, many of them handles and pointers that are nearly
// right. Its first two handles are sockets. It may read a folder with two files.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/nt/socket_controls.h"
#include "sim/nt/test_process.h"

namespace {

using namespace wperf;           // NOLINT(google-build-using-namespace)
using namespace wperf::sim::nt;  // NOLINT(google-build-using-namespace)

class Bytes {
 public:
  Bytes(const u8* data, usize size) : data_(data), size_(size) {}
  bool empty() const { return size_ == 0; }
  u8 one() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  u64 number() {
    u64 value = 0;
    for (u32 index = 0; index < 8; ++index) value = value << 8 | one();
    return value;
  }

 private:
  const u8* data_;
  usize size_;
};

u64 argument(Bytes& bytes) {
  const u8 kind = bytes.one();
  switch (kind % 8) {
    case 0:
      return 0;
    case 1:
      return TestProcess::kArguments + bytes.one() * 64U;
    case 2:
      return bytes.one() * 4U;  // a handle
    case 3:
      return kThisProcess;
    case 4:
      return kThisThread;
    case 5:
      return u64{bytes.one()} << (bytes.one() % 64);
    case 6:
      return bytes.one();
    default:
      return bytes.number();
  }
}

// Picks known codes, because nearly all arbitrary codes would be unknown.
u64 control_code(u64 chosen) {
  constexpr u32 kPlain[] = {control::kBind,       control::kListen,       control::kReceive,  control::kPoll,
                            control::kOwnAddress, control::kSelectEvents, control::kGetEvents};
  return chosen % 2 == 0 ? kPlain[chosen / 2 % std::size(kPlain)] : control::own(200 + chosen / 2 % 105);
}

void make_socket(TestProcess& process, u32 type) {
  constexpr u64 kAt = TestProcess::kArguments;
  process.call("NtOpenFile", {kAt, 0, process.named(0x400, "\\Device\\Afd"), kAt + 0x10, 0, 0});
  process.put(0x20, u64{type} << 32 | Endpoint::kV4);
  process.call("NtDeviceIoControlFile", {process.get(0), 0, 0, 0, kAt + 0x10, control::kMake, kAt + 0x20, 16, 0, 0});
}

// A folder of the host that all runs share, because none can change it.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/wperf-fuzz-XXXXXX";
    if (const char* const made = ::mkdtemp(name)) path_ = made;
    std::ofstream(path_ + "/a") << "text";
    std::ofstream(path_ + "/b.dll") << "MZ";
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8* data, usize size) {
  static const Folder folder;
  Bytes bytes(data, size);
  TestProcess process;
  process.add_thread();
  make_socket(process, Socket::kStream);
  make_socket(process, Socket::kDatagram);
  (void)process.state.files.set_work_folder(folder.path(), false);
  process.named(0x800, "\\??\\C:\\work");
  process.named(0x600, "\\??\\C:\\work\\b.dll");
  process.named(0x400, "\\??\\C:\\work\\a");
  for (u32 count = 0; count < 64 && !bytes.empty(); ++count) {
    // First writes some bytes to which arguments may point.
    for (u32 writes = bytes.one() % 4; writes > 0; --writes) {
      const u64 at = bytes.one() * 64U;
      process.put(at, argument(bytes));
    }
    const auto parts = all_services();
    const auto part = parts[bytes.one() % parts.size()];
    const Service& service = part[bytes.one() % part.size()];
    if (service.name == "NtFlushInstructionCache") continue;
    const u64 first = argument(bytes), second = argument(bytes), third = argument(bytes), fourth = argument(bytes),
              fifth = argument(bytes), given = argument(bytes), seventh = argument(bytes), eighth = argument(bytes),
              ninth = argument(bytes), tenth = argument(bytes), eleventh = argument(bytes);
    const u64 sixth = service.name == "NtDeviceIoControlFile" ? control_code(given) : given;
    const usize thread = process.state.threads[0]->ended ? 1 : 0;
    process.call(service.name, {first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, eleventh},
                 thread);
    if (process.outcome == sim::CallOutcome::ended || process.outcome == sim::CallOutcome::crashed) break;
    if (process.state.threads[0]->ended && process.state.threads[1]->ended) break;
    process.now_ns += 1000;
    for (const auto& one : process.state.threads)
      if (one->wait.kind != Wait::Kind::none) end_wait(*one, kTimeout, process.now_ns);
  }
  return 0;
}
