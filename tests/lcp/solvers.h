// The solvers of src/lcp/ by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lcp/lcp.h"
#include "registry/entry.h"
#include "rigor/error.h"

namespace rigor {

Entry register_lcp_pgs();
Entry register_lcp_sor();
Entry register_lcp_jacobi();
Entry register_lcp_nncg();
Entry register_lcp_dantzig();
Entry register_lcp_lemke();
Entry register_lcp_cg();
Entry register_lcp_cholesky();
Entry register_lcp_ldlt();
Entry register_lcp_sparse_cholesky();
Entry register_lcp_sparse_ldlt();
Entry register_lcp_kkt();

namespace test {

inline const std::vector<Entry>& lcp_entries() {
  static const std::vector<Entry> all = {register_lcp_pgs(),         register_lcp_sor(),
                                         register_lcp_jacobi(),      register_lcp_nncg(),
                                         register_lcp_dantzig(),     register_lcp_lemke(),
                                         register_lcp_cg(),          register_lcp_cholesky(),
                                         register_lcp_ldlt(),        register_lcp_sparse_cholesky(),
                                         register_lcp_sparse_ldlt(), register_lcp_kkt()};
  return all;
}

inline const Entry& lcp_entry(const std::string& name) {
  for (const Entry& e : lcp_entries())
    if (e.name == name) return e;
  throw Error("no solver " + name);
}

inline std::unique_ptr<LcpSolver> make_lcp(const std::string& name, const Settings& settings = {}) {
  std::unique_ptr<Configurable> object = lcp_entry(name).make();
  configure(*object, settings, name);
  return std::unique_ptr<LcpSolver>(static_cast<LcpSolver*>(object.release()));
}

}  // namespace test
}  // namespace rigor
