// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/kept_pieces.h"

#include <cerrno>
#include <cstring>

namespace wperf::pipeline {
namespace {

diag::Error not_kept(int error) {
  return {.text = std::string("the SPE records could not be kept until the end: ") + std::strerror(error),
          .hint = "what does not fit into memory needs room in the folder for temporary files; shorter runs need less"};
}

}  // namespace

void KeptPieces::keep(const raw::SpePiece& piece) {
  if (error_ != 0) return;
  Kept& kept = pieces_.emplace_back(Kept{piece, piece.bytes.size(), {}});
  kept.piece.bytes = {};
  if (piece.bytes.size() <= room_) {
    room_ -= piece.bytes.size();
    kept.bytes.assign(piece.bytes.begin(), piece.bytes.end());
    return;
  }
  room_ = 0;  // from here on in the file, in their order
  if (!write(piece.bytes)) error_ = errno != 0 ? errno : EIO;
}

bool KeptPieces::write(std::span<const std::byte> bytes) {
  errno = 0;
  if (file_ == nullptr) file_.reset(std::tmpfile());
  return file_ != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size();
}

diag::Result<void> KeptPieces::replay(const raw::SpeSink& sink) const {
  if (error_ != 0) return not_kept(error_);
  errno = 0;
  if (file_ != nullptr && (std::fflush(file_.get()) != 0 || std::fseek(file_.get(), 0, SEEK_SET) != 0)) {
    return not_kept(errno);
  }
  std::vector<std::byte> read;
  for (const Kept& kept : pieces_) {
    raw::SpePiece piece = kept.piece;
    piece.bytes = kept.bytes;
    if (kept.bytes.empty() && kept.size != 0) {
      read.resize(kept.size);
      if (std::fread(read.data(), 1, read.size(), file_.get()) != read.size()) return not_kept(errno);
      piece.bytes = read;
    }
    sink(piece);
  }
  return {};
}

}  // namespace wperf::pipeline
