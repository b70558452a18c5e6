// SPDX-License-Identifier: BSD-3-Clause
// How a C program begins and ends: its arguments, the code before main and after it, jumps out of functions, signals;
// and the functions that call the program back to compare.
#include <algorithm>
#include <cstring>

#include "sim/windows/crt_call.h"
#include "sim/windows/wide_strings.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

template <class T>
void put_variable(ProcessState& state, u64 offset, const T& value) {
  state.space.write(state.crt.data + offset, &value, sizeof value);
}

// _UPPER 1, _LOWER 2, _DIGIT 4, _SPACE 8, _PUNCT 16, _CONTROL 32, _BLANK 64, _HEX 128, _ALPHA 256: of ASCII.
u16 ascii_class(u32 character) {
  const auto within = [character](char first, char last) {
    return character >= static_cast<u32>(first) && character <= static_cast<u32>(last);
  };
  u16 bits = 0;
  if (within('A', 'Z')) bits |= 0x101;
  if (within('a', 'z')) bits |= 0x102;
  if (within('0', '9')) bits |= 4;
  if (within('\t', '\r') || character == ' ') bits |= 8;
  if (character < 0x20 || character == 0x7f) bits |= 0x20;
  if (character == ' ' || character == '\t') bits |= 0x40;
  if (within('0', '9') || within('a', 'f') || within('A', 'F')) bits |= 0x80;
  if (character > 0x20 && character < 0x7f && (bits & 0x104) == 0) bits |= 0x10;
  return bits;
}

// By the rules of CommandLineToArgvW and the C runtime: blanks separate arguments, quotes hold them together, and a
// backslash is an ordinary character unless a quote follows.
std::vector<std::string> split_arguments(std::string_view line) {
  std::vector<std::string> arguments;
  usize at = 0;
  while (true) {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    if (at == line.size()) return arguments;
    std::string argument;
    bool quoted = false;
    for (; at < line.size() && (quoted || (line[at] != ' ' && line[at] != '\t')); ++at) {
      usize slashes = 0;
      while (at + slashes < line.size() && line[at + slashes] == '\\') ++slashes;
      const bool before_quote = at + slashes < line.size() && line[at + slashes] == '"';
      argument.append(before_quote ? slashes / 2 : slashes, '\\');
      at += slashes;
      if (before_quote && slashes % 2 != 0) {
        argument += '"';
      } else if (before_quote) {
        quoted = !quoted;
      } else if (slashes != 0) {
        --at;
      } else {
        argument += line[at];
      }
    }
    arguments.push_back(std::move(argument));
  }
}

// Places an array of pointers to texts, with a null at its end, on the program's heap. Returns 0 if memory is short.
u64 place_texts(ProcessState& state, const std::vector<std::string>& texts) {
  u64 bytes = (texts.size() + 1) * sizeof(u64);
  for (const std::string& text : texts) bytes += text.size() + 1;
  const u64 array = state.virtual_memory.allocate(bytes, kRead | kWrite);
  if (array == 0) return 0;
  u64 place = array + (texts.size() + 1) * sizeof(u64);
  for (usize index = 0; index < texts.size(); ++index) {
    state.space.write(array + index * sizeof(u64), &place, sizeof place);
    state.space.write(place, texts[index].c_str(), texts[index].size() + 1);
    place += texts[index].size() + 1;
  }
  return array;
}

u64 get_main_arguments(Win32Call& call) {
  const std::vector<std::string> arguments = split_arguments(call.state.command_line);
  const u64 array = place_texts(call.state, arguments);
  const u64 environment = place_texts(call.state, {});
  if (array == 0 || environment == 0) return int_result(-1);
  put_variable(call.state, kCrtArgumentCount, static_cast<u32>(arguments.size()));
  put_variable(call.state, kCrtArguments, array);
  put_variable(call.state, kCrtEnvironment, environment);
  const bool written = call.write_value(call.argument(0), static_cast<u32>(arguments.size())) &&
                       call.write_value(call.argument(1), array) && call.write_value(call.argument(2), environment);
  return written ? 0 : int_result(-1);
}

u64 run_initializers(Win32Call& call, u64 at, u64 end) {
  for (; at < end; at += sizeof(u64)) {
    u64 function = 0;
    if (!call.read_value(at, function)) return 0;
    if (function == 0) continue;
    return call.call_program(
        function, {}, [next = at + sizeof(u64), end](Win32Call& again) { return run_initializers(again, next, end); });
  }
  return 0;
}

