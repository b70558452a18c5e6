// SPDX-License-Identifier: BSD-3-Clause
// Makes SPE records as a Neoverse core writes them and decodes them:
//   decode_bench [--records N] [--rounds N] [--check]            MB/s and records/s of the best round, and its time
//                                                                relative to a loop over the bytes; --check: fail above
//                                                                a ratio
//   decode_bench [--records N] [--kinds-by-chance] --write FILE  the records themselves, for comparisons with other
//                                                                decoders
// With --kinds-by-chance each record is of a different kind, so that nearly every one is a new key for the counting
// code.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "formats/spe/contract_names.h"
#include "formats/spe/record_reader.h"
#include "formats/spe/spe_encoder.h"

namespace {

using wperf::u32;
using wperf::u64;
using wperf::usize;
using namespace wperf::spe;

// The limit is relative to a loop over the same bytes, so that code that became several times slower is found on any
// machine.
constexpr double kMostTimesTheFloor = 6;

struct Options {
  u64 records = 4'000'000;
  u32 rounds = 5;
  bool check = false, kinds_by_chance = false;
  std::string write;
};

// Random numbers, the same in each run, so that branch predictors cannot learn the order of the operations.
class Numbers {
 public:
  u32 below(u32 limit) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<u32>((state_ >> 33) % limit);
  }

 private:
  u64 state_ = 20240229;
};

// The kind of instruction at an address. It is the same each time, as in a program.
struct Instruction {
  u32 operation_class = kClassOther, payload = 0;
};

Instruction make_instruction(Numbers& numbers) {
  const u32 kind = numbers.below(100);
  if (kind < 45) return {kClassMemory, numbers.below(3) == 0 ? 1U : numbers.below(4) == 0 ? 4U : 0U};
  if (kind < 62) return {kClassBranch, numbers.below(4)};
  return {};
}

std::vector<Instruction> make_program(Numbers& numbers) {
  std::vector<Instruction> program(20'000);
  for (Instruction& instruction : program) instruction = make_instruction(numbers);
  return program;
}

SpeEncoder make_records(u64 count, bool kinds_by_chance) {
  constexpr std::array<u32, 6> kSources = {0, 0, 0, 8, 0xb, 0xe};
  constexpr std::array<u32, 4> kLatencies = {4, 4, 11, 180};
  SpeEncoder encoder;
  encoder.reserve(count * 64);
  Numbers numbers;
  const std::vector<Instruction> program = make_program(numbers);
  for (u64 i = 0; i < count; ++i) {
    EncodedOperation operation;
    const u32 place = numbers.below(static_cast<u32>(program.size()));
    const Instruction instruction = kinds_by_chance ? make_instruction(numbers) : program[place];
    operation.operation_class = instruction.operation_class;
    operation.payload = instruction.payload;
    operation.pc = 0x7ff6'1000'0000 + 4 * u64{place};
    operation.issue_latency = numbers.below(40);
    operation.total_latency = operation.issue_latency + kLatencies[numbers.below(4)];
    operation.timestamp = 1'000'000'000 + i * 37;
    operation.context = 4000 + numbers.below(4);
    if (operation.operation_class == kClassMemory) {
      operation.address = 0x0000'01d0'0000'0000 + 8 * u64{numbers.below(1U << 24)};
      operation.events = 0x16U | (numbers.below(6) == 0 ? 8U : 0U) | (numbers.below(50) == 0 ? 0x20U : 0U);
      operation.translation_latency = 1 + numbers.below(3);
      operation.source = kSources[numbers.below(6)];
    } else if (operation.operation_class == kClassBranch) {
      operation.address = operation.pc + 64;
      operation.events = 2U | (numbers.below(20) == 0 ? 0x80U : 0U) | (numbers.below(3) == 0 ? 0x40U : 0U);
    }
    if (kinds_by_chance) {
      operation.events = 2U | numbers.below(16) << 2;
      operation.total_latency = operation.issue_latency + numbers.below(4000);
    }
    encode_neoverse_record(operation, encoder);
  }
  return encoder;
}

struct Sums {
  std::array<u64, kOperationNameCount> by_operation{};
  u64 latency = 0, pcs = 0, addresses = 0, events = 0;

  friend bool operator==(const Sums&, const Sums&) = default;
};

Sums decode(const SpeEncoder& encoder, DecodeState& state) {
  Sums sums;
  const usize used = for_each_record(encoder.bytes(), state, [&](const Record& record) {
    ++sums.by_operation[static_cast<usize>(operation_name(record))];
    sums.latency += record.total_latency();
    sums.pcs ^= record.pc();
    sums.addresses ^= record.data_virtual();
    sums.events |= record.events();
  });
  end_of_buffer(state, encoder.size() - used);
  return sums;
}

u64 each_byte(std::span<const std::byte> bytes) {
  u64 sum = 1;
  for (const std::byte byte : bytes) sum = sum * 31 + static_cast<u64>(byte);
  return sum;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int run(const Options& options) {
  const SpeEncoder encoder = make_records(options.records, options.kinds_by_chance);
  if (!options.write.empty()) {
    std::ofstream file(options.write, std::ios::binary);
    file.write(reinterpret_cast<const char*>(encoder.bytes().data()), static_cast<std::streamsize>(encoder.size()));
    return file.good() ? 0 : 1;
  }
  double best = 1e30, floor = 1e30;
  Sums first;
  u64 checksum = 0;
  for (u32 round = 0; round < options.rounds; ++round) {
    const auto floor_start = std::chrono::steady_clock::now();
    checksum ^= each_byte(encoder.bytes());
    floor = std::min(floor, seconds_since(floor_start));
    DecodeState state;
    const auto start = std::chrono::steady_clock::now();
    const Sums sums = decode(encoder, state);
    best = std::min(best, seconds_since(start));
    if (round == 0) first = sums;
    if (state.records != options.records || state.damage.any() || !(sums == first)) {
      std::fprintf(stderr, "error: %llu of %llu records\n", static_cast<unsigned long long>(state.records),
                   static_cast<unsigned long long>(options.records));
      return 1;
    }
  }
  const double per_second = static_cast<double>(options.records) / best;
  std::printf(
      "%llu records, %.0f MB: %.3f s, %.0f MB/s, %.1f million records/s, %.2f times a loop over the bytes "
      "(best of %u; mean latency %.1f, checksum %llx)\n",
      static_cast<unsigned long long>(options.records), static_cast<double>(encoder.size()) / 1e6, best,
      static_cast<double>(encoder.size()) / 1e6 / best, per_second / 1e6, best / floor, options.rounds,
      static_cast<double>(first.latency) / static_cast<double>(options.records),
      static_cast<unsigned long long>(checksum));
  return options.check && best > kMostTimesTheFloor * floor ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--check" || word == "--kinds-by-chance") {
      (word == "--check" ? options.check : options.kinds_by_chance) = true;
      continue;
    }
    if (word == "--records") options.records = std::strtoull(value, nullptr, 10);
    if (word == "--rounds") options.rounds = static_cast<u32>(std::strtoul(value, nullptr, 10));
    if (word == "--write") options.write = value;
    ++i;
  }
  return run(options);
}
