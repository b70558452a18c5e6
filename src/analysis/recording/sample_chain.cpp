// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/sample_chain.h"

namespace wperf::recording {
namespace {

using bytes::Words;
using stacks::AddressKind;
using stacks::StackFrame;

constexpr usize kBranchWords = 3;  // from, to, flags

AddressKind kind_of_mode(u32 cpu_mode) {
  if (cpu_mode == perf_data::kKernelMode) return AddressKind::kernel;
  return cpu_mode == perf_data::kUserMode ? AddressKind::user : AddressKind::other;
}

AddressKind kind_of_mark(u64 mark) {
  if (mark == perf_data::kCallchainKernel) return AddressKind::kernel;
  return mark == perf_data::kCallchainUser ? AddressKind::user : AddressKind::other;
}

// The newest call comes first; it entered the function with the sample, or with the address where the kernel was
// entered.
void append_call_branches(const Words& calls, u64 entered_from, std::vector<StackFrame>& out) {
  if (!stacks::is_user_code(out.back().kind)) {
    out.push_back({entered_from != 0 ? entered_from : calls[1], AddressKind::user});
  }
  for (usize i = 0; i < calls.size(); i += kBranchWords) out.push_back({calls[i], AddressKind::user, true});
}

stacks::SampleHash hash_of(const stacks::StackAggregator::Origin& origin) {
  stacks::SampleHash hash;
  hash.mix((u64{origin.event} << 32) | origin.task);
  hash.mix((u64{origin.core} << 32) | origin.space);
  return hash;
}

}  // namespace

SampleChain chain_of(const perf_data::Sample& sample, const perf_data::EventAttributes& attributes, bool callers) {
  SampleChain chain{.ip = sample.ip, .misc = sample.misc, .callers = callers, .callchain = {}, .calls = {}};
  if (!callers) return chain;
  chain.callchain = sample.callchain;
  if (attributes.has_call_branches()) chain.calls = sample.branches.words;
  return chain;
}

void collect_frames(const SampleChain& chain, std::vector<StackFrame>& out) {
  out.clear();
  AddressKind kind = kind_of_mode(chain.misc & perf_data::kMiscCpuMode);
  out.push_back({chain.ip, kind});
  if (!chain.callers) return;
  const bool exact_ip = (chain.misc & perf_data::kMiscExactIp) != 0;
  bool is_first = true;
  u64 entered_from = 0;
  const Words callchain = chain.callchain.words();
  for (usize i = 0; i < callchain.size(); ++i) {
    const u64 address = callchain[i];
    if (address == perf_data::kCallchainDeferred) break;  // followed by a cookie (recorded_unwinding.h)
    if (!chain.calls.empty() && kind == AddressKind::user && i != 0 && address < perf_data::kCallchainMarks) {
      entered_from = address;
      break;
    }
    if (address >= perf_data::kCallchainMarks) {
      kind = kind_of_mark(address);
      continue;
    }
    // The stack repeats the sampled address; with a precise event the two addresses differ slightly.
    const bool again = is_first && (address == chain.ip || exact_ip);
    is_first = false;
    if (!again) out.push_back({address, kind});
  }
  if (!chain.calls.empty() && kind == AddressKind::user) append_call_branches(chain.calls.words(), entered_from, out);
}

stacks::SampleHash hash_of(const std::vector<StackFrame>& frames, const stacks::StackAggregator::Origin& origin) {
  constexpr u64 kAtCall = 1 << 8;
  stacks::SampleHash hash = hash_of(origin);
  for (const StackFrame& frame : frames) {
    hash.mix(frame.address);
    hash.mix(static_cast<u64>(frame.kind) | (frame.at_call ? kAtCall : 0));
  }
  return hash;
}

// Covers everything that collect_frames() reads.
stacks::SampleHash hash_of(const SampleChain& chain, const stacks::StackAggregator::Origin& origin) {
  stacks::SampleHash hash = hash_of(origin);
  hash.mix(chain.ip);
  hash.mix(chain.misc);
  if (!chain.callers) return hash;
  hash.mix_words(chain.callchain.words().bytes());
  if (!chain.calls.empty()) hash.mix_words(chain.calls.words().bytes());
  return hash;
}

}  // namespace wperf::recording
