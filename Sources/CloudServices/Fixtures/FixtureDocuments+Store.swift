internal import Basics
internal import CloudModel
internal import RecordStore
internal import StoreFiles
internal import UbiquityStore

// The documents of a fixture: those in iCloud for each account, and those on devices.
extension FixtureDocuments: StoredFixtureEntry {
  static func all(in directory: ShareDirectory) throws -> [FixtureDocuments] {
    let environment = directory.environment
    return try environment.owner.fixtureDocuments(
      in: environment.container, for: environment.request)
  }

  func canonical(in directory: ShareDirectory) throws -> FixtureDocuments { try hashed() }

  /// Checks the files, which are loaded after the records.
  func loadAfterRecords(
    _ loading: inout FixtureEntryLoading, _ transaction: WriteTransaction
  ) throws {
    _ = try hashed()
  }

  static func load(
    _ given: [FixtureDocuments], in id: ContainerID, of store: CloudStore, for request: Request
  ) throws(CloudError) {
    try store.load(given, in: id, for: request)
  }

  var files: [String] {
    documents.flatMap(\.members).compactMap { member in
      if case .file(let path)? = member.source { path } else { nil }
    }
  }
}

extension CloudStore {
  /// The documents of a container, iCloud's first, then by device, without those that are not on
  /// the device.
  fileprivate func fixtureDocuments(
    in id: ContainerID, for request: Request
  ) throws(CloudError) -> [FixtureDocuments] {
    try DeviceApp(id, of: self, for: request, nil).reading { store in
      var all: [FixtureDocuments] = []
      for name in try store.accountNames() {
        let account = Account(stored: name)
        func add(_ device: Device?, _ documents: [FixtureDocument]) {
          if documents.isEmpty { return }
          all.append(
            FixtureDocuments(
              FixturePlace(owner: account, device: device),
              documents.sorted { utf8Precedes($0.path.text, $1.path.text) }))
        }
        add(
          nil,
          try store.documents(of: account, after: -1).compactMap { document in
            guard document.deleted == nil, let current = document.current else { return nil }
            let contents = try store.version(current)?.contents
            return try contents.map { try store.fixtureDocument(document.path, $0) }
          })
        for replica in try store.replicas(of: account) {
          add(
            replica.device,
            try store.items(of: replica).compactMap { item in
              guard let contents = item.contents, !item.changes.contains(.removal) else {
                return nil
              }
              return try store.fixtureDocument(item.path, contents)
            })
        }
      }
      return all
    } ?? []
  }

  /// Replaces the documents of the accounts and devices that a fixture names.
  fileprivate func load(
    _ given: [FixtureDocuments], in id: ContainerID, for request: Request
  ) throws(CloudError) {
    if given.isEmpty { return }
    try DeviceApp(id, of: self, for: request, nil).transaction { store in
      let isOfDevice = { (part: FixtureDocuments) in part.place.device != nil }
      for part in given.filter({ !isOfDevice($0) }) + given.filter(isOfDevice) {
        let contents = try part.documents.map { ($0.path, try store.stage($0)) }
        if let device = part.place.device {
          try store.load(contents, of: part.place.owner, on: device, at: request.now)
        } else {
          try store.load(contents, of: part.place.owner, by: request.device, at: request.now)
        }
      }
    }
  }
}

extension FixtureDocuments {
  /// The documents with the hashes of their files. Throws `assetFileNotFound` for a file that
  /// cannot be read.
  func hashed() throws(CloudError) -> FixtureDocuments {
    var hashed = self
    for (place, document) in documents.enumerated() {
      for (number, member) in document.members.enumerated() {
        if let source = member.source {
          hashed.documents[place].members[number].asset = try source.asset()
        }
      }
    }
    return hashed
  }
}

extension UbiquityStore {
  fileprivate func fixtureDocument(
    _ path: DocumentPath, _ contents: DocumentContents
  ) throws -> FixtureDocument {
    FixtureDocument(
      path, isPackage: contents.isPackage,
      try files(of: contents).map { .init($0.path, source: nil, asset: $0.asset) })
  }

  /// Stages the files of a document; the end of the transaction synchronizes them.
  fileprivate func stage(_ document: FixtureDocument) throws -> DocumentContents {
    var members: [PackageMember] = []
    for member in document.members {
      guard let source = member.source else { continue }
      let draft = try draft(of: source)
      stage([draft])
      members.append(PackageMember(member.path, draft.asset))
    }
    guard document.isPackage else {
      return DocumentContents(members.first?.asset ?? AssetFiles.asset(of: []))
    }
    let contents = DocumentContents(package: members)
    try keep(members, of: contents)
    return contents
  }

  private func draft(of source: AssetSource) throws -> AssetFiles.Draft {
    let bytes: [UInt8]
    switch source {
    case .file(let path):
      return try assets.draft(from: FileHandle(openRegular: path), isSynchronized: false)
    case .bytes(let given): bytes = given
    case .random(let seed, let size): bytes = SplitMix64.bytes(size, state: seed)
    }
    return try assets.draft(of: bytes, isSynchronized: false)
  }

  /// Replaces the documents in iCloud.
  fileprivate func load(
    _ given: [(DocumentPath, DocumentContents)], of account: Account, by device: Device,
    at time: Timestamp
  ) throws {
    var rest: Set<String> = []
    for document in try documents(of: account, after: -1) where document.deleted == nil {
      rest.insert(document.path.key)
    }
    for (path, contents) in given {
      rest.remove(path.key)
      var document =
        try document(at: path, of: account)
        ?? add(CloudDocument(of: account, at: path, created: time, placed: time, by: device))
      let old = try document.current.flatMap { try version($0) }
      if old?.contents == contents { continue }
      let new = try add(
        CloudVersion(
          of: document.number, contents, size: contents.asset.size, at: time, by: device))
      document.current = new.number
      if let old { try remove(old) }
      try update(&document)
    }
    for key in rest.sorted(by: utf8Precedes) {
      guard var document = try document(at: DocumentPath(stored: key), of: account) else {
        continue
      }
      document.deleted = time
      try update(&document)
    }
  }

  /// Replaces the documents of a device: contents that differ from iCloud's, or are new, are unsent
  /// changes.
  fileprivate func load(
    _ given: [(DocumentPath, DocumentContents)], of account: Account, on device: Device,
    at time: Timestamp
  ) throws {
    var replica = try replica(of: account, on: device) ?? makeReplica(of: account, on: device)
    for item in try items(of: replica) { try remove(item) }
    for document in try documents(of: account, after: -1)
    where document.deleted == nil && !document.isFolder {
      let current = try document.current.flatMap { try version($0) }
      _ = try add(DeviceItem(in: replica, document, current))
    }
    for (path, contents) in given {
      guard var item = try item(at: path, in: replica) else {
        _ = try add(DeviceItem(in: replica, at: path, contents, saved: time))
        continue
      }
      let known = try item.known.flatMap { try version($0) }
      (item.contents, item.base, item.isWanted) = (contents, item.known, true)
      if known?.contents != contents {
        (item.size, item.at, item.device) = (contents.asset.size, time, device)
        item.changes.insert(.contents)
      }
      try update(item, lettingGoOf: nil)
    }
    replica.seen = try lastSequence()
    try update(replica)
  }
}
