#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// Declares an index that a query needs.
  enum AddIndex {
    static let action = Action(
      name: "index-add", summary: "Add an index", verb: "schema index", run: run)

    private static func run(_ request: ActionRequest) throws -> ActionResult {
      let open = try request.open()
      let type = try RecordType(request.form["type"] ?? "")
      let key = request.form["key"] ?? ""
      let words = (request.form["indexes"] ?? "").split(separator: " ").map(String.init)
      let indexes = [FieldIndexes.queryable, .sortable, .searchable].filter { index in
        words.contains { index.words.contains($0) }
      }
      let wanted = FieldIndexes(indexes)
      guard !wanted.isEmpty else { throw CloudError(.invalidArguments, "No index is given") }
      _ = try open.database.environment.setIndexes(
        IndexChange(clears: false, adding: wanted), of: [key], in: type)
      let done = Done(
        message: "Added the index \(wanted.words.joined(separator: " ")) to \(type.text).\(key)",
        notes: ["It is not deployed yet"],
        command: open.place.schemaCommand(
          ["schema", "index", type.text, key] + wanted.words.map { "--\($0.lowercased())" }))
      return .done(done, at: request.back(or: open.place.address(["records", type.text])))
    }
  }

  /// Deploys development's schema to production.
  enum DeploySchema {
    static let action = Action(
      name: "schema-deploy", summary: "Deploy the schema to production", verb: "schema deploy",
      run: run)

    private static func run(_ request: ActionRequest) throws -> ActionResult {
      var place = try request.openToLook().place
      place.environment = .production
      let production = try OpenPlace(place, for: request.visitor)
      try production.requireChangeable()
      place.environment = .development
      let development = try OpenPlace(place, for: request.visitor)
      return try DashboardSnapshot.with(development) { snapshot in
        let changes = try production.database.environment.deploy(
          from: development.database.environment)
        let done = Done(
          message: changes.isEmpty
            ? "Nothing to deploy" : "Deployed \(changes.count.counted("step")) to production",
          notes: ["The store before is the snapshot \(snapshot.text)"],
          command: place.schemaCommand(["schema", "deploy"]))
        return .done(done, at: place.address(["schema"]))
      }
    }
  }

  /// Unlocks or locks the production environment, for this browser only.
  enum LockProduction {
    static let action = Action(
      name: "production-lock", summary: "Unlock production for changes, or lock it again",
      verb: "", run: run)

    private static func run(_ request: ActionRequest) throws -> ActionResult {
      let place = try request.openToLook().place
      try request.visitor.requireChangeable()
      request.visitor.session.setUnlocked(request.form["unlock"] != nil, place.container)
      return .redirect(request.back(or: place.address(["records"])))
    }
  }
#endif
