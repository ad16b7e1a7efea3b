public import CloudModel
internal import SQLite

/// Takes findings down: of each kind so many, and the number of the rest.
public struct FindingList {
  /// Those that were taken down.
  public private(set) var findings: [StoreFinding] = []
  private var counts: [StoreFinding.Code: Int] = [:]
  /// So many of a kind are told.
  private let most: Int

  /// An empty list.
  public init(most: Int = 100) { self.most = most }

  /// Takes a finding down.
  public mutating func add(_ code: StoreFinding.Code, _ subject: String, _ detail: String) {
    counts[code, default: 0] += 1
    if counts[code, default: 0] <= most {
      findings.append(StoreFinding(code, subject, detail))
    }
  }

  /// Takes an error of SQLite down.
  public mutating func add(_ error: StoreError, _ subject: String) {
    add(error.cause?.kind == .other ? .table : .page, subject, error.detail)
  }

  /// All of them, with a line for those of each kind that were too many.
  public var all: [StoreFinding] {
    let rest = StoreFinding.Code.allCases.compactMap { code -> StoreFinding? in
      let count = (counts[code] ?? 0) - most
      return count > 0 ? StoreFinding(code, "…", "\(count) more") : nil
    }
    return findings + rest
  }
}
