// SPDX-License-Identifier: BSD-3-Clause
// Samples with perf events: the kernel's records go unchanged from the ring of each core into a perf.data file
// (docs/decisions/0007). Records of the state before the recording precede them, and facts about the machine follow.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>

#include "formats/perf_data/event_attributes.h"
#include "formats/perf_data/record_bytes.h"
#include "ground/os/mapped_file.h"
#include "machine/linux_kernel/file_build_ids_linux.h"
#include "machine/linux_kernel/sampled_events_linux.h"
#include "machine/perf_events/recording_facts_linux.h"
#include "machine/perf_events/recording_thread_linux.h"
#include "machine/perf_events/synthesized_records.h"
#include "machine/perf_events/units.h"

namespace wperf::linux_kernel {
namespace {

using os::RecordingFile;
using perf_events::SystemFiles;

constexpr char kKernelNotes[] = "/sys/kernel/notes";
constexpr usize kMostNotes = 1 << 16;

// Records of the state before the recording, which the kernel itself does not write.
class EarlierRecords {
 public:
  EarlierRecords(u64 sample_type, bool has_copies, FileBuildIds& build_ids)
      : build_ids_(build_ids),
        trailer_{.sample_type = sample_type},
        mappings_(has_copies ? perf_events::WhichMappings::all : perf_events::WhichMappings::code) {}

  void add_process(u32 process, const std::vector<int>& threads);
  void add_everybody();
  void add_kernel();
  const std::string& bytes() const { return bytes_; }

 private:
  SystemFiles files_;
  FileBuildIds& build_ids_;
  perf_data::Trailer trailer_;
  perf_events::WhichMappings mappings_;
  std::string bytes_;
};

void EarlierRecords::add_process(u32 process, const std::vector<int>& threads) {
  for (const int thread : threads) {
    const auto name = files_.text(fmt::format("/proc/{}/task/{}/comm", process, thread));
    if (!name.has_value()) continue;
    perf_data::append_comm(bytes_, {process, static_cast<u32>(thread)}, *name, false, trailer_);
  }
  const auto maps = files_.text(fmt::format("/proc/{}/maps", process));
  if (!maps.has_value()) return;
  const std::string root = build_ids_.root_of(process);
  const auto build_id = [&](const perf_events::ListedMapping& one) {
    const std::string_view id = one.is_deleted ? std::string_view() : build_ids_.of_file(root, one.path);
    return id.empty() ? build_ids_.of_mapping(process, one) : id;
  };
  perf_events::append_mappings(bytes_, {process, *maps}, mappings_, build_id, trailer_);
}

void EarlierRecords::add_everybody() {
  for (const u32 process : files_.numbers("/proc")) {
    std::vector<int> threads;
    for (const u32 thread : files_.numbers(fmt::format("/proc/{}/task", process))) {
      threads.push_back(static_cast<int>(thread));
    }
    add_process(process, threads);
  }
}

void EarlierRecords::add_kernel() {
  // Includes the kernel's build id, which is the only fact in an unfinished file that identifies the kernel.
  const std::string notes = beginning_of(kKernelNotes, kMostNotes);
  perf_events::append_kernel(bytes_, files_.text("/proc/kallsyms").value_or(""),
                             files_.text("/proc/iomem").value_or(""), trailer_, perf_events::build_id_in_notes(notes));
  perf_events::append_kernel_modules(bytes_, files_.text("/proc/modules").value_or(""), trailer_);
}

class LinuxRecordingSession final : public device::RecordingSession {
 public:
  LinuxRecordingSession(LinuxPrograms& programs, const LinuxMachine& machine, const plan::SamplePlan& plan,
                        const device::RecordingTarget& target, RecordingFile file)
      : programs_(programs),
        machine_(machine),
        plan_(plan),
        target_(target),
        starts_with_program_(plan.process.has_value() && programs.is_held(*plan.process)),
        file_(std::move(file)),
        events_(machine_, plan_, starts_with_program_) {}
  ~LinuxRecordingSession() override {
    if (thread_.has_value()) events_.switch_all(PERF_EVENT_IOC_DISABLE);
  }

  diag::Result<void> open() {
    // A recording of the whole machine may still have a measured program.
    const u32 timed = plan_.process.value_or(target_.run.process);
    std::vector<int> threads;
    if (timed != 0) threads = programs_.threads_to_watch(timed);
    return events_.open(plan_.process.has_value() ? threads : std::vector{-1}, threads);
  }

