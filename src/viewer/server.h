// The network side of the viewer: files of the page over HTTP, messages over a WebSocket at /ws. It is independent of the simulation.
//
// Access control: the Host header must be the address that is served (or localhost), written as a number, and the Origin of a
// WebSocket must be that host. Pages of other sites in the same browser are refused, also if their name resolves to this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace rigor::viewer {

/// A connection to one browser. Thread-safe; does nothing once the browser has disconnected.
class Connection {
 public:
  virtual ~Connection() = default;
  virtual void send_text(std::string text) = 0;
  virtual void send_binary(std::string bytes) = 0;
  virtual void close() = 0;
};

/// The application's handler of one connection. Called by the server's thread, in order, gone() last.
class Receiver {
 public:
  virtual ~Receiver() = default;
  virtual void received(std::string_view text) = 0;
  virtual void gone() = 0;
};

class Application {
 public:
  virtual ~Application() = default;
  /// `query` is what follows the question mark of the address; null refuses the connection because too many are open.
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
  /// Starts to listen. Error if the address is not available.
  Server(const ServerOptions& options, std::span<const PageFile> files, Application& application);
  ~Server();
  std::uint16_t port() const;
  /// Serves until stop().
  void run();
  /// From any thread.
  void stop();

  static constexpr std::size_t kMaxMessage = 64u << 20;   // bytes; a longer message ends its connection
  static constexpr std::size_t kMaxBacklog = 128u << 20;  // bytes that may wait for a browser before it is disconnected
  static constexpr int kMaxConnections = 32;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rigor::viewer
