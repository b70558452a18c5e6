// SPDX-License-Identifier: BSD-3-Clause
// The results of the perf.data reader, as text for compare_with_perf.py: a line "F key value" for each feature, and
// "E index …" for each event. Each record has a line "R offset size type". If the reader decodes the record, key=value
// fields follow, separated by tabs, with numbers in hexadecimal. Totals come at the end as "T key value".
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "formats/perf_data/aux_traces.h"
#include "ground/os/mapped_file.h"

namespace {

using namespace wperf::perf_data;
using wperf::u32;
using wperf::u64;
using wperf::usize;

std::string line;

template <class... Arguments>
void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  line += '\t';
  fmt::format_to(std::back_inserter(line), format, std::forward<Arguments>(arguments)...);
}

std::string hexadecimal(Bytes bytes) {
  std::string text;
  for (const std::byte one : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(one));
  return text;
}

std::string list(const Words& words) {
  std::string text;
  for (usize i = 0; i < words.size(); ++i) text += fmt::format("{}{:x}", i == 0 ? "" : ",", words[i]);
  return text;
}

void add_identity(const KernelRecord& record) {
  if (record.identity.has(kSampleTime)) add("time={:x}", record.identity.time);
  if (record.identity.has(kSampleCpu)) add("on_cpu={:x}", record.identity.cpu);
}

void add_registers(const char* name, const Registers& registers) {
  if (registers.abi == 0) return;
  add("{}_mask={:x}", name, registers.mask);
  add("{}={}", name, list(registers.values));
}

struct Printer {
  const PerfFile& file;

  void operator()(const Sample& sample, const Record&) const {
    if (sample.event == kNoEvent) return;
    const EventAttributes& attributes = file.attrs()[sample.event].attributes;
    add("event={}", file.attrs()[sample.event].name);
    add("misc={:x}", sample.misc);
    add("ip={:x}\tpid={:x}\ttid={:x}\tperiod={:x}\taddr={:x}", sample.ip, sample.pid, sample.tid, sample.period,
        sample.address);
    if (attributes.has(kSampleTime)) add("time={:x}", sample.time);
    if (attributes.has(kSampleCpu)) add("on_cpu={:x}", sample.cpu);
    if (attributes.has(kSampleCallchain)) add("callchain={}", list(sample.callchain));
    for (u32 i = 0; i < sample.counters.count; ++i) {
      add("counter_{:x}={:x}", sample.counters.id(i), sample.counters.value(i));
    }
    if (attributes.has(kSampleRaw)) add("raw={}", hexadecimal(sample.raw));
    add_registers("user_regs", sample.user_registers);
    add_registers("intr_regs", sample.interrupt_registers);
    if (attributes.has(kSampleUserStack)) {
      add("stack_size={:x}\tstack_written={:x}", sample.user_stack.bytes.size(), sample.user_stack.written);
    }
    if (attributes.has(kSampleWeight)) add("weight={:x}", sample.weight);
    if (attributes.has(kSampleDataSource)) add("data_src={:x}", sample.data_source);
    if (attributes.has(kSamplePhysicalAddress)) add("phys_addr={:x}", sample.physical_address);
    if (attributes.has(kSampleCodePageSize)) add("code_page={:x}", sample.code_page_size);
    if (attributes.has(kSampleDataPageSize)) add("data_page={:x}", sample.data_page_size);
  }
  void operator()(const Mmap& mapping, const Record&) const {
    add("pid={:x}\ttid={:x}\taddress={:x}\tlength={:x}\toffset={:x}", mapping.pid, mapping.tid, mapping.address,
        mapping.length, mapping.page_offset);
    if (!mapping.build_id.empty()) {
      add("build_id={}", hexadecimal(mapping.build_id));
    } else if (mapping.is_mmap2) {
      add("device={:x}:{:x}\tinode={:x}\tgeneration={:x}", mapping.device_major, mapping.device_minor, mapping.inode,
          mapping.inode_generation);
    }
    add("file={}", mapping.file);
    add_identity(mapping);
  }
  void operator()(const Comm& comm, const Record&) const {
    add("pid={:x}\ttid={:x}\tname={}\texec={:d}", comm.pid, comm.tid, comm.name, comm.by_exec);
    add_identity(comm);
  }
  void operator()(const Task& task, const Record&) const {
    add("pid={:x}\ttid={:x}\tparent_pid={:x}\tparent_tid={:x}", task.pid, task.tid, task.parent_pid, task.parent_tid);
    add_identity(task);
  }
  void operator()(const Switch& one, const Record&) const {
    add("out={:d}\tpreempted={:d}", one.is_out, one.is_preempted);
    if (one.is_cpu_wide) add("pid={:x}\ttid={:x}", one.next_prev_pid, one.next_prev_tid);
    add_identity(one);
  }
  void operator()(const Namespaces& namespaces, const Record&) const {
    add("pid={:x}\ttid={:x}\tlinks={}", namespaces.pid, namespaces.tid, list(namespaces.links));
    add_identity(namespaces);
  }
  void operator()(const Cgroup& cgroup, const Record&) const {
    add("id={:x}\tpath={}", cgroup.id, cgroup.path);
    add_identity(cgroup);
  }
  void operator()(const CounterRead& read, const Record&) const {
    add("pid={:x}\ttid={:x}\tvalue={:x}", read.pid, read.tid, read.values.value(0));
    add_identity(read);
  }
  void operator()(const Lost& lost, const Record&) const { add("lost={:x}", lost.records); }
  void operator()(const LostSamples& lost, const Record&) const { add("lost={:x}", lost.samples); }
  void operator()(const Aux& aux, const Record&) const {
    add("aux_offset={:x}\taux_size={:x}\taux_flags={:x}", aux.offset, aux.size, aux.flags);
    add_identity(aux);
  }
  void operator()(const AuxTrace& trace, const Record&) const {
    add("aux_offset={:x}\taux_size={:x}\treference={:x}\tindex={:x}\ttid={:x}\ton_cpu={:x}", trace.offset, trace.size,
        trace.reference, trace.index, trace.tid, trace.cpu);
  }
  void operator()(const IdIndex& index, const Record&) const { add("entries={:x}", index.size()); }
  void operator()(const ThreadMap& map, const Record&) const {
    add("count={:x}", map.size());
    if (map.size() != 0) add("thread={:x}", map.pid(0));
  }
  void operator()(const CpuMap& map, const Record&) const {
    std::string cpus;
    map.for_each([&](u32 cpu) { cpus += fmt::format("{}{}", cpus.empty() ? "" : ",", cpu); });
    add("cpus={}", cpus);
  }
  void operator()(const EventUpdate& update, const Record&) const {
    add("id={:x}\tkind={}", update.id, static_cast<u64>(update.kind));
    if (update.kind == EventUpdate::Kind::unit || update.kind == EventUpdate::Kind::name) add("text={}", update.text());
  }
  void operator()(const TimeConv& time, const Record&) const {
    add("shift={:x}\tmultiplier={:x}\tzero={:x}", time.shift, time.multiplier, time.zero);
  }
  void operator()(const FeatureRecord& feature, const Record&) const { add("feature={:x}", feature.feature); }
};

