#include "state/rows.h"

namespace rigor {

namespace {

template <class F> void for_each_array(Rows& r, F f) {
  f(r.J), f(r.C), f(r.bias), f(r.lo), f(r.hi), f(r.mu), f(r.stiffness), f(r.damping);
  f(r.friction_of), f(r.kind), f(r.key), f(r.JW), f(r.diagonal), f(r.lambda);
}

}  // namespace

void Rows::clear() {
  blocks.clear();
  for_each_array(*this, [](auto& array) { array.clear(); });
}

void Rows::begin_block(const RowBlock& block) {
  blocks.push_back(block);
  blocks.back().begin = blocks.back().end = size();
}

void Rows::append(const Row& row) {
  const int begin = blocks.back().begin;
  J.push_back(row.J);
  C.push_back(row.C), bias.push_back(row.bias);
  lo.push_back(row.lo), hi.push_back(row.hi), mu.push_back(row.mu);
  stiffness.push_back(row.stiffness), damping.push_back(row.damping);
  friction_of.push_back(row.friction_of < 0 ? -1 : begin + row.friction_of);
  kind.push_back(row.kind), key.push_back(row.key);
  JW.emplace_back(), diagonal.push_back(0), lambda.push_back(0);
  blocks.back().end = size();
}

}  // namespace rigor
