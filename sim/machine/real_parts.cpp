// SPDX-License-Identifier: BSD-3-Clause
#include "sim/machine/parts.h"
#include "sim/nt/nt_process.h"
#include "sim/windows/simulated_process.h"

namespace wperf::sim {
namespace {

class EngineCore final : public Executor {
 public:
  EngineCore(const CoreConfig& config, SharedMemorySystem& shared) : engine_(config, shared) {}
  Stop run(AddressSpace& space, ThreadState& thread, u64 cycle_budget, std::span<const EventWatch> watches) override {
    return engine_.run(space, thread, cycle_budget, watches);
  }
  void run_kernel(KernelWork work) override { engine_.run_kernel(work); }
  void set_profiler(Profiler* profiler) override { engine_.set_profiler(profiler); }
  const SignalCounts& signals() const override { return engine_.signals(); }
  u64 cycles() const override { return engine_.cycles(); }
  CoreEngine* engine() override { return &engine_; }

 private:
  CoreEngine engine_;
};

class WindowsProgram final : public Program {
 public:
  explicit WindowsProgram(std::unique_ptr<Process> process) : process_(std::move(process)) {}
  AddressSpace& space() override { return process_->space(); }
  ThreadState& thread(u32 id) override { return process_->thread(id); }
  std::vector<u32> threads() const override { return process_->thread_ids(); }
  const std::vector<Module>& modules() const override { return process_->modules(); }
  CallOutcome kernel_call(u32 thread, u32 immediate, u64 now_ns) override {
    return process_->kernel_call(thread, immediate, now_ns);
  }
  bool enters_kernel(u32 immediate) const override { return Process::enters_kernel(immediate); }
  bool goes_on_after(u32 thread, const Stop& stop) override { return process_->goes_on_after(stop, thread); }
  u64 sleep_until_ns(u32 thread) const override { return process_->sleep_until_ns(thread); }
  WaitsFor waits_for(u32 thread) const override { return process_->waits_for(thread); }
  u32 processor(u32 thread) const override { return process_->processor(thread); }
  u32 exit_code() const override { return process_->exit_code(); }
  std::string crash_text() const override { return process_->crash_text(); }

 private:
  std::unique_ptr<Process> process_;
};

// Per cluster; larger than the L2 of any product, so that the levels can be distinguished.
constexpr u64 kL3Bytes = 4u << 20;

class RealParts final : public Parts {
 public:
  explicit RealParts(const MachineOptions& options)
      : products_(options.cores),
        seed_(options.seed),
        system_folder_(options.system_folder == "on" ? nt::system_folder_of_build() : options.system_folder),
        surroundings_(options.surroundings) {
    surroundings_.streams = std::make_shared<StandardStreams>(options.console_shown);
    config_.core_count = static_cast<u32>(options.cores.size());
    config_.cluster_size = options.cluster_size;
    config_.dmc_channels = options.dmc_channels;
    config_.l3_bytes = kL3Bytes;
  }

  std::unique_ptr<Executor> make_core(u32 index) override {
    if (!shared_) shared_ = std::make_unique<SharedMemorySystem>(config_);
    const Product& product = *products_[index];
    CoreConfig core;
    core.index = index;
    core.seed = seed_ + index;
    core.l1i_bytes = product.l1i_kib << 10;
    core.l1d_bytes = product.l1d_kib << 10;
    core.l2_bytes = product.l2_kib << 10;
    core.l1_tlb_entries = product.l1_tlb;
    core.l2_tlb_entries = product.l2_tlb;
    core.issue_width = product.issue_width;
    core.counts_slots = product.counts_slots();
    core.recovers_in_backend = product.recovers_in_backend();
    core.counts_extra_slot = product.counts_extra_slot();
    return std::make_unique<EngineCore>(core, *shared_);
  }

  std::unique_ptr<Program> load(const LoadRequest& request, LoadError& error) override {
    const ProgramWish& wish = request.program;
    Surroundings surroundings = surroundings_;
    if (wish.streams) surroundings.streams = wish.streams;
    if (!system_folder_.empty()) {
      return nt::load_process({wish.image_path, wish.command_line, system_folder_, request.seed, request.pid, wish.core,
                               config_.core_count, wish.affinity, surroundings},
                              error);
    }
    std::unique_ptr<Process> process = Process::load(wish.image_path, wish.command_line, request.seed, error);
    if (!process) return nullptr;
    if (!process->set_surroundings(surroundings, error)) return nullptr;
    process->set_ids(request.pid, request.thread_id);
    process->set_processor(wish.core, config_.core_count);
    return std::make_unique<WindowsProgram>(std::move(process));
  }

  void make_coherent(const AddressSpace& space) override {
    if (shared_) shared_->make_coherent(space.id());
  }
  ClusterSignals cluster(u32 index) override { return shared_ ? shared_->cluster(index) : ClusterSignals{}; }
  ChannelSignals channel(u32 index) override { return shared_ ? shared_->channel(index) : ChannelSignals{}; }
  std::string unavailable() override { return CoreEngine::unavailable(); }

 private:
  std::vector<const Product*> products_;
  u64 seed_;
  std::string system_folder_;
  Surroundings surroundings_;
  SharedConfig config_;
  std::unique_ptr<SharedMemorySystem> shared_;
};

}  // namespace

std::unique_ptr<Parts> make_real_parts(const MachineOptions& options) {
  return std::make_unique<RealParts>(options);
}

}  // namespace wperf::sim
