// The materials and textures of a Robot: one name for each set of numbers, and pictures within the bounds of a scene.
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "io/appearance_parts.h"
#include "models/robot.h"

namespace rigor::models {

namespace {

void warn_of_pictures(Ledger& ledger) {
  ledger.warn(too_many_pictures() + ", so some materials are drawn in plain colours");
}

/// The size of the pictures of a scene. Materials with different tints share a picture: files hold it once, and the program a copy for each.
class PictureBytes {
 public:
  /// False if the scene would hold too much with this picture, which is then not counted.
  bool add(const std::string& picture) {
    const std::size_t size = known_.contains(picture) ? 0 : picture.size();
    if (once_ + size > kMaxImagesSize || copies_ + picture.size() > kMaxImageCopies) return false;
    known_.insert(picture);
    once_ += size;
    copies_ += picture.size();
    return true;
  }

 private:
  std::set<std::string_view> known_;  // the caller keeps the pictures
  std::size_t once_ = 0, copies_ = 0;
};

/// "red #ff0000" → "red 2 #ff0000": the colour stays at the end.
std::string numbered(const std::string& name, int n) {
  const std::size_t color = name.rfind(" #");
  const std::string number = " " + std::to_string(n);
  return color == std::string::npos ? name + number : name.substr(0, color) + number + name.substr(color);
}

}  // namespace

int add_texture(Robot& robot, Texture texture, Ledger& ledger) {
  if (robot.textures.size() >= kMaxAppearanceItems) {
    ledger.warn("the model has more than " + std::to_string(kMaxAppearanceItems) +
                " textures, so some materials are drawn in plain colours");
    return -1;
  }
  PictureBytes bytes;
  for (std::size_t i = 0; i < robot.textures.size(); ++i) {
    if (robot.textures[i] == texture) return static_cast<int>(i);
    bytes.add(robot.textures[i].image);
  }
  if (!bytes.add(texture.image)) {
    warn_of_pictures(ledger);
    return -1;
  }
  robot.textures.push_back(std::move(texture));
  return static_cast<int>(robot.textures.size()) - 1;
}

void name_materials(Robot& robot, Appearance& appearance, Ledger& ledger) {
  using Numbers = std::array<double, 8>;
  std::map<std::string, std::map<Numbers, std::string>> names;
  std::set<std::string> paired;  // geoms whose materials are their own, because a rule names them
  for (const GeomPair& pair : robot.geom_pairs) paired.insert(pair.first), paired.insert(pair.second);
  std::set<std::string> taken;  // names of the file and names that were made
  for (const Link& l : robot.links)
    for (const Geom& g : l.geoms) taken.insert(g.material.name);
  PictureBytes bytes;
  const auto draw = [&](const Geom& g) {
    const Texture& texture = robot.textures[static_cast<std::size_t>(g.texture)];
    if (appearance.textures.contains(g.material.name)) return;
    if (!bytes.add(texture.image)) return warn_of_pictures(ledger);
    appearance.textures[g.material.name] = texture;
  };
  double next_own = 0;
  for (Link& l : robot.links)
    for (Geom& g : l.geoms) {
      const Material& m = g.material;
      auto& known = names[m.name];
      const Numbers key{m.friction,
                        m.restitution,
                        m.rolling_friction,
                        m.spinning_friction,
                        g.collides ? g.condim : 3.0,
                        g.collides ? g.priority : 0.0,
                        paired.contains(g.name) && !g.name.empty() ? ++next_own : 0.0,
                        static_cast<double>(g.texture)};
      if (!known.contains(key)) {
        int number = static_cast<int>(known.size()) + 1;
        std::string next = known.empty() ? m.name : numbered(m.name, number);
        while (!known.empty() && taken.contains(next)) next = numbered(m.name, ++number);
        taken.insert(next);
        known.emplace(key, next);
      }
      g.material.name = known.at(key);
      if (g.texture >= 0 && g.drawn) draw(g);
    }
}

}  // namespace rigor::models
