// SPDX-License-Identifier: BSD-3-Clause
// A Unicorn ARM64 CPU at EL0 with the memory of one address space. Does not depend on the models.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "sim/cpu/translated_frame.h"
#include "sim/cpu/unicorn_library.h"
#include "sim/memory/address_space.h"

namespace wperf::sim {

class UnicornCpu {
 public:
  explicit UnicornCpu(const UnicornLibrary& library);
  ~UnicornCpu();
  UnicornCpu(const UnicornCpu&) = delete;
  UnicornCpu& operator=(const UnicornCpu&) = delete;

  const std::string& failure() const { return failure_; }  // empty = usable
  uc_engine* handle() const { return handle_; }
  const UnicornLibrary& library() const { return library_; }
  // Updates the CPU to the present contents of the space, code included. `space` is the same one in each call. Returns
  // false if Unicorn refuses a region; failure() has the reason.
  bool refresh(const AddressSpace& space);
  u64 generation() const { return generation_; }  // of the space, at the last refresh
  bool add_hook(int type, void* callback, void* user, int instruction = 0);
  // Whether the monitor of exclusive accesses can be read; false if this Unicorn stores it differently than expected.
  bool knows_monitor() const { return monitor_offset_ != 0; }
  ExclusiveMonitor monitor();
  void set_monitor(const ExclusiveMonitor& monitor);

 private:
  bool check(uc_err error, const char* what);
  bool execute_first(std::span<const u32> words);
  bool become_user();
  bool find_monitor();
  bool drop_translations(u64 base, u64 size);
  void write_system_register(u32 op0, u32 op1, u32 crn, u32 crm, u32 op2, u64 value);

  const UnicornLibrary& library_;
  uc_engine* handle_ = nullptr;
  std::string failure_;
  std::vector<Region> mapped_;
  u64 generation_ = 0;
  uc_context* context_ = nullptr;
  usize monitor_offset_ = 0;  // in the context
};

}  // namespace wperf::sim
