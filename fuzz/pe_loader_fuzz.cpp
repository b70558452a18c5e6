// SPDX-License-Identifier: BSD-3-Clause
// Bytes as a Windows program. Parsing and mapping return a complete image or the reason of the failure. Seeds: the
// built workloads.
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "sim/nt/image_file.h"

extern "C" int LLVMFuzzerTestOneInput(const wperf::u8* data, wperf::usize size) {
  using namespace wperf::sim;
  const std::span bytes = std::as_bytes(std::span(data, size));
  std::string why;
  const auto image = nt::read_image({bytes.begin(), bytes.end()}, why);
  if ((image == nullptr) == why.empty()) std::abort();
  if (image == nullptr) return 0;
  AddressSpace space;
  nt::Memory memory(space, 1);
  const wperf::u64 base = nt::map_image(memory, *image, 0, 1, 0);
  if (base == 0) return 0;
  std::vector<std::byte> information(nt::kImageInformationSize);
  nt::fill_image_information(*image, base, information.data());
  for (const PeExport& entry : image->pe.exports) (void)nt::export_of(*image, base, entry.name);
  wperf::u16 mark = 0;
  if (!space.read(base, &mark, sizeof mark) || mark != 0x5a4d) std::abort();
  return 0;
}
