// Sessions and their pages. Every page gets its own session with its own thread; a page that reconnects after its
// connection broke, or one that opens the address with ?session=…, joins the existing session.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "rigor/scene.h"
#include "viewer/server.h"

namespace rigor::viewer {

class SessionThread;

class Hub final : public Application {
 public:
  explicit Hub(Scene first_scene);
  ~Hub() override;

  std::shared_ptr<Receiver> connected(std::shared_ptr<Connection> connection, std::string_view query) override;
  /// Ends all sessions and closes all connections. Call it after the server has stopped, before it is destroyed.
  void shut_down();

  static constexpr std::size_t kMaxSessions = 8;

 private:
  std::shared_ptr<SessionThread> session_for(std::string_view query);
  void forget_abandoned();

  Scene first_scene_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<SessionThread>> sessions_;
};

}  // namespace rigor::viewer
