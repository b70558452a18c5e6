// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/live_python.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <optional>

#include "code/unwind/frame_expression.h"

namespace wperf::recording {
namespace {

using Samples = stacks::PythonSamples;

// A program may load an interpreter later.
constexpr u64 kShortestPauseNs = 100'000'000, kLongestPauseNs = 10'000'000'000;

// The clock of samples.
u64 monotonic_ns() {
  return static_cast<u64>(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace

LivePython::Program* LivePython::program_of(u32 pid, u64 now_ns) {
  Program& program = programs_[pid];
  if (program.process != nullptr) return &program;
  if (now_ns < program.ask_again_ns) return nullptr;
  program.pause_ns = std::clamp(2 * program.pause_ns, kShortestPauseNs, kLongestPauseNs);
  program.ask_again_ns = now_ns + program.pause_ns;
  program.process = PythonProcess::open(pid, made_.try_emplace(pid, pid).first->second);
  if (program.process == nullptr) return nullptr;
  versions_ |= u32{1} << (program.process->minor_version() & 31);
  return &program;
}

usize LivePython::copy_state(const perf_data::Sample& sample) {
  const u64 now_ns = monotonic_ns();
  if (free_copies_.empty()) {
    free_copies_.push_back(copies_.size());
    copies_.emplace_back();
  }
  const usize number = free_copies_.back();
  free_copies_.pop_back();
  Copy& copy = copies_[number];
  Program* const program = program_of(sample.pid, now_ns);
  copy.process = program != nullptr ? program->process : nullptr;
  if (copy.process != nullptr) copy.copied = copy.process->copy_state(sample.tid, now_ns, copy.state, copy.running);
  return number;
}

void LivePython::begin_stack(u32 pid) {
  const auto known = programs_.find(pid);
  program_ = known != programs_.end() && known->second.process != nullptr ? &known->second : nullptr;
  evaluations_.clear();
  seen_ = 0;
}

void LivePython::see(u64 address, const unwind::Registers& registers) {
  const usize number = seen_++;
  if (number == 0) stack_.begin = registers.value[unwind::stack_pointer(unwind::machine_here())];
  if (program_ == nullptr) return;
  if (!evaluations_.empty() && evaluations_.back().frame + 1 == number)
    evaluations_.back().stack_end = registers.value[unwind::stack_pointer(unwind::machine_here())];
  if (program_->process->evaluates_at(address)) evaluations_.push_back({number, registers});
}

void LivePython::join(const Stack& stack) {
  Copy& copy = copies_[stack.copy];
  if (copy.process != nullptr) ++(samples_.*try_to_join(stack, copy));
  copy.process.reset();
  free_copies_.push_back(stack.copy);
}

LivePython::Outcome LivePython::try_to_join(const Stack& stack, Copy& copy) {
  if (copy.copied == PythonProcess::Copied::unreadable) return &Samples::unread;
  if (!stack.was_unwound) return &Samples::without_stack;
  if (evaluations_.empty()) return stack.is_whole ? &Samples::outside : &Samples::without_stack;
  if (copy.copied == PythonProcess::Copied::no_python_thread || copy.process != program_->process)
    return &Samples::changed;
  const perf_data::UserStack& copied = stack.sample.user_stack;
  stack_.bytes = copied.bytes.first(static_cast<usize>(copied.written));
  collect_words();
  Anchor anchor;
  if (!find_anchor(program_->places, copy, anchor)) return &Samples::changed;
  return write_chain(stack, copy, anchor);
}

// The registers and the stack frame of the innermost call of the interpreter's function.
void LivePython::collect_words() {
  words_.clear();
  const Evaluation& inner = evaluations_.front();
  for (u16 number = 0; number < unwind::Registers::kCount; ++number) {
    if (inner.registers.knows(number)) words_.push_back({number, inner.registers.value[number]});
  }
  if (inner.stack_end == 0) return;
  const u8 stack_pointer = unwind::stack_pointer(unwind::machine_here());
  const unwind::StackCopy copy{.address = stack_.begin, .bytes = stack_.bytes};
  for (u16 distance = 1; distance < PlacedWord::kMostOfStack; ++distance) {
    const u64 address = inner.stack_end - distance * sizeof(u64);
    if (address < inner.registers.value[stack_pointer]) break;
    const auto word = unwind::read_stack(copy, address);
    if (word.has_value()) words_.push_back({static_cast<u16>(PlacedWord::kFirstOfStack + distance), *word});
  }
}

// Does the frame run code that has this instruction?
bool LivePython::fits(const Copy& copy, const Anchor& anchor) {
  if (anchor.frame % sizeof(u64) != 0) return false;
  const auto function = copy.process->function_at(anchor.frame, thread_of(copy));
  return function.has_value() && function->may_have_next(anchor.instruction);
}

bool LivePython::find_anchor(PythonPlaces& places, const Copy& copy, Anchor& out) {
  const bool is_found =
      places.is_learning() ? learn_anchor(places, copy, out) : places.any_of([&](const PythonPlaces::Pair& pair) {
        const auto frame = word_at(pair.frame);
        const auto instruction = word_at(pair.instruction);
        if (!frame.has_value() || !instruction.has_value()) return false;
        out = {*frame, *instruction};
        return fits(copy, out);
      });
  return is_found || find_empty_evaluation(places, out);
}

std::optional<u64> LivePython::word_at(u16 place) const {
  const auto found = std::ranges::find(words_, place, &PlacedWord::place);
  return found != words_.end() ? std::optional(found->value) : std::nullopt;
}

// Since 3.12: while an evaluation begins or ends, its current frame is the one of C in its own stack frame.
bool LivePython::find_empty_evaluation(const PythonPlaces& places, Anchor& out) const {
  const Evaluation& inner = evaluations_.front();
  const u64 begin = inner.registers.value[unwind::stack_pointer(unwind::machine_here())];
  return places.any_of([&](const PythonPlaces::Pair& pair) {
    const auto frame = word_at(pair.frame);
    if (!frame.has_value() || *frame < begin || *frame >= inner.stack_end) return false;
    out = {*frame, 0};
    return true;
  });
}

// Tries all pairs of words, counts those that fit, and takes the most frequent.
bool LivePython::learn_anchor(PythonPlaces& places, const Copy& copy, Anchor& out) {
  std::vector<std::pair<PythonPlaces::Pair, Anchor>> fitting;
  std::unordered_map<u64, std::optional<PythonProcess::Function>> functions;  // by frame
  for (const PlacedWord& frame : words_) {
    if (frame.value % sizeof(u64) != 0 || (!copy.state.holds(frame.value) && frame.value != copy.state.current_frame()))
      continue;
    const auto [known, is_new] = functions.try_emplace(frame.value);
    if (is_new) known->second = copy.process->function_at(frame.value, thread_of(copy));
    const auto& function = known->second;
    if (!function.has_value()) continue;
    for (const PlacedWord& instruction : words_) {
      if (!function->may_have_next(instruction.value)) continue;
      fitting.push_back({{frame.place, instruction.place}, {frame.value, instruction.value}});
    }
  }
  places.end_lesson();
  for (const auto& [pair, anchor] : fitting) places.note(pair);
  return places.any_of([&](const PythonPlaces::Pair& pair) {
    const auto found = std::ranges::find_if(fitting, [&](const auto& one) { return one.first == pair; });
    if (found == fitting.end()) return false;
    out = found->second;
    return true;
  });
}

LivePython::Outcome LivePython::write_chain(const Stack& stack, const Copy& copy, const Anchor& anchor) {
  // Its call had returned before the state was copied: another call may have the place now.
  const bool is_stale = anchor.instruction != 0 &&
                        std::ranges::find(copy.running, anchor.frame, &python::RawFrame::address) == copy.running.end();
  if (is_stale) return &Samples::changed;
  const python::RawStack& frames = copy.process->frames_from(anchor.frame, thread_of(copy));
  if (frames.end != python::StackEnd::outermost) return &Samples::unread;
  const auto entries = static_cast<usize>(std::ranges::count_if(frames.frames, &python::RawFrame::is_entry));
  if (stack.is_whole ? entries != evaluations_.size() : entries < evaluations_.size()) return &Samples::other_shape;
  interpreters_code_ = stack.code_at(stack.chain[stack.user + evaluations_.front().frame] - 1);
  joined_.assign(stack.chain.begin(), stack.chain.begin() + static_cast<std::ptrdiff_t>(stack.user));
  const usize end = stack.chain.size() - stack.user;
  usize native = 0;
  auto frame = frames.frames.begin();
  for (usize i = 0; frame != frames.frames.end(); ++i) {
    const usize at = i < evaluations_.size() ? evaluations_[i].frame : end;
    append_native(stack, native, at, i == 0 ? Outside::nothing : Outside::function);
    for (bool is_over = false; !is_over && frame != frames.frames.end(); ++frame) {
      const bool is_innermost = frame == frames.frames.begin();
      constexpr usize kInstructionSize = 2;
      const u64 instruction = is_innermost ? anchor.instruction - kInstructionSize : frame->instruction;
      if (!append_function(stack, *copy.process, *frame, instruction)) return &Samples::unread;
      is_over = frame->is_entry;
    }
    native = at;
    if (at == end) continue;
    if (keeps_native_) joined_.push_back(stack.chain[stack.user + at]);
    ++native;
  }
  append_native(stack, native, end, Outside::everything);
  stack.chain.swap(joined_);
  return &Samples::joined;
}

bool LivePython::append_function(const Stack& stack, PythonProcess& process, const python::RawFrame& frame,
                                 u64 instruction) {
  if (frame.code == 0) return true;  // an evaluation that has no frame of Python yet
  const auto function = process.function_of(frame);
  if (!function.has_value() || function->end <= function->begin) return false;
  process.note_use(*function, stack.sample.time);
  const bool is_called = joined_.size() != stack.user;
  // Like a return address, that of a caller comes after the call.
  joined_.push_back(std::clamp(instruction, function->begin, function->end - 1) + (is_called ? 1 : 0));
  return true;
}

// Outside of a Python function, the interpreter's own frames are left out, and outside of the outermost one the start
// of the program, if nothing else is there.
void LivePython::append_native(const Stack& stack, usize begin, usize end, Outside outside) {
  const auto code_of = [&](usize at) { return stack.code_at(stack.chain[stack.user + at] - 1); };
  const bool keeps_all = keeps_native_ || outside == Outside::nothing;
  bool is_start = outside == Outside::everything;
  for (usize at = begin; at < end && is_start; ++at)
    is_start = code_of(at) == interpreters_code_ || stack.is_start_of_programs(code_of(at));
  for (usize at = begin; at < end; ++at) {
    if (keeps_all || (!is_start && code_of(at) != interpreters_code_)) joined_.push_back(stack.chain[stack.user + at]);
  }
}

std::string LivePython::made_code() const {
  std::string section;
  for (const auto& [pid, functions] : made_) {
    if (!functions.is_empty()) functions.append_to(section);
  }
  return section;
}

stacks::PythonSamples LivePython::samples() const {
  stacks::PythonSamples out = samples_;
  for (u32 rest = versions_; rest != 0; rest &= rest - 1)
    out.versions += (out.versions.empty() ? "3." : ", 3.") + std::to_string(std::countr_zero(rest));
  return out;
}

}  // namespace wperf::recording
