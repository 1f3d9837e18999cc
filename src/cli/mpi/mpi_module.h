// The functions of MPI that a sweep needs, in a module of their own: the program loads it only under mpirun, because MPI's libraries would be felt at every start.
#pragma once

#include <cstddef>

namespace rigor::cli {

struct MpiFunctions {
  void (*start)(int* rank, int* count);
  void (*stop)();
  /// Sends a message to a rank and waits until its memory may be reused.
  void (*send)(int to, const char* bytes, std::size_t size);
  /// The size of a message that has arrived, from any rank unless `from` names one; -1: there is none, which is never returned if `wait` is set.
  long (*probe)(int* from, bool wait);
  void (*receive)(int from, char* bytes, std::size_t size);
};
using GetMpiFunctions = MpiFunctions();
inline constexpr const char* kGetMpiFunctions = "rigor_mpi_functions";

}  // namespace rigor::cli
