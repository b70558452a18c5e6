// SPDX-License-Identifier: BSD-3-Clause
// A simulated Windows process: an ARM64 PE image with its DLLs in an address space, its threads, and the Win32 calls
// the simulator answers. The machine runs its threads on cores and brings it every SVC.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/ints.h"
#include "sim/cpu/core_engine.h"
#include "sim/memory/address_space.h"
#include "sim/windows/program.h"

namespace wperf::sim {

struct ImageFile;
class ImageSource;
struct Surroundings;

class Process {
 public:
  // Loads image_path and, from its folder, the DLLs it imports; resolves imports against them and the Win32 surface. An
  // import that neither has is an error that names module and function. Returns null and sets error.text on failure.
  static std::unique_ptr<Process> load(const std::string& image_path, const std::string& command_line, u64 seed,
                                       LoadError& error);
  // The same from memory (loader.h), for tests and fuzzing.
  static std::unique_ptr<Process> load(const ImageFile& program, ImageSource& source, const std::string& command_line,
                                       u64 seed, LoadError& error);
  ~Process();

  // The parts of this machine that the program may see (guest_files.h); by default none. Returns false and sets
  // error.text if there is no such folder.
  [[nodiscard]] bool set_surroundings(const Surroundings& surroundings, LoadError& error);
  // The ids that the program learns about itself (TEB, GetCurrentProcessId, GetCurrentProcessorNumber, …). Defaults:
  // 1000 and 1004, core 0 of 1.
  void set_ids(u32 process_id, u32 thread_id);
  void set_processor(u32 core, u32 core_count);

  AddressSpace& space();
  ThreadState& thread();                       // the first thread
  const std::vector<Module>& modules() const;  // the image first, the DLLs of Windows last

  // The thread executed SVC #immediate (a stub of an imported function, or the return from the entry point).
  // now_ns: virtual time. On `crashed`, crash_text() says why.
  CallOutcome kernel_call(u32 immediate, u64 now_ns);
  static bool enters_kernel(u32 immediate);  // false for a call of the C runtime, which does not enter the kernel
  // The same for any thread. `id` is one of thread_ids().
  CallOutcome kernel_call(u32 id, u32 immediate, u64 now_ns);
  std::vector<u32> thread_ids() const;  // all that ever existed, oldest first
  ThreadState& thread(u32 id);
  u64 sleep_until_ns(u32 id) const;
  WaitsFor waits_for(u32 id) const;
  u32 processor(u32 id) const;  // the core on which it wants to run; every call of any thread may change it
  // The core stopped with StopReason::fault in this thread (0 for the first). Returns true if Windows or its C runtime
  // handles the fault; the thread then continues after it. Returns false if the program ends; exit_code() and
  // crash_text() say why.
  bool goes_on_after(const Stop& stop, u32 id = 0);
  u64 sleep_until_ns() const;  // the thread has asked to sleep and is not runnable before this time
  u32 exit_code() const;
  const std::string& crash_text() const;
  const std::string& console_output() const;  // the program's output, its first 64 KiB

 private:
  Process();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wperf::sim
