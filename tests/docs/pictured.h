// Compiled before every program of examples/ in the tests: a Simulation that also draws. With RIGOR_PICTURE=FILE.svg:T,T,… in the environment
// the last simulation of the program that has made a step is drawn at these instants, in s. Without it the program is as a reader compiles it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lab/film_strip.h"
#include "rigor/batch.h"
#include "rigor/joint_space.h"
#include "rigor/rigor.h"
#include "rigor/scene.h"

namespace rigor {

class PicturedSimulation : public Simulation {
 public:
  template <class... Arguments>
  explicit PicturedSimulation(Arguments&&... arguments) : Simulation(std::forward<Arguments>(arguments)...) {
    const char* wanted = std::getenv("RIGOR_PICTURE");
    if (!wanted) return;
    std::string text = wanted;
    file_ = text.substr(0, text.rfind(':'));
    std::istringstream instants(text.substr(file_.size() + 1));
    for (std::string t; std::getline(instants, t, ',');) instants_.push_back(std::stod(t));
    set_before_step([this](Simulation& s) {
      if (film_) return;
      film_ = std::make_unique<FilmStrip>(s, instants_);
      film_->see(s);
    });
    set_after_step([this](Simulation& s) { film_->see(s); });
  }
  PicturedSimulation(const PicturedSimulation&) = delete;
  ~PicturedSimulation() {
    if (film_) std::ofstream(file_) << film_->svg("examples/" + std::filesystem::path(file_).stem().string());
  }

  /// The listener of an example names the class that it sees.
  template <class F> void set_listener(F listener) {
    Simulation::set_listener(
        [listener](Simulation& s, const Event& e) mutable { listener(static_cast<PicturedSimulation&>(s), e); });
  }

 private:
  std::string file_;
  std::vector<double> instants_;
  std::unique_ptr<FilmStrip> film_;
};

}  // namespace rigor

#define Simulation PicturedSimulation
