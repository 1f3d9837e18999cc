#include "viewer/session_thread.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "rigor/error.h"
#include "viewer/messages.h"
#include "viewer/method_panel.h"
#include "viewer/preview.h"

namespace rigor::viewer {

namespace {

constexpr auto kSlice = std::chrono::milliseconds(12);      // of stepping before messages are handled again
constexpr auto kPatience = std::chrono::milliseconds(250);  // that a page waits for a long step
constexpr double kMostDebt = 0.1;                           // s of real time that may be caught up
constexpr std::size_t kMostEvents = 10'000;                 // in the queue; more are dropped
constexpr std::size_t kMostReports = 100;                   // that a page has not requested yet

/// True for messages that can wait until a long step is done: requests for frames and mouse moves.
bool can_wait(const std::string& message) {
  const std::string_view begin = std::string_view(message).substr(0, 60);
  return begin.find(R"("do":"frame")") != begin.npos || begin.find(R"("do":"drag")") != begin.npos;
}

}  // namespace

SessionThread::SessionThread(std::string name, Scene scene)
    : name_(std::move(name)), session_(std::move(scene)), last_play_(Clock::now()), factor_since_(last_play_) {
  left_at_ = last_play_.time_since_epoch().count();
  session_.interruption = &interruption_;
  thread_ = std::thread([this] { run(); });
}

void SessionThread::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    interruption_.request();
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  clients_.clear();
  events_.clear();
}

int SessionThread::join(std::shared_ptr<Connection> connection) {
  const std::lock_guard lock(mutex_);
  const int client = next_client_++;
  events_.push_back({client, {}, std::move(connection), false});
  ++client_count_;
  wake_.notify_one();
  return client;
}

void SessionThread::leave(int client) {
  const std::lock_guard lock(mutex_);
  events_.push_back({client, {}, nullptr, true});
  if (--client_count_ == 0) left_at_ = Clock::now().time_since_epoch().count();
  wake_.notify_one();
}

void SessionThread::receive(int client, std::string message) {
  const std::lock_guard lock(mutex_);
  if (events_.size() >= kMostEvents) return;  // a page that sends faster than messages can be handled
  if (!can_wait(message)) interruption_.request_at(Clock::now() + kPatience);
  events_.push_back({client, std::move(message), nullptr, false});
  wake_.notify_one();
}

double SessionThread::abandoned_for() const {
  if (client_count_ > 0) return 0;
  return std::chrono::duration<double>(Clock::now().time_since_epoch() - Clock::duration(left_at_)).count();
}

void SessionThread::run() {
  while (wait_for_work()) {
    std::deque<Event> events;
    {
      const std::lock_guard lock(mutex_);
      events.swap(events_);
      if (!ending_) interruption_.clear();
    }
    for (Event& event : events) guarded(event.client, [&] { handle(event); });
    play(Clock::now());
    const std::vector<std::string> reports = session_.take_reports();
    const std::vector<Session::Impact> impacts = session_.take_impacts();
    for (auto& [id, client] : clients_) {
      std::vector<Session::Impact>& untold = client.frame.impacts;
      if (untold.size() < Session::kMaxImpacts) untold.insert(untold.end(), impacts.begin(), impacts.end());
      std::vector<std::string>& unsaid = client.frame.reports;
      if (unsaid.size() < kMostReports) unsaid.insert(unsaid.end(), reports.begin(), reports.end());
    }
    for (const int id : client_ids())
      guarded(id, [&] {
        Client& client = clients_.at(id);
        send_news(client);
        if (client.wants_frame && client.motion != session_.motion_version()) send_frame(client);
      });
  }
}

/// An error with one page must not affect others: its connection is closed.
template <class F> void SessionThread::guarded(int id, F action) {
  try {
    action();
  } catch (const std::exception& error) {
    const auto found = clients_.find(id);
    if (found == clients_.end()) return;
    found->second.connection->send_text(text_of({{"type", "reply"}, {"error", error.what()}}));
    found->second.connection->close();
    session_.release(id);
    clients_.erase(found);
  }
}

std::vector<int> SessionThread::client_ids() const {
  std::vector<int> ids;
  for (const auto& [id, client] : clients_) ids.push_back(id);
  return ids;
}

/// False if the session ends. While it plays, waits at most until the next step is due.
bool SessionThread::wait_for_work() {
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return ending_ || !events_.empty(); };
  if (session_.wanted_steps() > 0) return !ending_;
  if (!session_.playing() || clients_.empty()) {
    wake_.wait(lock, ready);
    last_play_ = Clock::now();  // time without a page is not caught up
    debt_ = 0;
  } else if (!pace_.unlimited) {
    const double left = (session_.run(0).time_settings().step - debt_) / pace_.speed;
    wake_.wait_for(lock, std::chrono::duration<double>(std::clamp(left, 0.0, 0.1)), ready);
  }
  return !ending_;
}

