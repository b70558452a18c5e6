// SPDX-License-Identifier: BSD-3-Clause
// Prepares a process before its first instruction: maps ntdll and the program; ntdll's loader loads all other DLLs. The
// offsets are valid for 64-bit Windows.
#include <algorithm>
#include <array>

#include "sim/nt/guest_exception.h"
#include "sim/nt/placement.h"
#include "sim/nt/services.h"
#include "sim/nt/state.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

constexpr u64 kPebSize = 0x3000;  // PEB + 0x2000 holds a list that ntdll reads
constexpr u64 kHighestLowAddress = 0x7ffdffff;
constexpr u64 kDefaultStack = 1 << 20, kLeastStack = 64 << 10, kMostStack = 64 << 20;
// PF_ARM_VFP_32_REGISTERS, NEON, FASTFAIL, ARM V8, V8 CRYPTO, V8 CRC32, V8.1 ATOMIC
constexpr std::array<u32, 7> kFeatures = {18, 19, 23, 29, 30, 31, 34};

template <class T>
void put(State& state, u64 address, T value) {
  state.space.write(address, &value, sizeof value);
}

}  // namespace

u64 map_pages(State& state, u64 address, u64 size, u32 protection, bool low) {
  Memory::ReserveOptions options;
  options.address = address;
  options.size = size;
  if (low) options.highest = kHighestLowAddress;
  options.downwards = low;
  const u64 base = state.memory.reserve(options);
  return base != 0 && state.memory.commit(base, size, protection) == kSuccess ? base : 0;
}

