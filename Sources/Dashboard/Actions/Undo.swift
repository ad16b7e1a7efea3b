#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  extension UndoPlan {
    /// Whether the action can still be undone: its snapshot exists, and it left something to undo.
    func isPossible(in store: CloudStore) -> Bool {
      if touched.isEmpty { return false }
      guard case .snapshot(let name) = before else { return true }
      return (try? store.snapshotNames().contains(name)) ?? false
    }
  }

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
      /// They did not exist.
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
        if try hasChanged(touched, open.database) {
          batch.refuse(.changedSince(touched.name), in: touched.zone)
        } else {
          try batch.add(reader.record(touched), over: touched, contents: reader.environment)
        }
      }
      let result = try batch.save()
      let isDone = result.failures.count < result.outcomes.count
      if isDone { session.forgetUndo(number) }
      // The page of a record that is gone would not show why.
      let back = isDone ? plan.back : open.place.address(["records"])
      return .done(done(result, batch), at: back)
    }

    /// Whether a record is not as the action left it.
    private static func hasChanged(
      _ touched: UndoPlan.Touched, _ database: CloudDatabase
    ) throws(CloudError) -> Bool {
      guard case .record(let now)? = try database.fetch([touched.name], in: touched.zone).first
      else { return touched.tag != nil }
      return now.changeTag != touched.tag
    }

    private static func done(_ result: ModifyResult, _ batch: RecordBatch) -> Done {
      let failures = result.failures
      let count = result.outcomes.count - failures.count
      var done = Done(message: "Put back \(count.counted("record"))", command: batch.command)
      let changed = failures.filter { $0.code == .serverRecordChanged }
      if !changed.isEmpty {
        let names = changed.prefix(5).compactMap(\.recordName).joined(separator: ", ")
        let more = changed.count > 5 ? " and \((changed.count - 5).grouped) more" : ""
        done.notes = ["Not put back, because they have changed since: \(names)\(more)"]
      }
      let others = failures.filter { $0.code != .serverRecordChanged }
      done.notes += others.prefix(5).map { "\($0.recordName ?? ""): \($0.message)" }
      if others.count > 5 { done.notes.append("and \((others.count - 5).grouped) more") }
      return done
    }
  }

  extension CloudError {
    fileprivate static func changedSince(_ name: RecordName) -> CloudError {
      CloudError(.serverRecordChanged, "the record has changed since", recordName: name.text)
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
