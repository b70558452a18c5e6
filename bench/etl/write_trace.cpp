// SPDX-License-Identifier: BSD-3-Clause
// write_trace FILE EVENTS: writes a trace like one of a busy machine, in Windows' uncompressed format: eight cores
// whose threads are switched, readied and sampled, with a stack after each switch and sample. Written from the
// description of the format, without the product's code.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 kBuffer = 1 << 16, kHeader = 0x48, kCores = 8, kThreads = 64, kFirstThread = 1000;
constexpr u64 kBase = 0x7ff6'1000'0000, kKernelBase = 0xffff'f800'0000'0000, kFrequency = 10'000'000;

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void put_wide(std::string& out, std::string_view text) {
  for (const char c : text) put(out, static_cast<u16>(c));
  put(out, u16{0});
}

class Core {
 public:
  Core(u16 number, std::FILE* file, u64& sequence) : number_(number), file_(file), sequence_(sequence) {}

  // A record with the kernel's short header.
  void add(u8 group, u8 opcode, u16 version, u64 time, std::string_view payload) {
    std::string record;
    put(record, version);
    record += '\x11';
    record += '\xc0';
    put(record, static_cast<u16>(16 + payload.size()));
    record += static_cast<char>(opcode);
    record += static_cast<char>(group);
    put(record, time);
    record += payload;
    record.resize((record.size() + 7) / 8 * 8, '\0');
    if (kHeader + records_.size() + record.size() > kBuffer) flush();
    records_ += record;
  }
  void flush(u16 type = 0) {
    if (records_.empty()) return;
    std::string head;
    put(head, kBuffer);
    head.resize(0x18, '\0');
    put(head, sequence_++);
    head.resize(0x28, '\0');
    put(head, number_);
    put(head, u16{0});
    put(head, u32{0});
    put(head, static_cast<u32>(kHeader + records_.size()));
    put(head, u16{0x20});
    put(head, type);
    head.resize(kHeader, '\0');
    head += records_;
    head.resize(kBuffer, '\xff');
    std::fwrite(head.data(), 1, head.size(), file_);
    records_.clear();
  }
  void add_raw(const std::string& record) { records_ += record; }

 private:
  u16 number_;
  std::FILE* file_;
  u64& sequence_;
  std::string records_;
};

void begin_trace(Core& core) {
  std::string facts;
  put(facts, kBuffer);
  facts += std::string("\x0a\x00\x01\x05", 4);
  put(facts, u32{22000});
  put(facts, kCores);
  facts.resize(0x20, '\0');
  put(facts, u32{1});
  facts.resize(0x2c, '\0');
  put(facts, u32{8});
  facts.resize(0x100, '\0');
  put(facts, kFrequency);
  put(facts, u64{133'500'000'000'000'000});
  put(facts, u32{1});
  put(facts, u32{0});
  put_wide(facts, "bench");
  put_wide(facts, "bench.etl");
  std::string record("\x02\x00\x02\xc0", 4);
  put(record, static_cast<u16>(32 + facts.size()));
  record += std::string(2, '\0');
  put(record, u64{0});
  put(record, u64{1000});
  put(record, u64{0});
  record += facts;
  record.resize((record.size() + 7) / 8 * 8, '\0');
  core.add_raw(record);
  core.flush(4);
}

// A program executes the same code again and again, so only this many stacks are different.
constexpr u32 kStacks = 20'000;

std::string stack_of(u64 time, u32 process, u32 thread, u32 random) {
  const u32 seed = ((random >> 4) % kStacks) * 2654435761u;
  std::string payload;
  put(payload, time);
  put(payload, process);
  put(payload, thread);
  for (u32 i = 0; i < 6; ++i) put(payload, kKernelBase + 0x1000 * ((seed >> i) % 40) + 0x20);
  for (u32 i = 0; i < 18; ++i) put(payload, kBase + 0x800 * ((seed >> (i % 13)) % 90 + i) + 0x10);
  return payload;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  std::FILE* file = std::fopen(words[1], "wb");
  if (file == nullptr) return 1;
  const u64 wanted = std::strtoull(words[2], nullptr, 10);
  u64 sequence = 0, events = 0, switches = 0;
  std::vector<Core> cores;
  for (u16 i = 0; i < kCores; ++i) cores.emplace_back(i, file, sequence);
  begin_trace(cores[0]);
  for (u32 i = 0; i < kThreads; ++i) {
    std::string thread;
    put(thread, kFirstThread / 2 + i / 16);
    put(thread, kFirstThread + i);
    thread.resize(72, '\0');
    cores[0].add(5, 3, 3, 1001, thread);
  }
  std::array<u32, kCores> runs{};
  u32 random = 1;
  u64 now = 2000;
  while (events < wanted) {
    random = random * 1664525 + 1013904223;
    now += 20 + (random >> 24);
    const u32 number = (random >> 8) % kCores;
    Core& core = cores[number];
    // Each core has separate threads, so no thread runs on two cores.
    const u32 thread = kFirstThread + number * (kThreads / kCores) + (random >> 16) % (kThreads / kCores);
    const u32 process = kFirstThread / 2 + (thread - kFirstThread) / 16;
    if (random >> 30 == 0 && runs[number] != 0) {
      std::string sample;
      put(sample, kBase + 0x800 * ((random >> 5) % 90) + 0x10);
      put(sample, runs[number]);
      put(sample, u32{1});
      core.add(0x0f, 46, 2, now, sample);
      core.add(0x18, 32, 2, now + 2, stack_of(now, process, runs[number], random));
      events += 2;
      continue;
    }
    if (thread == runs[number]) continue;
    std::string ready;
    put(ready, thread);
    put(ready, u32{0});
    core.add(5, 50, 2, now, ready);
    std::string change;
    put(change, thread);
    put(change, runs[number]);
    put(change, u32{0x08080000});
    change += static_cast<char>(37);
    change += '\0';
    change += static_cast<char>(runs[number] == 0 ? 2 : 5);
    change.resize(24, '\0');
    core.add(5, 36, 4, now + 5, change);
    core.add(0x18, 32, 2, now + 7, stack_of(now + 5, process, thread, random));
    runs[number] = thread;
    events += 3;
    ++switches;
  }
  for (Core& core : cores) core.flush();
  if (std::fclose(file) != 0) return 1;
  std::printf("%llu %llu\n", static_cast<unsigned long long>(events), static_cast<unsigned long long>(switches));
  return 0;
}