void SessionThread::handle(Event& event) {
  if (event.joined) {
    Client& client = clients_[event.client];
    client.connection = std::move(event.joined);
    client.connection->send_text(hello_text(name_));
  } else if (event.left) {
    session_.release(event.client);
    clients_.erase(event.client);
  } else if (const auto found = clients_.find(event.client); found != clients_.end()) {
    answer(found->second, event.client, event.message);
  }
}

/// Every message with an "id" is answered under that id, a wrong one always.
void SessionThread::answer(Client& client, int id, const std::string& message) {
  Json reply = {{"type", "reply"}};
  try {
    const Json json = parse_json(message);
    const JsonReader reader(json);
    if (!reader.is_object()) reader.fail_expected("an object with the key 'do'");
    if (json.contains("id")) reply["id"] = json["id"];
    if (const auto verb = reader.find("do"); verb && verb->is_text() && verb->text(100) == "frame") {
      client.wants_frame = true;
      return;
    }
    CommandContext context{session_, pace_, client.frame, id};
    const std::vector<DebugLayer> layers_before = client.frame.layers;
    const BodyId inspected_before = client.frame.inspected;
    Json result = run_command(reader, context);
    // A new request for the same state is sent as well.
    if (client.frame.layers != layers_before || client.frame.inspected != inspected_before) client.motion = 0;
    if (!json.contains("id")) return;
    if (!result.is_null()) reply["result"] = std::move(result);
  } catch (const Error& error) {
    reply["error"] = error.what();
  } catch (const std::bad_alloc&) {
    reply["error"] = "out of memory";
  } catch (const std::exception& error) {
    reply["error"] = std::string("this failed: ") + error.what();
  }
  client.connection->send_text(text_of(reply));
}

void SessionThread::play(Clock::time_point now) {
  const double elapsed = std::chrono::duration<double>(now - last_play_).count();
  last_play_ = now;
  if (const double since = std::chrono::duration<double>(now - factor_since_).count(); since > 0.5) {
    real_time_factor_ = simulated_ / since;
    simulated_ = 0;
    factor_since_ = now;
  }
  while (session_.wanted_steps() > 0) {
    if (!session_.step() || Clock::now() - now > kSlice) return;
  }
  if (!session_.playing() || clients_.empty()) return;
  const double h = session_.run(0).time_settings().step;
  debt_ = std::min(debt_ + elapsed * pace_.speed, std::max(h, kMostDebt * pace_.speed));
  while (session_.playing() && (pace_.unlimited || debt_ >= h * (1 - 1e-9))) {
    if (!session_.step()) break;
    debt_ = std::max(0.0, debt_ - h);
    simulated_ += h;
    if (Clock::now() - now > kSlice) break;
  }
}

void SessionThread::send_news(Client& client) {
  if (client.scene != session_.scene_version()) send_scene(client);
  if (client.methods != session_.method_version()) {
    Json json = {{"type", "methods"}, {"runs", Json::array()}};
    for (const Simulation& s : session_.runs()) json["runs"].push_back(describe_method(s.method()));
    client.connection->send_text(text_of(json));
    client.methods = session_.method_version();
  }
  if (client.state != session_.state_version()) {
    client.connection->send_text(text_of(describe_state(session_, pace_)));
    client.state = session_.state_version();
  }
}

/// Sends only what the page does not have yet, unless another scene was opened.
void SessionThread::send_scene(Client& client) {
  const World& world = session_.run(0).world();
  const bool fresh = client.opened != session_.opened();
  Json json = {{"type", "scene"}, {"fresh", fresh}};
  if (fresh) {
    client.shapes = {};
    client.bodies.clear();
    client.opened = session_.opened();
    json.update(describe_scene(session_.scene(), world));
    if (motion_.empty() || motion_of_ != session_.opened()) motion_ = text_of(describe_motion(session_.scene()));
    motion_of_ = session_.opened();
    json["motion"] = Json::parse(motion_);
  }
  Json shapes = Json::array(), bodies = Json::array();
  for (const BodyId id : world.bodies()) {
    if (id == world.world_body()) continue;
    Json body = describe_body(world, id, client.shapes, shapes);
    const std::string text = text_of(body);
    if (std::string& told = client.bodies[id.index]; told != text) {
      told = text;
      bodies.push_back(std::move(body));
    }
  }
  json["joints"] = describe_joints(world);
  json["forces"] = describe_forces(world);
  json["materials"] = describe_materials(session_.scene());
  json["shapes"] = std::move(shapes);
  json["bodies"] = std::move(bodies);
  client.connection->send_text(text_of(json));
  client.scene = session_.scene_version();
}

void SessionThread::send_frame(Client& client) {
  client.wants_frame = false;
  client.motion = session_.motion_version();
  client.frame.real_time_factor = session_.playing() ? real_time_factor_ : 0;
  client.connection->send_binary(make_frame(session_, client.frame));
}

}  // namespace rigor::viewer
