// SPDX-License-Identifier: BSD-3-Clause
// DEFLATE compression (RFC 1951), bare or as a gzip file (RFC 1952), in pieces: the input is never in memory as a
// whole. By zlib; in a build without it (zlib.cmake), the same form without compressing.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

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
  void finish();  // once, after the last bytes

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string deflated(std::string_view bytes, Form form, Effort effort = Effort::usual);

}  // namespace wperf::packing
