// SPDX-License-Identifier: BSD-3-Clause
#include "ground/packing/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <new>

namespace wperf::packing {
namespace {

constexpr int kWindowBits = 15, kGzip = 16;
constexpr usize kWindow = usize{1} << kWindowBits, kMostAtOnce = 1 << 30;

z_const Bytef* input_of(const void* bytes) {
  return static_cast<z_const Bytef*>(const_cast<void*>(bytes));
}

}  // namespace

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
  constexpr int kMemory = 8;
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
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, kMostAtOnce);
    state_->stream.next_in = input_of(part.data());
    state_->stream.avail_in = static_cast<uInt>(part.size());
    state_->run(Z_NO_FLUSH);
    bytes.remove_prefix(part.size());
  }
}

void Deflater::finish() {
  state_->run(Z_FINISH);
}

std::string deflated(std::string_view bytes, Form form, Effort effort) {
  std::string out;
  Deflater deflater(form, effort, [&](std::string_view piece) { out += piece; });
  deflater.add(bytes);
  deflater.finish();
  return out;
}

namespace {

// One raw stream. The destructor frees its state.
class Inflater {
 public:
  explicit Inflater(std::span<const std::byte> compressed) : rest_(compressed) {
    if (inflateInit2(&stream_, -kWindowBits) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  // Gives zlib the preceding bytes that the stream may refer back to.
  void follow(std::span<const std::byte> before) {
    before = before.last(std::min(before.size(), kWindow));
    inflateSetDictionary(&stream_, input_of(before.data()), static_cast<uInt>(before.size()));
  }
  bool run(u64 limit, const TakePiece& take);
  usize left() const { return rest_.size() + stream_.avail_in; }

 private:
  std::span<const std::byte> rest_;  // input that zlib has not been given yet
  z_stream stream_{};
};

bool Inflater::run(u64 limit, const TakePiece& take) {
  constexpr u64 kPiece = 1 << 18;
  // One byte beyond the limit shows whether the stream is longer.
  std::vector<std::byte> out(static_cast<usize>(std::min(kPiece, limit + (limit < kPiece ? 1 : 0))));
  while (true) {
    if (stream_.avail_in == 0) {
      const std::span<const std::byte> part = rest_.first(std::min(rest_.size(), kMostAtOnce));
      stream_.next_in = input_of(part.data());
      stream_.avail_in = static_cast<uInt>(part.size());
      rest_ = rest_.subspan(part.size());
    }
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int answer = ::inflate(&stream_, Z_NO_FLUSH);
    if (answer == Z_MEM_ERROR) throw std::bad_alloc();
    const usize made = out.size() - stream_.avail_out, kept = static_cast<usize>(std::min<u64>(made, limit));
    if (kept != 0 && !take(std::span(out).first(kept))) return false;
    if (answer == Z_STREAM_END) return made == kept;
    // Z_BUF_ERROR means that the input ended too early.
    if (answer != Z_OK || made > kept) return false;
    limit -= kept;
  }
}

}  // namespace

bool inflate(std::span<const std::byte> compressed, u64 limit, const TakePiece& take, usize* used) {
  Inflater inflater(compressed);
  const bool whole = inflater.run(limit, take);
  if (used != nullptr) *used = compressed.size() - inflater.left();
  return whole;
}

bool inflate(std::span<const std::byte> compressed, std::vector<std::byte>& out, usize limit) {
  if (out.size() > limit) return false;
  Inflater inflater(compressed);
  inflater.follow(out);
  return inflater.run(limit - out.size(), [&](std::span<const std::byte> piece) {
    out.insert(out.end(), piece.begin(), piece.end());
    return true;
  });
}

u32 checksum_of(std::span<const std::byte> bytes, u32 before) {
  if (bytes.empty()) return before;  // for an empty span, zlib would return its initial value
  return static_cast<u32>(crc32_z(before, input_of(bytes.data()), bytes.size()));
}

}  // namespace wperf::packing
