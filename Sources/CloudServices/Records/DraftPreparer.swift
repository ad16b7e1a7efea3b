internal import Basics
public import CloudModel
internal import RecordStore
internal import Synchronization

/// Records passed from the reading thread to the writing thread, in a few pieces of memory.
public struct ImportBatch: Sendable {
  /// The records, in their order.
  public private(set) var items: [Item] = []
  fileprivate(set) var rows = PreparedRows()
  private var texts: [UInt8] = []
  private var drafts: [RecordDraft] = []

  /// A record, or the fault instead of it.
  public enum Item: Sendable {
    /// A record whose row is prepared.
    case row(PreparedDraft)
    /// A record that needs the full rules.
    case draft(Origin)
    /// A record that could not be read.
    indirect case fault(ImportFault)
  }

  /// The source of a record.
  public enum Origin: Sendable {
    /// A text that can be parsed again.
    case text(Range<Int>, TextPosition)
    /// A draft of the batch.
    case draft(Int)
  }

  /// Creates an empty batch.
  public init() {}

  /// Empties the batch and keeps its memory.
  public mutating func removeAll() {
    items.removeAll(keepingCapacity: true)
    rows.removeAll()
    texts.removeAll(keepingCapacity: true)
    drafts.removeAll(keepingCapacity: true)
  }

  /// How many bytes of text are in it.
  public var textSize: Int { texts.count }

  /// Appends an item.
  public mutating func append(_ item: Item) { items.append(item) }

  /// Appends the source of a record: its text, or the draft itself if there is no text.
  fileprivate mutating func origin(
    _ draft: RecordDraft, _ text: UnsafeRawBufferPointer
  ) -> Origin {
    if text.isEmpty {
      drafts.append(draft)
      return .draft(drafts.count - 1)
    }
    let start = texts.count
    texts.append(contentsOf: text)
    return .text(start..<texts.count, draft.position)
  }

  /// Returns the draft of an item; `read` parses a text again. Throws `ImportFault` for a fault.
  public func draft(
    of item: Item, _ read: (UnsafeRawBufferPointer, TextPosition) throws -> RecordDraft
  ) throws -> RecordDraft {
    switch item {
    case .fault(let fault): throw fault
    case .draft(let origin): try draft(origin, read)
    case .row(let prepared): try draft(prepared.origin, read)
    }
  }

  /// The position of a record.
  func position(of origin: Origin) -> TextPosition {
    switch origin {
    case .draft(let index): drafts[index].position
    case .text(_, let position): position
    }
  }

  /// Returns the draft of a record; `read` parses a text again.
  func draft(
    _ origin: Origin, _ read: (UnsafeRawBufferPointer, TextPosition) throws -> RecordDraft
  ) rethrows -> RecordDraft {
    switch origin {
    case .draft(let index): return drafts[index]
    case .text(let range, let position):
      return try texts.withUnsafeBytes { try read(.init(rebasing: $0[range]), position) }
    }
  }
}

/// A record whose row is prepared.
public struct PreparedDraft: Sendable {
  let row: PreparedRow
  let name: RecordName
  let type: String?
  let zone: String?
  let origin: ImportBatch.Origin
}

/// The layouts of the types of an import, as the writing thread currently knows them.
public final class ImportLayouts: Sendable {
  private let layouts = Locked<[String: TypeLayout]>([:])
  private let changes = Atomic<Int>(0)
  let defaultType: String?

  /// Creates an empty set of layouts. Records without a type have the default type.
  public init(defaultType: String?) { self.defaultType = defaultType }

  /// Publishes a type's current layout.
  func publish(_ type: RecordType, _ layout: TypeLayout) {
    // `Users` records are never simply inserted.
    if type == .users { return }
    layouts.withLock { $0[type.text] = layout }
    changes.add(1, ordering: .releasing)
  }

  /// Forgets all layouts, for example after a rollback.
  func forget() {
    layouts.withLock { $0.removeAll() }
    changes.add(1, ordering: .releasing)
  }

  /// Increases with every change.
  var changeCount: Int { changes.load(ordering: .acquiring) }

