#include "cli/mpi/mpi_module.h"

#include <mpi.h>

namespace rigor::cli {

namespace {

constexpr int kTag = 1;

void start(int* rank, int* count) {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, count);
}

void stop() { MPI_Finalize(); }

void send(int to, const char* bytes, std::size_t size) {
  MPI_Send(bytes, static_cast<int>(size), MPI_BYTE, to, kTag, MPI_COMM_WORLD);
}

long probe(int* from, bool wait) {
  MPI_Status status;
  int found = 1, size = 0;
  const int source = *from < 0 ? MPI_ANY_SOURCE : *from;
  if (wait)
    MPI_Probe(source, kTag, MPI_COMM_WORLD, &status);
  else
    MPI_Iprobe(source, kTag, MPI_COMM_WORLD, &found, &status);
  if (!found) return -1;
  *from = status.MPI_SOURCE;
  MPI_Get_count(&status, MPI_BYTE, &size);
  return size;
}

void receive(int from, char* bytes, std::size_t size) {
  MPI_Recv(bytes, static_cast<int>(size), MPI_BYTE, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) MpiFunctions rigor_mpi_functions() {
  return {start, stop, send, probe, receive};
}

}  // namespace rigor::cli
