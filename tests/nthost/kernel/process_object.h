// SPDX-License-Identifier: BSD-3-Clause
// Processes and tokens for the kernel's files; scenarios use kernel/processes.h.
#pragma once
#include "driver/nt/nt.h"
#include "tests/nthost/kernel/processes.h"
#include "tests/nthost/machine/pages.h"

namespace wperf::nthost {

struct Token {
  u32 references;  // from PsReferencePrimaryToken and from subject contexts
  Person person;
  u8 user_sid[28];
  u8 logon_sid[20];
  u32 integrity;
};

struct Process {
  u32 id;
  u64 created;  // in units of 100 ns; no two processes have the same time
  bool is_alive;
  bool in_use;
  u32 references;  // references of the driver, from PsLookupProcessByProcessId
  u32 open_files;
  u32 threads;  // user threads in it
  Token token;
  AddressSpace addresses;
};

bool is_paged_out(Process& process, u64 address);
bool page_in(Process& process, u64 address);  // false: it was not paged out
bool page_reads_are_held();
void begin_processes();  // makes the system's process
void reference_process(Process& process);
bool release_process(const Process* process);  // false if it is not a process, or not referenced
u32 process_references();                      // of all processes, for the check when the driver is gone
u32 token_references();
void forget_process_references();

}  // namespace wperf::nthost
