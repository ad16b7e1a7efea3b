internal import Basics

/// One call that changed files, as logged by the shim.
struct FileCall {
  enum Kind: Int64 {
    case create = 1
    case write
    case truncate
    case synchronize
    case rename
    case unlink
    case makeDirectory
    case removeDirectory
    case link
    /// Everything on the disk.
    case synchronizeAll = 11
  }

  let kind: Kind
  let path: String
  let other: String
  let offset: Int
  let data: ArraySlice<UInt8>

  /// Reads the shim's log.
  static func all(in bytes: [UInt8]) -> [FileCall] {
    var calls: [FileCall] = []
    var place = 0
    func number() -> Int {
      defer { place += 8 }
      return bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    func taken(_ count: Int) -> ArraySlice<UInt8> {
      defer { place += count }
      return bytes[place..<place + count]
    }
    while place + 40 <= bytes.count {
      let kind = Kind(rawValue: Int64(number()))
      let (pathLength, otherLength, offset, length) = (number(), number(), number(), number())
      let path = String(decoding: taken(pathLength), as: UTF8.self)
      let other = String(decoding: taken(otherLength), as: UTF8.self)
      let data = taken(length)
      guard let kind else { continue }
      calls.append(
        FileCall(kind: kind, path: path, other: other, offset: offset, data: data))
    }
    return calls
  }
}

/// A disk that may lose what was not synchronized: contents of files before their fsync, names
/// before the fsync of their directory.
final class DiskModel {
  /// A file's contents: the lasting ones, and changes that may be lost.
  final class File {
    var lasting: [UInt8]
    var pending: [Change] = []

    init(_ bytes: [UInt8]) { lasting = bytes }
  }

  /// A change of a file's contents.
  enum Change {
    case write(Int, ArraySlice<UInt8>)
    case truncate(Int)

    func apply(to bytes: inout [UInt8]) {
      switch self {
      case .write(let offset, let data):
        if bytes.count < offset + data.count {
          bytes += [UInt8](repeating: 0, count: offset + data.count - bytes.count)
        }
        bytes.replaceSubrange(offset..<offset + data.count, with: data)
      case .truncate(let count):
        if bytes.count > count {
          bytes.removeLast(bytes.count - count)
        } else {
          bytes += [UInt8](repeating: 0, count: count - bytes.count)
        }
      }
    }
  }

  /// The files and directories by path.
  typealias Names = [String: File?]

  /// A change of the names in a directory.
  private struct NameChange {
    let directory: String
    let apply: (inout Names) -> Void
  }

  private let root: String
  private var names: Names = [:]
  private var lasting: Names = [:]
  private var pending: [NameChange] = []

  /// A disk with everything below a path. Throws `SystemError`.
  init(_ root: String) throws {
    self.root = root
    try read(root)
    lasting = names
  }

  private func read(_ path: String) throws {
    guard FileSystem.isDirectory(path) else {
      names[path] = File(try FileSystem.contents(of: path))
      return
    }
    names[path] = File?.none
    for name in try FileSystem.list(path) { try read("\(path)/\(name)") }
  }

  /// The number of name changes that may be lost.
  var pendingNames: Int { pending.count }

  // MARK: Calls

  func apply(_ call: FileCall) {
    switch call.kind {
    case .create:
      let file = File([])
      change(call.path) { $0[call.path] = file }
    case .makeDirectory: change(call.path) { $0[call.path] = File?.none }
    case .write: file(call.path)?.pending.append(.write(call.offset, call.data))
    case .truncate: file(call.path)?.pending.append(.truncate(call.offset))
    case .unlink, .removeDirectory: change(call.path) { $0[call.path] = nil }
    case .link:
      guard let file = file(call.path) else { return }
      change(call.other) { $0[call.other] = file }
    case .rename: rename(call.path, call.other)
    case .synchronize: synchronize(call.path)
    case .synchronizeAll:
      for change in pending { change.apply(&lasting) }
      pending = []
      for path in names.keys { synchronize(path) }
    }
  }

  private func file(_ path: String) -> File? { names[path] ?? nil }

  private func change(_ path: String, _ work: @escaping (inout Names) -> Void) {
    work(&names)
    pending.append(NameChange(directory: FileSystem.parent(of: path), apply: work))
  }

  /// Moves a file, whose two names are each synchronized with their own directories; or a directory
  /// with everything below it.
  private func rename(_ old: String, _ new: String) {
    if let file = file(old) {
      change(new) { $0[new] = file }
      return change(old) { $0[old] = nil }
    }
    change(new) { names in
      for (path, file) in names where path == old || path.hasPrefix(old + "/") {
        names[path] = nil
        names[new + path.dropFirst(old.count)] = file
      }
    }
  }

  private func synchronize(_ path: String) {
    if let file = file(path) {
      for change in file.pending { change.apply(to: &file.lasting) }
      file.pending = []
      return
    }
    for change in pending where change.directory == path { change.apply(&lasting) }
    pending.removeAll { $0.directory == path }
  }

  // MARK: States after a power loss

  /// Writes a possible state of the disk: the first `count` name changes have lasted, and of each
  /// file's changes those that `choose` returns. Throws `SystemError`.
  func write(
    to target: String, names count: Int, _ choose: ([Change]) -> [Change]
  ) throws {
    var found = lasting
    for change in pending.prefix(count) { change.apply(&found) }
    try FileSystem.remove(target)
    for path in found.keys.sorted(by: utf8Precedes) {
      let place = target + path.dropFirst(root.count)
      guard FileSystem.isDirectory(FileSystem.parent(of: place)) else { continue }
      guard let file = found[path] ?? nil else {
        try FileSystem.makeDirectory(place)
        continue
      }
      var bytes = file.lasting
      for change in choose(file.pending) { change.apply(to: &bytes) }
      try FileHandle(create: place).writeAll(bytes)
    }
  }
}