namespace {

bool map_shared_data(State& state) {
  constexpr u64 kTickMultiplier = 0x4, kSystemRoot = 0x30, kBuildNumber = 0x260, kProductType = 0x264,
                kProductValid = 0x268, kArchitecture = 0x26a, kMajor = 0x26c, kProcessorFeatures = 0x274,
                kCounterFrequency = 0x300, kSystemCall = 0x308, kProcessors = 0x3c0;
  if (map_pages(state, kSharedData, kPageSize, kPageReadOnly, false) == 0) return false;
  put(state, kSharedData + kTickMultiplier, u32{1} << 24);  // the ticks are milliseconds
  const std::vector<u16> root = to_utf16("C:\\windows");
  state.space.write(kSharedData + kSystemRoot, root.data(), root.size() * sizeof(u16));
  put(state, kSharedData + kBuildNumber, kBuild);
  put(state, kSharedData + kProductType, u32{1});
  put(state, kSharedData + kProductValid, u8{1});
  put(state, kSharedData + kArchitecture, u16{12});
  put(state, kSharedData + kMajor, u32{10});
  for (const u32 feature : kFeatures) put(state, kSharedData + kProcessorFeatures + feature, u8{1});
  put(state, kSharedData + kCounterFrequency, u64{10'000'000});
  put(state, kSharedData + kSystemCall, u32{1});
  put(state, kSharedData + kProcessors, state.processor_count);
  set_shared_time(state, 0);
  return true;
}

// The API sets tell ntdll which DLL has the functions of an api-ms-win-… name. Their file is mapped unchanged.
u64 map_api_sets(State& state) {
  std::string why;
  const auto bytes = FileSystem::contents(state.files.find("\\??\\C:\\windows\\system32\\apisetschema.dll"));
  const auto image = bytes ? read_image(*bytes, why) : nullptr;
  if (image == nullptr) return 0;
  for (const PeSection& section : image->pe.sections) {
    if (section.name != ".apiset" || section.file_size == 0) continue;
    const u64 base = map_pages(state, 0, section.mapped_size, kPageReadWrite, false);
    if (base != 0) state.space.write(base, image->bytes.data() + section.file_offset, section.file_size);
    return base;
  }
  return 0;
}

bool fill_peb(State& state, const Inheritance* inherited, u64 api_sets) {
  state.peb = map_pages(state, 0, kPebSize, kPageReadWrite, true);
  if (state.peb == 0) return false;
  const u64 peb = state.peb;
  put(state, peb + 0x10, state.program_base);
  put(state, peb + 0x68, api_sets);
  put(state, peb + 0xb8, state.processor_count);
  put(state, peb + 0xc0, std::int64_t{-1'500'000'000'000});  // the timeout of critical sections: 150,000 seconds
  put(state, peb + 0xc8, u64{0x100000});                     // heaps: reserve, commit, thresholds
  put(state, peb + 0xd0, u64{0x2000});
  put(state, peb + 0xd8, u64{0x10000});
  put(state, peb + 0xe0, u64{0x1000});
  put(state, peb + 0x118, u32{10});
  put(state, peb + 0x120, static_cast<u16>(kBuild));
  put(state, peb + 0x124, u32{2});  // platform: NT
  put(state, peb + 0x128, u32{3});  // subsystem: console
  put(state, peb + 0x12c, u32{10});
  put(state, peb + 0x138, all_processors(state));
  put(state, peb + 0x2000, u8{2});  // makes the DLLs report errors, which answer_host_call gets
  put(state, peb + 0x2c0, u32{1});
  put(state, peb + 0x7a8, peb + 0x2000);  // an empty path for DLLs that ask for the host's path
  return map_parameters(state, inherited);
}

// The DLLs call their host through pointers in ntdll. System calls no longer use these pointers.
bool prepare_host_calls(State& state, const ImageContents& ntdll, u64 base) {
  constexpr u32 kCode[2] = {0xd4000001 | kHostCall << 5, 0xd65f03c0};
  const u64 pointer = export_of(ntdll, base, "__wine_unix_call_dispatcher");
  const u64 handle = export_of(ntdll, base, "__wine_unixlib_handle");
  const u64 page = map_pages(state, 0, kPageSize, kPageExecuteRead, false);
  if (pointer == 0 || handle == 0 || page == 0) return false;
  state.space.write(page, kCode, sizeof kCode);
  put(state, pointer, page);
  put(state, handle, kOwnHostPart);
  return true;
}

bool map_ntdll(State& state, LoadError& error) {
  error = {"the DLLs of Windows are missing or damaged: ", std::string(kWayToDlls)};
  const auto bytes = FileSystem::contents(state.files.find("\\??\\C:\\windows\\system32\\ntdll.dll"));
  if (!bytes) {
    error.text += "their folder has no ntdll.dll";
    return false;
  }
  std::string why;
  const auto image = read_image(*bytes, why);
  if (image == nullptr) {
    error.text += "ntdll.dll " + why;
    return false;
  }
  const u64 base = map_image(state.memory, *image, 0, state.seed, state.images_mapped++);
  state.loader_start = export_of(*image, base, "LdrInitializeThunk");
  state.thread_start = export_of(*image, base, "RtlUserThreadStart");
  state.exception_dispatcher = export_of(*image, base, "KiUserExceptionDispatcher");
  state.apc_dispatcher = export_of(*image, base, "KiUserApcDispatcher");
  if (base == 0 || state.loader_start == 0 || state.thread_start == 0 || state.exception_dispatcher == 0 ||
      state.apc_dispatcher == 0 || !prepare_host_calls(state, *image, base)) {
    error.text += "this ntdll.dll is not Wine's ARM64 build";
    return false;
  }
  learn_services(state, *image, base);
  const std::string path = std::string(kSystemFolder) + "\\ntdll.dll";
  state.modules.push_back({"ntdll.dll", state.files.host_path(path), base, image->pe.image_size, 0});
  state.guest_paths[base] = path;
  error = {};
  return true;
}

// The stack's lowest pages are reserved for the handling of an overflow, which begins when the guard page above them is
// touched.
bool map_stack(State& state, Thread& thread, u64 wanted) {
  constexpr u64 kLastPage = kPageSize, kSpare = 4 * kPageSize;
  if (wanted == 0) wanted = state.program->pe.stack_reserve;
  const u64 size = page_up(wanted == 0 ? kDefaultStack : std::clamp(wanted, kLeastStack, kMostStack));
  Memory::ReserveOptions options;
  options.size = size;
  thread.stack = state.memory.reserve(options);
  if (thread.stack == 0) return false;
  thread.stack_guard = thread.stack + kLastPage + kSpare;
  thread.stack_limit = thread.stack_guard + kPageSize;
  thread.stack_base = thread.stack + size;
  return state.memory.commit(thread.stack, kLastPage + kSpare, kPageNoAccess) == kSuccess &&
         state.memory.commit(thread.stack_guard, kPageSize, kPageReadWrite | kPageGuard) == kSuccess &&
         state.memory.commit(thread.stack_limit, thread.stack_base - thread.stack_limit, kPageReadWrite) == kSuccess;
}

void fill_teb(State& state, const Thread& thread) {
  const u64 teb = thread.teb;
  const u64 ids[2] = {state.process_id, thread.id};
  put(state, teb + 0x08, thread.stack_base);
  put(state, teb + 0x10, thread.stack_limit);
  put(state, teb + 0x30, teb);
  state.space.write(teb + 0x40, ids, sizeof ids);
  put(state, teb + 0x60, state.peb);
  put(state, teb + 0x2c8, teb + 0x290);  // there are no activation contexts
  put(state, teb + 0x298, teb + 0x298);
  put(state, teb + 0x2a0, teb + 0x298);
  state.space.write(teb + 0x7d8, ids, sizeof ids);
  put(state, teb + 0x1258, std::array<u64, 2>{522 << 16, teb + 0x1268});  // an empty text
  put(state, teb + 0x1478, thread.stack);
}

}  // namespace

