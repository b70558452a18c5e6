// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/python_process.h"

#include <algorithm>
#include <vector>

#include "analysis/recording/python_names.h"
#include "code/python/debug_offsets.h"
#include "code/python/threads.h"

namespace wperf::recording {
namespace {

// Threads without Python code are common, and looking for one reads all of them.
constexpr u64 kListAgainNs = 10'000'000;

}  // namespace

std::unique_ptr<PythonProcess> PythonProcess::open(u32 pid, symbols::JitDumpWriter& made) {
  python::RunningMemory memory(pid);
  const auto mappings = os::file_mappings(pid);
  auto runtime = python::find_runtime(mappings, memory, pid);
  if (!runtime.has_value() || runtime.value().evaluation.empty()) return nullptr;
  auto layout = python::read_layout(memory, runtime.value().address, runtime.value().version);
  if (!layout.has_value()) return nullptr;
  return std::unique_ptr<PythonProcess>(new PythonProcess(pid, std::move(runtime).value(), layout.value(), made));
}

PythonProcess::PythonProcess(u32 pid, python::PythonRuntime runtime, const python::Layout& layout,
                             symbols::JitDumpWriter& made)
    : pid_(pid), runtime_(std::move(runtime)), layout_(layout), memory_(pid), code_(memory_, layout_), made_(made) {}

void PythonProcess::list_threads(u64 now_ns) {
  listed_ns_ = now_ns;
  for (const python::PythonThread& one : python::list_threads(memory_, layout_, runtime_.address).threads)
    states_[one.native_id] = one.state;
}

PythonProcess::Copied PythonProcess::copy_state(u32 tid, u64 now_ns, python::Snapshot& out,
                                                std::vector<python::RawFrame>& running) {
  running.clear();
  const auto [number, is_new] = own_numbers_.try_emplace(tid, 0);
  if (is_new) number->second = os::own_thread_number(pid_, tid);
  const u32 own = number->second;
  for (const bool is_second : {false, true}) {
    auto known = states_.find(own);
    if (known == states_.end()) {
      const Copied gone = is_second ? Copied::unreadable : Copied::no_python_thread;
      if (now_ns - listed_ns_ < kListAgainNs) return gone;
      list_threads(now_ns);
      known = states_.find(own);
      if (known == states_.end()) return gone;
    }
    if (out.take(memory_, layout_, known->second, own)) {
      if (out.current_frame() == 0) return Copied::no_python_thread;
      running = frames_from(out.current_frame(), {out, {}, {}}).frames;
      for (const python::RawFrame& frame : running) static_cast<void>(code_.id_of(frame));
      return Copied::yes;
    }
    states_.erase(known);
    own_numbers_.erase(tid);
  }
  return Copied::unreadable;
}

const python::RawStack& PythonProcess::frames_from(u64 frame, const CopiedThread& thread, usize most) {
  python::SnapshotMemory memory(thread.state, memory_, thread.stack);
  python::StackReader reader(memory, layout_);
  reader.walk_from(frame, frames_, most);
  auto running = thread.running.begin();
  for (python::RawFrame& one : frames_.frames) {
    const auto same = std::find_if(running, thread.running.end(),
                                   [&](const python::RawFrame& other) { return other.address == one.address; });
    if (same == thread.running.end()) continue;
    running = same;
    if (same->code == one.code) one.mark = same->mark;
  }
  reader.add_marks(frames_);
  return frames_;
}

std::optional<PythonProcess::Function> PythonProcess::function_at(u64 frame, const CopiedThread& thread) {
  const python::RawStack& one = frames_from(frame, thread, 1);
  return one.frames.empty() ? std::nullopt : function_of(one.frames.front());
}

std::optional<PythonProcess::Function> PythonProcess::function_of(const python::RawFrame& frame) {
  const auto id = code_.id_of(frame);
  if (!id.has_value()) return std::nullopt;
  const u64 begin = code_[*id].instructions;
  return Function{*id, begin, begin + code_.lines(*id).size()};
}

void PythonProcess::note_use(const Function& function, u64 time_ns) {
  const auto [latest, is_new] = function_at_.try_emplace(function.begin, function.id);
  if (!is_new && latest->second == function.id) return;
  latest->second = function.id;
  const python::CodeObject& code = code_[function.id];
  std::vector<symbols::JitDumpWriter::Line> lines;
  for (const python::LineTable::Row& row : code_.lines(function.id).rows())
    lines.push_back({function.begin + row.begin, row.line});
  const std::string name = made_python_name(code.qualified_name, code.file);
  made_.add({.begin = function.begin,
             .size = function.end - function.begin,
             .since = time_ns,
             .name = name,
             .file = code.file,
             .lines = lines});
}

}  // namespace wperf::recording
