// Contact problems in the HDF5 layout of FCLIB, the collection of friction-contact problems (Acary, Brémond, Huber et al. 2014, FCLIB: a collection of discrete 3D frictional contact problems, RT-444):
//
//   /fclib_local    spacedim, W, vectors/{q, mu}                   u = W r + q
//   /fclib_global   spacedim, M, H, vectors/{f, w, mu}             M v = H r + f,  u = Hᵀ v + w
//   /solution       u, r (v, l)
//
// A matrix is a group with m, n, nzmax, nz and p, i, x as in CSparse: nz ≥ 0 triplets, −1 by columns, −2 by rows. The normal is the first component of a contact. Problems with equations
// besides contacts (V, R; G) are refused. Needs HDF5; a build without it says so.
#pragma once

#include <span>
#include <string>

#include "lcp/contact_file.h"

namespace rigor::cli {

/// By the name: .h5 and .hdf5.
bool is_fclib_name(const std::string& path);
/// Error, in one sentence, for what is no such file.
ContactFile read_fclib(const std::string& path);
/// Reduced; replaces the file. `solution` may be empty.
void write_fclib(const std::string& path, const ConeProblem& problem, std::span<const double> solution,
                 const std::string& title);

}  // namespace rigor::cli
