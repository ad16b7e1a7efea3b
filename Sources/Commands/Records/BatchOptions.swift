internal import CloudModel
internal import CommandKit

/// The options of commands that change several records in one operation.
enum BatchOptions {
  static let atomic = Flag(
    "atomic", "Change all records of a zone or none (default in custom zones)")
  static let noAtomic = Flag("no-atomic", "Change each record independently")
  static let clientToken = Option(
    "client-change-token", nil, ValueKind<String>.text("TEXT"),
    "Client change token that 'changes zone' reports for this change")

  /// Whether the options ask for an atomic change; nil leaves it to the zones.
  static func isAtomic(_ arguments: Arguments) throws -> Bool? {
    switch (arguments[atomic], arguments[noAtomic]) {
    case (true, true):
      throw CommandError("--atomic cannot be used with --no-atomic", .usage)
    case (true, false): true
    case (false, true): false
    case (false, false): nil
    }
  }
}

extension Context {
  /// Processes items one by one. A single item throws its own error. With several, a failure does
  /// not stop the rest, and the error lists each failed item (M6.3).
  func forEach<Item>(
    _ items: [Item], failing text: String, _ work: (Item) throws -> Void
  ) throws {
    var failures: [CloudError] = []
    for item in items {
      do { try work(item) } catch let error as CloudError {
        if items.count == 1 || error.storage != nil { throw error }
        failures.append(error)
      }
    }
    if !failures.isEmpty { throw CommandError(partial: failures, text) }
  }
}

extension CommandError {
  /// The error of a command that failed for some of its items.
  init(partial failures: [CloudError], _ text: String) {
    var error = CloudError(.partialFailure, text)
    error.items = failures
    if let damage = failures.first(where: { $0.storage == .damaged }) {
      (error.storage, error.remedy) = (.damaged, damage.remedy)
    }
    self.init(error)
    items = failures.map { CommandError($0).text }
  }

  /// The error of a failed operation, with a line for each failed item.
  init(batch error: CloudError, advice: CloudError.ConflictAdvice) {
    self.init(error)
    let failures = error.items.map { $0.advising(advice) }
    items = failures.map { CommandError($0).text }
    let offender = failures.first { $0.code != .batchRequestFailed }
    hint = offender?.hint
    cloud?.items = failures
  }
}
