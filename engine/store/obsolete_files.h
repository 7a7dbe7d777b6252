// Obsolete files that are still to be removed. Removing a file can keep a disk busy for many
// milliseconds, because the file system reports every freed block to it. In threaded mode, a merge
// removes the files that it releases, before the next merge begins, so removals and merges do not
// overlap on the disk. A thread of its own removes files that readers and flushes release.
//
// Threading: any number of threads.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/store/live_file.h"
#include "engine/store/store_setup.h"

namespace lsmlab::engine {

class ObsoleteFiles {
 public:
  explicit ObsoleteFiles(FileSystem& files) : file_system_(files) {}
  ~ObsoleteFiles() { stop(); }
  ObsoleteFiles(const ObsoleteFiles&) = delete;
  ObsoleteFiles& operator=(const ObsoleteFiles&) = delete;

  /// The store's own pointer to a file. When the last pointer goes, an obsolete file is removed.
  /// From start() to stop() the removing thread does it, except for threads that hold a
  /// RemovesItself.
  [[nodiscard]] static std::shared_ptr<LiveFile> share(
      const std::shared_ptr<ObsoleteFiles>& obsolete, std::unique_ptr<LiveFile> file) {
    return {file.release(), [obsolete](LiveFile* last) { obsolete->take(last); }};
  }

  class RemovesItself {
   public:
    RemovesItself() { removes_itself_ = true; }
    ~RemovesItself() { removes_itself_ = false; }
    RemovesItself(const RemovesItself&) = delete;
    RemovesItself& operator=(const RemovesItself&) = delete;
  };

  /// Removes a file that is not an SSTable. If that fails, the next opening of the store removes
  /// it.
  void remove(std::string path) noexcept;

  /// REQUIRES: not started. Throws what `start_thread` throws; the thread is then not started.
  void start(const StartThread& start_thread);
  /// Waits until every file that is obsolete now is removed.
  void wait();
  /// Ends the thread after it has removed every file.
  void stop();

 private:
  void take(LiveFile* last) noexcept;
  void work() noexcept;

  static thread_local bool removes_itself_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_removing_ = false;
  bool is_started_ = false;
  FileSystem& file_system_;
  std::vector<std::unique_ptr<LiveFile>> files_;
  std::vector<std::string> paths_;
  std::thread thread_;
};

}  // namespace lsmlab::engine
