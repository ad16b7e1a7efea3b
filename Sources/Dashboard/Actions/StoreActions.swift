#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// Creates a container.
  enum CreateContainer {
    static let action = Action(
      name: "container-create", summary: "Create a container", verb: "container create", run: run)

    private static func run(_ request: ActionRequest) throws -> ActionResult {
      let visitor = request.visitor
      try visitor.requireChangeable()
      let id = try ContainerID((request.form["container"] ?? "").trimmed)
      guard try visitor.store.create(id, for: visitor.request) else {
        throw CloudError(.constraintViolation, "The container exists: \(id.text)")
      }
      let done = Done(
        message: "Created the container \(id.text)", command: "ckdb container create \(id.text)")
      return .done(done, at: Place(id, base: visitor.base).address(["records"]))
    }
  }

  /// Loads the sample data into a container of their own.
  enum SampleData {
    static let action = Action(
      name: "sample", summary: "Load the sample data", verb: "fixture load", run: run)

    private static func run(_ request: ActionRequest) throws -> ActionResult {
      let visitor = request.visitor
      try visitor.requireChangeable()
      let file = try FileHandle(unnamedIn: visitor.store.path)
      try file.writeAll(PackageResources.sample_json)
      try file.rewind()
      let loaded = try FixtureFile(loading: file, into: visitor.store, for: visitor.request)
      let done = Done(
        message: "Loaded \(loaded.summary.created.counted("sample record"))",
        command: "curl -s \(visitor.origin)\(visitor.base)/sample.json | ckdb fixture load -")
      return .done(done, at: Place(loaded.container, base: visitor.base).address(["records"]))
    }
  }
#endif
