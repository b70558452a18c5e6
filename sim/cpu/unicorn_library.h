// SPDX-License-Identifier: BSD-3-Clause
// The Unicorn functions the engine calls, found at run time. The library is not loaded before the first simulated
// instruction, and a machine without the library still starts. Only unicorn_*.cpp include this.
#pragma once
#include <unicorn/unicorn.h>

#include <string>

namespace wperf::sim {

struct UnicornLibrary {
  decltype(&uc_open) open;
  decltype(&uc_close) close;
  decltype(&uc_strerror) strerror;
  decltype(&uc_ctl) ctl;
  decltype(&uc_emu_start) emu_start;
  decltype(&uc_emu_stop) emu_stop;
  decltype(&uc_hook_add) hook_add;
  decltype(&uc_mem_map) mem_map;
  decltype(&uc_mem_map_ptr) mem_map_ptr;
  decltype(&uc_mem_unmap) mem_unmap;
  decltype(&uc_mem_protect) mem_protect;
  decltype(&uc_mem_write) mem_write;
  decltype(&uc_reg_read) reg_read;
  decltype(&uc_reg_write) reg_write;
  decltype(&uc_reg_read_batch) reg_read_batch;
  decltype(&uc_reg_write_batch) reg_write_batch;
  decltype(&uc_context_alloc) context_alloc;
  decltype(&uc_context_size) context_size;
  decltype(&uc_context_save) context_save;
  decltype(&uc_context_restore) context_restore;
  decltype(&uc_context_free) context_free;
};

// Loads the library on the first call. Returns null if that failed; unicorn_failure() then has the reason.
const UnicornLibrary* unicorn();
const std::string& unicorn_failure();

}  // namespace wperf::sim
