// SPDX-License-Identifier: BSD-3-Clause
// These functions are part of the library's stable interface. They are declared here so that the build does not need
// the package with the header.
#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

#include "ground/os/shared_library.h"
#include "ground/os/zstd_stream.h"

namespace wperf::os {
namespace {

constexpr const char* kLibrary = "libzstd.so.1";

}  // namespace

struct ZstdStream::State {
  struct InBuffer {
    const void* bytes;
    size_t size, position;
  };
  struct OutBuffer {
    void* bytes;
    size_t size, position;
  };

  void* (*create)() = nullptr;
  size_t (*free)(void* stream) = nullptr;
  size_t (*decompress)(void* stream, OutBuffer* out, InBuffer* in) = nullptr;
  size_t (*restart)(void* stream) = nullptr;
  unsigned (*is_error)(size_t code) = nullptr;
  void* stream = nullptr;

  ~State() {
    if (stream != nullptr) free(stream);
  }
};

ZstdStream::ZstdStream() : state_(std::make_unique<State>()) {}
ZstdStream::ZstdStream(ZstdStream&&) noexcept = default;
ZstdStream& ZstdStream::operator=(ZstdStream&&) noexcept = default;
ZstdStream::~ZstdStream() = default;

diag::Result<ZstdStream> ZstdStream::open() {
  const auto library = SharedLibrary::load(kLibrary);
  if (!library.has_value()) {
    return diag::Error{
        .text = "its records are compressed with Zstandard, and the library for it is missing: " + library.error().text,
        .hint = "install libzstd (Debian package libzstd1)"};
  }
  ZstdStream out;
  State& state = *out.state_;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.value().find(name));
    return function != nullptr;
  };
  if (!find(state.create, "ZSTD_createDStream") || !find(state.free, "ZSTD_freeDStream") ||
      !find(state.decompress, "ZSTD_decompressStream") || !find(state.restart, "ZSTD_initDStream") ||
      !find(state.is_error, "ZSTD_isError")) {
    return diag::Error{.text = std::string(kLibrary) + " lacks a function for streams", .hint = {}};
  }
  state.stream = state.create();
  if (state.stream == nullptr) return diag::Error{.text = "not enough memory to unpack records", .hint = {}};
  return out;
}

void ZstdStream::restart() {
  state_->restart(state_->stream);
}

bool ZstdStream::begins_frame(std::span<const std::byte> piece) {
  constexpr unsigned char kMagic[] = {0x28, 0xb5, 0x2f, 0xfd};
  return piece.size() >= sizeof kMagic && std::memcmp(piece.data(), kMagic, sizeof kMagic) == 0;
}

diag::Result<void> ZstdStream::unpack(std::span<const std::byte> piece, std::vector<std::byte>& out, size_t limit) {
  constexpr size_t kStep = 256 << 10;
  State& state = *state_;
  State::InBuffer in{piece.data(), piece.size(), 0};
  bool is_full = true;
  // If `out` had no room, output of earlier input may still be pending.
  while (in.position < in.size || is_full) {
    const size_t before = out.size();
    if (before >= limit)
      return diag::Error{.text = "unpacked records exceed the limit of " + std::to_string(limit) + " bytes",
                         .hint = {}};
    out.resize(before + std::min(kStep, limit - before));
    State::OutBuffer to{out.data() + before, out.size() - before, 0};
    const size_t code = state.decompress(state.stream, &to, &in);
    is_full = to.position == to.size;
    out.resize(before + to.position);
    if (state.is_error(code) != 0) return diag::Error{.text = "compressed data is damaged", .hint = {}};
    if (to.position == 0 && in.position < in.size && code == 0) continue;  // the next frame begins
    if (to.position == 0 && !is_full && in.position == in.size) break;
  }
  return {};
}

}  // namespace wperf::os
