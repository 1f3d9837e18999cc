#include "state/rows.h"

namespace rigor {

namespace {

template <class F> void for_each_array(Rows& r, F f) {
  f(r.J);
  f(r.C);
  f(r.bias);
  f(r.lo);
  f(r.hi);
  f(r.mu);
  f(r.stiffness);
  f(r.damping);
  f(r.friction_of);
  f(r.kind);
  f(r.key);
  f(r.JW);
  f(r.diagonal);
  f(r.lambda);
}

}  // namespace

void Rows::restart() {
  blocks.clear();
  written_ = 0;
}

void Rows::begin_block(const RowBlock& block) {
  blocks.push_back(block);
  blocks.back().begin = blocks.back().end = static_cast<int>(written_);
}

std::size_t Rows::append(const Row& row) {
  const std::size_t i = written_++;
  if (i == J.size()) grow();
  RowBlock& block = blocks.back();
  J[i] = row.J;
  C[i] = row.C;
  bias[i] = row.bias;
  lo[i] = row.lo;
  hi[i] = row.hi;
  mu[i] = row.mu;
  stiffness[i] = row.stiffness;
  damping[i] = row.damping;
  friction_of[i] = row.friction_of < 0 ? -1 : block.begin + row.friction_of;
  kind[i] = row.kind;
  key[i] = row.key;
  lambda[i] = 0;
  block.end = static_cast<int>(written_);
  return i;
}

void Rows::grow() {
  // A step often has a few rows more than the one before. The capacity still grows by factors, as that of a std::vector.
  const std::size_t more = J.size() + J.size() / 16 + 64;
  for_each_array(*this, [more](auto& array) { array.resize(more); });
}

void Rows::finish() {
  for_each_array(*this, [this](auto& array) { array.resize(written_); });
}

}  // namespace rigor
