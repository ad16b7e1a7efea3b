internal import CloudModel

// The constants of `NSMetadataUbiquitousItemDownloadingStatusKey`'s values.
extension Predicate {
  /// The predicate with the constants, as names or as strings, replaced by our values.
  var namingStatuses: Predicate {
    switch self {
    case .constant: self
    case .and(let parts, let span): .and(parts.map(\.namingStatuses), span)
    case .or(let parts, let span): .or(parts.map(\.namingStatuses), span)
    case .not(let part, let span): .not(part.namingStatuses, span)
    case .comparison(var comparison):
      {
        comparison.left = comparison.left.namingStatuses
        comparison.right = comparison.right.namingStatuses
        return .comparison(comparison)
      }()
    }
  }
}

extension Expression {
  fileprivate var namingStatuses: Expression {
    switch self {
    case .value(.string(let text), let span), .key(let text, let span),
      .untyped(let text, let span):
      DownloadingStatus(constant: text).map { .value(.string($0.rawValue), span) } ?? self
    case .aggregate(let items, let span): .aggregate(items.map(\.namingStatuses), span)
    case .value, .null, .path, .record, .variable, .assignment, .distance, .function, .subquery,
      .conditional:
      self
    }
  }
}

extension DownloadingStatus {
  /// The status of a constant of `NSMetadataItem` or `URLResourceKey`; nil for another name.
  fileprivate init?(constant name: String) {
    let prefixes = [
      "NSMetadataUbiquitousItemDownloadingStatus", "NSURLUbiquitousItemDownloadingStatus",
    ]
    guard let prefix = prefixes.first(where: name.hasPrefix) else { return nil }
    let rest = name.dropFirst(prefix.count)
    self.init(rawValue: rest.prefix(1).lowercased() + rest.dropFirst())
  }
}
