// SPDX-License-Identifier: BSD-3-Clause
#include "app/measure/python_host.h"

#include <algorithm>
#include <utility>

#include "code/python/runtime.h"

namespace wperf::measure {
namespace {

class ProgramMemory final : public python::ProcessMemory {
 public:
  ProgramMemory(device::Programs& programs, u32 pid) : programs_(programs), pid_(pid) {}
  usize read(std::span<const python::MemoryPiece> pieces) override {
    const auto unread = std::ranges::find_if(
        pieces, [this](const python::MemoryPiece& one) { return !programs_.read_memory(pid_, one.address, one.to); });
    return static_cast<usize>(unread - pieces.begin());
  }

 private:
  device::Programs& programs_;
  u32 pid_;
};

// On Windows, there are no containers that change the numbers of processes and threads.
class MachineOfPrograms final : public recording::PythonHost {
 public:
  explicit MachineOfPrograms(device::Programs& programs) : programs_(programs) {}
  u64 now_ns() override { return programs_.now_ns(); }
  std::unique_ptr<python::ProcessMemory> memory_of(u32 pid) override {
    return std::make_unique<ProgramMemory>(programs_, pid);
  }
  diag::Result<python::PythonRuntime> find_runtime(u32 pid, python::ProcessMemory& memory) override {
    std::vector<os::FileMapping> mappings;
    for (const readings::Module& module : modules_of_program(programs_, pid)) {
      if (!module.path.empty()) mappings.push_back({module.base, module.base + module.size, 0, module.path});
    }
    return python::find_runtime(mappings, memory, 0);
  }
  u32 own_number_of(u32, u32 tid) override { return tid; }
  u64 pause_ns() const override { return 0; }

 private:
  device::Programs& programs_;
};

}  // namespace

std::unique_ptr<recording::PythonHost> make_python_host(device::Programs& programs) {
  return std::make_unique<MachineOfPrograms>(programs);
}

std::vector<readings::Module> modules_of_program(device::Programs& programs, u32 pid) {
  for (readings::Process& process : programs.processes()) {
    if (process.pid == pid) return std::move(process.modules);
  }
  return {};
}

}  // namespace wperf::measure
