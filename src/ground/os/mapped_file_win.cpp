// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>

#include <algorithm>

#include "ground/os/files.h"
#include "ground/os/mapped_file.h"

namespace wperf::os {

diag::Result<MappedFile> MappedFile::open(const std::string& path) {
  const HANDLE file = CreateFileW(native_path(path).c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                                  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) return diag::Error{.text = "cannot open " + path, .hint = {}};
  LARGE_INTEGER size{};
  const bool sized = GetFileSizeEx(file, &size) != 0;
  HANDLE mapping = nullptr;
  void* memory = nullptr;
  if (sized && size.QuadPart != 0) {
    mapping = CreateFileMappingW(file, nullptr, PAGE_READONLY, 0, 0, nullptr);
    if (mapping != nullptr) memory = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
  }
  if (mapping != nullptr) CloseHandle(mapping);  // the view keeps it alive
  CloseHandle(file);
  if (!sized || (size.QuadPart != 0 && memory == nullptr)) return diag::Error{.text = "cannot map " + path, .hint = {}};
  return MappedFile(std::span(static_cast<const std::byte*>(memory), static_cast<size_t>(size.QuadPart)));
}

diag::Result<MappedFile> MappedFile::open_as(const std::string& path, const std::string& /*name*/) {
  return open(path);
}

std::vector<std::string> MappedFile::take_shrunk() {
  return {};
}

bool MappedFile::has_shrunk() const {
  return false;
}

void MappedFile::release(size_t begin, size_t end) const {
  // Unlocking pages that are not locked takes them out of the working set.
  end = std::min(end, bytes_.size());
  if (begin < end) VirtualUnlock(const_cast<std::byte*>(bytes_.data()) + begin, end - begin);
}

void MappedFile::unmap() {
  if (!bytes_.empty()) UnmapViewOfFile(bytes_.data());
  bytes_ = {};
}

}  // namespace wperf::os
