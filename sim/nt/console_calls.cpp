// SPDX-License-Identifier: BSD-3-Clause
// The console: kernelbase's requests for a standard stream that leads to a terminal. The console's text is UTF-16, and
// the terminal's is UTF-8. The terminal edits lines, unless the program turned that off.
#include <algorithm>
#include <array>
#include <optional>

#include "sim/nt/services.h"
#include "sim/nt/wide_strings.h"

namespace wperf::sim::nt {
namespace {

// These codes were found by watching kernelbase's requests.
enum class Control : u32 {
  get_mode = 0x504000,
  set_mode = 0x508004,
  read = 0x504028,
  code_pages = 0x50403c,
  set_code_pages = 0x508040,
  set_title = 0x508048,
  flush = 0x500054,
  count_input = 0x504064,
  write = 0x508078,
  screen = 0x504088,
  send_event = 0x50004c,
  set_screen = 0x50808c
};
constexpr usize kLongestLine = 4096, kLongestText = 1 << 20;
constexpr u16 kUsualColours = 7;

u64 answer_control(Call& call, const void* bytes, u64 size) {
  if (call.argument32(9) < size) return kBufferTooSmall;
  if (!call.write(call.argument(8), bytes, size)) return 0;
  return call.put_io_status(call.argument(4), kSuccess, size) ? u64{kSuccess} : u64{kAccessViolation};
}

u64 end_control(Call& call) {
  return call.put_io_status(call.argument(4), kSuccess, 0) ? u64{kSuccess} : u64{kAccessViolation};
}

// A line ends with CR LF; as a single key, Enter is CR, and the key for deleting is BS.
void append_input(const std::string& bytes, bool as_lines, std::vector<u16>& out) {
  constexpr u16 kDelete = 0x7f, kBackspace = 8;
  for (const u16 unit : to_utf16(bytes)) {
    if (as_lines && unit == '\n') out.push_back('\r');
    out.push_back(!as_lines && unit == kDelete ? kBackspace : unit);
  }
}

u64 read_line(Call& call) {
  State& state = call.state;
  std::vector<u16>& line = state.console_line;
  if (line.empty()) {
    if (!state.streams->is_ready(StandardStreams::kInput)) return wait_for_host(call, 0);
    std::string bytes(kLongestLine, '\0');
    bytes.resize(state.streams->read(*state.input_read, bytes));
    *state.input_read += bytes.size();
    append_input(bytes, state.streams->reads_lines(), line);
  }
  const usize count = std::min<usize>(line.size(), call.argument32(9) / sizeof(u16));
  const u64 status = answer_control(call, line.data(), count * sizeof(u16));
  line.erase(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(count));
  return status;
}

u64 write_text(Call& call, const File& file) {
  std::vector<u16> units(call.argument32(7) / sizeof(u16));
  if (units.size() > kLongestText) return kInvalidParameter;
  if (!call.read(call.argument(6), units.data(), units.size() * sizeof(u16))) return 0;
  const std::string text = to_utf8(units);
  const std::span<const char> left = std::span(text).subspan(std::min<usize>(call.done_before, text.size()));
  u64 done = 0;
  const Status status = write_stream(call, file, left, done);
  if (status != kSuccess) return status;
  return done < left.size() ? wait_for_host(call, call.done_before + done) : end_control(call);
}

// The screen is the terminal's current window. Only the terminal knows the position of the cursor.
struct Screen {
  u16 cursor_size = 25, cursor_visible = 1, cursor_x = 0, cursor_y = 0, width = 0, height = 0;
  u16 colours = kUsualColours, popup_colours = 0, left = 0, top = 0, right = 0, bottom = 0, most_width = 0,
      most_height = 0;
  std::array<u16, 36> font_and_palette{};
};
static_assert(sizeof(Screen) == 100);

u64 answer_screen(Call& call, const File& file) {
  const auto [columns, rows] = call.state.streams->window(file.stream());
  Screen screen;
  screen.width = screen.most_width = columns;
  screen.height = screen.most_height = rows;
  screen.right = static_cast<u16>(columns - 1);
  screen.bottom = static_cast<u16>(rows - 1);
  screen.colours = call.state.console_colours;
  return answer_control(call, &screen, sizeof screen);
}

// Converts the console's colours to a terminal's colours.
std::string terminal_colours(u16 colours) {
  if (colours == kUsualColours) return "\x1b[0m";
  constexpr std::array<u8, 8> kTerminal = {0, 4, 2, 6, 1, 5, 3, 7};  // index: blue 1, green 2, red 4
  constexpr u32 kFront = 30, kBack = 40, kBright = 60;
  const u32 front = kFront + kTerminal[colours & 7] + ((colours & 8) != 0 ? kBright : 0);
  const u32 back = kBack + kTerminal[colours >> 4 & 7] + ((colours & 0x80) != 0 ? kBright : 0);
  return "\x1b[0;" + std::to_string(front) + (((colours >> 4) & 15) != 0 ? ";" + std::to_string(back) : "") + "m";
}

u64 set_screen(Call& call, const File& file) {
  constexpr u32 kColours = 8;
  struct {
    u32 changes = 0;
    Screen screen;
  } request;
  if (call.argument32(7) < sizeof request) return kInvalidParameter;
  if (!call.get(call.argument(6), request)) return 0;
  if (request.changes != kColours) return kInvalidDeviceRequest;
  call.state.console_colours = request.screen.colours;
  const std::string text = terminal_colours(request.screen.colours);
  u64 done = 0;
  const Status status = write_stream(call, file, text, done);
  return status == kSuccess ? end_control(call) : status;
}

u64 get_mode(Call& call, bool is_input) {
  const u32 mode = is_input ? call.state.streams->input_mode() : call.state.output_mode;
  return answer_control(call, &mode, sizeof mode);
}

// The input mode belongs to the console. When the process ends, the previous mode is restored.
u64 set_mode(Call& call, bool is_input) {
  State& state = call.state;
  u32 mode = 0;
  if (!call.get(call.argument(6), mode)) return 0;
  if (!is_input) {
    state.output_mode = mode;
  } else {
    if (!state.input_mode_before) state.input_mode_before = state.streams->input_mode();
    state.streams->set_input_mode(mode);
  }
  return end_control(call);
}

u64 control_console(Call& call, const File& file) {
  constexpr std::array<u32, 2> kUtf8 = {65001, 65001};  // the code pages of input and output
  const bool is_input = file.type == File::Type::input;
  switch (static_cast<Control>(call.argument32(5))) {
    case Control::get_mode:
      return get_mode(call, is_input);
    case Control::set_mode:
      return set_mode(call, is_input);
    case Control::read:
      return is_input ? read_line(call) : kInvalidDeviceRequest;
    case Control::write:
      return is_input ? kInvalidDeviceRequest : write_text(call, file);
    case Control::screen:
      return is_input ? kInvalidDeviceRequest : answer_screen(call, file);
    case Control::set_screen:
      return is_input ? kInvalidDeviceRequest : set_screen(call, file);
    case Control::count_input: {
      if (!is_input) return kInvalidDeviceRequest;
      const u32 count = call.state.console_line.empty() ? 0 : 1;
      return answer_control(call, &count, sizeof count);
    }
    case Control::code_pages:
      return answer_control(call, kUtf8.data(), sizeof kUtf8);
    case Control::set_code_pages:
    case Control::set_title:
    case Control::flush:
      return end_control(call);
    default:
      return kInvalidDeviceRequest;
  }
}

// The address of the flags of the process's console; 0 if there are none.
u64 console_flags_of(const State& process) {
  constexpr u64 kParameters = 0x20, kConsoleFlags = 0x18;
  u64 block = 0;
  return process.guest.read(process.peb + kParameters, &block, sizeof block) ? block + kConsoleFlags : 0;
}

bool ignores_interrupts(const State& process) {
  u32 flags = 0;
  return process.guest.read(console_flags_of(process), &flags, sizeof flags) && (flags & 1) != 0;
}

// Ctrl-C reaches all processes on the console. Sending it to one group succeeds, but no process receives it.
u64 send_event(Call& call) {
  struct {
    u32 event, group;
  } request{};
  State& own = call.state;
  if (call.argument32(7) < sizeof request) return kInvalidParameter;
  if (!call.get(call.argument(6), request)) return 0;
  const auto event = static_cast<ConsoleEvent>(request.event);
  if (event != ConsoleEvent::interrupt && event != ConsoleEvent::break_key) return kInvalidParameter;
  bool is_known = request.group == 0;
  std::vector<u32> unready;
  ProgramHost* const host = own.system->host;
  for (State* const process : own.system->processes) {
    const bool is_one = process->console == own.console && (request.group == 0 || process->group == request.group);
    is_known |= is_one;
    if (!is_one || (request.group != 0 && event == ConsoleEvent::interrupt)) continue;
    const bool is_sent = send_console_event(*process, event, call.now_ns);
    if (process == &own || host == nullptr) continue;
    if (is_sent) host->has_new_thread(process->process_id, call.now_ns);
    if (process->is_starting && (event == ConsoleEvent::break_key || !ignores_interrupts(*process)))
      unready.push_back(process->process_id);
  }
  // Processes without handlers end.
  constexpr u32 kInterrupted = 0xc000013a;
  for (const u32 id : unready) host->end(id, kInterrupted);
  return is_known ? end_control(call) : u64{kInvalidParameter};
}

// arguments: handle, event, APC routine, its context, I/O status, code, input, its size, output, its size
u64 control_device(Call& call) {
  // A process whose streams are not a terminal has no handle of its console.
  if (static_cast<Control>(call.argument32(5)) == Control::send_event) return send_event(call);
  const auto file = call.state.handles.at<File>(call.argument(0));
  if (file == nullptr) return kInvalidHandle;
  if (file->type == File::Type::socket) return control_socket(call, file);
  if (file->type == File::Type::mounts) return control_mounts(call);
  return is_console(call.state, *file) ? control_console(call, *file) : u64{kInvalidDeviceRequest};
}

constexpr Service kConsoleServices[] = {{"NtDeviceIoControlFile", control_device}};

}  // namespace

std::optional<File::Type> console_stream(std::string_view name) {
  for (const char* const input : {"\\??\\CONIN$", "\\Device\\ConDrv\\Input", "\\Device\\ConDrv\\CurrentIn"})
    if (same_ignoring_case(name, input)) return File::Type::input;
  for (const char* const output : {"\\??\\CONOUT$", "\\Device\\ConDrv\\Output", "\\Device\\ConDrv\\CurrentOut"})
    if (same_ignoring_case(name, output)) return File::Type::output;
  return std::nullopt;
}

bool ignore_interrupts(State& process, bool ignores) {
  const u64 at = console_flags_of(process);
  u32 flags = 0;
  if (!process.guest.read(at, &flags, sizeof flags)) return false;
  const u32 wanted = ignores ? flags | 1 : flags & ~1U;
  (void)process.guest.write(at, &wanted, sizeof wanted);
  return (flags & 1) != 0;
}

// kernelbase's function calls no handlers if the process ignores Ctrl-C, not even those for Ctrl-Break. Therefore the
// process does not ignore it while the function handles Ctrl-Break.
bool send_console_event(State& process, ConsoleEvent event, u64 now_ns) {
  if (process.console_control == 0 || process.is_starting || count_living_threads(process) >= kMostThreads)
    return false;
  Thread* const made = make_thread(process, {process.console_control, static_cast<u64>(event), 0});
  if (made == nullptr) return false;
  made->processor = process.threads.front()->processor;
  made->affinity = process.affinity;
  made->ready_ns = now_ns;
  made->ignores_interrupts_after = event == ConsoleEvent::break_key && ignore_interrupts(process, false);
  return true;
}

std::span<const Service> console_services() {
  return kConsoleServices;
}

}  // namespace wperf::sim::nt
