// SPDX-License-Identifier: BSD-3-Clause
// Sampling with perf events: what the kernel writes into a ring for each core goes unchanged into a perf.data file
// (docs/decisions/0007), before it what was there already, and behind it what is known of the machine.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "device/perf_events/made_up_records.h"
#include "device/perf_events/recording_facts_linux.h"
#include "device/perf_events/recording_thread_linux.h"
#include "device/sampled_events_linux.h"
#include "export/perf_data/record_bytes.h"

namespace wperf::device {
namespace {

using perf_events::Descriptor;
using perf_events::RecordingFile;
using perf_events::SystemFiles;

// Of a file: enough for the headers and notes of an ELF file. Notes of the kernel fit, too.
std::string beginning_of(const std::string& path, usize most) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string bytes(most, '\0');
  usize count = 0;
  while (file.is_open() && count < most) {
    const ssize_t got = read(file.number(), bytes.data() + count, most - count);
    if (got <= 0) break;
    count += static_cast<usize>(got);
  }
  bytes.resize(count);
  return bytes;
}

// Which files a process sees. Empty where that may not be read.
struct FileView {
  explicit FileView(const std::string& process_folder) {
    std::error_code error;
    space = std::filesystem::read_symlink(process_folder + "/ns/mnt", error);
    root = std::filesystem::read_symlink(process_folder + "/root", error);
  }
  std::filesystem::path space, root;
};

// What the kernel does not tell because it happened before.
class EarlierRecords {
 public:
  explicit EarlierRecords(u64 sample_type)
      : trailer_{.sample_type = sample_type},
        mappings_((sample_type & PERF_SAMPLE_STACK_USER) != 0 ? perf_events::WhichMappings::all
                                                              : perf_events::WhichMappings::code) {}

  void add_process(u32 process, const std::vector<int>& threads);
  void add_everybody();
  void add_kernel();
  const std::string& bytes() const { return bytes_; }

 private:
  std::string root_of(u32 process) const;
  std::string_view build_id_of(const std::string& root, std::string_view path);

  SystemFiles files_;
  FileView own_view_{"/proc/self"};
  perf_export::Trailer trailer_;
  perf_events::WhichMappings mappings_;
  std::map<std::string, std::string> build_ids_;  // by path
  std::string bytes_;
};

// Below which folder the files are that a process names: nothing, as for us, or its own root where that is another one.
// In a container the same name may stand for another file.
std::string EarlierRecords::root_of(u32 process) const {
  const std::string folder = fmt::format("/proc/{}", process);
  const FileView its(folder);
  const auto differs = [](const std::filesystem::path& one, const std::filesystem::path& ours) {
    return !one.empty() && one != ours;
  };
  return differs(its.space, own_view_.space) || differs(its.root, own_view_.root) ? folder + "/root" : std::string();
}

std::string_view EarlierRecords::build_id_of(const std::string& root, std::string_view path) {
  constexpr usize kHeaderAndNotes = 4096;
  if (path.empty() || path.front() != '/') return {};
  const std::string name = root + std::string(path);
  const auto known = build_ids_.find(name);
  if (known != build_ids_.end()) return known->second;
  const std::string bytes = beginning_of(name, kHeaderAndNotes);
  return build_ids_.emplace(name, perf_events::build_id_in_elf(bytes)).first->second;
}

void EarlierRecords::add_process(u32 process, const std::vector<int>& threads) {
  for (const int thread : threads) {
    const auto name = files_.text(fmt::format("/proc/{}/task/{}/comm", process, thread));
    if (!name.has_value()) continue;
    perf_export::append_comm(bytes_, process, static_cast<u32>(thread), *name, false, trailer_);
  }
  const auto maps = files_.text(fmt::format("/proc/{}/maps", process));
  if (!maps.has_value()) return;
  const std::string root = root_of(process);
  const auto build_id = [&](std::string_view path) { return build_id_of(root, path); };
  perf_events::append_mappings(bytes_, process, *maps, mappings_, build_id, trailer_);
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
  perf_events::append_kernel(bytes_, files_.text("/proc/kallsyms").value_or(""),
                             files_.text("/proc/iomem").value_or(""), trailer_);
  perf_events::append_kernel_modules(bytes_, files_.text("/proc/modules").value_or(""), trailer_);
}

class LinuxRecordingSession final : public RecordingSession {
 public:
  LinuxRecordingSession(LinuxPrograms& programs, const LinuxMachine& machine, const plan::SamplePlan& plan,
                        const RecordingTarget& target, RecordingFile file)
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
    std::vector<int> threads{-1};
    if (plan_.process.has_value()) threads = programs_.threads_to_watch(*plan_.process);
    return events_.open(threads);
  }

