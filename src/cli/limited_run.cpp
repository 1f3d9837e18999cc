#include "cli/limited_run.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <stdexcept>

#include "rigor/error.h"
#include "rigor/interruption.h"

namespace rigor::cli {

namespace {

constexpr int kTimeIsOver = 124;                // exit code
constexpr char kAnswer = 'a', kSentence = 's';  // the first byte of an answer

Interruption by_timer;

void interrupt(int) { by_timer.request(); }

void limit_computing(int seconds) {
  struct sigaction action {};
  action.sa_handler = interrupt;
  sigaction(SIGPROF, &action, nullptr);
  const itimerval timer{{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &timer, nullptr);
  const auto last = static_cast<rlim_t>(seconds) + 1;
  const rlimit limit{last, last};
  setrlimit(RLIMIT_CPU, &limit);
}

[[noreturn]] void be_the_child(int end, int seconds, const std::function<std::string()>& work) {
  std::string bytes;
  try {
    limit_computing(seconds);
    const InterruptibleThread here(&by_timer);
    bytes = kAnswer + work();
  } catch (const Interrupted&) {
    _exit(kTimeIsOver);
  } catch (const std::exception& error) {
    bytes = kSentence + std::string(error.what());
  }
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = write(end, bytes.data() + done, bytes.size() - done);
    if (written <= 0) _exit(1);
    done += static_cast<std::size_t>(written);
  }
  _exit(0);
}

}  // namespace

LimitedProcess::LimitedProcess(int seconds, const std::function<std::string()>& work) : seconds_(seconds) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("a pipe cannot be created");
  child_ = fork();
  if (child_ == 0) {
    close(ends[0]);
    be_the_child(ends[1], seconds, work);
  }
  close(ends[1]);
  end_ = ends[0];
  if (child_ < 0) {
    close(end_);
    throw std::runtime_error("a process cannot be created");
  }
}

LimitedProcess::~LimitedProcess() {
  if (end_ < 0) return;
  close(end_);
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

std::optional<std::string> LimitedProcess::answer() {
  std::string bytes;
  char buffer[4096];
  for (ssize_t got; (got = read(end_, buffer, sizeof buffer)) > 0;) bytes.append(buffer, static_cast<std::size_t>(got));
  close(end_);
  end_ = -1;
  int status = 0;
  rusage used{};
  wait4(child_, &status, 0, &used);
  if (!bytes.empty() && bytes[0] == kAnswer) return bytes.substr(1);
  if (!bytes.empty()) throw Error(bytes.substr(1));
  if (WIFEXITED(status) && WEXITSTATUS(status) == kTimeIsOver) return std::nullopt;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  // The kernel ends a process that does not look at the timer, a second later, by one of these.
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  if ((signal == SIGXCPU || signal == SIGKILL) && seconds(used.ru_utime) + seconds(used.ru_stime) >= seconds_)
    return std::nullopt;
  if (signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP)
    throw Killed("the process was killed from outside (signal " + std::to_string(signal) + ")");
  throw Error("the process ended unexpectedly" + (signal > 0 ? " (signal " + std::to_string(signal) + ")" : ""));
}

}  // namespace rigor::cli
