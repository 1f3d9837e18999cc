#include "viewer/hub.h"

#include <cstdint>
#include <random>

#include "viewer/session_thread.h"

namespace rigor::viewer {

namespace {

constexpr double kAbandonedSeconds = 120;  // until a session without a page is dropped

/// One page of one session.
class Page final : public Receiver {
 public:
  Page(std::shared_ptr<SessionThread> session, std::shared_ptr<Connection> connection)
      : session_(std::move(session)), client_(session_->join(std::move(connection))) {}
  void received(std::string_view text) override { session_->receive(client_, std::string(text)); }
  void gone() override { session_->leave(client_); }

 private:
  std::shared_ptr<SessionThread> session_;
  int client_;
};

std::string random_name() {
  std::random_device device;
  std::string name;
  for (int i = 0; i < 16; ++i) name += "0123456789abcdef"[device() % 16];
  return name;
}

/// "session=abc&x=1" → "abc".
std::string_view session_in(std::string_view query) {
  constexpr std::string_view kKey = "session=";
  if (!query.starts_with(kKey)) return {};
  query.remove_prefix(kKey.size());
  return query.substr(0, query.find('&'));
}

}  // namespace

Hub::Hub(Scene first_scene) : first_scene_(std::move(first_scene)) {}
Hub::~Hub() { shut_down(); }

void Hub::shut_down() {
  std::map<std::string, std::shared_ptr<SessionThread>> ending;
  const std::lock_guard lock(mutex_);
  ending.swap(sessions_);
  for (const auto& [name, session] : ending) session->end();
}

void Hub::forget_abandoned() {
  std::erase_if(sessions_, [](const auto& entry) { return entry.second->abandoned_for() > kAbandonedSeconds; });
  if (sessions_.size() < kMaxSessions) return;
  auto oldest = sessions_.end();
  for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
    if (it->second->clients() > 0) continue;
    if (oldest == sessions_.end() || it->second->abandoned_for() > oldest->second->abandoned_for()) oldest = it;
  }
  if (oldest != sessions_.end()) sessions_.erase(oldest);
}

std::shared_ptr<SessionThread> Hub::session_for(std::string_view query) {
  const std::lock_guard lock(mutex_);
  const std::string wanted(session_in(query));
  if (const auto found = sessions_.find(wanted); found != sessions_.end()) return found->second;
  forget_abandoned();
  if (sessions_.size() >= kMaxSessions) return nullptr;
  const std::string name = random_name();
  return sessions_[name] = std::make_shared<SessionThread>(name, first_scene_);
}

std::shared_ptr<Receiver> Hub::connected(std::shared_ptr<Connection> connection, std::string_view query) {
  const std::shared_ptr<SessionThread> session = session_for(query);
  if (!session) return nullptr;
  return std::make_shared<Page>(session, std::move(connection));
}

}  // namespace rigor::viewer