  diag::Result<void> start() override;
  u64 written() const override { return thread_.has_value() ? thread_->written() : 0; }
  diag::Result<void> stop() override;
  std::string readable_path() const override { return file_.openable_path(); }
  const std::optional<diag::Error>& trouble() const override { return file_.trouble(); }
  std::vector<std::string> remarks() const override;

 private:
  void write_beginning();
  void write_earlier();

  LinuxPrograms& programs_;
  const LinuxMachine& machine_;
  const plan::SamplePlan plan_;
  const RecordingTarget target_;
  const bool starts_with_program_;
  RecordingFile file_;
  SampledEvents events_;
  std::optional<perf_events::RecordingThread> thread_;
  u64 records_begin_ = 0;
};

// Readable from now on, however this ends.
void LinuxRecordingSession::write_beginning() {
  const std::string beginning = perf_export::file_beginning(events_.written());
  records_begin_ = beginning.size();
  file_.append(beginning);
  std::string names;
  for (const perf_export::WrittenEvent& event : events_.written()) {
    if (!event.ids.empty()) perf_export::append_event_name(names, event.ids.front(), event.name);
  }
  file_.append(names);
}

void LinuxRecordingSession::write_earlier() {
  EarlierRecords earlier(events_.sample_type());
  if (plan_.kernel) earlier.add_kernel();
  if (!plan_.process.has_value()) {
    earlier.add_everybody();
  } else if (!starts_with_program_) {
    earlier.add_process(*plan_.process, programs_.threads_to_watch(*plan_.process));
  }
  file_.append(earlier.bytes());
}

diag::Result<void> LinuxRecordingSession::start() {
  write_beginning();
  // The kernel tells of changes before anybody asks what there was: so none is missed.
  if (!starts_with_program_) events_.switch_all(PERF_EVENT_IOC_ENABLE);
  write_earlier();
  thread_.emplace(events_.rings(), file_);
  return thread_->start();
}

diag::Result<void> LinuxRecordingSession::stop() {
  if (!thread_.has_value()) return {};
  events_.switch_all(PERF_EVENT_IOC_DISABLE);
  thread_->stop();
  file_.append(events_.lost_samples());
  const SystemFiles files;
  perf_export::RecordingFacts facts = perf_events::recording_facts(files, machine_.units, target_.tool_version);
  if (plan_.kernel) {
    constexpr usize kMostNotes = 1 << 16;
    const std::string notes = beginning_of("/sys/kernel/notes", kMostNotes);
    const std::string_view id = perf_events::build_id_in_notes(notes);
    if (!id.empty()) {
      facts.build_ids.push_back({.id = std::string(id), .path = "[kernel.kallsyms]", .pid = ~u32{0}, .kernel = true});
    }
  }
  const perf_export::FileEnding ending =
      perf_export::file_ending(events_.written(), file_.size() - records_begin_, facts);
  file_.append(ending.tail);
  file_.replace_beginning(ending.header);
  return {};
}

std::vector<std::string> LinuxRecordingSession::remarks() const {
  usize smallest = perf_events::kRingBytes;
  for (const perf_events::SampleRing& ring : events_.rings()) {
    smallest = std::min(smallest, ring.size());
  }
  if (smallest == perf_events::kRingBytes) return {};
  return {fmt::format("rings have {} KiB, not {}: kernel.perf_event_mlock_kb limits what a user may take",
                      smallest >> 10, perf_events::kRingBytes >> 10)};
}

}  // namespace

diag::Result<std::unique_ptr<RecordingSession>> open_linux_recording(LinuxPrograms& programs,
                                                                     const LinuxMachine& machine,
                                                                     const plan::SamplePlan& plan,
                                                                     const RecordingTarget& target) {
  WPERF_TRY(RecordingFile file, RecordingFile::create(target.file));
  auto session = std::make_unique<LinuxRecordingSession>(programs, machine, plan, target, std::move(file));
  WPERF_CHECK_OK(session->open());
  return std::unique_ptr<RecordingSession>(std::move(session));
}

}  // namespace wperf::device
