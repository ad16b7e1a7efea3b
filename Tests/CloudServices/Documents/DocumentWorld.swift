internal import Basics
internal import CloudModel
internal import CloudServices
internal import TestSupport
internal import Testing

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Three devices with different clocks and a mount each, which change documents at random; and a
/// record of the contents that each save had seen.
final class DocumentWorld {
  static let devices = ["mac", "pad", "phone"].map { Device(stored: $0) }
  private static let ann = Account(stored: "ann")
  private static let names =
    [
      "a.txt", "b.txt", "notes/c.txt", "notes/d.txt", "notes/deep/e", "F.md",
    ].map { "Documents/\($0)" } + ["state", "cache/x"]

  let fixture: CloudFixture
  var random: SplitMix64
  private let mounts: TemporaryDirectory
  private var tick: Int64 = 0
  private var saves = 0
  private var open: [Device: DocumentStore] = [:]
  /// All contents that were ever saved.
  private(set) var saved: Set<String> = []
  /// Contents that were replaced, deleted or decided against after they had been seen.
  private(set) var replaced: Set<String> = []
  /// The contents that a device had of a document when it evicted it.
  private var evicted: [Device: [Int64: String]] = [:]

  init(_ seed: UInt64) throws {
    fixture = try CloudFixture(seed: seed)
    mounts = try TemporaryDirectory()
    random = SplitMix64(state: seed)
    for device in Self.devices {
      let offset = Int64(random.next() % 5_000) - 2_500
      _ = try fixture.store.add(
        device,
        NamedDevice(
          kind: device.name == "mac" ? .mac : .ios, clockOffset: offset, account: Self.ann))
      _ = try documents(device).mount(folder(device)) { _, _ in }
    }
  }

  func pick<T>(_ all: [T]) -> T { all[Int(random.next() % UInt64(all.count))] }

  func documents(_ device: Device) throws -> DocumentStore {
    if let known = open[device] { return known }
    var request = fixture.request
    (request.account, request.device) = (Self.ann, device)
    request.fixedClock = Timestamp(milliseconds: CloudFixture.noon.milliseconds + tick)
    let opened = try fixture.store.documentStore(fixture.container, for: request)
    open[device] = opened
    return opened
  }

  private func folder(_ device: Device) -> String { "\(mounts.path)/\(device.name)" }

  private func pass() {
    tick += Int64(random.next() % 400)
    open = [:]
  }

  /// Saves contents that were never saved before.
  private func saving(_ work: ([UInt8]) throws -> Void) throws {
    saves += 1
    let text = "contents \(saves)" + String(repeating: "x", count: Int(random.next() % 40))
    try work(Array(text.utf8))
    saved.insert(text)
  }

  // MARK: Steps

  /// Performs a random step. A refused step is not a failure.
  func step() throws {
    pass()
    let device = pick(Self.devices)
    let documents = try documents(device)
    do {
      switch random.next() % 100 {
      case 0..<22: try edit(documents)
      case 22..<27:
        let path = try newPath(documents)
        try saving { try documents.put($0, at: path) }
      case 27..<30: try putOver(documents, device)
      case 30..<37: try documents.move(path(documents), to: newPath(documents))
      case 37..<42: try remove(documents)
      case 42..<45: try evict(documents, device)
      case 45: try restore(documents)
      case 46..<50: try documents.download(path(documents))
      case 50..<58: try resolve(documents)
      case 58..<62: try editOpen(documents)
      case 62..<63: try setOnline(device)
      case 63..<64: try setKind(device)
      case 64..<65: try signOutAndIn(device)
      case 65..<76: try editMount(documents, device)
      case 76..<84: _ = try documents.mount(folder(device)) { _, _ in }
      case _: _ = try documents.synchronize()
      }
    } catch let error as CloudError {
      let refused: [CloudError.Code] = [
        .unknownItem, .invalidArguments, .serverRecordChanged, .networkUnavailable,
      ]
      try #require(refused.contains(error.code), "\(error)")
    }
  }

  private func path(_ documents: DocumentStore) throws -> DocumentPath {
    let items = try documents.items()
    return items.isEmpty ? DocumentPath(stored: pick(Self.names)) : pick(items).path
  }

  /// A path without a document on the device, since a save replaces only contents it has seen.
  private func newPath(_ documents: DocumentStore) throws -> DocumentPath {
    let taken = Set(try documents.items().map(\.path.key))
    var path = DocumentPath(stored: pick(Self.names))
    while taken.contains(path.key) { path = path.numbered(Int(random.next() % 90) + 10) }
    return path
  }

