// SPDX-License-Identifier: BSD-3-Clause
// Exceptions, as C++ and C raise and catch them. The program's own handlers are called frame by frame: first to find
// one that catches, then, by RtlUnwindEx, to clean up. Windows' part takes none of the program's time; the handlers are
// its code.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "sim/windows/guest_exception.h"
#include "sim/windows/unwind_tables.h"
#include "sim/windows/win32_call.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {

GuestContext context_of(const ThreadState& registers) {
  GuestContext context;
  context.flags = GuestContext::kFull | GuestContext::kUnwoundToCall;
  context.cpsr = static_cast<u32>(registers.nzcv);
  context.x = registers.x;
  context.sp = registers.sp;
  context.pc = registers.pc;
  context.v = registers.v;
  context.fpcr = static_cast<u32>(registers.fpcr);
  context.fpsr = static_cast<u32>(registers.fpsr);
  return context;
}

void set_registers(const GuestContext& context, ThreadState& registers) {
  registers.x = context.x;
  registers.sp = context.sp;
  registers.pc = context.pc;
  registers.nzcv = context.cpsr & 0xf0000000;
  registers.v = context.v;
  registers.fpcr = context.fpcr;
  registers.fpsr = context.fpsr;
}

namespace {

constexpr u64 kInstruction = 4;

// The answer of a handler.
enum class HandlerAnswer : u32 { continue_execution = 0, continue_search = 1 };

// In the thread's stack, below the used part, while handlers run.
struct SearchArea {
  GuestContext raised;   // registers where the exception was raised
  GuestContext current;  // context of the frame whose handler is called
  GuestDispatcherContext dispatcher;
  GuestExceptionPointers pointers;
  GuestExceptionRecord record;
};

// A walk over the frames of a thread, outwards from the frame that called Windows.
struct FrameSearch {
  ThreadState caller;   // registers at that call; the stack of a called handler begins below them
  ThreadState frame;    // the next frame to be looked at
  usize callbacks = 0;  // number of functions that Windows called and that are further out
  u64 area = 0;         // address of the SearchArea
  u64 record = 0;       // address of the exception's record
  // Only for RtlUnwindEx.
  bool unwinds = false;
  u64 target_frame = 0, target_pc = 0, result = 0, context = 0, history = 0;
};
using Search = std::shared_ptr<FrameSearch>;

// One unwound frame, in the form that its handler gets.
struct FoundFrame {
  FunctionEntry entry;
  UnwoundFrame unwound;
  ThreadState before, after;
};

u64 ask_frames(Win32Call& call, const Search& search);

Search begin_search(Win32Call& call, bool unwinds) {
  auto search = std::make_shared<FrameSearch>();
  GuestThread& thread = *call.state.current;
  search->caller = thread.registers;
  search->frame = thread.registers;
  search->frame.pc = thread.registers.x[30];
  search->callbacks = thread.callbacks.size();
  search->area = (thread.registers.sp - sizeof(SearchArea)) & ~u64{15};
  search->unwinds = unwinds;
  return search;
}

// The next frame outwards that has tables. Returns false if there is none, or if it cannot be unwound (then the call
// has crashed).
bool next_frame(Win32Call& call, FrameSearch& search, FoundFrame& found) {
  const std::vector<GuestCallback>& callbacks = call.state.current->callbacks;
  while (search.frame.pc == call.state.system.stub(kCallbackReturnNumber) && search.callbacks != 0) {
    const GuestCallback& outer = callbacks[--search.callbacks];
    search.frame.pc = outer.return_address;
    search.frame.sp = outer.stack;
  }
  const auto entry = find_function_entry(call.state.memory, call.state.modules, search.frame.pc - kInstruction);
  if (!entry.has_value() || entry->address == 0) return false;
  found.entry = *entry;
  found.before = found.after = search.frame;
  found.unwound = unwind_frame(call.state.memory, *entry, found.after);
  if (!found.unwound.trouble.empty()) {
    call.crash("the stack cannot be unwound at " + describe_address(call.state, search.frame.pc) + ": " +
               found.unwound.trouble);
    return false;
  }
  // A stack that does not get shorter, or continues beyond its end, would never end.
  const u64 sp = found.after.sp;
  const bool stands = sp == search.frame.sp && found.after.pc == search.frame.pc;
  if (sp < search.frame.sp || stands || sp > call.state.current->stack_base) {
    call.crash("the stack cannot be unwound at " + describe_address(call.state, search.frame.pc) + ": it does not end");
    return false;
  }
  return true;
}

// The thread continues with these registers.
u64 resume_with(Win32Call& call, const GuestContext& context) {
  ThreadState& registers = call.state.current->registers;
  set_registers(context, registers);
  return registers.x[0];
}
// The same in an outer frame: functions that Windows called in between will not return.
u64 resume_outside(Win32Call& call, const GuestContext& context) {
  call.forget_callbacks(context.sp);
  return resume_with(call, context);
}

u64 nobody_catches(Win32Call& call, const FrameSearch& search) {
  GuestExceptionRecord record;
  call.state.current->registers = search.caller;
  if (!call.read_value(search.record, record)) return 0;
  call.crash("exception " + hex(record.code));
  call.state.exit_code = record.code;
  return 0;
}

// The walk has reached the frame where the program wants to continue: its cleanups are done, and the thread continues
// there.
u64 finish_unwind(Win32Call& call, const FrameSearch& search) {
  GuestContext context;
  if (!call.read_value(search.context, context)) return 0;
  context.pc = search.target_pc;
  context.x[0] = search.result;
  return resume_outside(call, context);
}

u64 take_answer(Win32Call& call, const Search& search, const ThreadState& next, bool is_target, u64 answer) {
  call.state.current->registers = search->caller;
  if (!search->unwinds && answer == static_cast<u64>(HandlerAnswer::continue_execution)) {
    GuestContext raised;
    if (!call.read_value(search->area + offsetof(SearchArea, raised), raised)) return 0;
    return resume_with(call, raised);
  }
  if (answer != static_cast<u64>(HandlerAnswer::continue_search))
    return call.crash("an exception handler returned " + hex(answer) + ", which the simulator does not support");
  if (is_target) return finish_unwind(call, *search);
  search->frame = next;
  return ask_frames(call, search);
}

// Calls the handler of a frame, as Windows would.
u64 ask(Win32Call& call, const Search& search, const FoundFrame& found, bool is_target) {
  const u64 establisher = found.after.sp;
  const u64 raised = search->area + offsetof(SearchArea, raised),
            current = search->area + offsetof(SearchArea, current);
  const u64 dispatcher_at = search->area + offsetof(SearchArea, dispatcher);
  const u64 context_at = search->unwinds ? search->context : current;
  if (!call.write_value(context_at, context_of(search->unwinds ? found.before : found.after))) return 0;
  const GuestDispatcherContext dispatcher{.control_pc = found.before.pc,
                                          .image = found.entry.image,
                                          .function_entry = found.entry.address,
                                          .establisher = establisher,
                                          .target_pc = search->target_pc,
                                          .context = context_at,
                                          .handler = found.unwound.handler,
                                          .handler_data = found.unwound.handler_data,
                                          .history = search->history,
                                          .control_pc_is_unwound = 1};
  if (!call.write_value(dispatcher_at, dispatcher)) return 0;
  if (search->unwinds) {
    GuestExceptionRecord record;
    if (!call.read_value(search->record, record)) return 0;
    record.flags |= GuestExceptionRecord::kUnwinding | (is_target ? GuestExceptionRecord::kTargetUnwind : 0);
    if (!call.write_value(search->record, record)) return 0;
  }
  GuestThread& thread = *call.state.current;
  thread.registers = search->caller;
  const u64 first = call.call_program(
      found.unwound.handler, {search->record, establisher, search->unwinds ? context_at : raised, dispatcher_at},
      [search, next = found.after, is_target](Win32Call& again) {
        return take_answer(again, search, next, is_target, again.argument32(0));
      });
  thread.registers.sp = search->area;
  return first;
}

// Goes frame by frame until one has a handler to be called.
u64 ask_frames(Win32Call& call, const Search& search) {
  FoundFrame found;
  while (next_frame(call, *search, found)) {
    const bool is_target = search->unwinds && found.after.sp == search->target_frame;
    if (found.unwound.handler != 0) return ask(call, search, found, is_target);
    if (is_target) {
      if (!call.write_value(search->context, context_of(found.before))) return 0;
      return finish_unwind(call, *search);
    }
    search->frame = found.after;
  }
  if (call.outcome() != CallOutcome::resume) return 0;
  if (search->unwinds) return call.crash("the frame to unwind to is not on the stack");
  return nobody_catches(call, *search);
}

u64 raise_exception(Win32Call& call) {
  const Search search = begin_search(call, false);
  search->record = search->area + offsetof(SearchArea, record);
  GuestExceptionRecord record;
  record.code = call.argument32(0);
  record.flags = call.argument32(1) & GuestExceptionRecord::kNoncontinuable;
  record.address = search->frame.pc;
  record.parameter_count = std::min(call.argument32(2), GuestExceptionRecord::kMostParameters);
  if (call.argument(3) == 0) record.parameter_count = 0;
  if (!call.read(call.argument(3), record.parameters.data(), record.parameter_count * sizeof(u64))) return 0;
  if (!call.write_value(search->record, record)) return 0;
  if (!call.write_value(search->area + offsetof(SearchArea, raised), context_of(search->frame))) return 0;
  return ask_frames(call, search);
}

// arguments: frame, place, record, result, context, history
u64 unwind_to(Win32Call& call) {
  const Search search = begin_search(call, true);
  search->target_frame = call.argument(0);
  search->target_pc = call.argument(1);
  search->record = call.argument(2);
  search->result = call.argument(3);
  search->context = call.argument(4);
  search->history = call.argument(5);
  if (search->record != 0) return ask_frames(call, search);
  constexpr u32 kStatusUnwind = 0xc0000027;
  search->record = search->area + offsetof(SearchArea, record);
  GuestExceptionRecord record;
  record.code = kStatusUnwind;
  record.address = search->frame.pc;
  if (!call.write_value(search->record, record)) return 0;
  return ask_frames(call, search);
}

// arguments: pc, place for the image's start, history
u64 look_up_function(Win32Call& call) {
  const auto entry = find_function_entry(call.state.memory, call.state.modules, call.argument(0));
  if (!entry.has_value()) return 0;
  if (!call.write_value(call.argument(1), entry->image)) return 0;
  return entry->address;
}

// arguments: kind of handler, image, pc, function, context, handler's data, frame, places of saved registers
u64 unwind_one(Win32Call& call) {
  const u64 context_at = call.argument(4);
  if (call.argument(7) != 0) return call.crash("the simulator does not record where registers were saved");
  GuestContext context;
  ThreadState registers;
  if (!call.read_value(context_at, context)) return 0;
  set_registers(context, registers);
  FunctionEntry entry{.image = call.argument(1)};
  if (call.argument(3) != 0) {
    const auto found = read_function_entry(call.state.memory, entry.image, call.argument(3));
    if (!found.has_value()) return call.crash("no unwind table at " + hex(call.argument(3)));
    entry = *found;
  }
  const UnwoundFrame frame = unwind_frame(call.state.memory, entry, registers);
  if (!frame.trouble.empty()) return call.crash(frame.trouble);
  if (!call.write_value(context_at, context_of(registers))) return 0;
  if (!call.write_value(call.argument(5), frame.handler_data)) return 0;
  if (!call.write_value(call.argument(6), registers.sp)) return 0;
  return call.argument32(0) == 0 ? 0 : frame.handler;
}

u64 capture_context(Win32Call& call) {
  ThreadState registers = call.state.current->registers;
  registers.pc = registers.x[30];
  (void)call.write_value(call.argument(0), context_of(registers));
  return 0;
}

u64 restore_context(Win32Call& call) {
  constexpr u32 kLongJump = 0x80000026, kConsolidate = 0x80000029;
  GuestContext context;
  if (!call.read_value(call.argument(0), context)) return 0;
  if (call.argument(1) != 0) {
    GuestExceptionRecord record;
    if (!call.read_value(call.argument(1), record)) return 0;
    if (record.code == kLongJump || record.code == kConsolidate)
      return call.crash("the simulator cannot restore the context of exception " + hex(record.code));
  }
  return resume_outside(call, context);
}

// A frame of C, with its __try blocks around the place, from the innermost on.
struct ScopeSearch {
  u64 record = 0, frame = 0, context = 0, dispatcher = 0;
  GuestDispatcherContext told;
  u32 next = 0;  // scope
};

u64 ask_scopes(Win32Call& call, ScopeSearch search) {
  constexpr u64 kContinueSearch = static_cast<u64>(HandlerAnswer::continue_search);
  u32 count = 0;
  GuestExceptionRecord record;
  if (!call.read_value(search.told.handler_data, count) || !call.read_value(search.record, record)) return 0;
  const u64 place = search.told.control_pc - kInstruction - search.told.image;
  const bool unwinds = (record.flags & GuestExceptionRecord::kUnwinding) != 0;
  while (search.next < count) {
    GuestScope scope;
    const u64 at = search.told.handler_data + sizeof count + u64{search.next++} * sizeof scope;
    if (!call.read_value(at, scope)) return 0;
    if (place < scope.begin || place >= scope.end) continue;
    if (scope.target == 0 && unwinds) return call.crash("the simulator cannot run __finally blocks");
    if (scope.target == 0 || unwinds) continue;
    if (scope.filter == GuestScope::kAlways) return call.crash("the simulator cannot run __except blocks");
    const GuestExceptionPointers pointers{search.record, search.context};
    const u64 pointers_at = search.dispatcher + sizeof(GuestDispatcherContext);
    if (!call.write_value(pointers_at, pointers)) return 0;
    return call.call_program(search.told.image + scope.filter, {pointers_at, search.frame},
                             [search](Win32Call& again) -> u64 {
                               const auto answer = static_cast<std::int32_t>(again.argument32(0));
                               if (answer > 0) return again.crash("the simulator cannot run __except blocks");
                               if (answer < 0) return static_cast<u64>(HandlerAnswer::continue_execution);
                               return ask_scopes(again, search);
                             });
  }
  return kContinueSearch;
}

// arguments: record, frame, context, dispatcher
u64 handle_c(Win32Call& call) {
  ScopeSearch search{call.argument(0), call.argument(1), call.argument(2), call.argument(3), {}, 0};
  if (!call.read_value(search.dispatcher, search.told)) return 0;
  return ask_scopes(call, search);
}

constexpr Win32Function kException[] = {
    {"RaiseException", kKernelDll, raise_exception},
    {"RtlUnwindEx", kKernelDll | kNtDll, unwind_to},
    {"RtlLookupFunctionEntry", kKernelDll | kNtDll, look_up_function},
    {"RtlVirtualUnwind", kKernelDll | kNtDll, unwind_one},
    {"RtlCaptureContext", kKernelDll | kNtDll, capture_context},
    {"RtlRestoreContext", kKernelDll | kNtDll, restore_context},
    {"__C_specific_handler", kCrtDll | kNtDll, handle_c},
};

}  // namespace

std::span<const Win32Function> exception_functions() {
  return kException;
}

}  // namespace wperf::sim
