// The only source that includes Boost.Beast. One thread serves all connections; messages of the application are passed to it.
#include "viewer/server.h"

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/version.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <optional>

#include "rigor/error.h"

namespace rigor::viewer {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using Request = http::request<http::string_body>;

constexpr auto kRequestTimeout = std::chrono::seconds(15);
constexpr std::size_t kMaxHeader = 16 * 1024;  // bytes
constexpr std::size_t kMaxBody = 1024;         // bytes; requests need no body

/// What every connection of one server shares.
struct Shared {
  std::span<const PageFile> files;
  Application& application;
  bool loopback_only = true;
  std::uint16_t port = 0;
  std::atomic<int> connections{0};  // a page's last reference may be dropped by any thread
};

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

/// "127.0.0.1:8080" → "127.0.0.1" when the port is right; empty otherwise.
std::string_view host_name(std::string_view host, std::uint16_t port) {
  const std::string suffix = ":" + std::to_string(port);
  if (host.ends_with(suffix)) return host.substr(0, host.size() - suffix.size());
  return port == 80 ? host : std::string_view{};
}

/// Names other than localhost are refused: a foreign name may have been made to point here. (DNS rebinding)
bool host_allowed(std::string_view host, const Shared& shared) {
  std::string_view name = host_name(host, shared.port);
  if (name == "localhost") return true;
  if (name.size() > 2 && name.front() == '[' && name.back() == ']') name = name.substr(1, name.size() - 2);
  boost::system::error_code error;
  const asio::ip::address address = asio::ip::make_address(std::string(name), error);
  return !error && (address.is_loopback() || !shared.loopback_only);
}

/// A browser always sends its origin when it opens a WebSocket; a client without one is not a page of another site.
bool request_allowed(const Request& request, const Shared& shared) {
  const std::string_view host = view(request[http::field::host]);
  if (!host_allowed(host, shared)) return false;
  const auto origin = request.find(http::field::origin);
  return origin == request.end() || view(origin->value()) == "http://" + std::string(host);
}

http::response<http::string_body> answer(const Request& request, http::status status, std::string_view type,
                                         std::string_view body) {
  http::response<http::string_body> response(status, request.version());
  response.set(http::field::content_type, beast::string_view(type.data(), type.size()));
  response.set(http::field::cache_control, "no-cache");
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  response.set("X-Frame-Options", "DENY");
  response.set(
      "Content-Security-Policy",
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
      "connect-src 'self'; media-src blob:");
  response.keep_alive(request.keep_alive());
  if (request.method() != http::verb::head) response.body() = body;
  response.prepare_payload();
  return response;
}

http::response<http::string_body> respond(const Request& request, const Shared& shared) {
  constexpr std::string_view kPlain = "text/plain; charset=utf-8";
  if (!request_allowed(request, shared))
    return answer(request, http::status::forbidden, kPlain, "Only pages of this address may connect to Rigor.\n");
  if (request.method() != http::verb::get && request.method() != http::verb::head)
    return answer(request, http::status::method_not_allowed, kPlain, "Only GET is answered here.\n");
  std::string_view path = view(request.target());
  path = path.substr(0, path.find('?'));
  for (const PageFile& file : shared.files)
    if (file.path == path || (path == "/" && file.path == "/index.html"))
      return answer(request, http::status::ok, file.type, file.bytes);
  return answer(request, http::status::not_found, kPlain, "There is no such page.\n");
}

/// One browser tab. Messages leave in the order in which they were sent, one at a time.
class Socket final : public Connection, public std::enable_shared_from_this<Socket> {
 public:
  Socket(tcp::socket&& socket, Shared& shared) : ws_(std::move(socket)), shared_(shared) {}
  ~Socket() override { --shared_.connections; }

  void start(Request request) {
    const std::string_view target = view(request.target());
    const std::size_t question = target.find('?');
    query_ = question == std::string_view::npos ? "" : std::string(target.substr(question + 1));
    ws_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    ws_.read_message_max(Server::kMaxMessage);
    ws_.auto_fragment(false);  // frames are made to be sent at once
    request_ = std::move(request);
    ws_.async_accept(request_, [self = shared_from_this()](beast::error_code error) {
      if (error) return;
      self->open_ = true;
      self->receiver_ = self->shared_.application.connected(self, self->query_);
      if (!self->receiver_) return self->refuse();
      self->read();
    });
  }

  void send_text(std::string text) override { send({std::move(text), true}); }
  void send_binary(std::string bytes) override { send({std::move(bytes), false}); }
  void close() override {
    asio::post(ws_.get_executor(), [self = shared_from_this()] { self->end(); });
  }

