#include "engine/obsolete_files.h"

#include <utility>

namespace lsmlab::engine {

thread_local bool ObsoleteFiles::removes_itself_ = false;

void ObsoleteFiles::start() {
  {
    const std::lock_guard lock(mutex_);
    is_started_ = true;
  }
  thread_ = std::thread([this] { work(); });
}

void ObsoleteFiles::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_started_ = false;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void ObsoleteFiles::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return files_.empty() && paths_.empty() && !is_removing_; });
}

void ObsoleteFiles::take(LiveFile* last) {
  std::unique_ptr<LiveFile> file(last);
  if (!file->is_obsolete() || removes_itself_) return;
  const std::lock_guard lock(mutex_);
  if (!is_started_) return;
  files_.push_back(std::move(file));
  changed_.notify_all();
}

void ObsoleteFiles::remove(std::string path) {
  {
    const std::lock_guard lock(mutex_);
    if (is_started_) {
      paths_.push_back(std::move(path));
      changed_.notify_all();
      return;
    }
  }
  static_cast<void>(file_system_.remove(path));
}

void ObsoleteFiles::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !files_.empty() || !paths_.empty() || !is_started_; });
    if (files_.empty() && paths_.empty()) return;
    std::vector<std::unique_ptr<LiveFile>> files = std::exchange(files_, {});
    const std::vector<std::string> paths = std::exchange(paths_, {});
    is_removing_ = true;
    lock.unlock();
    for (const std::string& path : paths) static_cast<void>(file_system_.remove(path));
    files.clear();
    lock.lock();
    is_removing_ = false;
    changed_.notify_all();
  }
}

}  // namespace lsmlab::engine
