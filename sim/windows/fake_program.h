// SPDX-License-Identifier: BSD-3-Clause
// For the tests of this room: a loaded program whose thread never runs. Functions of the Win32 surface are called as by
// the core, with arguments in x0…x7 and the result in x0.
#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/windows/loader.h"
#include "sim/windows/simulated_process.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {

inline std::string workload(const std::string& name) {
  return std::string(WPERF_WORKLOADS_DIR) + "/" + name;
}

inline std::vector<std::byte> workload_bytes(const std::string& name) {
  ImageFile file;
  LoadError error;
  EXPECT_TRUE(read_image_file(workload(name), file, error)) << error.text;
  return file.bytes;
}

// DLLs from memory; by default there are no DLLs.
class MemorySource : public ImageSource {
 public:
  [[nodiscard]] bool find(const std::string& dll, ImageFile& out) override {
    for (const ImageFile& file : files) {
      if (!same_dll_name(file.name, dll)) continue;
      out = file;
      return true;
    }
    return false;
  }
  std::vector<ImageFile> files;
};

class FakeProgram {
 public:
  explicit FakeProgram(const std::string& command_line = "steady.exe", const std::string& image = "steady.exe") {
    LoadError error;
    process = Process::load(workload(image), command_line, 1, error);
    EXPECT_NE(process, nullptr) << error.text;
    // Room for buffers of the test.
    EXPECT_TRUE(process->space().map(kBuffer, 2 * kPageSize, kRead | kWrite));
  }

  u64 call(std::string_view function, std::initializer_list<u64> arguments = {}) {
    const auto number = find_win32_function(kKernelDll | kNtDll | kCrtDll, function);
    if (!number) {
      ADD_FAILURE() << function << " does not exist";
      return 0;
    }
    usize index = 0;
    for (u64 argument : arguments) process->thread().x[index++] = argument;
    outcome = process->kernel_call(*number, now_ns);
    return process->thread().x[0];
  }

  u64 put(std::string_view text, u64 address = kBuffer) {
    const std::string terminated(text);
    EXPECT_TRUE(process->space().write(address, terminated.c_str(), terminated.size() + 1));
    return address;
  }
  u64 put_wide(std::string_view text, u64 address = kBuffer) {
    std::vector<u16> units(text.begin(), text.end());
    units.push_back(0);
    EXPECT_TRUE(process->space().write(address, units.data(), units.size() * sizeof(u16)));
    return address;
  }
  template <class T>
  T get(u64 address) {
    T value{};
    EXPECT_TRUE(process->space().read(address, &value, sizeof value)) << std::hex << address;
    return value;
  }
  std::string text_at(u64 address) {
    std::string text;
    for (char character = get<char>(address); character != 0; character = get<char>(++address)) text += character;
    return text;
  }
  u32 last_error() { return static_cast<u32>(call("GetLastError")); }

  static constexpr u64 kBuffer = 0x10000000;
  static constexpr u64 kUnmapped = 0x20000000;
  std::unique_ptr<Process> process;
  CallOutcome outcome = CallOutcome::resume;
  u64 now_ns = 0;
};

}  // namespace wperf::sim
