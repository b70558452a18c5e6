// SPDX-License-Identifier: BSD-3-Clause
// FILE streams of the C runtime. Output is passed on at once; input is read ahead, on the host.
#include <algorithm>
#include <array>

#include "sim/windows/crt_call.h"
#include "sim/windows/wide_strings.h"
#include "sim/windows/win32_surface.h"

namespace wperf::sim {
namespace {

constexpr usize kReadAhead = 64 << 10;
constexpr u64 kLargestTransfer = 1u << 30;

CrtStream* stream_at(Win32Call& call, u64 address) {
  auto& streams = call.state.crt.streams;
  const u64 offset = address - (call.state.crt.data + kCrtStreams);
  if (offset % kStreamBytes == 0 && offset / kStreamBytes < streams.size() && streams[offset / kStreamBytes].open)
    return &streams[offset / kStreamBytes];
  call.crash(hex(address) + " is not an open stream");
  return nullptr;
}

u64 address_of(const Win32Call& call, usize index) {
  return call.state.crt.data + kCrtStreams + index * kStreamBytes;
}

// "r", "w+b", "ab" and other modes as flags of _open.
std::optional<u32> mode_flags(std::string_view mode) {
  if (mode.empty()) return std::nullopt;
  const bool both = mode.substr(0, mode.find(',')).find('+') != std::string_view::npos;
  const u32 exclusive = mode.find('x') != std::string_view::npos ? kOpenExclusive : 0;
  switch (mode[0]) {
    case 'r':
      return both ? kOpenReadWrite : 0;
    case 'w':
      return (both ? kOpenReadWrite : kOpenWrite) | kOpenCreate | kOpenTruncate | exclusive;
    case 'a':
      return (both ? kOpenReadWrite : kOpenWrite) | kOpenCreate | kOpenAppend;
    default:
      return std::nullopt;
  }
}

u64 add_stream(Win32Call& call, u32 descriptor) {
  auto& streams = call.state.crt.streams;
  usize free = 3;
  while (free < streams.size() && streams[free].open) ++free;
  if (free == kMostStreams) return fail_with(call, kTooManyFiles, 0);
  if (free == streams.size()) streams.emplace_back();
  streams[free] = {true, false, false, descriptor, {}, 0};
  return address_of(call, free);
}

u64 open_named(Win32Call& call, const std::optional<std::string>& name, const std::optional<std::string>& mode) {
  if (!name || !mode) return 0;
  const auto flags = mode_flags(*mode);
  if (!flags) return fail_with(call, kInvalid, 0);
  const int descriptor = open_descriptor(call, *name, *flags);
  if (descriptor < 0) return 0;
  const u64 stream = add_stream(call, static_cast<u32>(descriptor));
  if (stream == 0) (void)close_descriptor(call, static_cast<u32>(descriptor));
  return stream;
}

u64 open_stream(Win32Call& call) {
  const auto name = text_at(call, call.argument(0));
  return name ? open_named(call, name, text_at(call, call.argument(1))) : 0;
}

u64 open_stream_wide(Win32Call& call) {
  const auto name = wide_text_at(call, call.argument(0));
  return name ? open_named(call, name, wide_text_at(call, call.argument(1))) : 0;
}

u64 open_descriptor_stream(Win32Call& call) {
  return crt_file(call, call.argument(0)) != nullptr ? add_stream(call, call.argument32(0)) : 0;
}

u64 reopen_stream(Win32Call& call) {
  CrtStream* const stream = stream_at(call, call.argument(2));
  if (stream == nullptr) return 0;
  if (call.argument(0) == 0) return call.argument(2);  // another mode: there is only one
  const auto name = text_at(call, call.argument(0));
  const auto mode = name ? text_at(call, call.argument(1)) : std::nullopt;
  if (!mode) return 0;
  (void)close_descriptor(call, stream->descriptor);
  const auto flags = mode_flags(*mode);
  const int descriptor = flags ? open_descriptor(call, *name, *flags) : -1;
  *stream = {descriptor >= 0, false, false, static_cast<u32>(descriptor), {}, 0};
  return descriptor >= 0 ? call.argument(2) : 0;
}

u64 close_stream(Win32Call& call) {
  CrtStream* const stream = stream_at(call, call.argument(0));
  if (stream == nullptr) return 0;
  const bool closed = close_descriptor(call, stream->descriptor);
  *stream = {};
  return closed ? 0 : int_result(-1);
}

bool fill_ahead(Win32Call& call, CrtStream& stream) {
  if (stream.taken < stream.input.size()) return true;
  stream.input.resize(kReadAhead);
  stream.taken = 0;
  const auto got = read_descriptor(call, stream.descriptor, stream.input);
  stream.input.resize(got.value_or(0));
  if (!got) stream.failed = true;
  if (stream.input.empty()) stream.at_end = true;
  return !stream.input.empty();
}

int next_byte(Win32Call& call, CrtStream& stream) {
  return fill_ahead(call, stream) ? static_cast<u8>(stream.input[stream.taken++]) : -1;
}

// Moves the file to the program's position, because the program has not read the bytes that were read ahead.
void give_back(Win32Call& call, CrtStream& stream) {
  const auto ahead = static_cast<std::int64_t>(stream.input.size() - stream.taken);
  if (ahead != 0 && call.state.crt.files[stream.descriptor].kind == CrtFile::Kind::file)
    (void)call.state.files.seek(call.state.crt.files[stream.descriptor].number, -ahead, GuestFiles::From::here);
  stream.input.clear();
  stream.taken = 0;
}

bool put_bytes(Win32Call& call, CrtStream& stream, std::string_view bytes) {
  if (!stream.input.empty()) give_back(call, stream);
  if (write_descriptor(call, stream.descriptor, bytes)) return true;
  stream.failed = true;
  return false;
}

u64 read_blocks(Win32Call& call) {
  CrtStream* const stream = stream_at(call, call.argument(3));
  u64 bytes = 0;
  const u64 size = call.argument(1);
  if (stream == nullptr || size == 0 || call.argument(2) == 0) return 0;
  if (__builtin_mul_overflow(size, call.argument(2), &bytes)) return fail_with(call, kInvalid, 0);
  u64 done = 0;
  while (done < bytes && fill_ahead(call, *stream)) {
    const u64 part = std::min<u64>(bytes - done, stream->input.size() - stream->taken);
    if (!call.write(call.argument(0) + done, stream->input.data() + stream->taken, part)) return 0;
    stream->taken += part;
    done += part;
  }
  return done / size;
}

u64 write_blocks(Win32Call& call) {
  CrtStream* const stream = stream_at(call, call.argument(3));
  u64 bytes = 0;
  const u64 size = call.argument(1);
  if (stream == nullptr || size == 0) return 0;
  if (__builtin_mul_overflow(size, call.argument(2), &bytes) || bytes > kLargestTransfer)
    return fail_with(call, kInvalid, 0);
  if (!call.state.memory.allows(call.argument(0), bytes, kRead))
    return call.crash("cannot read " + std::to_string(bytes) + " bytes at " + hex(call.argument(0)));
  std::string text(bytes, '\0');
  if (!call.read(call.argument(0), text.data(), bytes)) return 0;
  return put_bytes(call, *stream, text) ? call.argument(2) : 0;
}

u64 get_character(Win32Call& call, u64 address) {
  CrtStream* const stream = stream_at(call, address);
  return stream != nullptr ? int_result(next_byte(call, *stream)) : 0;
}

u64 get_from(Win32Call& call) {
  return get_character(call, call.argument(0));
}
u64 get_standard(Win32Call& call) {
  return get_character(call, address_of(call, 0));
}

u64 get_line(Win32Call& call) {
  CrtStream* const stream = stream_at(call, call.argument(2));
  const auto capacity = static_cast<std::int32_t>(call.argument32(1));
  if (stream == nullptr || capacity <= 0) return 0;
  std::string line;
  while (line.size() + 1 < static_cast<usize>(capacity)) {
    const int byte = next_byte(call, *stream);
    if (byte < 0) break;
    line += static_cast<char>(byte);
    if (byte == '\n') break;
  }
  if (line.empty() && capacity > 1) return 0;
  return call.write(call.argument(0), line.c_str(), line.size() + 1) ? call.argument(0) : 0;
}

u64 unget(Win32Call& call) {
  CrtStream* const stream = stream_at(call, call.argument(1));
  if (stream == nullptr || call.argument32(0) == ~0u) return int_result(-1);
  const char byte = static_cast<char>(call.argument32(0));
  if (stream->taken != 0)
    stream->input[--stream->taken] = byte;
  else
    stream->input.insert(stream->input.begin(), byte);
  stream->at_end = false;
  return static_cast<u8>(byte);
}

u64 put_character(Win32Call& call) {
  CrtStream* const stream = stream_at(call, call.argument(1));
  const char byte = static_cast<char>(call.argument32(0));
  return stream != nullptr && put_bytes(call, *stream, {&byte, 1}) ? static_cast<u8>(byte) : int_result(-1);
}

u64 put_wide_character(Win32Call& call) {
  CrtStream* const stream = stream_at(call, call.argument(1));
  const auto unit = static_cast<u16>(call.argument32(0));
  return stream != nullptr && put_bytes(call, *stream, to_utf8({&unit, 1})) ? unit : 0xffff;
}

u64 put_text(Win32Call& call) {
  CrtStream* const stream = stream_at(call, call.argument(1));
  const auto text = stream != nullptr ? text_at(call, call.argument(0)) : std::nullopt;
  return text && put_bytes(call, *stream, *text) ? 0 : int_result(-1);
}

u64 print(Win32Call& call, u64 stream_address, u64 format_address, const ArgumentList& arguments) {
  CrtStream* const stream = stream_at(call, stream_address);
  const auto format = stream != nullptr ? text_at(call, format_address) : std::nullopt;
  const auto text = format ? format_text(call, *format, arguments) : std::nullopt;
  return text && put_bytes(call, *stream, *text) ? text->size() : int_result(-1);
}

u64 print_to(Win32Call& call) {
  return print(call, call.argument(0), call.argument(1), ArgumentList(call, 2));
}
u64 print_standard(Win32Call& call) {
  return print(call, address_of(call, 1), call.argument(0), ArgumentList(call, 1));
}
u64 print_list(Win32Call& call) {
  return print(call, call.argument(0), call.argument(1), ArgumentList::pointed_to(call, call.argument(2)));
}

u64 print_wide(Win32Call& call) {
  CrtStream* const stream = stream_at(call, call.argument(0));
  const auto format = stream != nullptr ? wide_text_at(call, call.argument(1)) : std::nullopt;
  const auto text = format ? format_text(call, *format, ArgumentList(call, 2)) : std::nullopt;
  return text && put_bytes(call, *stream, *text) ? text->size() : int_result(-1);
}

// Prints into memory. Windows' own _vsnprintf returns -1 if the text does not fit, and omits the terminator.
u64 print_into(Win32Call& call, u64 place, u64 capacity, u64 format_address, const ArgumentList& arguments) {
  const auto format = text_at(call, format_address);
  const auto text = format ? format_text(call, *format, arguments) : std::nullopt;
  if (!text) return int_result(-1);
  const u64 bytes = std::min<u64>(text->size() + 1, capacity);
  if (bytes != 0 && !call.write(place, text->c_str(), bytes)) return 0;
  return text->size() <= capacity ? text->size() : int_result(-1);
}

u64 print_list_into(Win32Call& call) {
  return print_into(call, call.argument(0), call.argument(1), call.argument(2),
                    ArgumentList::pointed_to(call, call.argument(3)));
}
u64 print_some_into(Win32Call& call) {
  return print_into(call, call.argument(0), call.argument(1), call.argument(2), ArgumentList(call, 3));
}
u64 print_all_into(Win32Call& call) {
  return print_into(call, call.argument(0), ~0ull, call.argument(1), ArgumentList(call, 2));
}

u64 say_error(Win32Call& call) {
  std::string text;
  if (call.argument(0) != 0) {
    const auto prefix = text_at(call, call.argument(0));
    if (!prefix) return 0;
    if (!prefix->empty()) text = *prefix + ": ";
  }
  u32 number = 0;
  (void)call.state.memory.read(call.state.current->teb + kTebErrno, &number, sizeof number);
  text += std::string(errno_text(number)) + "\n";
  (void)write_descriptor(call, 2, text);
  return 0;
}

bool seek_stream(Win32Call& call, CrtStream& stream, std::int64_t offset, u32 whence) {
  const CrtFile* const file = crt_file(call, stream.descriptor);
  if (file == nullptr) return false;
  if (file->kind != CrtFile::Kind::file || whence > 2) return fail_with(call, kInvalid, 0) != 0;
  give_back(call, stream);
  stream.at_end = false;
  const auto from = whence == 0   ? GuestFiles::From::start
                    : whence == 1 ? GuestFiles::From::here
                                  : GuestFiles::From::end;
  return call.state.files.seek(file->number, offset, from) ? true : fail_with(call, kInvalid, 0) != 0;
}

u64 seek_stream_call(Win32Call& call) {
  CrtStream* const stream = stream_at(call, call.argument(0));
  const auto offset = static_cast<std::int32_t>(call.argument32(1));
  return stream != nullptr && seek_stream(call, *stream, offset, call.argument32(2)) ? 0 : int_result(-1);
}

u64 seek_far(Win32Call& call) {
  CrtStream* const stream = stream_at(call, call.argument(0));
  const auto offset = static_cast<std::int64_t>(call.argument(1));
  return stream != nullptr && seek_stream(call, *stream, offset, call.argument32(2)) ? 0 : int_result(-1);
}

u64 rewind(Win32Call& call) {
  CrtStream* const stream = stream_at(call, call.argument(0));
  if (stream == nullptr) return 0;
  (void)seek_stream(call, *stream, 0, 0);
  stream->failed = false;
  return 0;
}

std::optional<u64> position(Win32Call& call, const CrtStream& stream) {
  const CrtFile* const file = crt_file(call, stream.descriptor);
  if (file == nullptr) return std::nullopt;
  const auto place =
      file->kind == CrtFile::Kind::file ? call.state.files.seek(file->number, 0, GuestFiles::From::here) : std::nullopt;
  if (!place) return fail_with(call, kInvalid, 0) != 0 ? place : std::nullopt;
  return *place - (stream.input.size() - stream.taken);
}

u64 tell(Win32Call& call) {
  const CrtStream* const stream = stream_at(call, call.argument(0));
  return stream != nullptr ? position(call, *stream).value_or(kMinusOne) : 0;
}

u64 get_position(Win32Call& call) {
  const CrtStream* const stream = stream_at(call, call.argument(0));
  const auto place = stream != nullptr ? position(call, *stream) : std::nullopt;
  return place && call.write_value(call.argument(1), *place) ? 0 : int_result(-1);
}

u64 set_position(Win32Call& call) {
  CrtStream* const stream = stream_at(call, call.argument(0));
  std::int64_t place = 0;
  if (stream == nullptr || !call.read_value(call.argument(1), place)) return int_result(-1);
  return seek_stream(call, *stream, place, 0) ? 0 : int_result(-1);
}

u64 flush(Win32Call& call) {
  return call.argument(0) == 0 || stream_at(call, call.argument(0)) != nullptr ? 0 : int_result(-1);
}

u64 is_at_end(Win32Call& call) {
  const CrtStream* const stream = stream_at(call, call.argument(0));
  return stream != nullptr && stream->at_end;
}
u64 has_failed(Win32Call& call) {
  const CrtStream* const stream = stream_at(call, call.argument(0));
  return stream != nullptr && stream->failed;
}

u64 clear_state(Win32Call& call) {
  CrtStream* const stream = stream_at(call, call.argument(0));
  if (stream != nullptr) stream->at_end = stream->failed = false;
  return 0;
}

u64 descriptor_of(Win32Call& call) {
  const CrtStream* const stream = stream_at(call, call.argument(0));
  return stream != nullptr ? stream->descriptor : 0;
}

u64 streams(Win32Call& call) {
  return address_of(call, 0);
}
u64 numbered_stream(Win32Call& call) {
  return address_of(call, call.argument32(0) % 3);
}

u64 leave_buffer(Win32Call&) {
  return 0;
}

constexpr Win32Function kStream[] = {
    {"fopen", kCrtDll, open_stream},
    {"_wfopen", kCrtDll, open_stream_wide},
    {"_fdopen", kCrtDll, open_descriptor_stream},
    {"freopen", kCrtDll, reopen_stream},
    {"fclose", kCrtDll, close_stream},
    {"fread", kCrtDll, read_blocks},
    {"fwrite", kCrtDll, write_blocks},
    {"fgetc", kCrtDll, get_from},
    {"getc", kCrtDll, get_from},
    {"getchar", kCrtDll, get_standard},
    {"fgets", kCrtDll, get_line},
    {"ungetc", kCrtDll, unget},
    {"fputc", kCrtDll, put_character},
    {"putc", kCrtDll, put_character},
    {"fputwc", kCrtDll, put_wide_character},
    {"fputs", kCrtDll, put_text},
    {"fprintf", kCrtDll, print_to},
    {"printf", kCrtDll, print_standard},
    {"vfprintf", kCrtDll, print_list},
    {"fwprintf", kCrtDll, print_wide},
    {"_vsnprintf", kCrtDll, print_list_into},
    {"_snprintf", kCrtDll, print_some_into},
    {"sprintf", kCrtDll, print_all_into},
    {"perror", kCrtDll, say_error},
    {"fseek", kCrtDll, seek_stream_call},
    {"_fseeki64", kCrtDll, seek_far},
    {"rewind", kCrtDll, rewind},
    {"ftell", kCrtDll, tell},
    {"_ftelli64", kCrtDll, tell},
    {"fgetpos", kCrtDll, get_position},
    {"fsetpos", kCrtDll, set_position},
    {"fflush", kCrtDll, flush},
    {"feof", kCrtDll, is_at_end},
    {"ferror", kCrtDll, has_failed},
    {"clearerr", kCrtDll, clear_state},
    {"_fileno", kCrtDll, descriptor_of},
    {"__iob_func", kCrtDll, streams},
    {"__acrt_iob_func", kCrtDll, numbered_stream},
    {"setvbuf", kCrtDll, leave_buffer},
    {"setbuf", kCrtDll, leave_buffer},
};

}  // namespace

std::span<const Win32Function> crt_stream_functions() {
  return kStream;
}

}  // namespace wperf::sim
