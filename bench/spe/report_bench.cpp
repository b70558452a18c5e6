// SPDX-License-Identifier: BSD-3-Clause
// Makes the tables for a user from a perf.data file with SPE traces, in one process that run.py times from its start:
//   report_bench FILE records   decodes every record, prints how many and what they add up to
//   report_bench FILE symbols   the report by symbol
//   report_bench FILE memory    the same with the tables of --mem
// The file names no program. Every 64 bytes of its code become a made-up function, so that the report has functions to
// name.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "analysis/operations/spe_profile_builder.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/spe/record_reader.h"
#include "ground/os/mapped_file.h"
#include "views/compat/compat_view.h"
#include "views/report/spe_report.h"

namespace {

using namespace wperf;
using spe::Record;

constexpr u64 kNeoverseN1 = 0x410fd0c0;
constexpr u64 kCode = 0x7ff6'1000'0000;  // the address that decode_bench uses
constexpr u32 kCodeBytes = 1U << 20, kFunctionBytes = 64;

// Calls callback(core, record) for each record.
template <class Callback>
u64 decode_all(const perf_data::AuxTraces& traces, Callback&& callback) {
  u64 records = 0;
  for (const perf_data::AuxBuffer& buffer : traces.buffers()) {
    for (const perf_data::AuxStretch& stretch : traces.stretches_of(buffer)) {
      spe::DecodeState state;
      state.buffer_address = stretch.offset;
      const usize used =
          spe::for_each_record(stretch.bytes, state, [&](const Record& record) { callback(buffer.cpu, record); });
      spe::end_of_buffer(state, stretch.bytes.size() - used);
      records += state.records;
    }
  }
  return records;
}

operations::SpeRun program() {
  operations::SpeRun run;
  run.target.modules.resize(1);
  run.target.modules[0].name = "program";
  run.target.modules[0].base = kCode;
  run.target.modules[0].size = kCodeBytes;
  run.target.modules[0].main = true;
  return run;
}

std::vector<std::vector<answers::AddressAnswer>> names_of(const std::vector<std::vector<u32>>& addresses) {
  std::vector<std::vector<answers::AddressAnswer>> answers(addresses.size());
  for (usize module = 0; module < addresses.size(); ++module) {
    for (const u32 rva : addresses[module]) {
      answers::AddressAnswer answer;
      answer.rva = rva;
      answer.function = "function_" + std::to_string(rva / kFunctionBytes);
      answer.frames = {{.function = answer.function, .file = "program.c", .line = rva / 16 + 1}};
      answers[module].push_back(std::move(answer));
    }
  }
  return answers;
}

void print_records(const perf_data::AuxTraces& traces) {
  u64 times = 0, threads = 0, pcs = 0;
  const u64 records = decode_all(traces, [&](u32, const Record& record) {
    times += record.timestamp();
    threads += record.context_el2();
    pcs += record.pc();
  });
  std::printf("%llu records, times %llx, threads %llx, addresses %llx\n", static_cast<unsigned long long>(records),
              static_cast<unsigned long long>(times), static_cast<unsigned long long>(threads),
              static_cast<unsigned long long>(pcs));
}

void print_report(const perf_data::AuxTraces& traces, bool memory) {
  spe::Aggregator aggregator({.memory = memory});
  for (const perf_data::AuxBuffer& buffer : traces.buffers()) {
    aggregator.set_data_sources(buffer.cpu, spe::find_data_source_family(kNeoverseN1));
  }
  decode_all(traces, [&](u32 core, const Record& record) { aggregator.add({.core = core}, record); });
  operations::SpeRun run = program();
  const auto answers = names_of(operations::spe_addresses_to_name(aggregator, run));
  const operations::SpeProfile profile = operations::make_spe_profile(aggregator, std::move(run), answers);
  report::SpeOptions options;
  options.samples.rows = ~u32{0};
  options.memory = memory;
  const std::string text = report::spe_text(profile, compat::make_view(profile.samples, profile.run), nullptr, options);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fprintf(stderr, "%llu records, tables of %llu KB\n", static_cast<unsigned long long>(aggregator.records()),
               static_cast<unsigned long long>(aggregator.bytes() / 1024));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: report_bench FILE records|symbols|memory\n");
    return 2;
  }
  const auto file = os::MappedFile::open(argv[1]);
  if (!file.has_value()) {
    std::fprintf(stderr, "error: %s\n", file.error().text.c_str());
    return 1;
  }
  const auto opened = perf_data::PerfFile::open(file.value().bytes());
  if (!opened.has_value()) {
    std::fprintf(stderr, "error: %s\n", opened.error().text.c_str());
    return 1;
  }
  const perf_data::AuxTraces traces = perf_data::AuxTraces::collect(opened.value());
  const std::string_view what = argv[2];
  if (what == "records") {
    print_records(traces);
  } else {
    print_report(traces, what == "memory");
  }
  // The peak from getrusage() is not used, because it starts from the memory of the parent process.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) std::fprintf(stderr, "peak %ld KB\n", std::atol(line.c_str() + 6));
  }
  return 0;
}
