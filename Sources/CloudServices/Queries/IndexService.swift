internal import Basics
public import CloudModel
internal import RecordStore

extension CloudEnvironment {
  /// Builds physical indexes of a type unless another writer has the lock; returns whether it did.
  func build(_ indexes: [PhysicalIndex], of type: RecordType) throws(CloudError) -> Bool {
    try writeIfFree { try store.build(indexes, of: try requireTable(type)) } != nil
  }

  /// Builds the indexes of a feed unless another writer has the lock; the feed works without them.
  /// Throws only when interrupted.
  func build(_ indexes: FeedIndexes) throws(CloudError) {
    do {
      _ = try writeIfFree { try store.build(indexes) }
    } catch {
      if request.patience.interruption.isRaised { throw error }
    }
  }

  /// The physical indexes that queries have built: types with keys.
  public func indexes() throws(CloudError) -> [(type: RecordType, key: String)] {
    try read {
      var found: [(RecordType, String)] = []
      for type in try store.types() {
        guard let table = try store.table(type) else { continue }
        found += try store.indexes(of: table).map { (type, $0.key) }
      }
      return found
    }
  }

  /// Builds physical indexes of a type for some keys. Throws `invalidArguments` for a key that
  /// cannot be indexed.
  public func buildIndexes(of type: RecordType, by keys: [String]) throws(CloudError) {
    try write {
      let table = try requireTable(type)
      try store.build(try keys.map { try index(of: $0, table) }, of: table)
    }
  }

  /// Drops physical indexes: those of all types, of one type, or of one type for some keys. Returns
  /// how many there were.
  public func dropIndexes(of type: RecordType?, by keys: [String]) throws(CloudError) -> Int {
    try write {
      var count = 0
      for type in try type.map({ [$0] }) ?? store.types() {
        let table = try requireTable(type)
        let wanted = try keys.map { try index(of: $0, table) }
        let built = try store.indexes(of: table).filter { wanted.isEmpty || wanted.contains($0) }
        try store.drop(built, of: table)
        count += built.count
      }
      return count
    }
  }

  private func index(of key: String, _ table: TypeTable) throws -> PhysicalIndex {
    if let index = table.index(of: key) { return index }
    guard SystemKey(key) != nil || table.schema.field(key) != nil else {
      throw CloudError.fieldNotFound(
        key, in: table.schema.name, among: table.schema.fields)
    }
    throw CloudError(
      .invalidArguments, "'\(key)' in type '\(table.schema.name.text)' cannot be indexed",
      serverCode: 2006)
  }
}
