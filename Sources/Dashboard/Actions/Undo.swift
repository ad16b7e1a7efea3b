#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// How to undo an action: the records that it changed, and what they were (cli.md §16).
  struct UndoPlan: Sendable {
    let place: Place
    let touched: [Touched]
    let before: Before
    /// The address to return to afterwards.
    let back: String

    /// A record that the action changed.
    struct Touched: Sendable {
      let name: RecordName
      let zone: ZoneID
      /// The change tag after the action; nil for a deleted record.
      let tag: ChangeTag?
    }

    /// Where the records are as they were.
    enum Before: Sendable {
      /// There was none of them.
      case nothing
      case records([Record])
      case snapshot(SnapshotName)
    }
  }

  /// Puts back the records of an action, and refuses those that have changed since.
  enum Undo {
    static let action = Action(
      name: "undo", summary: "Undo an action", verb: "record save", run: run)

    private static func run(_ request: ActionRequest) throws -> ActionResult {
      let session = request.visitor.session
      guard let number = request.form["number"].flatMap({ Int($0) }),
        let plan = session.done(number)?.undo
      else {
        throw CloudError(.unknownItem, "The action cannot be undone, or was undone already")
      }
      let open = try OpenPlace(plan.place, for: request.visitor)
      try open.requireChangeable()
      let reader = try BeforeReader(plan, open)
      var batch = RecordBatch(open, policy: .unchanged, replacesFields: true)
      defer { batch.discardUnused() }
      for touched in plan.touched {
        try batch.add(reader.record(touched), over: touched, contents: reader.environment)
      }
      let result = try batch.save()
      session.forgetUndo(number)
      return .done(done(result, batch), at: plan.back)
    }

    private static func done(_ result: ModifyResult, _ batch: RecordBatch) -> Done {
      let failures = result.failures
      let count = result.outcomes.count - failures.count
      var done = Done(message: "Put back \(count.counted("record"))", command: batch.command)
      if !failures.isEmpty {
        let names = failures.prefix(5).compactMap(\.recordName).joined(separator: ", ")
        let more = failures.count > 5 ? " and \((failures.count - 5).grouped) more" : ""
        done.notes = ["Not put back, because they have changed since: \(names)\(more)"]
      }
      return done
    }
  }

  /// Reads records as they were before an action.
  private struct BeforeReader {
    /// The environment with the contents of their assets.
    let environment: CloudEnvironment
    private let database: CloudDatabase
    private let records: [Record]?

    init(_ plan: UndoPlan, _ open: OpenPlace) throws {
      switch plan.before {
      case .nothing: (database, records) = (open.database, [])
      case .records(let known): (database, records) = (open.database, known)
      case .snapshot(let name):
        let place = plan.place
        let store = try open.store.snapshot(name)
        (database, records) = (
          try store.environment(place.container, place.environment, for: open.request)
            .database(place.scope).withoutNetwork(), nil
        )
      }
      environment = database.environment
    }

    /// The record before the action; nil if there was none.
    func record(_ touched: UndoPlan.Touched) throws -> Record? {
      if let records {
        return records.first { $0.name == touched.name && $0.zone == touched.zone }
      }
      do throws(CloudError) {
        guard case .record(let record) = try database.fetch([touched.name], in: touched.zone)[0]
        else { return nil }
        return record
      } catch {
        guard error.code == .zoneNotFound else { throw error }
        return nil
      }
    }
  }
#endif
