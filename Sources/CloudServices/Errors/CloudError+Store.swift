internal import Basics
internal import CloudModel
internal import PredicateLanguage
internal import RecordStore
internal import StoreFiles

extension CloudError {
  /// Converts an error of the store.
  init(_ error: StoreError) {
    let (code, storage): (Code, StorageFault?) =
      switch error.kind {
      case .busy(let holder): (.zoneBusy, .busy(holder: holder))
      case .full: (.quotaExceeded, .full)
      case .readOnly, .exposed: (.internalError, .readOnly)
      case .corrupt, .damagedRecord, .damagedZone: (.internalError, .damaged)
      case .newerVersion: (.internalError, .newerVersion)
      case .olderVersion: (.internalError, .olderVersion)
      case .missing: (.internalError, .damaged)
      case .deleted: (.badContainer, nil)
      case .cannotCreate: (.internalError, .cannotCreate)
      case .inputOutput, .unavailable: (.internalError, .inputOutput)
      case .interrupted: (.operationCancelled, .interrupted)
      case .tooBig: (.limitExceeded, .inputOutput)
      case .tooMany: (.limitExceeded, nil)
      }
    self.init(code, error.message)
    self.storage = storage
    if case .damagedRecord(let record, let zone) = error.kind {
      (recordName, self.zone) = (record.text, zone)
    }
    if case .damagedZone(let zone) = error.kind { self.zone = zone }
    remedy = error.remedy ?? Self.remedy(error.kind, storage)
  }

  private static func remedy(_ kind: StoreError.Kind, _ storage: StorageFault?) -> Remedy? {
    if kind == .exposed { return .makePrivate }
    return storage == .damaged ? .repair : nil
  }

  /// The error for contents that are damaged in the store, or missing from it.
  static func damagedContents(_ asset: Asset, isMissing: Bool = false) -> CloudError {
    var error = CloudError(
      .assetNotAvailable,
      "the contents \(asset.sha256) are \(isMissing ? "missing from" : "damaged in") the store",
      remedy: .repair)
    error.storage = .damaged
    return error
  }

  /// The error for a log that cannot be emptied because it is being read.
  static var readLog: CloudError {
    var error = CloudError(.zoneBusy, "another process is reading the log, so it was not emptied")
    error.storage = .busy(holder: nil)
    return error
  }

  /// The error for a predicate that does not fit the queried type.
  init(_ error: PredicateError) {
    self.init(.invalidArguments, error.message, serverCode: 2015, remedy: error.remedy)
    span = error.span
  }

  /// The error for a finding that makes CloudKit refuse a predicate (R7.1: always 12).
  init(_ finding: Finding, of predicate: Predicate, in container: ContainerID) {
    if finding.code == .valueCount {
      self.init(
        .limitExceeded, "\(finding.message) \(container.text)", serverCode: 2023,
        remedy: finding.remedy
      )
      span = finding.span
      return
    }
    self.init(
      .invalidArguments,
      finding.code.subject == .schema
        ? finding.message : "Invalid predicate: \(Self.fault(finding, predicate))",
      serverCode: 2015, remedy: finding.remedy)
    span = finding.span
  }

  /// What is wrong with a predicate, in CloudKit's words where they are known (P3).
  private static func fault(_ finding: Finding, _ predicate: Predicate) -> String {
    if finding.code == .option {
      return "Predicate comparison options are not supported for expression: \(predicate.text)"
    }
    if finding.code == .null { return "Expected constant value in comparison expression" }
    return "\(predicate.text): \(finding.message)"
  }

  /// Converts any error of a service.
  init(any error: any Error) {
    switch error {
    case let error as CloudError: self = error
    case let struck as Struck: self = struck.error
    case let error as StoreError: self.init(error)
    case let error as PredicateError: self.init(error)
    case let error as SystemError: self.init(StoreError(error))
    default: self.init(.internalError, "\(error)")
    }
  }
}