u64 run_initializer_table(Win32Call& call) {
  return run_initializers(call, call.argument(0), call.argument(1));
}

u64 run_exit_functions(Win32Call& call, u32 code, bool ends) {
  std::vector<u64>& functions = call.state.crt.exit_functions;
  if (functions.empty()) return ends ? call.end(code) : 0;
  const u64 function = functions.back();
  functions.pop_back();
  return call.call_program(function, {},
                           [code, ends](Win32Call& again) { return run_exit_functions(again, code, ends); });
}

u64 exit_after_functions(Win32Call& call) {
  return run_exit_functions(call, call.argument32(0), true);
}
u64 clean_up(Win32Call& call) {
  return run_exit_functions(call, 0, false);
}
u64 exit_at_once(Win32Call& call) {
  return call.end(call.argument32(0));
}

u64 on_exit(Win32Call& call) {
  constexpr usize kMost = 1u << 20;
  if (call.state.crt.exit_functions.size() == kMost) return 0;
  call.state.crt.exit_functions.push_back(call.argument(0));
  return call.argument(0);
}

u64 at_exit(Win32Call& call) {
  return on_exit(call) != 0 ? 0 : 1;
}

u64 give_up_start(Win32Call& call) {
  return call.crash("the C runtime's start-up failed with error " + std::to_string(call.argument32(0)));
}

u64 leave_settings(Win32Call&) {
  return 0;
}

// jmp_buf: 24 words of 64 bits. It holds the registers that a call preserves.
struct JumpBuffer {
  u64 frame, reserved;
  u64 x[12];  // x19 … x30
  u64 sp, control;
  u64 d[8];
};
static_assert(sizeof(JumpBuffer) == 192);
constexpr u32 kFirstSaved = 19, kFirstSavedVector = 8;

u64 set_jump(Win32Call& call) {
  const ThreadState& registers = call.state.current->registers;
  JumpBuffer buffer{};
  buffer.frame = call.argument(1);
  for (u32 index = 0; index < 12; ++index) buffer.x[index] = registers.x[kFirstSaved + index];
  buffer.sp = registers.sp;
  for (u32 index = 0; index < 8; ++index) buffer.d[index] = registers.v[kFirstSavedVector + index][0];
  (void)call.write_value(call.argument(0), buffer);
  return 0;
}

u64 long_jump(Win32Call& call) {
  JumpBuffer buffer{};
  const u32 value = call.argument32(1);
  if (!call.read_value(call.argument(0), buffer)) return 0;
  ThreadState& registers = call.state.current->registers;
  for (u32 index = 0; index < 12; ++index) registers.x[kFirstSaved + index] = buffer.x[index];
  for (u32 index = 0; index < 8; ++index) registers.v[kFirstSavedVector + index][0] = buffer.d[index];
  registers.sp = buffer.sp;
  registers.pc = registers.x[30];
  call.forget_callbacks(buffer.sp);
  return value != 0 ? value : 1;
}

u64 set_signal(Win32Call& call) {
  constexpr u32 kMost = 32;
  if (call.argument32(0) >= kMost) return fail_with(call, kInvalid, kMinusOne);
  u64& handler = call.state.crt.signal_handlers[call.argument32(0)];
  const u64 before = handler;
  handler = call.argument(1);
  return before;
}

u64 raise_signal(Win32Call& call) {
  const auto handler = call.state.crt.signal_handlers.find(call.argument32(0));
  const u64 function = handler == call.state.crt.signal_handlers.end() ? 0 : handler->second;
  constexpr u64 kIgnored = 1;
  if (function == kIgnored) return 0;
  if (function == 0) {
    call.crash("the program sent itself signal " + std::to_string(call.argument32(0)));
    call.state.exit_code = 3;
    return 0;
  }
  handler->second = 0;
  return call.call_program(function, {call.argument32(0)}, [](Win32Call&) { return u64{0}; });
}

// qsort: merges runs, starting with runs of one element, like glibc, so that equal elements keep their order. Each
// comparison calls the program.
struct Sort {
  u64 base = 0, count = 0, size = 0, compare = 0;
  u64 left = 0, right = 0;  // lines in memory that hold the compared elements
  std::vector<u32> order, merged;
  std::string bytes;
  usize width = 1, start = 0, at_left = 0, at_right = 0;
};

