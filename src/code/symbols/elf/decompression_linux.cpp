// SPDX-License-Identifier: BSD-3-Clause
// These functions are part of each library's stable interface. They are declared here so that the build does not need
// the packages with the headers.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "code/symbols/elf/decompression.h"

namespace wperf::symbols::elf {
namespace {

template <typename Function>
struct LoadedFunction {
  Function function = nullptr;
  std::string failure;
};

template <typename Function>
LoadedFunction<Function> load_function(const char* library_name, const char* function_name) {
  LoadedFunction<Function> loaded;
  void* const library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) loaded.function = reinterpret_cast<Function>(dlsym(library, function_name));
  if (loaded.function == nullptr) {
    const char* const reason = dlerror();
    loaded.failure = fmt::format("cannot load the library {}, which unpacks debug information: {}", library_name,
                                 reason != nullptr ? reason : function_name);
  }
  return loaded;
}

using ZlibUncompress = int (*)(unsigned char* to, unsigned long* to_size, const unsigned char* from,
                               unsigned long from_size);
using ZstdDecompress = size_t (*)(void* to, size_t to_size, const void* from, size_t from_size);
using XzBufferDecode = int (*)(std::uint64_t* memory_limit, std::uint32_t flags, const void* allocator,
                               const std::uint8_t* from, size_t* from_position, size_t from_size, std::uint8_t* to,
                               size_t* to_position, size_t to_size);
constexpr int kXzOk = 0, kXzBufferTooSmall = 10;
constexpr std::uint64_t kXzMemoryLimit = std::uint64_t{256} << 20;

diag::Error damaged(const char* format) {
  return {.text = fmt::format("a section compressed with {} is damaged", format), .hint = {}};
}

}  // namespace

diag::Result<std::vector<std::byte>> unpack_zlib(Bytes packed, u64 size) {
  static const auto library = load_function<ZlibUncompress>("libz.so.1", "uncompress");
  if (library.function == nullptr) return diag::Error{.text = library.failure, .hint = {}};
  std::vector<std::byte> out(static_cast<usize>(size));
  unsigned long written = out.size();
  const int status = library.function(reinterpret_cast<unsigned char*>(out.data()), &written,
                                      reinterpret_cast<const unsigned char*>(packed.data()), packed.size());
  if (status != 0 || written != out.size()) return damaged("zlib");
  return out;
}

diag::Result<std::vector<std::byte>> unpack_zstd(Bytes packed, u64 size) {
  static const auto library = load_function<ZstdDecompress>("libzstd.so.1", "ZSTD_decompress");
  if (library.function == nullptr) return diag::Error{.text = library.failure, .hint = {}};
  std::vector<std::byte> out(static_cast<usize>(size));
  // Errors are numbers near the largest one.
  if (library.function(out.data(), out.size(), packed.data(), packed.size()) != out.size()) return damaged("Zstandard");
  return out;
}

diag::Result<std::vector<std::byte>> unpack_xz(Bytes packed, u64 limit) {
  static const auto library = load_function<XzBufferDecode>("liblzma.so.5", "lzma_stream_buffer_decode");
  if (library.function == nullptr) return diag::Error{.text = library.failure, .hint = {}};
  std::vector<std::byte> out;
  u64 size = std::min<u64>(limit, std::max<u64>(u64{packed.size()} * 8, 4096));
  while (true) {
    out.resize(static_cast<usize>(size));
    std::uint64_t memory = kXzMemoryLimit;
    size_t read = 0, written = 0;
    const int status =
        library.function(&memory, 0, nullptr, reinterpret_cast<const std::uint8_t*>(packed.data()), &read,
                         packed.size(), reinterpret_cast<std::uint8_t*>(out.data()), &written, out.size());
    if (status == kXzOk) {
      out.resize(written);
      return out;
    }
    if (status != kXzBufferTooSmall || size >= limit) return damaged("xz");
    size = std::min(limit, size * 4);
  }
}

}  // namespace wperf::symbols::elf
