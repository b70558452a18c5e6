// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/python_process.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "analysis/recording/python_names.h"
#include "code/python/debug_offsets.h"

namespace wperf::recording {

std::string jit_code_of(const std::map<u32, symbols::JitDumpWriter>& made) {
  std::string section;
  for (const auto& [pid, functions] : made) {
    if (!functions.is_empty()) functions.append_to(section);
  }
  return section;
}

std::string python_versions(u32 minor_versions) {
  std::string out;
  for (; minor_versions != 0; minor_versions &= minor_versions - 1)
    out += (out.empty() ? "3." : ", 3.") + std::to_string(std::countr_zero(minor_versions));
  return out;
}

std::unique_ptr<PythonProcess> PythonProcess::open(PythonHost& host, u32 pid) {
  const auto memory = host.memory_of(pid);
  auto runtime = host.find_runtime(pid, *memory);
  if (!runtime.has_value() || runtime.value().evaluation.empty()) return nullptr;
  auto layout = python::read_layout(*memory, runtime.value().address, runtime.value().version);
  if (!layout.has_value()) return nullptr;
  return std::unique_ptr<PythonProcess>(new PythonProcess(host, pid, std::move(runtime).value(), layout.value()));
}

PythonProcess::PythonProcess(PythonHost& host, u32 pid, python::PythonRuntime runtime, const python::Layout& layout)
    : host_(host),
      pid_(pid),
      runtime_(std::move(runtime)),
      layout_(layout),
      has_other_root_(host.has_other_root(pid)),
      memory_(host.memory_of(pid)),
      code_(*memory_, layout_) {}

std::unique_ptr<PythonProcess> PythonProcess::forked(u32 child) const {
  const auto first_interpreter = [this](u32 pid) {
    u64 address = 0;
    const bool is_read = host_.memory_of(pid)->read_number(runtime_.address + layout_.runtime.interpreters, address);
    return is_read ? address : 0;
  };
  // These bytes differ if the child runs another program, or the same program at other addresses.
  const u64 first = first_interpreter(child);
  if (first == 0 || first != first_interpreter(pid_)) return nullptr;
  return std::unique_ptr<PythonProcess>(new PythonProcess(host_, child, runtime_, layout_));
}

void PythonProcess::list_threads(u64 now_ns) {
  listed_ns_ = now_ns;
  are_in_doubt_ = false;
  struct Known {
    u32 number = 0;
    std::unique_ptr<Thread> thread;
  };
  std::unordered_map<u64, Known> before;  // keyed by state
  for (auto& [number, states] : threads_) {
    for (std::unique_ptr<Thread>& one : states) {
      const u64 state = one->state;
      before[state] = {number, std::move(one)};
    }
  }
  threads_.clear();
  for (const python::PythonThread& one : python::list_threads(*memory_, layout_, runtime_.address).threads) {
    std::unique_ptr<Thread> known = std::move(before[one.state].thread);
    if (known == nullptr) known = std::make_unique<Thread>(*memory_, layout_, one.state);
    threads_[one.native_id].push_back(std::move(known));
  }
  // A subinterpreter has a state only during a call, usually at the same address at the next call.
  constexpr usize kMostStates = 4;
  for (auto& [state, known] : before) {
    const auto states = known.thread != nullptr ? threads_.find(known.number) : threads_.end();
    if (states != threads_.end() && states->second.size() < kMostStates)
      states->second.push_back(std::move(known.thread));
  }
}

// Returns true if the state was not known before.
bool PythonProcess::add_state(const python::PythonThread& one) {
  std::vector<std::unique_ptr<Thread>>& states = threads_[one.native_id];
  const bool is_known = std::ranges::any_of(states, [&](const auto& known) { return known->state == one.state; });
  if (!is_known) states.push_back(std::make_unique<Thread>(*memory_, layout_, one.state));
  return !is_known;
}

// Finds the states of threads that have started since threads were last listed.
void PythonProcess::find_new_threads(Sampled& thread, u64 now_ns) {
  ++thread.vain_searches;
  const python::PythonThreads newest = python::list_newest_threads(*memory_, layout_, runtime_.address, thread.own);
  bool is_found = false, is_listed = false;
  for (const python::PythonThread& one : newest.threads) {
    const bool is_added = add_state(one);
    is_found |= is_added && one.native_id == thread.own;
    is_listed |= one.native_id == thread.own;
  }
  usize reads = 2 + newest.threads.size();
  if (is_found) {
    thread.vain_searches = 0;
    are_in_doubt_ = true;  // threads that have ended are dropped when threads are listed next
  } else if (!is_listed && !newest.is_whole) {
    list_threads(now_ns);
    reads += threads_.size();
  }
  budget_.pay(now_ns, reads);
}

// Returns null if the thread has no states.
std::vector<std::unique_ptr<PythonProcess::Thread>>* PythonProcess::states_of(Sampled& thread, u64 now_ns) {
  constexpr u32 kMostVainSearches = 8;  // limited because many threads never run Python code
  const bool may_list = now_ns >= listed_ns_ + host_.pause_ns();
  const bool is_free = host_.pause_ns() == 0;
  const bool is_wanted = thread.lacks_one || !threads_.contains(thread.own);
  if (!is_free && is_wanted && thread.vain_searches < kMostVainSearches && budget_.allows_one(now_ns))
    find_new_threads(thread, now_ns);
  if (may_list && (is_free || are_in_doubt_ || !threads_.contains(thread.own))) list_threads(now_ns);
  const auto known = threads_.find(thread.own);
  return known != threads_.end() ? &known->second : nullptr;
}

PythonProcess::Snapshots PythonProcess::take_snapshots(u32 thread) {
  Snapshots out;
  bool are_all_its_own = true, is_any_active = false;
  for (const std::unique_ptr<Thread>& one : threads_[thread]) {
    const bool is_its_own = one->snapshot.take(*memory_, layout_, one->state, thread);
    are_all_its_own &= is_its_own;
    out.has_any |= is_its_own;
    is_any_active |= is_its_own && one->snapshot.is_active();
  }
  out.may_lack_one = !are_all_its_own && !is_any_active;
  return out;
}

PythonProcess::Copied PythonProcess::copy_frames(u32 tid, u64 now_ns, Frames& out) {
  out.clear();
  const std::lock_guard lock(copying_);
  const auto [sampled, is_new] = sampled_.try_emplace(tid);
  Sampled& thread = sampled->second;
  if (is_new || thread.lacks_one) thread.own = host_.own_number_of(pid_, tid);
  thread.lacks_one = false;
  const u32 own = thread.own;
  if (states_of(thread, now_ns) == nullptr) return thread.was_found ? Copied::no_frames : Copied::no_python_thread;
  thread.was_found = true;
  Snapshots snapshots = take_snapshots(own);
  if (snapshots.may_lack_one) {
    are_in_doubt_ = true;
    thread.lacks_one = true;
    if (states_of(thread, now_ns) == nullptr) return Copied::unreadable;
    snapshots = take_snapshots(own);
  }
  if (!snapshots.has_any) return Copied::unreadable;
  for (const std::unique_ptr<Thread>& one : threads_[own]) {
    if (one->snapshot.current_frame() == 0) continue;
    if (one->snapshot.is_active()) out.active = out.ends.size();
    if (!read_frames(*one, out)) return Copied::unreadable;
  }
  return out.all.empty() ? Copied::no_frames : Copied::yes;
}

std::span<const PythonProcess::Frame> PythonProcess::Frames::from(usize frame, std::vector<Frame>& room) const {
  if (ends.size() == 1) return std::span(all).subspan(frame);
  const usize inner = state_of(frame);
  const auto own = of(inner).subspan(frame - begin_of(inner));
  room.assign(own.begin(), own.end());
  if (own.back().is_last_read) return room;
  for (usize state = 0; state < ends.size() && ends.size() == 2; ++state) {
    const auto outer = of(state);
    if (state != inner) room.insert(room.end(), outer.begin(), outer.end());
  }
  return room;
}

bool PythonProcess::read_frames(Thread& thread, Frames& out) {
  thread.reader.read_from(thread.snapshot.current_frame(), thread.frames);
  for (const python::RawFrame& one : thread.frames.frames) {
    const bool has_function = one.code != 0 || one.instruction != 0;
    out.all.push_back({.address = one.address,
                       .instruction = one.instruction,
                       .function = has_function ? function_of(one) : std::nullopt,
                       .has_function = has_function,
                       .is_entry = one.is_entry});
  }
  out.ends.push_back(out.all.size());
  if (thread.frames.end == python::StackEnd::too_deep) out.all.back().is_last_read = true;
  return thread.frames.end != python::StackEnd::unreadable;
}

std::optional<PythonProcess::Function> PythonProcess::function_of(const python::RawFrame& frame) {
  const auto id = code_.id_of(frame);
  if (!id.has_value()) return std::nullopt;
  const u64 begin = code_[*id].instructions;
  return Function{*id, begin, begin + code_.lines(*id).size()};
}

bool PythonProcess::is_of_other_root(const std::string& file) {
  if (!file.starts_with('/')) return false;
  const auto [known, is_new] = other_files_.try_emplace(file, false);
  if (is_new && (has_other_root_ || host_.has_other_root(pid_))) known->second = host_.is_other_file(pid_, file);
  return known->second;
}

void PythonProcess::note_use(const Function& function, u64 time_ns, symbols::JitDumpWriter& made) {
  const auto [latest, is_new] = function_at_.try_emplace(function.begin, function.id);
  if (!is_new && latest->second == function.id) return;
  latest->second = function.id;
  const std::lock_guard lock(copying_);  // other threads add code objects
  const python::CodeObject& code = code_[function.id];
  std::vector<symbols::JitDumpWriter::Line> lines;
  for (const python::LineTable::Row& row : code_.lines(function.id).rows())
    lines.push_back({function.begin + row.begin, row.line});
  const std::string name = made_python_name(code.qualified_name, code.file, is_of_other_root(code.file) ? pid_ : 0);
  made.add({.begin = function.begin,
            .size = function.end - function.begin,
            .since = time_ns,
            .name = name,
            .file = code.file,
            .lines = lines});
}

}  // namespace wperf::recording
