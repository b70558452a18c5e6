// SPDX-License-Identifier: BSD-3-Clause
#include "ground/packing/inflate.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace wperf::packing {
namespace {

constexpr u32 kLongestCode = 15;
constexpr u32 kFastBits = 10;
constexpr usize kWindow = 32768;

// Gives the lowest bits first. Past the end it gives zeros, and overrun() is true.
class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  u32 peek(u32 count) {
    if (held_ < count && at_ + sizeof(u32) <= bytes_.size()) {
      u32 next = 0;
      std::memcpy(&next, bytes_.data() + at_, sizeof next);
      at_ += sizeof next;
      bits_ |= u64{next} << held_;
      held_ += 32;
    }
    while (held_ < count) {
      const u64 next = at_ < bytes_.size() ? std::to_integer<u64>(bytes_[at_]) : 0;
      ++at_;
      bits_ |= next << held_;
      held_ += 8;
    }
    return static_cast<u32>(bits_ & ((u64{1} << count) - 1));
  }
  void drop(u32 count) {
    bits_ >>= count;
    held_ -= count;
  }
  u32 take(u32 count) {
    const u32 value = peek(count);
    drop(count);
    return value;
  }
  void align_to_byte() { drop(held_ % 8); }
  bool overrun() const { return used() > bytes_.size(); }
  usize used() const { return at_ - held_ / 8; }

 private:
  std::span<const std::byte> bytes_;
  usize at_ = 0;
  u64 bits_ = 0;
  u32 held_ = 0;
};

// A canonical Huffman code, made from the lengths of its codes.
class HuffmanCode {
 public:
  // Returns false if the lengths do not form a prefix code. A code with unused values is valid only with at most one
  // symbol.
  bool build(std::span<const u8> lengths) {
    count_.fill(0);
    fast_.fill({});
    for (const u8 length : lengths) ++count_[length];
    const u32 used = static_cast<u32>(lengths.size()) - count_[0];
    count_[0] = 0;
    u32 code = 0, index = 0, free = 1;
    for (u32 length = 1; length <= kLongestCode; ++length) {
      if (count_[length] > free * 2) return false;
      free = free * 2 - count_[length];
      code = (code + count_[length - 1]) * 2;
      first_code_[length] = code;
      first_index_[length] = index;
      index += count_[length];
    }
    if (free != 0 && used > 1) return false;
    std::array<u32, kLongestCode + 1> next = first_code_;
    for (u32 symbol = 0; symbol < lengths.size(); ++symbol) {
      const u32 length = lengths[symbol];
      if (length != 0) place(static_cast<u16>(symbol), length, next[length]++);
    }
    return true;
  }

  // The next symbol, or -1.
  int decode(BitReader& bits) const {
    const Entry fast = fast_[bits.peek(kFastBits)];
    if (fast.length != 0) {
      bits.drop(fast.length);
      return fast.symbol;
    }
    const u32 ahead = bits.peek(kLongestCode);
    u32 code = 0;
    for (u32 length = 1; length <= kLongestCode; ++length) {
      code = code << 1 | ((ahead >> (length - 1)) & 1);
      if (code >= first_code_[length] && code - first_code_[length] < count_[length]) {
        bits.drop(length);
        return symbols_[first_index_[length] + (code - first_code_[length])];
      }
    }
    return -1;
  }

 private:
  struct Entry {
    u16 symbol = 0;
    u8 length = 0;
  };

  void place(u16 symbol, u32 length, u32 code) {
    symbols_[first_index_[length] + (code - first_code_[length])] = symbol;
    if (length > kFastBits) return;
    u32 reversed = 0;
    for (u32 i = 0; i < length; ++i) reversed |= ((code >> i) & 1) << (length - 1 - i);
    for (u32 i = reversed; i < fast_.size(); i += 1u << length) fast_[i] = {symbol, static_cast<u8>(length)};
  }

  std::array<u32, kLongestCode + 1> count_{}, first_code_{}, first_index_{};
  std::array<u16, 288> symbols_{};
  std::array<Entry, 1u << kFastBits> fast_{};
};

struct Codes {
  HuffmanCode literals, distances;
};

