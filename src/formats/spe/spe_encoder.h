// SPDX-License-Identifier: BSD-3-Clause
// SPE packets and records built by hand: for tests, fuzz seeds and benchmarks only.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "base/ints.h"
#include "formats/spe/packets.h"

namespace wperf::spe {

class SpeEncoder {
 public:
  std::span<const std::byte> bytes() const { return bytes_; }
  usize size() const { return bytes_.size(); }
  void clear() { bytes_.clear(); }
  void reserve(usize size) { bytes_.reserve(size); }

  // The header, followed by the low `size` bytes of `payload`.
  SpeEncoder& packet(u32 header, u64 payload, u32 size) {
    bytes_.push_back(static_cast<std::byte>(header));
    for (u32 i = 0; i < size; ++i) bytes_.push_back(static_cast<std::byte>(payload >> 8 * i));
    return *this;
  }
  SpeEncoder& raw(u32 byte) { return packet(byte, 0, 0); }

  // Addresses of code include their exception level.
  SpeEncoder& code(u32 index, u64 address, u32 exception_level = 0, bool non_secure = true) {
    const u64 top = (non_secure ? u64{1} << 63 : 0) | u64{exception_level} << 61;
    return packet(0xb0 | index, (address & 0x00ff'ffff'ffff'ffff) | top, 8);
  }
  SpeEncoder& pc(u64 address, u32 exception_level = 0) { return code(kAddressPc, address, exception_level); }
  SpeEncoder& target(u64 address, u32 exception_level = 0) { return code(kAddressTarget, address, exception_level); }
  SpeEncoder& data(u64 address) { return packet(0xb0 | kAddressDataVirtual, address, 8); }
  SpeEncoder& physical(u64 payload) { return packet(0xb0 | kAddressDataPhysical, payload, 8); }
  SpeEncoder& counter(u32 index, u32 cycles) { return packet(0x98 | index, cycles, 2); }
  SpeEncoder& events(u64 events, u32 log2_size = 1) { return packet(0x42 | log2_size << 4, events, 1U << log2_size); }
  SpeEncoder& source(u64 source, u32 log2_size = 0) { return packet(0x43 | log2_size << 4, source, 1U << log2_size); }
  SpeEncoder& operation(u32 index, u32 payload) { return packet(0x48 | index, payload, 1); }
  SpeEncoder& context(u32 exception_level, u32 value) { return packet(0x63 + exception_level, value, 4); }
  SpeEncoder& timestamp(u64 ticks) { return packet(0x71, ticks, 8); }
  SpeEncoder& end() { return raw(0x01); }
  SpeEncoder& padding(usize count) {
    bytes_.resize(bytes_.size() + count);
    return *this;
  }
  // An extended address or counter: `index` up to 31.
  SpeEncoder& extended(u32 header, u32 index, u64 payload, u32 size) {
    raw(0x20 | index >> 3);
    return packet(header | (index & 7), payload, size);
  }

 private:
  std::vector<std::byte> bytes_;
};

// A Neoverse core's record of one operation: 64 bytes, with the timestamp in the last nine.
struct EncodedOperation {
  u32 operation_class = kClassOther;
  u32 payload = 0;
  u64 pc = 0;
  u32 exception_level = 0;
  u64 address = 0;  // of the data, or the target of a branch
  u64 events = 2;
  u32 issue_latency = 0, total_latency = 0, translation_latency = 0;
  u32 source = 0;  // for a load
  u32 context = 0;
  u64 timestamp = 0;
};
inline void encode_neoverse_record(const EncodedOperation& operation, SpeEncoder& encoder) {
  encoder.pc(operation.pc, operation.exception_level).padding(5).context(2, operation.context);
  encoder.operation(operation.operation_class, operation.payload).events(operation.events);
  encoder.counter(kCounterIssue, operation.issue_latency).counter(kCounterTotal, operation.total_latency);
  if (operation.operation_class == kClassMemory) {
    encoder.data(operation.address).counter(kCounterTranslation, operation.translation_latency).padding(9);
    if ((operation.payload & 1) == 0) {
      encoder.source(operation.source);
    } else {
      encoder.padding(2);
    }
    encoder.padding(2);
  } else if (operation.operation_class == kClassBranch) {
    encoder.target(operation.address, operation.exception_level).padding(16);
  } else {
    encoder.padding(25);
  }
  encoder.timestamp(operation.timestamp);
}

}  // namespace wperf::spe
