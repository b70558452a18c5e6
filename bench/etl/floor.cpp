// SPDX-License-Identifier: BSD-3-Clause
// floor FILE: the least work that any reader must do. Prints the seconds for walking the record headers of an unpacked
// trace, buffer by buffer, and for copying its bytes once.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

template <class T>
static T at(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

int main(int count, char** words) {
  if (count != 2) return 2;
  const int file = open(words[1], O_RDONLY);
  struct stat facts{};
  if (file < 0 || fstat(file, &facts) != 0) return 1;
  const auto size = static_cast<std::size_t>(facts.st_size);
  const auto seconds = [](auto work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::uint64_t events = 0, sum = 0;
  const double walked = seconds([&] {
    const char* bytes = static_cast<const char*>(mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0));
    for (std::size_t offset = 0; offset + 0x48 <= size;) {
      const auto length = at<std::uint32_t>(bytes + offset), filled = at<std::uint32_t>(bytes + offset + 0x30);
      for (std::size_t i = 0x48; i + 16 <= filled;) {
        const char* record = bytes + offset + i;
        sum += at<std::uint64_t>(record + 8) + static_cast<std::uint8_t>(record[6]);
        i += (at<std::uint16_t>(record + 4) + 7u) & ~7u;
        ++events;
      }
      offset += length;
    }
    munmap(const_cast<char*>(bytes), size);
  });
  std::vector<char> copy(size);
  const double copied = seconds([&] {
    const char* bytes = static_cast<const char*>(mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0));
    std::memcpy(copy.data(), bytes, size);
    munmap(const_cast<char*>(bytes), size);
  });
  std::printf("%.6f %.6f %llu %u\n", walked, copied, static_cast<unsigned long long>(events),
              static_cast<unsigned>(sum & 1));
  return 0;
}
