public import CloudModel
internal import SQLite

/// Collects findings: of each kind up to a limit, and the number of the others.
public struct FindingList {
  /// The collected findings.
  public private(set) var findings: [StoreFinding] = []
  private var counts: [StoreFinding.Code: Int] = [:]
  /// The limit for each kind.
  private let most: Int
  /// The first error of the surroundings, which is not a finding; nil for none.
  public private(set) var surroundings: StoreError?

  /// An empty list.
  public init(most: Int = 100) { self.most = most }

  /// Adds a finding.
  public mutating func add(_ code: StoreFinding.Code, _ subject: String, _ detail: String) {
    counts[code, default: 0] += 1
    if counts[code, default: 0] <= most {
      findings.append(StoreFinding(code, subject, detail))
    }
  }

  /// Adds an error as a finding, unless it is one of the surroundings.
  public mutating func add(_ error: StoreError, _ subject: String) {
    guard !error.isOfSurroundings else {
      surroundings = surroundings ?? error
      return
    }
    add(error.cause?.kind == .other ? .table : .page, subject, error.detail)
  }

  /// All findings, with a line for those beyond the limit of each kind.
  public var all: [StoreFinding] {
    let rest = StoreFinding.Code.allCases.compactMap { code -> StoreFinding? in
      let count = (counts[code] ?? 0) - most
      return count > 0 ? StoreFinding(code, "…", "\(count) more") : nil
    }
    return findings + rest
  }
}
