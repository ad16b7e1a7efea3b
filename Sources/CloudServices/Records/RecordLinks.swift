public import CloudModel
internal import RecordStore

/// What the deletion of records means for others (R5.4–R5.9).
public struct DeletionPreview: Sendable {
  /// The records that are deleted, too: their deleteSelf references lead to a deleted one.
  public let cascade: [RecordName]
  /// Why some records cannot be deleted, as the deletion itself would fail.
  public let errors: [CloudError]
}

/// A record that refers to another by its parent, or by a reference with an action.
public struct LinkSource: Sendable {
  /// The record's name.
  public let name: RecordName
  /// How it refers to the other record.
  public let kind: Kind

  /// The kinds of links that have consequences for deletions.
  public enum Kind: Sendable {
    /// The other record is its parent.
    case child
    /// It is deleted with the other record.
    case deleteSelf
    /// The other record must not be deleted.
    case validate
  }
}

extension CloudDatabase {
  /// What the deletion of records of a zone would do. Changes nothing; meets no injected faults.
  public func previewDeletion(
    of names: [RecordName], in id: ZoneID
  ) throws(CloudError) -> DeletionPreview {
    try environment.read {
      guard let zone = try zoneToRead(id) else { return DeletionPreview(cascade: [], errors: []) }
      let roots = try names.compactMap { try record($0, in: zone, keys: []) }
      let doomed = try DoomedRecords(roots, in: zone, of: store)
      let errors = doomed.objections(exceptBy: nil).map { objection in
        CloudError.stillReferenced(
          objection.target, by: objection.source, isParent: objection.isParent,
          root: objection.target)
      }
      let given = Set(names)
      return DeletionPreview(cascade: doomed.names.filter { !given.contains($0) }, errors: errors)
    }
  }

  /// The records that refer to a record by their parent or by a reference with an action, and that
  /// the account can read: children first, at most `limit`. Meets no injected faults.
  public func sources(
    ofLinksTo name: RecordName, in id: ZoneID, atMost limit: Int
  ) throws(CloudError) -> [LinkSource] {
    try environment.read {
      guard let zone = try zoneToRead(id) else { return [] }
      return try store.sources(of: name, in: zone, atMost: limit).compactMap { source in
        guard let stored = try record(source.name, in: zone, keys: []),
          try permissions.mayRead(stored)
        else { return nil }
        let kind: LinkSource.Kind =
          switch source.kind {
          case .parent: .child
          case .deleteSelf: .deleteSelf
          case .validate: .validate
          }
        return LinkSource(name: source.name, kind: kind)
      }
    }
  }
}