  func layout(_ type: String) -> TypeLayout? { layouts.withLock { $0[type] } }
}

/// Prepares the rows of an import in the reading thread, so that the writing thread does little
/// more than SQLite's work.
///
/// Prepares only simple records: known type and fields, values of the fields' types, no assets, no
/// references that matter to deletions. All others are left to `RecordImporter`, which applies the
/// full rules.
public struct DraftPreparer {
  private let layouts: ImportLayouts
  private var seenChanges = -1
  private var type = ""
  private var layout: TypeLayout?
  /// The fields in the order of the records, with their places.
  private var order: [(name: FieldName, place: Int)] = []
  /// The draft's field for each place of the layout; -1 for none.
  private var fieldOfPlace: [Int] = []

  /// Creates a preparer that uses the given layouts.
  public init(_ layouts: ImportLayouts) { self.layouts = layouts }

  /// Adds a draft that was parsed from a text (empty if it cannot be parsed again) to a batch; may
  /// replace values by equal ones of their fields' types.
  public mutating func add(
    _ draft: inout RecordDraft, text: UnsafeRawBufferPointer, to batch: inout ImportBatch
  ) {
    guard draft.parent == nil, draft.zoneOwner == nil, !draft.isDeletion, let nameText = draft.name,
      let name = try? RecordName(nameText),
      !name.isOfUser, let type = draft.type ?? layouts.defaultType, let layout = layout(of: type),
      findFields(&draft, layout)
    else { return batch.append(.draft(batch.origin(draft, text))) }
    let row = layout.append(draft.fields, at: fieldOfPlace, to: &batch.rows)
    let origin = batch.origin(draft, text)
    guard row.size < Limits.recordSize / 2 else {
      batch.rows.removeLast(row)
      return batch.append(.draft(origin))
    }
    batch.append(
      .row(
        PreparedDraft(row: row, name: name, type: draft.type, zone: draft.zone, origin: origin)))
  }

  private mutating func layout(of type: String) -> TypeLayout? {
    let changes = layouts.changeCount
    if changes != seenChanges || type != self.type {
      seenChanges = changes
      self.type = type
      layout = layouts.layout(type)
      order.removeAll()
    }
    return layout
  }

  /// Finds the field of each place; returns false if the draft is not simple.
  private mutating func findFields(_ draft: inout RecordDraft, _ layout: TypeLayout) -> Bool {
    fieldOfPlace.removeAll(keepingCapacity: true)
    for _ in 0..<layout.count { fieldOfPlace.append(-1) }
    var expected = 0
    for index in draft.fields.indices {
      guard let place = place(of: draft.fields[index].name, layout, &expected) else { return false }
      guard draft.fields[index].value != nil else { continue }
      let type = layout.field(at: place).type
      guard Self.fit(&draft.fields[index], to: type) else { return false }
      fieldOfPlace[place] = index
    }
    return true
  }

  /// Finds the place of a field, first where the last records had it.
  private mutating func place(
    of name: FieldName, _ layout: TypeLayout, _ expected: inout Int
  ) -> Int? {
    for candidate in expected..<max(expected, order.count) where order[candidate].name == name {
      expected = candidate + 1
      return order[candidate].place
    }
    guard let place = layout.place(of: name) else { return nil }
    if !order.contains(where: { $0.name == name }) {
      order.insert((name, place), at: min(expected, order.count))
      expected += 1
    }
    return place
  }

  private static func fit(_ field: inout RecordDraft.Field, to type: FieldType) -> Bool {
    if type.base == .asset { return false }
    if type.base == .reference, field.value?.isPlainReference == false { return false }
    if let written = field.type, !type.accepts(written: written) { return false }
    if field.value?.isExactly(type) == true { return true }
    // A real number in an INT64 field may require widening it.
    guard type.base != .int64, let value = field.value?.fitted(to: type) else { return false }
    field.value = value
    return true
  }
}

extension FieldValue {
  /// Whether the value's references name no zone and need no entry by target.
  fileprivate var isPlainReference: Bool {
    references.allSatisfy { $0.action == .none && $0.zone == nil }
  }
}
