#include "cli/sweep_ranks.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "cli/mpi/mpi_module.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

// Messages to rank 0 that are no results.
const std::string kAsks = "asks", kEnded = "ended";

/// True if a launcher of MPI started this process: OpenMPI's mpirun, MPICH's, or Slurm's srun with PMI.
bool is_started_by_mpi() { return std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("PMI_SIZE"); }

#ifdef RIGOR_MPI_MODULE

/// The module is beside the program after a build, or in the library folder after an installation.
std::filesystem::path module_file() {
  std::error_code unknown;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  const auto beside = folder / RIGOR_MPI_MODULE;
  return std::filesystem::exists(beside, unknown) ? beside : folder / RIGOR_MPI_INSTALLED / RIGOR_MPI_MODULE;
}

std::optional<MpiFunctions> load() {
  void* const module = dlopen(module_file().c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* const get = module ? dlsym(module, kGetMpiFunctions) : nullptr;
  if (!get) throw Error("mpirun", std::string("the program's module for MPI does not load: ") + dlerror());
  return reinterpret_cast<GetMpiFunctions*>(get)();
}

#else

/// Processes share the file of results instead.
std::optional<MpiFunctions> load() { return std::nullopt; }

#endif

}  // namespace

struct SweepRanks::Mpi {
  MpiFunctions functions;

  std::optional<std::string> receive(int& from, bool wait) const {
    const long size = functions.probe(&from, wait);
    if (size < 0) return std::nullopt;
    std::string bytes(static_cast<std::size_t>(size), '\0');
    functions.receive(from, bytes.data(), bytes.size());
    return bytes;
  }
  void send(int to, const std::string& bytes) const { functions.send(to, bytes.data(), bytes.size()); }
};

SweepRanks::SweepRanks() {
  if (!is_started_by_mpi()) return;
  const std::optional<MpiFunctions> functions = load();
  if (!functions) return;
  mpi_ = std::make_unique<Mpi>(Mpi{*functions});
  mpi_->functions.start(&rank_, &count_);
  if (rank_ == 0) busy_ = count_ - 1;
}

SweepRanks::~SweepRanks() {
  if (!mpi_) return;
  while (busy_ > 0) {
    int from = -1;
    const std::string bytes = *mpi_->receive(from, true);
    if (bytes == kAsks) answer(from, std::nullopt);
    if (bytes == kEnded) --busy_;
  }
  mpi_->functions.stop();
}

std::optional<SweepRanks::Message> SweepRanks::receive() const {
  if (!mpi_) return std::nullopt;
  Message message;
  message.from = -1;
  const std::optional<std::string> bytes = mpi_->receive(message.from, false);
  if (!bytes) return std::nullopt;
  if (*bytes == kEnded) {
    message.kind = Message::Kind::has_ended;
    --busy_;
  } else if (*bytes != kAsks) {
    message.kind = Message::Kind::result;
    message.row = sweep_row(*bytes);
  }
  return message;
}

void SweepRanks::answer(int rank, std::optional<std::size_t> cell) const {
  mpi_->send(rank, cell ? std::to_string(*cell) : "");
}

std::optional<std::size_t> SweepRanks::ask() const {
  mpi_->send(0, kAsks);
  int from = 0;
  const std::string answer = *mpi_->receive(from, true);
  if (answer.empty()) return std::nullopt;
  return std::stoull(answer);
}

void SweepRanks::send(const SweepRow& row) const { mpi_->send(0, to_text(row)); }
void SweepRanks::end() const { mpi_->send(0, kEnded); }

}  // namespace rigor::cli
