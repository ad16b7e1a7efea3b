internal import Basics
internal import CloudModel

extension RecordTypeSchema {
  /// Checks that a field, a system field, or any field for `allTokens`, has one of the indexes that
  /// the service needs for a request (R7.3). Throws `invalidArguments`.
  func require(_ indexes: FieldIndexes, of key: String) throws(CloudError) {
    let found: FieldIndexes
    if let system = SystemKey(key) {
      found = systemIndexes[system] ?? []
    } else if key == "allTokens" {
      found = fields.contains { $0.indexes.contains(.searchable) } ? .searchable : []
    } else {
      guard let field = field(key) else { throw .fieldNotFound(key, in: name, among: fields) }
      found = field.indexes
    }
    guard found.isDisjoint(with: indexes), let word = indexes.words.first?.lowercased() else {
      return
    }
    throw CloudError(
      .invalidArguments, "Field '\(key)' is not marked \(word)", serverCode: 2015,
      remedy: .declareIndex(name, key: key, indexes))
  }
}
