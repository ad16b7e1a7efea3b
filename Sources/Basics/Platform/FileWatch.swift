#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Waits until another process writes to a file or replaces it.
public final class FileWatch {
  /// A descriptor that is readable after something happened, until `drain`.
  public let descriptor: Int32
  #if canImport(Darwin)
    private let file: Int32
  #endif

  /// Begins to watch a file.
  public init(_ path: String) throws(SystemError) {
    // What fails is closed here and set only afterwards: once all is set, `deinit` closes it, too.
    #if canImport(Glibc)
      let watch = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
      guard watch >= 0 else { throw SystemError("watch", path) }
      let events = UInt32(IN_MODIFY | IN_MOVE_SELF | IN_DELETE_SELF | IN_ATTRIB)
      guard inotify_add_watch(watch, path, events) >= 0 else {
        let error = SystemError("watch", path)
        close(watch)
        throw error
      }
      descriptor = watch
    #elseif canImport(Darwin)
      let (watch, file) = (kqueue(), open(path, O_EVTONLY | O_CLOEXEC))
      var event = kevent()
      event.ident = UInt(max(0, file))
      event.filter = Int16(EVFILT_VNODE)
      event.flags = UInt16(EV_ADD | EV_CLEAR)
      event.fflags = UInt32(NOTE_WRITE | NOTE_ATTRIB | NOTE_DELETE | NOTE_RENAME)
      guard watch >= 0, file >= 0, kevent(watch, &event, 1, nil, 0, nil) == 0 else {
        let error = SystemError("watch", path)
        if file >= 0 { close(file) }
        if watch >= 0 { close(watch) }
        throw error
      }
      (descriptor, self.file) = (watch, file)
    #endif
  }

  deinit {
    close(descriptor)
    #if canImport(Darwin)
      close(file)
    #endif
  }

  /// Waits until something happened since the last call, a signal comes, or the given time has
  /// passed.
  public func wait(milliseconds: Int64) {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, Int32(clamping: max(0, milliseconds))) > 0 else { return }
    drain()
  }

  /// Forgets what happened so far.
  public func drain() {
    #if canImport(Glibc)
      withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
        while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
      }
    #elseif canImport(Darwin)
      var event = kevent()
      var now = timespec()
      _ = kevent(descriptor, nil, 0, &event, 1, &now)
    #endif
  }
}