  diag::Result<void> start() override;
  diag::Result<u64> written() override { return thread_.has_value() ? thread_->written() : u64{0}; }
  void carry_over() override {
    if (thread_.has_value()) thread_->carry_over();
  }
  diag::Result<void> stop() override;
  std::string readable_path() const override { return file_.openable_path(); }
  const std::optional<diag::Error>& error() const override { return file_.error(); }
  std::vector<std::string> remarks() const override;
  perf_data::RecordingFacts facts() const override {
    perf_data::RecordingFacts facts = perf_events::recording_facts(SystemFiles(), machine_.units, target_.tool_version);
    if (target_.arguments.empty()) return facts;
    facts.command_line = {"wperf"};
    facts.command_line.insert(facts.command_line.end(), target_.arguments.begin(), target_.arguments.end());
    return facts;
  }
  std::string jit_code() override { return thread_.has_value() ? thread_->jit_code() : std::string(); }
  stacks::PythonSamples python() override { return thread_.has_value() ? thread_->python() : stacks::PythonSamples(); }

 private:
  void write_beginning();
  std::vector<perf_data::WrittenEvent> all_events() const;
  u32 traced_unit() const;
  std::string earlier_records();
  void add_times(perf_data::RunFacts& run);
  void add_build_ids(perf_data::RecordingFacts& facts, perf_data::RunFacts& run);

