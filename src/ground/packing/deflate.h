// SPDX-License-Identifier: BSD-3-Clause
// DEFLATE (RFC 1951), which zip and gzip files and MSZIP cabinets use. It packs and unpacks in pieces, so neither input
// nor output is ever in memory as a whole. Uses zlib.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"

namespace wperf::packing {

using TakeBytes = std::function<void(std::string_view)>;

enum class Form : u8 { raw, gzip };
enum class Effort : u8 { fast, usual, best };

class Deflater {
 public:
  // `take` gets the output, in pieces of at most 64 KiB.
  Deflater(Form form, Effort effort, TakeBytes take);
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater();

  void add(std::string_view bytes);
  void finish();  // called once, after the last bytes

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string deflated(std::string_view bytes, Form form, Effort effort = Effort::usual);

// Unpacks `compressed` and appends the result to `out`; the stream may refer back to the last 32 KiB of `out`. Returns
// false for damaged data, and for data that would make `out` longer than `limit`.
[[nodiscard]] bool inflate(std::span<const std::byte> compressed, std::vector<std::byte>& out, usize limit);

// Unpacks in pieces of at most 256 KiB. Each is given to `take`, which may return false to stop. Unpacks at most
// `limit` bytes. The bytes before damage are given to `take`, too. If other data may follow, `used` receives the number
// of bytes of `compressed` that were consumed.
using TakePiece = std::function<bool(std::span<const std::byte>)>;
[[nodiscard]] bool inflate(std::span<const std::byte> compressed, u64 limit, const TakePiece& take,
                           usize* used = nullptr);

// CRC-32 as in zip and gzip files. `before`: the checksum of the preceding bytes, 0 at the beginning.
u32 checksum_of(std::span<const std::byte> bytes, u32 before = 0);

}  // namespace wperf::packing
