// SPDX-License-Identifier: BSD-3-Clause
// The processes that scenarios create: an id, a token and pages at EL0.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

struct Process;

struct Person {
  u32 user;              // the last number of the user's SID S-1-5-21-1-2-3-user: equal numbers are the same user
  bool administrator;    // in S-1-5-32-544, enabled
  bool performance_log;  // in S-1-5-32-559
  bool system;           // S-1-5-18 instead of a user's SID
  u32 integrity = 0;     // S-1-16-…; 0: the usual level, high for administrators, medium for others
  u32 service = 0;       // S-1-5-19 or S-1-5-20 instead of a user's SID
  u32 logon = 1;         // the last number of the logon's SID S-1-5-5-0-…
};
constexpr u32 kLowIntegrity = 0x1000, kMediumIntegrity = 0x2000, kHighIntegrity = 0x3000, kSystemIntegrity = 0x4000;
constexpr Person kStranger = {1001, false, false, false};
constexpr Person kPerformanceLogUser = {1002, false, true, false};
constexpr Person kAdministrator = {500, true, false, false};
constexpr Person kSystem = {0, false, false, true};

// The scenario chooses the ids: multiples of 4 as on Windows; 4 is the system's own process. Two living processes never
// have the same id.
Process* create_process(u32 id, const Person& person);
Process* find_process(u32 id);  // may be null
Process* system_process();      // id 4, always there
u32 id_of(const Process& process);

// Frees its pages. It must have no thread and no open file. The driver may still hold references to it.
void end_process(Process& process);

// Copies `bytes` of code to new pages that EL0 may read and execute, but not write. The address need not be the
// beginning of a page. Returns false if something is mapped there already, or if the address does not belong to EL0.
bool map_user_code(Process& process, u64 address, const void* code, u64 bytes);
// Zeroed pages that EL0 may read and write.
bool map_user_data(Process& process, u64 address, u64 bytes);
void unmap_user(Process& process, u64 address, u64 bytes);
// Takes these pages out of memory until someone accesses them.
void page_out(Process& process, u64 address, u64 bytes);
// While this is set, no page is brought in. A thread that needs one waits, as for a server that does not answer.
void hold_page_reads(bool hold);
u64 pages_brought_in();  // since the machine started
// Writes to and reads from a program's own memory, within one page. Returns false if it is not mapped, or paged out.
bool write_user(Process& process, u64 address, const void* from, u64 bytes);
bool read_user(Process& process, u64 address, void* to, u64 bytes);

}  // namespace wperf::nthost
