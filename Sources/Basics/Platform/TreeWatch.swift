#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Waits until another program changes something in a folder, at any depth.
public final class TreeWatch {
  private let path: String
  private let descriptor: Int32
  #if canImport(Darwin)
    private var folders: [Int32] = []
  #endif

  /// Begins to watch a folder.
  public init(_ path: String) throws(SystemError) {
    self.path = path
    #if canImport(Glibc)
      descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    #else
      descriptor = kqueue()
    #endif
    guard descriptor >= 0 else { throw SystemError("watch", path) }
    try add("")
  }

  deinit {
    close(descriptor)
    #if canImport(Darwin)
      for folder in folders { close(folder) }
    #endif
  }

  /// Watches all folders that exist now; watched ones stay watched. Throws `SystemError` for the
  /// folder itself.
  private func add(_ place: String) throws(SystemError) {
    let folder = place.isEmpty ? path : "\(path)/\(place)"
    guard watch(folder) else {
      if place.isEmpty { throw SystemError("watch", folder) }
      return
    }
    for name in (try? FileSystem.list(folder)) ?? []
    where FileSystem.isFolder("\(folder)/\(name)") {
      try add(place.isEmpty ? name : "\(place)/\(name)")
    }
  }

  private func watch(_ folder: String) -> Bool {
    #if canImport(Glibc)
      let events =
        IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_ATTRIB
        | IN_ONLYDIR | IN_DONT_FOLLOW
      return inotify_add_watch(descriptor, folder, UInt32(events)) >= 0
    #else
      let file = open(folder, O_EVTONLY | O_CLOEXEC)
      guard file >= 0 else { return false }
      folders.append(file)
      var event = kevent()
      event.ident = UInt(file)
      event.filter = Int16(EVFILT_VNODE)
      event.flags = UInt16(EV_ADD | EV_CLEAR)
      event.fflags = UInt32(NOTE_WRITE | NOTE_ATTRIB | NOTE_DELETE | NOTE_RENAME)
      return kevent(descriptor, &event, 1, nil, 0, nil) == 0
    #endif
  }

  /// Waits until something happened since the last call, a signal comes, or the given time has
  /// passed. Returns whether something happened.
  public func wait(milliseconds: Int64) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, Int32(clamping: max(0, milliseconds))) > 0 else { return false }
    #if canImport(Glibc)
      withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
        while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
      }
    #else
      for folder in folders { close(folder) }
      folders = []
    #endif
    // There may be new folders.
    try? add("")
    return true
  }
}
