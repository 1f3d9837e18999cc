// The network side of the viewer: files of the page over HTTP, messages over a WebSocket at /ws. Knows nothing of physics.
//
// Who may connect: the Host header must be the address that is served (or localhost), written as a number, and the Origin of a
// WebSocket must be that host. A page from elsewhere in the same browser is refused, also one whose name was pointed at this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace rigor::viewer {

/// One browser, as seen from the application. Safe from any thread; does nothing once the browser is gone.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual void send_text(std::string text) = 0;
  virtual void send_binary(std::string bytes) = 0;
  virtual void close() = 0;
};

/// What the application does with one connection. Called by the server's thread, in order, gone() last.
class Receiver {
 public:
  virtual ~Receiver() = default;
  virtual void received(std::string_view text) = 0;
  virtual void gone() = 0;
};

class Application {
 public:
  virtual ~Application() = default;
  /// `query` is what follows the question mark of the address; null refuses the connection, for too many are open.
  virtual std::shared_ptr<Receiver> connected(std::shared_ptr<Connection> connection, std::string_view query) = 0;
};

struct PageFile {
  std::string_view path;  // "/app.js"
  std::string_view type;  // "text/javascript"
  std::string_view bytes;
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
};

class Server {
 public:
  /// Listens at once. Error when the address cannot be had.
  Server(const ServerOptions& options, std::span<const PageFile> files, Application& application);
  ~Server();
  std::uint16_t port() const;
  /// Serves until stop().
  void run();
  /// From any thread.
  void stop();

  static constexpr std::size_t kMaxMessage = 64u << 20;   // bytes; a longer message ends its connection
  static constexpr std::size_t kMaxBacklog = 128u << 20;  // bytes that wait for a browser before it is given up
  static constexpr int kMaxConnections = 32;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rigor::viewer
