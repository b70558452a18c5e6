// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/input_stream.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "ground/os/native_path.h"
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

namespace wperf::os {
namespace {

struct Closing {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
using OpenStream = std::unique_ptr<std::FILE, Closing>;

OpenStream open_stream(const std::string& path) {
#ifdef _WIN32
  if (path != kStandardInput) return OpenStream(_wfopen(native_path(path).c_str(), L"rb"));
  _setmode(_fileno(stdin), _O_BINARY);
#else
  if (path != kStandardInput) return OpenStream(std::fopen(path.c_str(), "rb"));
#endif
  return OpenStream(stdin);
}

}  // namespace

bool is_stream(const std::string& path) {
  std::error_code error;
  return path == kStandardInput ||
         std::filesystem::status(native_path(path), error).type() == std::filesystem::file_type::fifo;
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(native_path(path), error);
}

diag::Result<std::vector<std::byte>> read_stream(const std::string& path) {
  constexpr size_t kPiece = 1 << 20;
  const std::string name = path == kStandardInput ? "standard input" : path;
  const OpenStream stream = open_stream(path);
  if (stream == nullptr) return diag::system_error("cannot open " + name, errno);
  std::vector<std::byte> bytes;
  size_t size = 0, got = 0;
  do {
    bytes.resize(size + kPiece);
    got = std::fread(bytes.data() + size, 1, kPiece, stream.get());
    size += got;
  } while (got != 0);
  if (std::ferror(stream.get()) != 0) {
    return diag::system_error("cannot read " + name, errno);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace wperf::os
