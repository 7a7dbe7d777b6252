// Files that nobody needs any more and that are still to be removed. In threaded mode a reader may
// be the last who lets go of one; removing it can take a disk many milliseconds, as it is told of
// every block. A merge removes what it lets go of, before the next one begins, so that they do not
// meet on the disk; what readers and flushes let go of is left to a thread of its own.
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

  /// The store's own pointer to a file. Who lets go of it last removes it if it is obsolete; from
  /// start() to stop() the thread does instead, but for threads that have a RemovesItself.
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

  /// Removes a file that is no SSTable; what cannot be removed is swept away when the store is
  /// opened next.
  void remove(std::string path) noexcept;

  /// REQUIRES: not started. Throws what `start_thread` does; it is then not started.
  void start(const StartThread& start_thread);
  /// Until what there is by now is removed.
  void wait();
  /// Returns once all that there was is removed.
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
