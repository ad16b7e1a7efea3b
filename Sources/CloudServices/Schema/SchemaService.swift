package import CloudModel
internal import RecordStore

extension CloudEnvironment {
  /// The record types, in byte order. Throws `CloudError`.
  package func schema() throws(CloudError) -> [RecordTypeSchema] {
    try read { try store.types().compactMap { try store.table($0)?.schema } }
  }

  /// One record type; nil for an unknown one. Throws `CloudError`.
  package func schema(of type: RecordType) throws(CloudError) -> RecordTypeSchema? {
    try read { try store.table(type)?.schema }
  }
}
