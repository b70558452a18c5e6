// SPDX-License-Identifier: BSD-3-Clause
// Traces made for tests: records, buffers and a header.
#pragma once
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "formats/etl/event.h"

namespace wperf::etl {

class TraceBuilder {
 public:
  static constexpr u32 kBufferSize = 4096, kHeader = 0x48;

  template <class T>
  static void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  static void put_wide(std::string& out, std::string_view text) {
    for (const char c : text) put(out, static_cast<u16>(c));
    put(out, u16{0});
  }

  // A kernel record whose header has no thread and process.
  static std::string kernel(u8 group, u8 opcode, u16 version, u64 time, std::string_view payload, u8 type = 0x11) {
    std::string out;
    put(out, version);
    put(out, type);
    put(out, u8{0xc0});
    put(out, static_cast<u16>(16 + payload.size()));
    put(out, opcode);
    put(out, group);
    put(out, time);
    out += payload;
    out.resize((out.size() + 7) / 8 * 8);
    return out;
  }

  static std::string stack(u64 event_time, u64 time, u32 process, u32 thread, std::span<const u64> frames) {
    std::string payload;
    put(payload, event_time);
    put(payload, process);
    put(payload, thread);
    for (const u64 frame : frames) put(payload, frame);
    return kernel(0x18, 32, 2, time, payload);
  }
  // opcode: 37 kernel, 38 user.
  static std::string key(u8 opcode, u64 event_time, u64 time, u32 process, u32 thread, u64 number) {
    std::string payload;
    put(payload, event_time);
    put(payload, process);
    put(payload, thread);
    put(payload, number);
    return kernel(0x18, opcode, 2, time, payload);
  }
  // opcode: 35 deleted, 36 at the end.
  static std::string key_is(u8 opcode, u64 time, u64 number, std::span<const u64> frames) {
    std::string payload;
    put(payload, number);
    for (const u64 frame : frames) put(payload, frame);
    return kernel(0x18, opcode, 2, time, payload);
  }
  static std::string sample(u64 time, u64 address, u32 thread) {
    std::string payload;
    put(payload, address);
    put(payload, thread);
    put(payload, u16{1});
    put(payload, u16{0});
    return kernel(0x0f, 46, 2, time, payload);
  }

  // A buffer with these records; the first buffer of a file must have type 4.
  static std::string buffer(std::string_view records, u16 core, u64 sequence, u16 flags = 0, u16 type = 0) {
    std::string out(kBufferSize, '\xff');
    std::memset(out.data(), 0, kHeader);
    const auto set = [&](usize at, auto value) { std::memcpy(out.data() + at, &value, sizeof value); };
    set(0x00, kBufferSize);
    set(0x18, sequence);
    set(0x28, core);
    set(0x30, static_cast<u32>(kHeader + records.size()));
    set(0x34, static_cast<u16>(flags | 0x20));
    set(0x36, type);
    std::memcpy(out.data() + kHeader, records.data(), records.size());
    return out;
  }

  // The first buffer. The clock has ten million ticks a second; `first` is the time at which the trace begins.
  static std::string header(u64 first, u32 mode = 1, u32 clock = 1, u64 boot = 0) {
    std::string payload(0x118, '\0');
    const auto set = [&](usize at, auto value) { std::memcpy(payload.data() + at, &value, sizeof value); };
    set(0x00, kBufferSize);
    set(0x08, u32{26100});
    set(0x0c, u32{4});
    set(0x10, u64{133'600'000'000'000'000});  // without this time the trace counts as unfinished
    set(0x20, mode);
    set(0x2c, u32{8});
    set(0x34, u32{3000});
    set(0xf8, boot);
    set(0x100, u64{10'000'000});
    set(0x108, u64{133'500'000'000'000'000} + first);
    set(0x110, clock);
    put_wide(payload, "session");
    put_wide(payload, "file.etl");
    std::string record;
    put(record, u16{2});
    put(record, u8{2});
    put(record, u8{0xc0});
    put(record, static_cast<u16>(32 + payload.size()));
    put(record, u8{0});
    put(record, u8{0});
    put(record, u64{0});  // thread and process
    put(record, first);
    put(record, u64{0});
    record += payload;
    record.resize((record.size() + 7) / 8 * 8);
    return buffer(record, 0, 0, 0, 4);
  }
};

}  // namespace wperf::etl
