public import CloudModel
internal import RecordStore

extension CloudEnvironment {
  /// The record types, in byte order.
  public func schema() throws(CloudError) -> [RecordTypeSchema] {
    try read { try store.types().compactMap { try store.table($0)?.schema } }
  }

  /// The record types of an app, all but `Users`: those that lists and exports include.
  public func appSchema() throws(CloudError) -> [RecordTypeSchema] {
    try schema().filter { $0.name != .users }
  }

  /// Returns a record type; nil for an unknown one.
  public func schema(of type: RecordType) throws(CloudError) -> RecordTypeSchema? {
    try read { try store.table(type)?.schema }
  }

  /// Returns the table of a type. Throws `unknownItem` for an unknown type.
  func requireTable(_ type: RecordType) throws -> TypeTable {
    guard let table = try store.table(type) else {
      throw CloudError.typeNotFound(type, among: try store.types())
    }
    return table
  }

  /// Returns a record type as last read, which another process may have changed since; reads it if
  /// it was never read.
  public func knownSchema(of type: RecordType) throws(CloudError) -> RecordTypeSchema? {
    if let known = store.knownTable(type) { return known.schema }
    return try schema(of: type)
  }
}