void print_features(const PerfFile& file) {
  const Features& features = file.features();
  constexpr std::pair<const char*, Feature> kTexts[] = {
      {"hostname", Feature::host_name}, {"os release", Feature::os_release},   {"perf version", Feature::perf_version},
      {"arch", Feature::architecture},  {"cpudesc", Feature::cpu_description}, {"cpuid", Feature::cpu_id}};
  for (const auto& [name, feature] : kTexts) {
    if (features.has(feature)) fmt::print("F\t{}\t{}\n", name, features.text(feature));
  }
  if (const auto count = features.cpu_count()) {
    fmt::print("F\tnrcpus online\t{}\nF\tnrcpus avail\t{}\n", count->online, count->available);
  }
  if (const auto memory = features.total_memory()) fmt::print("F\ttotal memory\t{} kB\n", *memory / 1024);
  std::string words;
  for (const std::string_view word : features.command_line()) words += fmt::format("{} ", word);
  if (!words.empty()) fmt::print("F\tcmdline\t{}\n", words);
  std::string mappings;
  for (const PmuMapping& mapping : features.pmu_mappings()) {
    mappings += fmt::format("{}{} = {}", mappings.empty() ? "" : ", ", mapping.name, mapping.type);
  }
  if (!mappings.empty()) fmt::print("F\tpmu mappings\t{}\n", mappings);
  if (const auto time = features.sample_time()) {
    fmt::print("F\ttime of first sample\t{}\nF\ttime of last sample\t{}\n", time->first, time->last);
  }
  for (const BuildId& one : features.build_ids()) fmt::print("B\t{}\t{}\n", hexadecimal(one.id), one.file);
}

void print_records(const PerfFile& file) {
  RecordStream stream = file.records();
  Record record;
  Sample sample;
  const Printer printer{file};
  while (stream.next(record)) {
    line.clear();
    visit_record(record, file.events(), printer, stream.statistics(), sample);
    fmt::print("R\t{:x}\t{:x}\t{}\t{}{}\n", record.file_offset, record.body.size() + 8, record.type,
               record_name(record.type), line);
  }
  const ReadStatistics& statistics = stream.statistics();
  fmt::print("T\trecords\t{}\nT\tdamaged\t{}\nT\tcompressed\t{}\nT\tstopped\t{:d}\n", statistics.records,
             statistics.all_damaged(), statistics.compressed(), statistics.stop.has_value());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto mapped = wperf::os::MappedFile::open(argv[1]);
  if (!mapped.has_value()) return 1;
  const auto opened = PerfFile::open(mapped.value().bytes());
  if (!opened.has_value()) {
    std::fputs((opened.error().text + "\n").c_str(), stderr);
    return static_cast<int>(opened.error().code);
  }
  const PerfFile& file = opened.value();
  print_features(file);
  for (usize i = 0; i < file.attrs().size(); ++i) {
    const Event& event = file.attrs()[i];
    fmt::print("E\t{}\t{}\t{:x}\t{:x}\t{}\n", event.name, event.attributes.type, event.attributes.config,
               event.attributes.sample_type, list(Words(std::as_bytes(std::span(event.ids)))));
  }
  print_records(file);
  const AuxTraces traces = AuxTraces::collect(file);
  fmt::print("T\taux buffers\t{}\nT\taux bytes\t{}\n", traces.buffers().size(), traces.size());
  return 0;
}