 private:
  struct Message {
    std::string bytes;
    bool text;
  };

  void send(Message message) {
    asio::post(ws_.get_executor(), [self = shared_from_this(), message = std::move(message)]() mutable {
      if (!self->open_) return;
      self->backlog_ += message.bytes.size();
      self->queue_.push_back(std::move(message));
      if (self->backlog_ > Server::kMaxBacklog) return self->end();
      if (self->queue_.size() == 1) self->write();
    });
  }

  void write() {
    ws_.text(queue_.front().text);
    ws_.async_write(asio::buffer(queue_.front().bytes),
                    [self = shared_from_this()](beast::error_code error, std::size_t) {
                      if (error) return self->end();
                      if (self->queue_.empty()) return;
                      self->backlog_ -= self->queue_.front().bytes.size();
                      self->queue_.pop_front();
                      if (!self->queue_.empty()) self->write();
                    });
  }

  void read() {
    ws_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return self->end();
      if (!self->receiver_) return;
      const std::string text = beast::buffers_to_string(self->buffer_.data());
      self->buffer_.consume(self->buffer_.size());
      self->receiver_->received(self->ws_.got_text() ? std::string_view(text) : std::string_view("(binary)"));
      self->read();
    });
  }

  void refuse() {
    open_ = false;
    ws_.async_close({websocket::close_code::try_again_later, "too many pages are open"},
                    [self = shared_from_this()](beast::error_code) { self->end(); });
  }

  /// Queued messages may still be in use by a write in progress; they are freed with this object.
  void end() {
    open_ = false;
    if (const auto receiver = std::exchange(receiver_, nullptr)) receiver->gone();
    if (!closing_) {
      closing_ = true;
      beast::get_lowest_layer(ws_).close();
    }
  }

  websocket::stream<beast::tcp_stream> ws_;
  Shared& shared_;
  Request request_;
  std::string query_;
  beast::flat_buffer buffer_;
  std::shared_ptr<Receiver> receiver_;
  std::deque<Message> queue_;
  std::size_t backlog_ = 0;
  bool open_ = false, closing_ = false;
};

/// One HTTP connection, until it ends or becomes a WebSocket.
class HttpSession final : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(tcp::socket&& socket, Shared& shared) : stream_(std::move(socket)), shared_(shared) {}
  ~HttpSession() {
    if (!handed_over_) --shared_.connections;
  }

  void read() {
    parser_.emplace();
    parser_->header_limit(kMaxHeader);
    parser_->body_limit(kMaxBody);
    stream_.expires_after(kRequestTimeout);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (!error) self->handle();
    });
  }

 private:
  void handle() {
    Request request = parser_->release();
    const std::string_view target = view(request.target());
    const bool wanted = websocket::is_upgrade(request) && target.substr(0, target.find('?')) == "/ws";
    if (wanted && request_allowed(request, shared_)) {
      stream_.expires_never();
      handed_over_ = true;
      std::make_shared<Socket>(stream_.release_socket(), shared_)->start(std::move(request));
      return;
    }
    response_.emplace(respond(request, shared_));
    http::async_write(stream_, *response_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error || !self->response_->keep_alive()) return;
      self->read();
    });
  }

  beast::tcp_stream stream_;
  Shared& shared_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  bool handed_over_ = false;
};

}  // namespace

struct Server::Impl {
  Shared shared;
  asio::io_context context{1};
  tcp::acceptor acceptor{context};

  Impl(const ServerOptions& options, std::span<const PageFile> files, Application& application)
      : shared{.files = files, .application = application} {
    boost::system::error_code error;
    const asio::ip::address address = asio::ip::make_address(options.address, error);
    if (error) throw Error("'" + options.address + "' is not an address such as 127.0.0.1");
    shared.loopback_only = address.is_loopback();
    const tcp::endpoint endpoint(address, options.port);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      throw Error(options.address + ":" + std::to_string(options.port) + " cannot be served: " + error.message());
    shared.port = acceptor.local_endpoint().port();
    accept();
  }

  void accept() {
    acceptor.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error && shared.connections < kMaxConnections) {
        boost::system::error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        ++shared.connections;
        std::make_shared<HttpSession>(std::move(socket), shared)->read();
      }
      accept();
    });
  }
};

Server::Server(const ServerOptions& options, std::span<const PageFile> files, Application& application)
    : impl_(std::make_unique<Impl>(options, files, application)) {}
Server::~Server() = default;

std::uint16_t Server::port() const { return impl_->shared.port; }
void Server::run() { impl_->context.run(); }
void Server::stop() { impl_->context.stop(); }

}  // namespace rigor::viewer
