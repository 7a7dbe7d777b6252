#include "engine/store/obsolete_files.h"

#include <utility>

#include "engine/files/caught.h"

namespace lsmlab::engine {

thread_local bool ObsoleteFiles::removes_itself_ = false;

void ObsoleteFiles::start(const StartThread& start_thread) {
  // The new thread waits for the lock and then sees that it was started.
  const std::lock_guard lock(mutex_);
  thread_ = start_thread([this] { work(); });
  is_started_ = true;
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

void ObsoleteFiles::take(LiveFile* last) noexcept {
  std::unique_ptr<LiveFile> file(last);
  if (!file->is_obsolete() || removes_itself_) return;
  const std::lock_guard lock(mutex_);
  if (!is_started_) return;
  // If there is no memory for the list, the file is removed when this function ends.
  static_cast<void>(caught({}, [&]() -> Result<void> {
    files_.push_back(std::move(file));
    changed_.notify_all();
    return success();
  }));
}

void ObsoleteFiles::remove(std::string path) noexcept {
  const auto leave = [&]() -> Result<bool> {
    const std::lock_guard lock(mutex_);
    if (!is_started_) return false;
    paths_.push_back(std::move(path));
    changed_.notify_all();
    return true;
  };
  const Result<bool> is_left = caught({}, leave);
  if (is_left && is_left.value()) return;
  static_cast<void>(caught({}, [&] { return file_system_.remove(path); }));
}

void ObsoleteFiles::work() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !files_.empty() || !paths_.empty() || !is_started_; });
    if (files_.empty() && paths_.empty()) return;
    std::vector<std::unique_ptr<LiveFile>> files = std::exchange(files_, {});
    const std::vector<std::string> paths = std::exchange(paths_, {});
    is_removing_ = true;
    lock.unlock();
    for (const std::string& path : paths) {
      static_cast<void>(caught({}, [&] { return file_system_.remove(path); }));
    }
    files.clear();
    lock.lock();
    is_removing_ = false;
    changed_.notify_all();
  }
}

}  // namespace lsmlab::engine
