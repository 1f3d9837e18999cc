// MJCF's defaults: classes of attributes that elements take over unless they say otherwise.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/xml_file.h"

namespace rigor::models {

/// The attributes of an element with those of its class behind it. Knows where each came from, for messages.
class Attributes {
 public:
  explicit Attributes(const Element& element) : layers_{element} {}
  Attributes(const Element& element, std::vector<Element> behind) : layers_{element} {
    layers_.insert(layers_.end(), behind.begin(), behind.end());
  }

  const Element& element() const { return layers_.front(); }
  /// The element that gives the attribute; empty when none does.
  Element source(const char* attribute) const;
  bool has(const char* attribute) const { return static_cast<bool>(source(attribute)); }
  /// The attributes of the nearest layer that gives one of the alternatives, without the layers behind it; those of the element itself if none does.
  Attributes nearest(std::initializer_list<const char*> alternatives) const;
  bool own(const char* attribute) const { return layers_.front().has(attribute); }
  std::string text(const char* attribute, const std::string& usual = "") const;
  double number(const char* attribute, double usual) const;
  /// Reads a whole number.
  int integer(const char* attribute, int usual) const;
  bool flag(const char* attribute, bool usual) const;
  /// Reads an attribute that must be one of the given words.
  std::string word(const char* attribute, const std::string& usual, std::initializer_list<const char*> words) const;
  Vec3 vector(const char* attribute, const Vec3& usual) const;
  std::vector<double> numbers(const char* attribute, std::size_t least, std::size_t most) const;
  /// true, false or auto: 2.
  int three_way(const char* attribute, int usual) const;

 private:
  template <class Value, class Read> Value read(const char* attribute, const Value& usual, Read read) const;

  std::vector<Element> layers_;  // the element first, then its class and the classes around that
};

class MjcfDefaults {
 public:
  using Children = std::function<std::vector<Element>(const Element&)>;
  /// Reads one <default> of the top level. All of them are one class, as in MuJoCo, so that included files can add to it; it is called main, and by every
  /// name that one of them has.
  void read(const Element& element, const Children& children);
  /// The attributes of an element: its own class, else that of the body around it, else the outermost one. `kind` is the element
  /// of the defaults, for instance "geom"; several where one stands for another, as "general" for actuators.
  Attributes of(const Element& element, const std::vector<std::string>& kinds, const std::string& child_class);
  bool knows(const std::string& name) const { return classes_.contains(name) || main_names_.contains(name); }

 private:
  struct Class {
    std::string parent;
    std::map<std::string, std::vector<Element>> elements;
  };
  void read(const Element& element, const std::string& parent, const Children& children, int depth);

  std::map<std::string, Class> classes_;
  std::set<std::string> main_names_ = {"main"};
  static constexpr std::size_t kMostLayers = 20'000'000;  // of all elements and their replicas: seconds
  std::size_t layers_read_ = 0;
};

}  // namespace rigor::models
