// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/live_python.h"

#include <algorithm>

#include "code/unwind/frame_expression.h"

namespace wperf::recording {
namespace {

using Samples = stacks::PythonSamples;

constexpr usize kInstructionSize = 2;

// The index of a frame in the copy; nullopt if the copy does not have it.
std::optional<usize> number_of(const PythonCopy& copy, u64 frame) {
  const auto found = std::ranges::find(copy.frames.all, frame, &PythonProcess::Frame::address);
  if (found == copy.frames.all.end()) return std::nullopt;
  return static_cast<usize>(found - copy.frames.all.begin());
}

// The instruction before `next`, if `next` is in the code of the frame.
std::optional<u64> instruction_before(const PythonCopy& copy, usize frame, u64 next) {
  const auto& function = copy.frames.all[frame].function;
  if (!function.has_value() || !function->may_have_next(next)) return std::nullopt;
  return next - kInstructionSize;
}

}  // namespace

void LivePython::forget(u32 pid, u64 time) {
  copies_.forget(pid, time);
  places_.erase(pid);
  unknown_.erase(pid);
}

void LivePython::open_new() {
  for (const u32 pid : copies_.open_new()) {
    // Earlier samples were taken when the process had no interpreter yet.
    const auto earlier = unknown_.extract(pid);
    if (!earlier.empty()) samples_.outside += earlier.mapped();
  }
}

void LivePython::begin_stack(const PythonCopy* copy) {
  process_ = copy != nullptr ? copy->process : nullptr;
  // The interpreter may have been found after the sample was taken.
  if (copy != nullptr && process_ == nullptr) process_ = copies_.process_of(copy->owner.pid);
  evaluations_.clear();
  seen_ = 0;
}

void LivePython::see(u64 address, const unwind::Registers& registers) {
  const usize number = seen_++;
  if (number == 0) stack_begin_ = registers.value[unwind::stack_pointer(unwind::architecture_here())];
  if (process_ == nullptr) return;
  if (!evaluations_.empty() && evaluations_.back().frame + 1 == number)
    evaluations_.back().stack_end = registers.value[unwind::stack_pointer(unwind::architecture_here())];
  if (process_->evaluates_at(address)) evaluations_.push_back({number, registers});
}

void LivePython::miss(u32 pid) {
  if (copies_.process_of(pid) != nullptr) ++samples_.changed;
}

bool LivePython::join(const Stack& stack) {
  was_cut_ = false;
  const Outcome outcome = stack.copy.process != nullptr ? try_to_join(stack) : outcome_without_copy(stack);
  if (outcome != nullptr) ++(samples_.*outcome);
  return outcome == &Samples::joined;
}

// Returns null if the process has no known interpreter.
LivePython::Outcome LivePython::outcome_without_copy(const Stack& stack) {
  if (copies_.process_of(stack.sample.pid) == nullptr) {
    ++unknown_[stack.sample.pid];
    return nullptr;
  }
  if (!stack.was_unwound) return &Samples::without_stack;
  if (!evaluations_.empty()) return &Samples::early;
  return stack.is_whole ? &Samples::outside : &Samples::without_stack;
}

LivePython::Outcome LivePython::try_to_join(const Stack& stack) {
  const PythonCopy& copy = stack.copy;
  if (copy.copied == PythonProcess::Copied::unreadable) return &Samples::unread;
  if (!stack.was_unwound) return &Samples::without_stack;
  if (evaluations_.empty()) return stack.is_whole ? &Samples::outside : &Samples::without_stack;
  if (copy.copied == PythonProcess::Copied::no_python_thread) return &Samples::new_thread;
  if (copy.copied == PythonProcess::Copied::no_frames) return &Samples::changed;
  collect_words(stack.sample.user_stack);
  const auto anchor = find_anchor(places_[stack.sample.pid], copy);
  return anchor.has_value() ? write_chain(stack, *anchor) : &Samples::changed;
}

// Collects the registers and the stack frame of the innermost call of the interpreter's function.
void LivePython::collect_words(const perf_data::UserStack& stack) {
  words_.clear();
  const Evaluation& inner = evaluations_.front();
  for (u16 number = 0; number < unwind::Registers::kCount; ++number) {
    if (inner.registers.knows(number)) words_.push_back({number, inner.registers.value[number]});
  }
  if (inner.stack_end == 0) return;
  const u8 stack_pointer = unwind::stack_pointer(unwind::architecture_here());
  const unwind::StackCopy copy{.address = stack_begin_, .bytes = stack.bytes.first(static_cast<usize>(stack.written))};
  for (u16 distance = 1; distance < PlacedWord::kMostOfStack; ++distance) {
    const u64 address = inner.stack_end - distance * sizeof(u64);
    if (address < inner.registers.value[stack_pointer]) break;
    const auto word = unwind::read_stack(copy, address);
    if (word.has_value()) words_.push_back({static_cast<u16>(PlacedWord::kFirstOfStack + distance), *word});
  }
}

std::optional<LivePython::Anchor> LivePython::find_anchor(PythonPlaces& places, const PythonCopy& copy) {
  const auto found = places.is_learning() ? learn_anchor(places, copy) : known_anchor(places, copy);
  const PythonProcess::Frames& frames = copy.frames;
  if (!copy.was_still || frames.all.empty()) return found;
  const auto state = found.has_value() ? frames.state_of(found->frame) : frames.innermost();
  if (!state.has_value()) return found;
  // The thread's state points to the innermost frame, but it is updated some instructions before or after the
  // interpreter's function changes to that frame.
  const usize innermost = frames.begin_of(*state);
  if (found.has_value() && found->frame == innermost) return found;
  return Anchor{innermost, frames.all[innermost].instruction};
}

std::optional<LivePython::Anchor> LivePython::known_anchor(const PythonPlaces& places, const PythonCopy& copy) const {
  std::optional<Anchor> out;
  places.any_of([&](const PythonPlaces::Pair& pair) {
    const auto frame = word_at(pair.frame);
    const auto next = word_at(pair.instruction);
    if (!frame.has_value() || !next.has_value()) return false;
    const auto number = number_of(copy, *frame);
    const auto instruction = number.has_value() ? instruction_before(copy, *number, *next) : std::nullopt;
    if (instruction.has_value()) out = Anchor{*number, *instruction};
    return instruction.has_value();
  });
  return out;
}

std::optional<u64> LivePython::word_at(u16 place) const {
  const auto found = std::ranges::find(words_, place, &PlacedWord::place);
  return found != words_.end() ? std::optional(found->value) : std::nullopt;
}

// Tries all pairs of words, counts the matching pairs, and takes the most frequent one.
std::optional<LivePython::Anchor> LivePython::learn_anchor(PythonPlaces& places, const PythonCopy& copy) const {
  std::vector<std::pair<PythonPlaces::Pair, Anchor>> fitting;
  for (const PlacedWord& frame : words_) {
    const auto number = number_of(copy, frame.value);
    if (!number.has_value()) continue;
    for (const PlacedWord& next : words_) {
      const auto instruction = instruction_before(copy, *number, next.value);
      if (instruction.has_value()) fitting.push_back({{frame.place, next.place}, {*number, *instruction}});
    }
  }
  places.end_lesson();
  for (const auto& [pair, anchor] : fitting) places.note(pair);
  std::optional<Anchor> out;
  places.any_of([&](const PythonPlaces::Pair& pair) {
    const auto found = std::ranges::find_if(fitting, [&](const auto& one) { return one.first == pair; });
    if (found != fitting.end()) out = found->second;
    return out.has_value();
  });
  return out;
}

// Do the frames have as many evaluations as the native stack? If either was cut, it may have fewer than the other.
bool LivePython::fits(const Stack& stack, std::span<const PythonProcess::Frame> frames) const {
  const auto entries = static_cast<usize>(std::ranges::count_if(frames, &PythonProcess::Frame::is_entry));
  if (!frames.empty() && frames.back().is_last_read) {
    const usize begun = entries + (frames.back().is_entry ? 0 : 1);
    return !stack.is_whole || begun <= evaluations_.size();
  }
  return stack.is_whole ? entries == evaluations_.size() : entries >= evaluations_.size();
}

LivePython::Outcome LivePython::write_chain(const Stack& stack, const Anchor& anchor) {
  const auto frames = stack.copy.frames.from(anchor.frame, frames_);
  if (!fits(stack, frames)) {
    stack.copy.process->doubt_states();
    return &Samples::other_shape;
  }
  const bool is_cut = !frames.empty() && frames.back().is_last_read;
  interpreters_code_ = stack.code_at(stack.chain[stack.user + evaluations_.front().frame] - 1);
  joined_.assign(stack.chain.begin(), stack.chain.begin() + static_cast<std::ptrdiff_t>(stack.user));
  const usize end = stack.chain.size() - stack.user;
  usize native = 0;
  auto frame = frames.begin();
  for (usize i = 0; frame != frames.end(); ++i) {
    const usize at = i < evaluations_.size() ? evaluations_[i].frame : end;
    append_native(stack, native, at, i == 0 ? Outside::nothing : Outside::function);
    for (bool is_over = false; !is_over && frame != frames.end(); ++frame) {
      const bool is_innermost = frame == frames.begin();
      if (!append_function(stack, *frame, is_innermost ? anchor.instruction : frame->instruction))
        return &Samples::unread;
      is_over = frame->is_entry;
    }
    native = at;
    if (at == end) continue;
    if (keeps_native_) joined_.push_back(stack.chain[stack.user + at]);
    ++native;
  }
  // Frames between the last frame read and the outermost frame are missing, so the chain ends here.
  if (!is_cut) append_native(stack, native, end, Outside::everything);
  if (is_cut) ++samples_.cut;
  was_cut_ = is_cut;
  stack.chain.swap(joined_);
  return &Samples::joined;
}

bool LivePython::append_function(const Stack& stack, const PythonProcess::Frame& frame, u64 instruction) {
  if (!frame.has_function) return true;
  const auto& function = frame.function;
  if (!function.has_value() || function->end <= function->begin) return false;
  const u32 pid = stack.sample.pid;
  stack.copy.process->note_use(*function, stack.sample.time, made_.try_emplace(pid, pid).first->second);
  const bool is_called = joined_.size() != stack.user;
  // Like a return address, the address of a caller refers to the instruction after the call.
  joined_.push_back(std::clamp(instruction, function->begin, function->end - 1) + (is_called ? 1 : 0));
  return true;
}

// Appends native frames, without the interpreter's frames outside of a Python function. Outside of the outermost
// function, also leaves out the program's start code if there are no other frames.
void LivePython::append_native(const Stack& stack, usize begin, usize end, Outside outside) {
  const auto code_of = [&](usize at) { return stack.code_at(stack.chain[stack.user + at] - 1); };
  const bool keeps_all = keeps_native_ || outside == Outside::nothing;
  if (!keeps_all && is_trampoline(stack, begin)) ++begin;
  bool is_start = outside == Outside::everything;
  for (usize at = begin; at < end && is_start; ++at)
    is_start = code_of(at) == interpreters_code_ || stack.is_start_of_programs(code_of(at));
  for (usize at = begin; at < end; ++at) {
    if (keeps_all || (!is_start && code_of(at) != interpreters_code_)) joined_.push_back(stack.chain[stack.user + at]);
  }
}

// `at`: the frame directly outside of an evaluation. With -X perf the interpreter calls a trampoline for each function,
// which then calls the interpreter's function: code without a file between two frames of the interpreter. Other code
// without a file, such as a thunk for a callback, enters the interpreter through a function of a library or of its API.
bool LivePython::is_trampoline(const Stack& stack, usize at) const {
  const auto code_of = [&](usize frame) { return stack.code_at(stack.chain[stack.user + frame] - 1); };
  const usize frames = stack.chain.size() - stack.user;
  if (at >= frames || code_of(at) != perf_data::kNoCode) return false;
  return at + 1 == frames || code_of(at + 1) == interpreters_code_;
}

stacks::PythonSamples LivePython::samples() const {
  stacks::PythonSamples out = samples_;
  out.versions = python_versions(copies_.versions());
  return out;
}

}  // namespace wperf::recording