// Programs read the clocks in this page without a system call.
void set_shared_time(State& state, u64 now_ns) {
  constexpr u64 kInterruptTime = 0x8, kSystemTime = 0x14, kTickCount = 0x320;
  constexpr u64 kNsPerTimerTick = 15'625'000;
  const auto set = [&](u64 offset, u64 value) {
    const u32 parts[3] = {static_cast<u32>(value), static_cast<u32>(value >> 32), static_cast<u32>(value >> 32)};
    state.space.write(kSharedData + offset, parts, sizeof parts);
  };
  const u64 coarse_ns = now_ns / kNsPerTimerTick * kNsPerTimerTick;
  set(kInterruptTime, kUptimeTicks + coarse_ns / kNsPerTick);
  set(kSystemTime, kBootTime + coarse_ns / kNsPerTick);
  // In milliseconds, because some DLLs ignore the multiplier.
  set(kTickCount, (kUptimeTicks * kNsPerTick + coarse_ns) / 1'000'000);
}

Thread* make_thread(State& state, const ThreadOptions& options) {
  auto thread = std::make_unique<Thread>();
  const auto number = static_cast<u32>(state.threads.size());
  thread->id = state.threads.empty() ? state.process_id + 4 : state.threads.front()->id + number * kThreadIdsApart;
  thread->teb = map_pages(state, 0, kTebSize, kPageReadWrite, true);
  if (thread->teb == 0) return nullptr;
  if (!map_stack(state, *thread, options.stack_size)) {
    release_stack(state, *thread);
    return nullptr;
  }
  fill_teb(state, *thread);
  GuestContext context;
  context.flags = GuestContext::kFull;
  context.x[0] = options.start;
  context.x[1] = state.threads.empty() ? state.peb : options.argument;
  context.x[18] = thread->teb;
  context.sp = thread->stack_base;  // the search for exception handlers ends here
  context.pc = state.thread_start;
  const u64 context_at = thread->stack_base - sizeof context;
  state.space.write(context_at, &context, sizeof context);
  thread->registers.pc = state.loader_start;
  thread->registers.sp = context_at;
  thread->registers.x[0] = context_at;
  thread->registers.x[18] = thread->teb;
  thread->object = std::make_shared<ThreadObject>(thread->id);
  state.threads.push_back(std::move(thread));
  return state.threads.back().get();
}

void release_stack(State& state, Thread& thread) {
  if (thread.teb != 0) (void)state.memory.release(thread.teb);
  if (thread.stack != 0) (void)state.memory.release(thread.stack);
}

namespace {

// A program without imports needs no loader: it starts at its entry point, and ends when the entry point returns.
bool start_without_dlls(State& state, const Inheritance* inherited, u64 entry) {
  constexpr u32 kCode[2] = {0xd4000001 | kReturnFromEntry << 5, 0xd4200000};
  const u64 page = map_pages(state, 0, kPageSize, kPageExecuteRead, false);
  if (page == 0 || !fill_peb(state, inherited, 0)) return false;
  state.space.write(page, kCode, sizeof kCode);
  Thread* const thread = make_thread(state, {entry, 0, 0});
  if (thread == nullptr) return false;
  ThreadState& registers = thread->registers;
  registers.pc = entry;
  registers.sp = thread->stack_base - 0x40;
  registers.x[0] = state.peb;
  registers.x[30] = page;
  state.is_starting = false;
  return true;
}

}  // namespace

bool prepare_process(State& state, const Inheritance* inherited, LoadError& error) {
  if (!map_shared_data(state)) {
    error.text = "not enough address space for the data that Windows shares with programs";
    return false;
  }
  state.program_base = map_image(state.memory, *state.program, 0, state.seed, state.images_mapped++);
  if (state.program_base == 0) {
    error.text = state.modules.front().name + " can only be loaded at one address, which is in use";
    return false;
  }
  Module& module = state.modules.front();
  module.base = state.program_base;
  module.size = state.program->pe.image_size;
  module.entry = state.program->pe.entry_rva != 0 ? module.base + state.program->pe.entry_rva : 0;
  const u64 entry = module.entry;
  const std::string no_room = "not enough address space for the stack of " + module.name;
  if (!state.program->pe.needs_loader) {
    if (start_without_dlls(state, inherited, entry)) return true;
    error.text = no_room;
    return false;
  }
  if (!map_ntdll(state, error)) return false;  // `module` may have moved
  const u64 api_sets = map_api_sets(state);
  if (api_sets != 0 && fill_peb(state, inherited, api_sets) && make_thread(state, {entry, 0, 0}) != nullptr)
    return true;
  error.text = no_room;
  if (api_sets == 0)
    error = {"the DLLs of Windows are incomplete: apisetschema.dll is missing or damaged", std::string(kWayToDlls)};
  return false;
}

}  // namespace wperf::sim::nt
