#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import Fixtures
  internal import WireFormat

  /// The actions on snapshots and fixtures.
  enum SnapshotActions {
    static let all = [save, restore, delete, loadFixture]

    static let save = Action(
      name: "snapshot-save", summary: "Save a snapshot of the store", verb: "snapshot save"
    ) { request in
      let open = try request.openStore()
      let name = try name(request)
      guard name != .previous else {
        throw CloudError(.invalidArguments, "'\(name.text)' is the state before the last restore")
      }
      guard try !open.store.snapshotNames().contains(name) else {
        throw CloudError(.constraintViolation, "The snapshot exists: \(name.text)")
      }
      try open.store.saveSnapshot(name, replaces: false, for: open.request)
      return request.done("Saved the snapshot \(name.text)", ["snapshot", "save"], [name.text])
    }

    static let restore = Action(
      name: "snapshot-restore", summary: "Restore the store from a snapshot",
      verb: "snapshot restore"
    ) { request in
      let name: SnapshotName
      do {
        let open = try request.openStore()
        name = try SnapshotActions.name(request)
        try open.requireUnlocked(besides: open.store.snapshot(name))
      }
      // No connection of this request may be open when the files are replaced.
      try request.visitor.server.restore(name)
      return request.done(
        "Restored the snapshot \(name.text)",
        notes: ["The contents before are the snapshot \(SnapshotName.previous.text)"],
        ["snapshot", "restore"], [name.text])
    }

    static let delete = Action(
      name: "snapshot-delete", summary: "Delete a snapshot", verb: "snapshot delete"
    ) { request in
      let open = try request.openStore()
      let name = try name(request)
      try open.store.deleteSnapshot(name, for: open.request)
      return request.done("Deleted the snapshot \(name.text)", ["snapshot", "delete"], [name.text])
    }

    static let loadFixture = Action(
      name: "fixture-load", summary: "Load a fixture into the container", verb: "fixture load"
    ) { request in
      let open = try request.open()
      guard let file = request.form.files("file").first else {
        throw CloudError(.invalidArguments, "No file is chosen")
      }
      return try DashboardSnapshot.with(open) { snapshot in
        let summary: FixtureSummary
        do {
          summary = try FixtureFile(
            loading: file.open(), into: open.store, for: open.request, at: open.place
          ).summary
        } catch let error as CloudError {
          throw Refused(page: try PlainPages.fault(error, at: open))
        }
        return request.done(
          "Loaded \(file.fileName): \(summary.created.grouped) created, "
            + "\(summary.changed.grouped) changed, \(summary.unchanged.grouped) unchanged",
          notes: ["The store before is the snapshot \(snapshot.text)"],
          line: open.place.schemaCommand(
            ["fixture", "load", file.operand, "-u", open.place.account?.name ?? Place.nobody]))
      }
    }

    private static func name(_ request: ActionRequest) throws(CloudError) -> SnapshotName {
      try SnapshotName((request.form["name"] ?? "").trimmed)
    }
  }

  /// A fixture that is loaded from a file, all or nothing.
  struct FixtureFile {
    /// The container that it was loaded into.
    let container: ContainerID
    /// What changed.
    let summary: FixtureSummary

    /// Loads a fixture into the container of a place, or else into the one that it names. It cannot
    /// name other files. Throws `CloudError`, for a fault with its position.
    init(
      loading file: FileHandle, into store: CloudStore, for request: CloudServices.Request,
      at place: Place? = nil
    ) throws {
      let folder = try FileSystem.makeTemporaryDirectory(in: store.path, prefix: "fixture-")
      defer { try? FileSystem.remove(folder) }
      let path = folder + "/fixture.json"
      try FileSystem.replace(path, with: FileSystem.contents(of: file))
      let environment = place?.environment ?? .development
      var settings = FixtureSettings(
        request, environment: environment, container: place?.container)
      if place != nil { settings.overrides = [.container] }
      let loader: FixtureLoader
      do { loader = try FixtureLoader([path], settings) } catch let error as RecordReadingError {
        throw CloudError(.invalidArguments, "\(error.position.text): \(error.message)")
      }
      guard let id = try loader.container(in: store) else {
        throw CloudError(.badContainer, "The fixture names no container")
      }
      container = id
      summary = try loader.load(into: store, id) {
        try store.environment(id, environment, for: request)
      }
      guard let fault = summary.faults.first else { return }
      throw CloudError(fault.error.code, "\(fault.position.text): \(fault.error.message)")
    }
  }

  extension OpenPlace {
    /// Throws `invalidArguments` if a production environment that is locked has a schema, here or
    /// in a snapshot: a restore would change it.
    fileprivate func requireUnlocked(besides snapshot: CloudStore) throws {
      for state in [store, snapshot] {
        for container in try state.containers() where !session.isUnlocked(container) {
          let production = try state.environment(container, .production, for: request)
          guard try production.appSchema().isEmpty else {
            throw CloudError(
              .invalidArguments,
              "A restore also replaces the production of \(container.text), which is locked",
              remedy: "unlock production first")
          }
        }
      }
    }
  }
#endif
