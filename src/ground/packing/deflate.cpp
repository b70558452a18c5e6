// SPDX-License-Identifier: BSD-3-Clause
#include "ground/packing/deflate.h"

#include <algorithm>
#include <array>
#include <new>
#include <vector>

#ifdef WPERF_HAS_ZLIB
#include <zlib.h>
#endif

namespace wperf::packing {

#ifdef WPERF_HAS_ZLIB

struct Deflater::State {
  static constexpr usize kPiece = 1 << 16;
  z_stream stream{};
  TakeBytes take;
  std::vector<Bytef> out = std::vector<Bytef>(kPiece);

  void run(int flush) {
    int answer = Z_OK;
    do {
      stream.next_out = out.data();
      stream.avail_out = kPiece;
      answer = ::deflate(&stream, flush);
      const usize size = kPiece - stream.avail_out;
      if (size != 0) take({reinterpret_cast<const char*>(out.data()), size});
    } while (flush == Z_FINISH ? answer != Z_STREAM_END && answer != Z_STREAM_ERROR : stream.avail_out == 0);
  }
};

Deflater::Deflater(Form form, Effort effort, TakeBytes take) : state_(std::make_unique<State>()) {
  constexpr int kWindowBits = 15, kGzip = 16, kMemory = 8;
  const int level = effort == Effort::fast ? 1 : effort == Effort::usual ? 6 : 9;
  const int window = form == Form::raw ? -kWindowBits : kWindowBits + kGzip;
  state_->take = std::move(take);
  if (deflateInit2(&state_->stream, level, Z_DEFLATED, window, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

Deflater::~Deflater() {
  deflateEnd(&state_->stream);
}

void Deflater::add(std::string_view bytes) {
  constexpr usize kMostAtOnce = 1 << 30;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, kMostAtOnce);
    state_->stream.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(part.data()));
    state_->stream.avail_in = static_cast<uInt>(part.size());
    state_->run(Z_NO_FLUSH);
    bytes.remove_prefix(part.size());
  }
}

void Deflater::finish() {
  state_->run(Z_FINISH);
}

#else

// Stored blocks, without compression.
struct Deflater::State {
  static constexpr usize kBlock = 0xffff;
  Form form = Form::raw;
  TakeBytes take;
  std::string block;
  u32 check = ~u32{0}, size = 0;

  void put(bool is_last) {
    const auto length = static_cast<u32>(block.size());
    const std::array<char, 5> header = {static_cast<char>(is_last), static_cast<char>(length),
                                        static_cast<char>(length >> 8), static_cast<char>(~length),
                                        static_cast<char>(~length >> 8)};
    take({header.data(), header.size()});
    take(block);
    block.clear();
  }
  void count(std::string_view bytes) {
    constexpr u32 kPolynomial = 0xedb88320;
    size += static_cast<u32>(bytes.size());
    for (const char byte : bytes) {
      check ^= static_cast<u8>(byte);
      for (u32 bit = 0; bit < 8; ++bit) check = (check >> 1) ^ ((check & 1) != 0 ? kPolynomial : 0);
    }
  }
};

Deflater::Deflater(Form form, Effort, TakeBytes take) : state_(std::make_unique<State>()) {
  state_->form = form;
  state_->take = std::move(take);
  if (form == Form::gzip) state_->take(std::string_view("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10));
}

Deflater::~Deflater() = default;

void Deflater::add(std::string_view bytes) {
  state_->count(bytes);
  while (!bytes.empty()) {
    if (state_->block.size() == State::kBlock) state_->put(false);
    const usize length = std::min(bytes.size(), State::kBlock - state_->block.size());
    state_->block.append(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
}

void Deflater::finish() {
  state_->put(true);
  if (state_->form == Form::raw) return;
  std::string end;
  for (const u32 word : {~state_->check, state_->size}) {
    for (u32 shift = 0; shift < 32; shift += 8) end += static_cast<char>(word >> shift);
  }
  state_->take(end);
}

#endif

std::string deflated(std::string_view bytes, Form form, Effort effort) {
  std::string out;
  Deflater deflater(form, effort, [&](std::string_view piece) { out += piece; });
  deflater.add(bytes);
  deflater.finish();
  return out;
}

}  // namespace wperf::packing
