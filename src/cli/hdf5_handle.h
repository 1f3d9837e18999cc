// RAII handles of HDF5 objects. Include this only in files that are compiled with HDF5.
#pragma once

#include <hdf5.h>

namespace rigor::cli {

/// An HDF5 object that is closed by the function of its kind.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

}  // namespace rigor::cli