u64 step(Win32Call& call, const std::shared_ptr<Sort>& sort);

u64 finish(Win32Call& call, const Sort& sort) {
  std::string sorted(sort.bytes.size(), '\0');
  for (usize index = 0; index < sort.order.size(); ++index)
    std::memcpy(sorted.data() + index * sort.size, sort.bytes.data() + sort.order[index] * sort.size, sort.size);
  (void)call.write(sort.base, sorted.data(), sorted.size());
  return 0;
}

// Takes the steps that need no comparison; returns true if a comparison is needed.
bool advance(Sort& sort) {
  const usize count = sort.order.size();
  while (sort.width < count) {
    while (sort.start < count) {
      const usize middle = std::min(sort.start + sort.width, count), end = std::min(middle + sort.width, count);
      if (sort.at_left < middle && sort.at_right < end) return true;
      while (sort.at_left < middle) sort.merged.push_back(sort.order[sort.at_left++]);
      while (sort.at_right < end) sort.merged.push_back(sort.order[sort.at_right++]);
      sort.start = end;
      sort.at_left = sort.start;
      sort.at_right = std::min(sort.start + sort.width, count);
    }
    sort.order.swap(sort.merged);
    sort.merged.clear();
    sort.width *= 2;
    sort.start = sort.at_left = 0;
    sort.at_right = std::min(sort.width, count);
  }
  return false;
}

u64 step(Win32Call& call, const std::shared_ptr<Sort>& sort) {
  if (!advance(*sort)) return finish(call, *sort);
  const auto place = [&](usize index) { return sort->base + sort->order[index] * sort->size; };
  return call.call_program(sort->compare, {place(sort->at_left), place(sort->at_right)}, [sort](Win32Call& again) {
    const bool keeps = static_cast<std::int32_t>(again.argument32(0)) <= 0;
    usize& taken = keeps ? sort->at_left : sort->at_right;
    sort->merged.push_back(sort->order[taken++]);
    return step(again, sort);
  });
}

u64 quick_sort(Win32Call& call) {
  constexpr u64 kLargest = 1u << 30;
  auto sort = std::make_shared<Sort>();
  *sort = {call.argument(0), call.argument(1), call.argument(2), call.argument(3), 0, 0, {}, {}, {}, 1, 0, 0, 1};
  u64 bytes = 0;
  if (__builtin_mul_overflow(sort->count, sort->size, &bytes) || bytes > kLargest || sort->count > kLargest)
    return call.crash("cannot sort " + std::to_string(sort->count) + " things");
  if (sort->count < 2 || sort->size == 0) return 0;
  sort->bytes.resize(bytes);
  if (!call.read(sort->base, sort->bytes.data(), bytes)) return 0;
  for (u32 index = 0; index < sort->count; ++index) sort->order.push_back(index);
  return step(call, sort);
}

u64 search(Win32Call& call, u64 key, u64 base, u64 first, u64 end, u64 size, u64 compare) {
  if (first >= end) return 0;
  const u64 middle = first + (end - first) / 2, place = base + middle * size;
  return call.call_program(compare, {key, place}, [=](Win32Call& again) {
    const auto answer = static_cast<std::int32_t>(again.argument32(0));
    if (answer == 0) return place;
    return answer < 0 ? search(again, key, base, first, middle, size, compare)
                      : search(again, key, base, middle + 1, end, size, compare);
  });
}

u64 binary_search(Win32Call& call) {
  return search(call, call.argument(0), call.argument(1), 0, call.argument(2), call.argument(3), call.argument(4));
}

u64 random_number(Win32Call& call) {
  u32& seed = call.state.crt.random;
  seed = seed * 214013 + 2531011;
  return seed >> 16 & 0x7fff;
}

u64 seed_random(Win32Call& call) {
  call.state.crt.random = call.argument32(0);
  return 0;
}

u64 errno_address(Win32Call& call) {
  return call.state.current->teb + kTebErrno;
}

template <u32 offset>
u64 variable_address(Win32Call& call) {
  return call.state.crt.data + offset;
}

