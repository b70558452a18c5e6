// SPDX-License-Identifier: BSD-3-Clause
// The results of wperf's decoder for a file of bare SPE bytes, for compare_with_perf.py and for people:
//   spe_dump FILE packets     offset and words of each packet
//   spe_dump FILE records     one line a record: timestamp, pc, target, data address, physical address, context,
//   latency,
//                             exception level, events, the contract's name; then the counts of damage on stderr
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "formats/spe/contract_names.h"
#include "formats/spe/packets.h"
#include "formats/spe/record_reader.h"

namespace {

using wperf::u32;
using wperf::u64;
using wperf::usize;
using namespace wperf::spe;

using Long = unsigned long long;

void dump_packets(std::span<const std::byte> bytes) {
  for_each_packet_line(bytes, [](const PacketLine& line) { std::printf("%zx %s\n", line.offset, line.text.c_str()); });
}

void dump_records(std::span<const std::byte> bytes) {
  DecodeState state;
  const usize used = for_each_record(bytes, state, [](const Record& r) {
    const std::string name = source_name(operation_name(r), r.events());
    std::printf("%llu %llx %llx %llx %llx %u %u %u %llx %s%s\n", Long{r.timestamp()}, Long{r.pc()},
                Long{r.branch_target()}, Long{r.data_virtual()}, Long{r.data_physical()},
                r.has(Field::context_el1) ? r.context_el1() : r.context_el2(), r.total_latency(), r.exception_level(),
                Long{r.events()}, name.c_str(), r.damaged ? " damaged" : "");
  });
  end_of_buffer(state, bytes.size() - used);
  const Damage& damage = state.damage;
  std::fprintf(stderr,
               "%llu records, %llu bad bytes in %llu places, %llu cut packets, %llu unfinished, %llu empty, "
               "%llu damaged, %llu packets passed\n",
               Long{state.records}, Long{damage.bad_bytes}, Long{damage.bad_places}, Long{damage.cut_packets},
               Long{damage.unfinished_records}, Long{damage.empty_records}, Long{damage.damaged_records},
               Long{state.passed_packets});
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc == 3 ? argv[1] : "", std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "usage: spe_dump FILE packets|records\n");
    return 2;
  }
  const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(content));
  if (std::string_view(argv[2]) == "packets") {
    dump_packets(bytes);
  } else {
    dump_records(bytes);
  }
  return 0;
}
