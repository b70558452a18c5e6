// SPDX-License-Identifier: BSD-3-Clause
#include "sim/machine/parts.h"
#include "sim/nt/nt_process.h"

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

// Per cluster; larger than the L2 of any product, so that the levels can be distinguished.
constexpr u64 kL3Bytes = 4u << 20;

class RealParts final : public Parts {
 public:
  explicit RealParts(const MachineOptions& options)
      : products_(options.cores),
        seed_(options.seed),
        system_folder_(options.system_folder.empty() ? nt::system_folder_of_build() : options.system_folder),
        surroundings_(options.surroundings) {
    surroundings_.streams = std::make_shared<StandardStreams>(options.console_shown);
    config_.core_count = static_cast<u32>(options.cores.size());
    config_.cluster_size = options.cluster_size;
    config_.dmc_channels = options.dmc_channels;
    config_.l3_bytes = kL3Bytes;
    for (u32 index = 0; index < products_.size(); ++index) {
      const Product& product = *products_[index];
      const u32 cluster = options.cluster_size != 0 ? index / options.cluster_size : index;
      processors_.push_back({std::string(product.name), product.midr, options.mhz, product.l1i_kib << 10,
                             product.l1d_kib << 10, product.l2_kib << 10, options.cluster_size != 0 ? kL3Bytes : 0,
                             cluster});
    }
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
    const ProgramRequest& program = request.program;
    Surroundings surroundings = surroundings_;
    if (program.streams) surroundings.streams = program.streams;
    if (system_ == nullptr) system_ = nt::make_system(request.host, processors_);
    return nt::load_process(
        {program.image_path, program.command_line, system_folder_, request.seed, request.pid, program.core,
         config_.core_count, program.affinity, surroundings, system_, program.inheritance},
        error);
  }

  void make_coherent(const AddressSpace& space) override {
    if (shared_) shared_->make_coherent(space.id());
  }
  ClusterSignals cluster(u32 index) override { return shared_ ? shared_->cluster(index) : ClusterSignals{}; }
  ChannelSignals channel(u32 index) override { return shared_ ? shared_->channel(index) : ChannelSignals{}; }
  std::string unavailable() override { return CoreEngine::unavailable(); }

 private:
  std::vector<const Product*> products_;
  std::vector<nt::ProcessorFacts> processors_;  // in the order of `products_`
  u64 seed_;
  std::string system_folder_;
  Surroundings surroundings_;
  std::shared_ptr<nt::System> system_;
  SharedConfig config_;
  std::unique_ptr<SharedMemorySystem> shared_;
};

}  // namespace

std::unique_ptr<Parts> make_real_parts(const MachineOptions& options) {
  return std::make_unique<RealParts>(options);
}

}  // namespace wperf::sim