constexpr Win32Function kCrtStart[] = {
    {"__getmainargs", kCrtDll, get_main_arguments},
    {"_initterm", kCrtDll, run_initializer_table},
    {"_initterm_e", kCrtDll, run_initializer_table},
    {"exit", kCrtDll, exit_after_functions},
    {"_exit", kCrtDll, exit_at_once},
    {"_Exit", kCrtDll, exit_at_once},
    {"_cexit", kCrtDll, clean_up},
    {"_c_exit", kCrtDll, leave_settings},
    {"_onexit", kCrtDll, on_exit},
    {"atexit", kCrtDll, at_exit},
    {"_amsg_exit", kCrtDll, give_up_start},
    {"__set_app_type", kCrtDll, leave_settings},
    {"__setusermatherr", kCrtDll, leave_settings},
    {"_lock", kCrtDll, leave_settings},  // no other thread runs while the runtime does
    {"_unlock", kCrtDll, leave_settings},
    {"_setjmp", kCrtDll, set_jump},
    {"_setjmpex", kCrtDll, set_jump},
    {"longjmp", kCrtDll, long_jump},
    {"signal", kCrtDll, set_signal},
    {"raise", kCrtDll, raise_signal},
    {"qsort", kCrtDll, quick_sort},
    {"bsearch", kCrtDll, binary_search},
    {"rand", kCrtDll, random_number},
    {"srand", kCrtDll, seed_random},
    {"_errno", kCrtDll, errno_address},
    {"__p__acmdln", kCrtDll, variable_address<kCrtCommandLine>},
    {"__p__commode", kCrtDll, variable_address<kCrtCommitMode>},
    {"__p__fmode", kCrtDll, variable_address<kCrtFileMode>},
    {"__p___argc", kCrtDll, variable_address<kCrtArgumentCount>},
    {"__p___argv", kCrtDll, variable_address<kCrtArguments>},
    {"__p__environ", kCrtDll, variable_address<kCrtEnvironment>},
};

}  // namespace

std::span<const Win32Function> crt_start_functions() {
  return kCrtStart;
}

std::optional<u32> find_crt_variable(std::string_view name) {
  for (const auto& [variable, offset] : {std::pair<std::string_view, u32>{"_acmdln", kCrtCommandLine},
                                         {"_commode", kCrtCommitMode},
                                         {"_fmode", kCrtFileMode},
                                         {"_sys_nerr", kCrtErrorCount},
                                         {"_pctype", kCrtClasses},
                                         {"__mb_cur_max", kCrtLongestCharacter},
                                         {"_environ", kCrtEnvironment},
                                         {"__argc", kCrtArgumentCount},
                                         {"__argv", kCrtArguments},
                                         {"_iob", kCrtStreams}})
    if (variable == name) return offset;
  return std::nullopt;
}

void prepare_crt(ProcessState& state) {
  const u64 data = state.system.crt_data();
  state.crt.data = data;
  put_variable(state, kCrtCommandLine, state.command_line_a);
  put_variable(state, kCrtErrorCount, u32{43});
  put_variable(state, kCrtLongestCharacter, u32{1});
  put_variable(state, kCrtClasses, data + kCrtClassTable + sizeof(u16));  // [-1] is the class of EOF
  for (u32 character = 0; character < 128; ++character)
    put_variable(state, kCrtClassTable + (character + 1) * sizeof(u16), ascii_class(character));
  constexpr std::string_view kTexts("\0.\0C\0", 5);
  state.space.write(data + kCrtTexts, kTexts.data(), kTexts.size());
  // struct lconv: ten texts, eight numbers of a byte, eight wide texts. All except the decimal point are empty or
  // unknown.
  for (u32 index = 0; index < 10; ++index)
    put_variable(state, kCrtLocaleFacts + index * sizeof(u64), data + kCrtTexts + (index == 0 ? 1 : 0));
  put_variable(state, kCrtLocaleFacts + 80, u64{0x7f7f'7f7f'7f7f'7f7f});
  // struct localeinfo: pointers to the facts of a locale. Programs use only the longest character, lconv and the
  // classes.
  constexpr u32 kLocaleInfo = kCrtLocale + 0x20, kLongest = 268, kLocaleConventions = 296, kLocaleClasses = 320;
  put_variable(state, kCrtLocale, data + kLocaleInfo);
  put_variable(state, kLocaleInfo + kLongest, u32{1});
  put_variable(state, kLocaleInfo + kLocaleConventions, data + kCrtLocaleFacts);
  put_variable(state, kLocaleInfo + kLocaleClasses, data + kCrtClassTable + sizeof(u16));
}

}  // namespace wperf::sim