  /// The contents of a document that are on the device, or of a version of it.
  private func contents(
    _ documents: DocumentStore, _ path: DocumentPath, version: String? = nil
  ) throws -> String {
    var bytes: [UInt8] = []
    for file in try documents.openHere(path, version: version).files {
      try file.copy { bytes.append(contentsOf: $0) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func edit(_ documents: DocumentStore) throws {
    let path = try path(documents)
    let seen = try contents(documents, path)
    try saving { try documents.put($0, at: path, .overwriting) }
    replaced.insert(seen)
  }

  /// Saves over a document without reading it: this replaces only the contents that the device has,
  /// or had before an eviction.
  private func putOver(_ documents: DocumentStore, _ device: Device) throws {
    let path = try path(documents)
    let item = try documents.item(path)
    let seen =
      item.downloading == .notDownloaded
      ? evicted[device]?[item.number] : try contents(documents, path)
    try saving { try documents.put($0, at: path) }
    if let seen { replaced.insert(seen) }
  }

  private func evict(_ documents: DocumentStore, _ device: Device) throws {
    let path = try path(documents)
    let (number, had) = (try documents.item(path).number, try? contents(documents, path))
    try documents.evict(path)
    if let had { evicted[device, default: [:]][number] = had }
  }

  private func restore(_ documents: DocumentStore) throws {
    guard let (path, _) = try documents.deletedItems().first else { return }
    _ = try documents.restore(path)
  }

  private func setKind(_ device: Device) throws {
    let kind: NamedDevice.Kind = random.next() % 2 == 0 ? .mac : .ios
    try fixture.store.change(device, of: Self.ann, for: documents(device).request) {
      $0.kind = kind
    }
  }

  /// Signs in another account and back. What only this device has waits for its account (D53); the
  /// device forgets everything else.
  private func signOutAndIn(_ device: Device) throws {
    let request = try documents(device).request
    let kept = Set(
      try documents(device).items().filter { !$0.isUploaded }.map(\.number))
    for account in [Account(stored: "bob"), Self.ann] {
      try fixture.store.change(device, of: account, for: request) { $0.account = account }
    }
    evicted[device] = evicted[device]?.filter { kept.contains($0.key) }
    open = [:]
  }

  private func editOpen(_ documents: DocumentStore) throws {
    let path = try path(documents)
    try documents.openDocument(path)
    let seen = try documents.openContents(path)
    try saving { try documents.change(path, .set($0)) }
    replaced.insert(String(decoding: seen, as: UTF8.self))
    if random.next() % 3 > 0 { try documents.closeDocument(path) }
  }

  private func remove(_ documents: DocumentStore) throws {
    let path = try path(documents)
    let seen =
      try [contents(documents, path)]
      + documents.versions(of: path).filter { !$0.isCurrent }.map {
        try contents(documents, path, version: $0.identifier)
      }
    // The document is open for the same user, who has seen these contents, too.
    let unsaved = (try? documents.openContents(path)).map { [String(decoding: $0, as: UTF8.self)] }
    try documents.remove(path)
    replaced.formUnion(seen + (unsaved ?? []))
  }

  private func resolve(_ documents: DocumentStore) throws {
    guard let path = try documents.conflicts().first?.path else { return }
    let versions = try documents.versions(of: path)
    let seen = try versions.map {
      try contents(documents, path, version: $0.isCurrent ? nil : $0.identifier)
    }
    let choices: [DocumentStore.Choice] = [
      .current, .newest, .all, .version(pick(versions).identifier),
    ]
    _ = try documents.resolve(path, pick(choices), keeps: random.next() % 4 == 0)
    replaced.formUnion(seen)
  }

  private func setOnline(_ device: Device) throws {
    let request = try documents(device).request
    try fixture.store.setOnline(
      random.next() % 3 > 0, device, of: Self.ann, for: request)
  }

  /// Changes a file in the mount, as another program does.
  private func editMount(_ documents: DocumentStore, _ device: Device) throws {
    let folder = folder(device)
    let files = try Self.files(folder)
    let number = random.next() % 10
    if files.isEmpty || number == 0 {
      let path = "\(folder)/\(pick(Self.names))-\(random.next() % 100)"
      try FileSystem.makeDirectories(FileSystem.parent(of: path))
      if FileSystem.exists(path) { return }
      try saving { try Self.write($0, to: path) }
    } else {
      let path = pick(files)
      switch number {
      case 1:
        replaced.insert(try Self.text(path))
        try FileSystem.remove(path)
      case 2:
        let target = "\(FileSystem.parent(of: path))/moved-\(random.next() % 100)"
        if !FileSystem.exists(target) { try FileSystem.rename(path, to: target) }
      case 3...5:
        // Editors save like this: a new file replaces the old one.
        replaced.insert(try Self.text(path))
        try saving { try Self.write($0, to: path + ".tmp") }
        try FileSystem.rename(path + ".tmp", to: path)
      default:
        replaced.insert(try Self.text(path))
        try saving { try Self.write($0, to: path) }
      }
    }
    if random.next() % 2 == 0 { _ = try documents.scan(folder) { _, _ in } }
  }

  private static func files(_ folder: String) throws -> [String] {
    try FileSystem.list(folder).filter { $0 != ".ckdb-mount" }.flatMap { name in
      let path = "\(folder)/\(name)"
      return FileSystem.isFolder(path) ? try files(path) : [path]
    }
  }

  private static func text(_ path: String) throws -> String {
    String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    let file = try FileHandle(open: path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644)
    try file.writeAll(bytes)
  }

  // MARK: The end

  /// The paths on a device, with the contents of all versions.
  func state(_ device: Device) throws -> [String: [String]] {
    let documents = try documents(device)
    var state: [String: [String]] = [:]
    for item in try documents.items() {
      try documents.download(item.path)
      state[item.path.text] = try documents.versions(of: item.path).map {
        try contents(documents, item.path, version: $0.isCurrent ? nil : $0.identifier)
      }
    }
    return state
  }

  /// Lets all devices scan their mounts and sync twice.
  func settle() throws {
    for device in Self.devices {
      let request = try documents(device).request
      try fixture.store.setOnline(true, device, of: Self.ann, for: request)
      pass()
      _ = try documents(device).scan(folder(device)) { _, _ in }
    }
    for device in Self.devices + Self.devices {
      pass()
      _ = try documents(device).synchronize()
    }
  }
}
