// Approximate convex decomposition: a closed triangle mesh as convex parts, with a bound on the error.
//
// S is the solid, H₁ … Hₙ the parts. The parts cover the solid, and no point of a part's surface is farther from the solid than the error:
//   S ⊆ ∪ Hᵢ,    e = maxᵢ max over x ∈ ∂Hᵢ of dist(x, S)
// Cavities that a body could only reach through openings narrower than 2 e are filled.
// Each part is the convex hull of the piece of S between cutting planes. The part with the largest error is cut in two, across the longest side of the
// face where the error is, at the place that leaves the smallest volume in the two hulls, until e is within the bound or there are as many parts as allowed; then neighbours whose common hull keeps
// the bound are joined. hull_error.h says how the bound on e is found.
//
// Hulls of cut pieces as in Mamou and Ghorbel 2009 ("A simple and efficient approach for 3D mesh approximate convex decomposition") and
// its successors; the error is a distance here instead of a volume. Cost: some hundred hulls of the piece per cut, and 10² to 10⁴ distances per part.
// It fails for surfaces that cross themselves (the sign of the distance is wrong there); open ones are refused.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rigor/shape.h"

namespace rigor {

struct DecompositionOptions {
  double error = 0;              // m; 0: `relative_error` counts
  double relative_error = 0.02;  // of the diagonal of the bounds
  int parts = 64;                // at most

  bool operator==(const DecompositionOptions&) const = default;
};

struct Decomposition {
  std::vector<ShapePtr> parts;  // hulls, in the frame of the mesh
  double error = 0;             // m: no point of a part's surface is farther from the solid
  double wanted = 0;            // m: the bound that was asked for
  bool reached_limit = false;   // as many parts as allowed were made before neighbours were joined
  std::string crossing;  // where the surface crosses itself, "(1, 2, 3)"; empty if it does not, or if the bound is met

  bool is_within_bound() const { return error <= wanted; }
  /// The parts as one shape.
  ShapePtr shape() const;
  /// "12 convex parts, none of which leaves the solid by more than 0.004 m"
  std::string sentence() const;
};

/// A decomposition as it is stored between runs: the corners of each part.
struct StoredParts {
  double error = 0, wanted = 0;  // m
  bool reached_limit = false;
  std::string crossing;
  std::vector<std::vector<Vec3>> corners;
};

/// Stores decompositions between runs, for example in a folder. The functions are called from one thread at a time. If loading or saving
/// fails, the decomposition counts as not stored.
class PartsStore {
 public:
  virtual ~PartsStore() = default;
  virtual std::optional<StoredParts> load(const std::string& key) const = 0;
  virtual void save(const std::string& key, const StoredParts& parts) const = 0;
};
/// Sets the store of all later decompositions; null: none, the default.
void set_parts_store(std::shared_ptr<const PartsStore> store);

/// Error unless the mesh is closed. Equal meshes with equal options are decomposed once per process, and only once in total if there is a store:
/// loaded parts are equal to the last bit.
const Decomposition& decompose(const Mesh& mesh, const DecompositionOptions& options);

}  // namespace rigor
