// A session and the thread that runs it: takes messages of its pages, plays in real time, and answers each page's request for
// a frame with the newest one. A page without a request gets none, so that frames never queue up.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "viewer/commands.h"
#include "viewer/describe.h"
#include "viewer/server.h"

namespace rigor::viewer {

class SessionThread {
 public:
  SessionThread(std::string name, Scene scene);
  ~SessionThread() { end(); }
  /// Stops the thread and releases all pages. The server must not call it afterwards.
  void end();

  // From the server's thread.
  int join(std::shared_ptr<Connection> connection);
  void leave(int client);
  void receive(int client, std::string message);

  const std::string& name() const { return name_; }
  std::size_t clients() const { return client_count_; }
  /// Seconds since the last page left; 0 while there is one.
  double abandoned_for() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Client {
    std::shared_ptr<Connection> connection;
    FrameOptions frame;
    bool wants_frame = false;
    // Versions of the data that the page has.
    std::uint64_t scene = 0, methods = 0, state = 0, opened = 0, motion = 0;
    ShapeTable shapes;
    std::map<std::uint32_t, std::string> bodies;  // by index, as sent
  };
  struct Event {
    int client;
    std::string message;
    std::shared_ptr<Connection> joined;  // set: a new page
    bool left = false;
  };

  void run();
  template <class F> void guarded(int client, F action);
  std::vector<int> client_ids() const;
  bool wait_for_work();
  void handle(Event& event);
  void answer(Client& client, int id, const std::string& message);
  void play(Clock::time_point now);
  void send_news(Client& client);
  void send_scene(Client& client);
  void send_frame(Client& client);

  const std::string name_;
  std::atomic<std::size_t> client_count_{0};
  std::atomic<std::int64_t> left_at_{0};  // ticks of the clock

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Event> events_;
  bool ending_ = false;
  Interruption interruption_;  // of a step that keeps a page waiting
  int next_client_ = 1;

  // Used by the thread only.
  Session session_;
  std::string motion_;           // as JSON text: the preview for the page's camera; computed once for each scene
  std::uint64_t motion_of_ = 0;  // Session::opened() that it belongs to
  Pace pace_;
  std::map<int, Client> clients_;
  Clock::time_point last_play_;
  double debt_ = 0;  // s of simulated time that are due
  double simulated_ = 0, real_time_factor_ = 0;
  Clock::time_point factor_since_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace rigor::viewer