  LinuxPrograms& programs_;
  const LinuxMachine& machine_;
  const plan::SamplePlan plan_;
  const device::RecordingTarget target_;
  const bool starts_with_program_;
  RecordingFile file_;
  SampledEvents events_;
  FileBuildIds build_ids_;
  std::optional<perf_events::RecordingThread> thread_;
  u64 records_begin_ = 0;
  u64 start_ns_ = 0, ready_ns_ = 0;
};

// Includes the event of the tracing unit, which is opened elsewhere.
std::vector<perf_data::WrittenEvent> LinuxRecordingSession::all_events() const {
  std::vector<perf_data::WrittenEvent> events = events_.written();
  if (target_.traced.has_value()) {
    events.push_back({.name = target_.traced->event,
                      .attributes = perf_data::attribute_bytes({.type = traced_unit(),
                                                                .config = 0,
                                                                .period = target_.traced->interval,
                                                                .sample_type = events_.sample_type(),
                                                                .kernel = plan_.looks_into_kernel()})});
  }
  return events;
}

u32 LinuxRecordingSession::traced_unit() const {
  const std::vector<perf_events::Unit> units = perf_events::spe_units(machine_.units);
  constexpr u32 kNotHere = 8;  // this machine has no SPE unit, so a typical type is used
  return units.empty() ? kNotHere : units.front().type;
}

// The file can be read from now on, however the recording ends.
void LinuxRecordingSession::write_beginning() {
  if (target_.filter != nullptr) target_.filter->begin(events_.as_recorded());
  const std::string beginning = perf_data::file_beginning(all_events());
  records_begin_ = beginning.size();
  file_.append(beginning);
  std::string names;
  for (const perf_data::WrittenEvent& event : all_events()) {
    if (!event.ids.empty()) perf_data::append_event_name(names, event.ids.front(), event.name);
  }
  file_.append(names);
}

std::string LinuxRecordingSession::earlier_records() {
  EarlierRecords earlier(events_.sample_type(), plan_.call_stacks.source == request::StackSource::stack_copies,
                         build_ids_);
  if (plan_.looks_into_kernel()) earlier.add_kernel();
  if (!plan_.process.has_value()) {
    earlier.add_everybody();
  } else if (!starts_with_program_) {
    earlier.add_process(*plan_.process, programs_.threads_to_watch(*plan_.process));
  }
  return earlier.bytes();
}

diag::Result<void> LinuxRecordingSession::start() {
  write_beginning();
  thread_.emplace(events_.rings(), file_, target_.filter.get(), perf_events::system_clocks(),
                  [this](usize ring) { events_.enlarge(ring); });
  WPERF_CHECK_OK(thread_->start());
  start_ns_ = programs_.now_ns();
  // The kernel must report changes before the earlier state is read; otherwise changes could be missed.
  if (!starts_with_program_) events_.switch_all(PERF_EVENT_IOC_ENABLE);
  thread_->add_earlier(earlier_records());
  ready_ns_ = programs_.now_ns();  // a program starts when wperf waits for it
  if (starts_with_program_) start_ns_ = ready_ns_;
  return {};
}

diag::Result<void> LinuxRecordingSession::stop() {
  if (!thread_.has_value()) return {};
  events_.switch_all(PERF_EVENT_IOC_DISABLE);
  perf_data::RunFacts run = target_.run;
  add_times(run);
  thread_->stop();
  file_.append(events_.lost_samples());
  if (target_.traced.has_value()) {
    std::string records;
    target_.traced->finish(traced_unit(), records, run);
    file_.append(records);
  }
  perf_data::RecordingFacts facts = this->facts();
  add_build_ids(facts, run);
  std::vector<std::string> names;
  for (const plan::SampleEvent& event : plan_.events) names.push_back(event.name);
  facts.tracing_data = perf_events::tracing_data(SystemFiles(), names);
  run.recorder = static_cast<u32>(getpid());
  run.switch_cost_ns = events_.switch_cost().value_or(0);
  if (target_.filter != nullptr) {
    run.stacks = target_.filter->stacks();
    run.python = target_.filter->python();
    facts.jit_code = target_.filter->jit_code();
  }
  const auto add_note = [&run](std::string_view note) {
    if (!run.note.empty()) run.note += "\nnote: ";
    run.note += note;
  };
  if (plan_.call_stacks.python != request::PythonFrames::none && run.python.versions.empty())
    add_note("--python found no CPython from 3.11 to 3.15 whose memory this user may read");
  if (events_.copies_were_refused()) {
    add_note(
        "this kernel cannot copy registers and stacks; callers are found with frame pointers only (--call-graph fp)");
  }
  facts.run = perf_data::run_facts_bytes(run);
  if (plan_.looks_into_kernel()) {
    const std::string notes = beginning_of(kKernelNotes, kMostNotes);
    const std::string_view id = perf_events::build_id_in_notes(notes);
    if (!id.empty()) {
      facts.build_ids.push_back({.id = std::string(id), .path = "[kernel.kallsyms]", .pid = ~u32{0}, .kernel = true});
    }
  }
  const u64 record_bytes = file_.size() - records_begin_;
  const perf_data::FileEnding ending = perf_data::file_ending(all_events(), record_bytes, facts);
  file_.append(ending.tail);
  file_.replace_beginning(file_.error().has_value() ? perf_data::header_without_tail(all_events(), record_bytes)
                                                    : ending.header);
  return {};
}

// The clock stops before any other work, because later work takes time that was not recorded.
void LinuxRecordingSession::add_times(perf_data::RunFacts& run) {
  run.start_ns = start_ns_;
  run.end_ns = programs_.now_ns();
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  const auto wall_ns = static_cast<u64>(std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count());
  run.begun_unix_ns = wall_ns - (run.end_ns - run.start_ns);
  run.cpu_ns = events_.cpu_time_ns();
  // A recording of the whole machine may have a measured program; then the times are the program's.
  const u32 pid = plan_.process.value_or(run.process);
  if (pid == 0) return;
  const device::ProcessState program = programs_.process(pid);
  if (!program.has_times) return;
  run.exit_code = program.exit_code;
  if (!run.cpu_ns.has_value()) run.cpu_ns = program.user_ns + program.system_ns;
  if (!plan_.process.has_value()) run.program_ns = run.end_ns - ready_ns_;
}

// The recording is valid without build ids, as long as its files stay in place.
void LinuxRecordingSession::add_build_ids(perf_data::RecordingFacts& facts, perf_data::RunFacts& run) {
  const auto mapped = os::MappedFile::open(file_.openable_path());
  if (!mapped.has_value()) return;
  auto recorded = perf_data::PerfFile::open(mapped.value().bytes());
  if (!recorded.has_value()) return;
  // Without this, a long recording would be completely in memory.
  recorded.value().on_passed([&](u64 begin, u64 end) { mapped.value().release(begin, end); });
  FileBuildIds::OfRecording found = build_ids_.of_recording(recorded.value());
  facts.build_ids = std::move(found.build_ids);
  run.mapped_files = std::move(found.mapped_files);
}

std::vector<std::string> LinuxRecordingSession::remarks() const {
  usize smallest = perf_events::kWatchedRingBytes;
  for (const perf_events::SampleRing& ring : events_.rings()) {
    smallest = std::min(smallest, ring.size());
  }
  if (smallest >= perf_events::kRingBytes) return {};
  return {fmt::format("ring buffers have {} KiB instead of {}: kernel.perf_event_mlock_kb limits them", smallest >> 10,
                      perf_events::kRingBytes >> 10)};
}

}  // namespace

diag::Result<std::unique_ptr<device::RecordingSession>> open_linux_recording(LinuxPrograms& programs,
                                                                             const LinuxMachine& machine,
                                                                             const plan::SamplePlan& plan,
                                                                             const device::RecordingTarget& target) {
  WPERF_TRY(RecordingFile file, RecordingFile::create(target.file));
  auto session = std::make_unique<LinuxRecordingSession>(programs, machine, plan, target, std::move(file));
  WPERF_CHECK_OK(session->open());
  return std::unique_ptr<device::RecordingSession>(std::move(session));
}

}  // namespace wperf::linux_kernel
