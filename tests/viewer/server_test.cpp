// The server against clients that behave badly, over real sockets.
#include "viewer/server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "support.h"
#include "viewer/hub.h"
#include "viewer/test_scenes.h"

namespace rigor::viewer {
namespace {

using nlohmann::json;

/// A socket that gives up after ten seconds, so that no test hangs.
class Client {
 public:
  explicit Client(std::uint16_t port) : port_(port), socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{60, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { ::close(socket_); }
  bool connected() const { return connected_; }

  void send(const std::string& bytes) const {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t n = ::send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (n <= 0) return;
      at += static_cast<std::size_t>(n);
    }
  }
  /// False at the end of the connection.
  bool receive() {
    char buffer[65536];
    const ssize_t n = ::recv(socket_, buffer, sizeof buffer, 0);
    if (n > 0) in_.append(buffer, static_cast<std::size_t>(n));
    return n > 0;
  }
  std::string all() {
    while (receive()) {}
    return in_;
  }

  /// The first line of the answer to a request with these extra headers.
  std::string get(const std::string& target, const std::string& host, const std::string& headers = {}) {
    send("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "Connection: close\r\n\r\n");
    const std::string answer = all();
    return answer.substr(0, answer.find('\r'));
  }

  bool upgrade(const std::string& query = {}) {
    const std::string host = "127.0.0.1:" + std::to_string(port_);
    send("GET /ws" + query + " HTTP/1.1\r\nHost: " + host + "\r\nOrigin: http://" + host +
         "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    while (in_.find("\r\n\r\n") == std::string::npos)
      if (!receive()) return false;
    const bool good = in_.starts_with("HTTP/1.1 101");
    in_.erase(0, in_.find("\r\n\r\n") + 4);
    return good;
  }
  /// RFC 6455, 5.2: final frame, masked with zeros.
  void send_text(const std::string& text, unsigned char opcode = 1) const {
    std::string frame{static_cast<char>(0x80 | opcode)};
    if (text.size() < 126) {
      frame += static_cast<char>(0x80 | text.size());
    } else {
      frame += static_cast<char>(0x80 | 127);
      for (int shift = 56; shift >= 0; shift -= 8) frame += static_cast<char>((text.size() >> shift) & 0xff);
    }
    send(frame + std::string(4, '\0') + text);
  }
  /// The next message; opcode 0 at the end of the connection.
  std::pair<int, std::string> message() {
    const auto need = [this](std::size_t n) {
      while (in_.size() < n)
        if (!receive()) return false;
      return true;
    };
    const auto byte = [this](std::size_t i) { return static_cast<unsigned char>(in_[i]); };
    if (!need(2)) return {0, {}};
    std::size_t header = 2, size = byte(1) & 0x7f;
    const int extra = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (!need(header + static_cast<std::size_t>(extra))) return {0, {}};
    if (extra > 0) size = 0;
    for (int i = 0; i < extra; ++i) size = size << 8 | byte(header++);
    const int opcode = byte(0) & 0x0f;
    if (!need(header + size)) return {0, {}};
    std::string text = in_.substr(header, size);
    in_.erase(0, header + size);
    return {opcode, std::move(text)};
  }
  /// The next text message of this type.
  json wait_for(const std::string& type) {
    for (;;) {
      const auto [opcode, text] = message();
      if (opcode == 0 || opcode == 8) return nullptr;
      if (opcode != 1) continue;
      json parsed = json::parse(text);
      if (parsed["type"] == type) return parsed;
    }
  }
  json ask(const std::string& text) {
    send_text(text);
    return wait_for("reply");
  }

 private:
  std::uint16_t port_;
  int socket_;
  bool connected_ = false;
  std::string in_;
};

class ViewerServer : public ::testing::Test {
 protected:
  static constexpr PageFile kFiles[] = {{"/index.html", "text/html", "<p>page"}};
  Hub hub{small_scene()};
  Server server{{}, kFiles, hub};
  std::thread thread{[this] { server.run(); }};
  std::uint16_t port = server.port();
  std::string host = "127.0.0.1:" + std::to_string(port);

  ~ViewerServer() override {
    server.stop();
    thread.join();
    hub.shut_down();
  }
};

TEST_F(ViewerServer, ServesThePageToThisMachineOnly) {
  EXPECT_EQ(Client(port).get("/", host), "HTTP/1.1 200 OK");
  EXPECT_EQ(Client(port).get("/index.html", "localhost:" + std::to_string(port)), "HTTP/1.1 200 OK");
  EXPECT_EQ(Client(port).get("/nothing", host), "HTTP/1.1 404 Not Found");
  EXPECT_EQ(Client(port).get("/../../etc/passwd", host), "HTTP/1.1 404 Not Found");
}

TEST_F(ViewerServer, RefusesOtherHostsAndOrigins) {
  const std::string forbidden = "HTTP/1.1 403 Forbidden", p = ":" + std::to_string(port);
  EXPECT_EQ(Client(port).get("/", "evil.example" + p), forbidden);
  EXPECT_EQ(Client(port).get("/", "192.168.1.5" + p), forbidden);
  EXPECT_EQ(Client(port).get("/", "127.0.0.1:1"), forbidden);
  EXPECT_EQ(Client(port).get("/", ""), forbidden);
  EXPECT_EQ(Client(port).get("/", host, "Origin: http://evil.example\r\n"), forbidden);
  const std::string upgrade =
      "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  EXPECT_EQ(Client(port).get("/ws", host, upgrade + "Origin: http://evil.example\r\n"), forbidden);
  EXPECT_EQ(Client(port).get("/ws", host, upgrade + "Origin: null\r\n"), forbidden);
}

TEST_F(ViewerServer, AnswersRubbishAndGoesOn) {
  Client(port).send("\r\n\x01\x02 rubbish");
  Client(port).send("POST / HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 99999999999\r\n\r\n");
  Client huge(port);
  huge.send("GET /" + std::string(100000, 'a') + " HTTP/1.1\r\n");
  huge.all();
  EXPECT_EQ(Client(port).get("/", host), "HTTP/1.1 200 OK");
}

TEST_F(ViewerServer, TellsMistakesAndChangesNothing) {
  Client client(port);
  ASSERT_TRUE(client.upgrade());
  EXPECT_EQ(client.wait_for("hello")["protocol"], 2);
  for (const char* wrong : {"", "{", "[]", "null", "{\"do\":\"fly\"}", "{\"do\":\"step\",\"count\":-1}", "{\"do\":[]}"})
    EXPECT_TRUE(client.ask(wrong).contains("error")) << wrong;
  client.send_text("\x01\x02\x03", 2);  // binary
  EXPECT_TRUE(client.wait_for("reply").contains("error"));
  const json answer = client.ask(R"({"id": 7, "do": "step"})");
  EXPECT_EQ(answer["id"], 7);
  EXPECT_FALSE(answer.contains("error"));
}

TEST_F(ViewerServer, DeepAndLongMessagesAreRefused) {
  Client client(port);
  ASSERT_TRUE(client.upgrade());
  EXPECT_TRUE(client.ask(std::string(100000, '[')).contains("error"));
  EXPECT_TRUE(client.ask("{\"do\":\"" + std::string(1 << 20, 'x') + "\"}").contains("error"));
  // Only the length of a message that is too long has to arrive; the connection then ends, the server does not.
  std::string header{static_cast<char>(0x81), static_cast<char>(0xff)};
  for (int shift = 56; shift >= 0; shift -= 8) header += static_cast<char>(((1ull << 40) >> shift) & 0xff);
  client.send(header + std::string(4, '\0'));
  EXPECT_TRUE(client.wait_for("reply").is_null());
  EXPECT_TRUE(Client(port).upgrade());
}

TEST_F(ViewerServer, FramesComeOnDemandOnly) {
  Client client(port);
  ASSERT_TRUE(client.upgrade());
  const auto next_frame = [&] {
    client.send_text(R"({"do": "frame"})");
    int opcode = 1;
    std::string bytes;
    while (opcode == 1) std::tie(opcode, bytes) = client.message();
    EXPECT_EQ(opcode, 2);
    return bytes;
  };
  next_frame();
  client.send_text(R"({"do": "play"})");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // thirty steps of real time, without a request
  client.send_text(R"({"do": "pause"})");
  client.send_text(R"({"id": 1, "do": "step"})");  // a busy machine may not have come to a step before
  for (bool answered = false; !answered;) {
    const auto [opcode, text] = client.message();
    ASSERT_EQ(opcode, 1);
    const json message = json::parse(text);
    answered = message["type"] == "reply" && message["id"] == 1;
  }
  const std::string bytes = next_frame();
  EXPECT_EQ(bytes.substr(0, 4), "RIG2");
  double time = 0;
  std::memcpy(&time, bytes.data() + 8, sizeof time);
  EXPECT_GT(time, 0);  // the newest, not the second
}

TEST_F(ViewerServer, TwoPagesDoNotDisturbEachOther) {
  Client a(port), b(port);
  ASSERT_TRUE(a.upgrade());
  ASSERT_TRUE(b.upgrade());
  const std::string session = a.wait_for("hello")["session"];
  EXPECT_NE(session, b.wait_for("hello")["session"]);
  a.wait_for("state");
  b.wait_for("state");
  a.ask(R"({"id": 1, "do": "step", "count": 5})");
  EXPECT_EQ(a.wait_for("state")["step"], 5);
  b.ask(R"({"id": 1, "do": "step"})");
  EXPECT_EQ(b.wait_for("state")["step"], 1);
  // A page with the session's name sees the same.
  Client c(port);
  ASSERT_TRUE(c.upgrade("?session=" + session));
  EXPECT_EQ(c.wait_for("state")["step"], 5);
}

TEST_F(ViewerServer, AConnectionThatBrokeFindsItsSessionAgain) {
  std::string session;
  {
    Client client(port);
    ASSERT_TRUE(client.upgrade());
    session = client.wait_for("hello")["session"];
    client.ask(R"({"id": 1, "do": "step", "count": 3})");
  }  // vanishes without a word
  Client client(port);
  ASSERT_TRUE(client.upgrade("?session=" + session));
  EXPECT_EQ(client.wait_for("hello")["session"], session);
  EXPECT_EQ(client.wait_for("state")["step"], 3);
}

TEST_F(ViewerServer, MorePagesThanSessionsAreRefusedPolitely) {
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < Hub::kMaxSessions; ++i) {
    clients.push_back(std::make_unique<Client>(port));
    ASSERT_TRUE(clients.back()->upgrade());
    ASSERT_FALSE(clients.back()->wait_for("hello").is_null());
  }
  Client late(port);
  ASSERT_TRUE(late.upgrade());
  const auto [opcode, reason] = late.message();
  EXPECT_EQ(opcode, 8);
  EXPECT_NE(reason.find("too many"), std::string::npos);
}

}  // namespace
}  // namespace rigor::viewer