void make_fixed(Codes& codes) {
  std::array<u8, 288> literals{};
  for (usize i = 0; i < literals.size(); ++i) literals[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  std::array<u8, 32> distances{};
  distances.fill(5);
  (void)codes.literals.build(literals);
  (void)codes.distances.build(distances);
}

bool read_dynamic(BitReader& bits, Codes& codes) {
  constexpr u8 kOrder[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  const u32 literal_count = bits.take(5) + 257, distance_count = bits.take(5) + 1, length_count = bits.take(4) + 4;
  if (literal_count > 286 || distance_count > 30) return false;
  std::array<u8, 19> of_lengths{};
  for (u32 i = 0; i < length_count; ++i) of_lengths[kOrder[i]] = static_cast<u8>(bits.take(3));
  HuffmanCode length_code;
  if (!length_code.build(of_lengths)) return false;
  std::array<u8, 286 + 30> lengths{};
  const u32 total = literal_count + distance_count;
  for (u32 at = 0; at < total;) {
    const int symbol = length_code.decode(bits);
    if (symbol < 0 || bits.overrun()) return false;
    if (symbol < 16) {
      lengths[at++] = static_cast<u8>(symbol);
      continue;
    }
    if (symbol == 16 && at == 0) return false;
    const u8 value = symbol == 16 ? lengths[at - 1] : u8{0};
    const u32 times = symbol == 16 ? 3 + bits.take(2) : symbol == 17 ? 3 + bits.take(3) : 11 + bits.take(7);
    if (times > total - at) return false;
    std::fill_n(lengths.begin() + at, times, value);
    at += times;
  }
  const std::span<const u8> all(lengths);
  return lengths[256] != 0 && codes.literals.build(all.first(literal_count)) &&
         codes.distances.build(all.subspan(literal_count, distance_count));
}

// Lengths and distances are a base and some extra bits.
bool read_length(BitReader& bits, u32 symbol, u32& length) {
  if (symbol > 285) return false;
  if (symbol == 285) {
    length = 258;
  } else if (symbol < 265) {
    length = symbol - 257 + 3;
  } else {
    const u32 extra = (symbol - 261) / 4;
    length = ((4 + (symbol - 265) % 4) << extra) + 3 + bits.take(extra);
  }
  return true;
}

bool read_distance(BitReader& bits, int symbol, u32& distance) {
  if (symbol < 0 || symbol > 29) return false;
  if (symbol < 4) {
    distance = static_cast<u32>(symbol) + 1;
  } else {
    const u32 extra = static_cast<u32>(symbol) / 2 - 1;
    distance = ((2 + static_cast<u32>(symbol) % 2) << extra) + 1 + bits.take(extra);
  }
  return true;
}

// All in one piece of memory.
class WholeOutput {
 public:
  WholeOutput(std::vector<std::byte>& out, usize limit) : out_(out), limit_(limit) {}

  bool put(std::byte byte) {
    if (out_.size() >= limit_) return false;
    out_.push_back(byte);
    return true;
  }
  bool repeat(u32 distance, u32 length) {
    if (distance > std::min(out_.size(), kWindow) || length > limit_ - out_.size()) return false;
    const usize from = out_.size() - distance;
    for (usize i = 0; i < length; ++i) out_.push_back(out_[from + i]);
    return true;
  }

 private:
  std::vector<std::byte>& out_;
  usize limit_;
};

// The window that can be referred to, followed by the current piece.
class PieceOutput {
 public:
  PieceOutput(u64 limit, const TakePiece& take) : memory_(kWindow + kPiece), limit_(limit), take_(take) {}

  bool put(std::byte byte) {
    if (limit_ == 0 || (end_ == memory_.size() && !flush())) return false;
    --limit_;
    memory_[end_++] = byte;
    return true;
  }
  bool repeat(u32 distance, u32 length) {
    if (distance > end_ || distance > kWindow || length > limit_) return false;
    if (memory_.size() - end_ < length && !flush()) return false;
    limit_ -= length;
    for (u32 i = 0; i < length; ++i, ++end_) memory_[end_] = memory_[end_ - distance];
    return true;
  }
  bool flush() {
    // A piece that was refused is not offered again when all ends.
    const std::span<std::byte> piece = std::span(memory_).subspan(begin_, end_ - begin_);
    begin_ = end_;
    if (!piece.empty() && !take_(piece)) return false;
    const usize kept = std::min(end_, kWindow);
    std::memmove(memory_.data(), memory_.data() + end_ - kept, kept);
    begin_ = end_ = kept;
    return true;
  }

 private:
  static constexpr usize kPiece = 256 << 10;
  std::vector<std::byte> memory_;
  usize begin_ = 0, end_ = 0;  // the input that was not used yet
  u64 limit_;
  const TakePiece& take_;
};

template <class Output>
bool inflate_codes(BitReader& bits, const Codes& codes, Output& out) {
  for (;;) {
    const int symbol = codes.literals.decode(bits);
    if (symbol < 0 || bits.overrun()) return false;
    if (symbol == 256) return true;
    if (symbol < 256) {
      if (!out.put(static_cast<std::byte>(symbol))) return false;
      continue;
    }
    u32 length = 0, distance = 0;
    if (!read_length(bits, static_cast<u32>(symbol), length)) return false;
    if (!read_distance(bits, codes.distances.decode(bits), distance)) return false;
    if (!out.repeat(distance, length)) return false;
  }
}

template <class Output>
bool inflate_stored(BitReader& bits, Output& out) {
  bits.align_to_byte();
  const u32 length = bits.take(16), complement = bits.take(16);
  if (length != (~complement & 0xffff)) return false;
  for (u32 i = 0; i < length; ++i) {
    const auto byte = static_cast<std::byte>(bits.take(8));
    if (bits.overrun() || !out.put(byte)) return false;
  }
  return !bits.overrun();
}

template <class Output>
bool inflate_blocks(BitReader& bits, Output& out) {
  Codes codes;
  for (bool last = false; !last;) {
    last = bits.take(1) != 0;
    const u32 kind = bits.take(2);
    if (bits.overrun()) return false;
    bool sound = false;
    if (kind == 0) {
      sound = inflate_stored(bits, out);
    } else if (kind == 1) {
      make_fixed(codes);
      sound = inflate_codes(bits, codes, out);
    } else if (kind == 2) {
      sound = read_dynamic(bits, codes) && inflate_codes(bits, codes, out);
    }
    if (!sound) return false;
  }
  return true;
}

}  // namespace

bool inflate(std::span<const std::byte> compressed, std::vector<std::byte>& out, usize limit) {
  if (out.size() > limit) return false;
  WholeOutput whole(out, limit);
  BitReader bits(compressed);
  return inflate_blocks(bits, whole);
}

bool inflate(std::span<const std::byte> compressed, u64 limit, const TakePiece& take, usize* used) {
  PieceOutput pieces(limit, take);
  BitReader bits(compressed);
  const bool sound = inflate_blocks(bits, pieces);
  if (used != nullptr) *used = std::min(bits.used(), compressed.size());
  return pieces.flush() && sound;
}

}  // namespace wperf::packing
