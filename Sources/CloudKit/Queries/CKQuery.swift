internal import Basics
internal import CloudModel
@_exported public import Foundation
internal import PredicateLanguage
internal import WireFormat

/// A query for records of a type.
public final class CKQuery: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The record type.
  public let recordType: CKRecord.RecordType
  /// The condition. A block predicate fails the query with `invalidArguments`.
  public let predicate: NSPredicate
  // Predicates and descriptors never change, which the compiler cannot know.
  private let order: Locked<Order>

  private struct Order: @unchecked Sendable {
    var descriptors: [NSSortDescriptor]?
  }

  /// The order of the results; nil for any.
  public var sortDescriptors: [NSSortDescriptor]? {
    get { order.withLock { $0.descriptors } }
    set { order.withLock { $0.descriptors = newValue } }
  }

  /// Creates a query.
  public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
    (self.recordType, self.predicate) = (recordType, predicate)
    order = Locked(Order())
  }

  // MARK: Copying and archiving

  /// Returns an independent copy.
  public func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKQuery(recordType: recordType, predicate: predicate)
    copy.sortDescriptors = sortDescriptors
    return copy
  }

  /// Queries can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  private enum Key {
    static let recordType = "RecordType"
    static let predicate = "Predicate"
    static let sort = "SortDescriptors"
  }

  /// Writes the query to a keyed archive: its predicate as text.
  public func encode(with coder: NSCoder) {
    coder.encode(recordType as NSString, forKey: Key.recordType)
    coder.encode((try? predicate.predicate())?.text as NSString?, forKey: Key.predicate)
    let sort = (sortDescriptors ?? []).compactMap { descriptor in
      descriptor.key.map { (descriptor.ascending ? "+" : "-") + $0 }
    }
    coder.encode(sort as NSArray, forKey: Key.sort)
  }

  /// Reads a query from a keyed archive. One that is not a query becomes a query without results.
  public convenience init(coder aDecoder: NSCoder) {
    let text = aDecoder.string(forKey: Key.predicate)
    let predicate = text.flatMap { try? PredicateParser.parse($0) }
    self.init(
      recordType: aDecoder.string(forKey: Key.recordType) ?? "",
      predicate: predicate.map { NSPredicate($0) } ?? NSPredicate(value: false))
    let sort = aDecoder.object(of: [NSArray.self, NSString.self], forKey: Key.sort) as? [String]
    sortDescriptors = sort?.map {
      NSSortDescriptor(key: String($0.dropFirst()), ascending: $0.hasPrefix("+"))
    }
  }

  /// `<CKQuery: 0x7f…; recordType=Book, predicate=year > 1900>`.
  public override var description: String {
    let text = (try? predicate.predicate())?.text ?? "a block"
    return "<CKQuery: \(address(of: self)); recordType=\(recordType), predicate=\(text)>"
  }
}

/// A place in the results of a query, after which the next page begins
/// (`CKQueryOperation.Cursor`).
public final class CKQueryCursor: NSObject, NSSecureCoding, NSCopying, Sendable {
  private let data: Data
  private let zoneID: CKRecordZone.ID?

  init(_ cursor: QueryCursor) {
    data = Data(cursor.text.utf8)
    zoneID = cursor.zone.map { .stored($0) }
  }

  private init(data: Data, _ zoneID: CKRecordZone.ID?) { (self.data, self.zoneID) = (data, zoneID) }

  /// The cursor as the store knows it. Throws `invalidArguments` for the cursor of another service.
  func cursor() throws(CloudError) -> QueryCursor {
    guard let cursor = QueryCursor(text: String(decoding: data, as: UTF8.self)) else {
      throw CloudError(.invalidArguments, "The cursor does not match: it is from another service")
    }
    return cursor
  }

  // MARK: Copying and archiving

  /// Returns the cursor itself, which never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Cursors can be read from archives that name their classes.
  public static var supportsSecureCoding: Bool { true }

  private enum Key {
    static let data = "CursorData"
    static let zoneID = "ZoneID"
  }

  /// Writes the cursor to a keyed archive.
  public func encode(with coder: NSCoder) {
    coder.encode(data as NSData, forKey: Key.data)
    coder.encode(zoneID, forKey: Key.zoneID)
  }

  /// Reads a cursor from a keyed archive; nil without its data.
  public convenience init?(coder: NSCoder) {
    guard let data = coder.data(forKey: Key.data) else { return nil }
    self.init(data: data, coder.object(of: CKRecordZone.ID.self, forKey: Key.zoneID))
  }

  /// Whether the bytes are the same.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? CKQueryCursor)?.data == data
  }

  public override var hash: Int { data.hashValue }
}
