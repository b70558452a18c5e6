// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/kernel/processes.h"

#include "tests/nthost/check.h"
#include "tests/nthost/kernel/cpu.h"
#include "tests/nthost/kernel/process_object.h"
#include "tests/nthost/kernel/security.h"
#include "tests/nthost/machine/memory.h"
#include "tests/nthost/machine/register_access.h"

namespace wperf::nthost {
namespace {

constexpr u32 kMostProcesses = 64;
constexpr u32 kSystemId = 4;

SpinLock lock;
constinit Process processes[kMostProcesses] = {};
u64 brought_in = 0;
bool reads_held = false;
u64 last_created = 133'000'000'000'000'000;

bool has_room(u64 address, u64 bytes) {
  return bytes != 0 && address < kUserEnd && bytes <= kUserEnd - address && address >= kPageSize;
}

template <class Fill>
bool map_pages(Process& process, u64 address, u64 bytes, bool executable, Fill fill) {
  if (!has_room(address, bytes)) return false;
  const u64 first = address & ~(kPageSize - 1);
  for (u64 page = first; page < address + bytes; page += kPageSize) {
    const u64 physical = take_page();
    fill(page, static_cast<u8*>(direct(physical)));
    if (map_user_page(process.addresses, page, physical, executable)) continue;
    give_page(physical);
    unmap_user(process, first, page - first);
    return false;
  }
  asm volatile("dsb ish\n ic ialluis\n dsb ish\n isb" : : : "memory");
  return true;
}

}  // namespace

void begin_processes() {
  Process& it = processes[0];
  it.id = kSystemId;
  it.created = ++last_created;
  it.is_alive = it.in_use = true;
  make_token(it.token, kSystem);
  it.addresses = make_address_space();
}

Process* system_process() {
  return &processes[0];
}

Process* find_process(u32 id) {
  const Guard guard(lock);
  for (Process& it : processes) {
    if (it.in_use && it.is_alive && it.id == id) return &it;
  }
  return nullptr;
}

u32 id_of(const Process& process) {
  return process.id;
}

Process* create_process(u32 id, const Person& person) {
  if (find_process(id) != nullptr) give_up("there is a process {} already", id);
  Process* found = nullptr;
  {
    const Guard guard(lock);
    for (Process& it : processes) {
      if (it.in_use) continue;
      found = &it;
      break;
    }
    if (found == nullptr) give_up("more than {} processes", kMostProcesses);
    *found = {};
    found->id = id;
    found->created = ++last_created;
    found->is_alive = found->in_use = true;
  }
  make_token(found->token, person);
  found->addresses = make_address_space();
  return found;
}

void end_process(Process& process) {
  if (process.open_files != 0) fail("process {} ends with {} open files", process.id, process.open_files);
  if (process.threads != 0) give_up("process {} ends with {} threads", process.id, process.threads);
  process.is_alive = false;
  for (u32 i = 0; i < cpu_count(); ++i) {  // the next process may reuse the object
    if (cpu_at(i).address_space_of == &process) cpu_at(i).address_space_of = nullptr;
  }
  drop_address_space(process.addresses);
  const Guard guard(lock);
  if (process.references == 0) process.in_use = false;
}

bool map_user_code(Process& process, u64 address, const void* code, u64 bytes) {
  const u8* source = static_cast<const u8*>(code);
  return map_pages(process, address, bytes, true, [&](u64 page, u8* to) {
    const u64 begin = page < address ? address : page;
    const u64 end = page + kPageSize < address + bytes ? page + kPageSize : address + bytes;
    memcpy(to + (begin - page), source + (begin - address), end - begin);
  });
}

bool map_user_data(Process& process, u64 address, u64 bytes) {
  return map_pages(process, address, bytes, false, [](u64, u8*) {});
}

void unmap_user(Process& process, u64 address, u64 bytes) {
  for (u64 page = address & ~(kPageSize - 1); page < address + bytes; page += kPageSize) {
    const u64 physical = unmap_user_page(process.addresses, page);
    if (physical != 0) give_page(physical);
  }
}

void page_out(Process& process, u64 address, u64 bytes) {
  for (u64 page = address & ~(kPageSize - 1); page < address + bytes; page += kPageSize) {
    if (!page_out_user(process.addresses, page)) give_up("process {} has no page at {x}", process.id, page);
  }
}

bool is_paged_out(Process& process, u64 address) {
  return address < kUserEnd && is_user_page_out(process.addresses, address);
}

bool page_in(Process& process, u64 address) {
  if (address >= kUserEnd || !page_in_user(process.addresses, address)) return false;
  __atomic_fetch_add(&brought_in, 1, __ATOMIC_RELAXED);
  return true;
}

void hold_page_reads(bool hold) {
  __atomic_store_n(&reads_held, hold, __ATOMIC_RELEASE);
}
bool page_reads_are_held() {
  return __atomic_load_n(&reads_held, __ATOMIC_ACQUIRE);
}

u64 pages_brought_in() {
  return __atomic_load_n(&brought_in, __ATOMIC_RELAXED);
}

bool write_user(Process& process, u64 address, const void* from, u64 bytes) {
  const u64 physical = user_page(process.addresses, address);
  if (physical != 0) memcpy(static_cast<u8*>(direct(physical)) + address % kPageSize, from, bytes);
  return physical != 0;
}

bool read_user(Process& process, u64 address, void* to, u64 bytes) {
  const u64 physical = user_page(process.addresses, address);
  if (physical != 0) memcpy(to, static_cast<const u8*>(direct(physical)) + address % kPageSize, bytes);
  return physical != 0;
}

void reference_process(Process& process) {
  const Guard guard(lock);
  ++process.references;
}

bool release_process(const Process* process) {
  const Guard guard(lock);
  for (Process& it : processes) {
    if (&it != process) continue;
    if (!it.in_use || it.references == 0) return false;
    --it.references;
    if (it.references == 0 && !it.is_alive) it.in_use = false;
    return true;
  }
  return false;
}

u32 process_references() {
  const Guard guard(lock);
  u32 sum = 0;
  for (const Process& it : processes) sum += it.in_use ? it.references : 0;
  return sum;
}

u32 token_references() {
  const Guard guard(lock);
  u32 sum = 0;
  for (const Process& it : processes) sum += it.in_use ? it.token.references : 0;
  return sum;
}

void forget_process_references() {
  const Guard guard(lock);
  for (Process& it : processes) {
    it.references = it.token.references = 0;
    if (!it.is_alive) it.in_use = false;
  }
}

}  // namespace wperf::nthost
