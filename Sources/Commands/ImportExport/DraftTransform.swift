internal import Basics
internal import CloudModel
internal import CommandKit
internal import FieldCodecs

/// The changes that import options make to each record before it is saved.
struct DraftTransform: Sendable {
  // Searched once per field of every record: short lists are faster than dictionaries.
  private let types: [(field: String, type: FieldType)]
  private let nameField: String?
  private let keepsName: Bool
  private let renames: [(old: String, new: String)]
  private let drops: [String]
  private let locations: [LocationFields]
  private let references: [ReferenceField]
  private let isIdentity: Bool

  /// A transform without options.
  static var identity: DraftTransform { DraftTransform(Arguments()) }

  init(_ arguments: Arguments) {
    types = arguments.all(ImportCommand.types).map { ($0.field, $0.type) }
    nameField = arguments[ImportCommand.nameField]
    keepsName = arguments[ImportCommand.keepName]
    renames = arguments.all(ImportCommand.renames).map { ($0.old, $0.new) }
    drops = arguments.all(ImportCommand.drops)
    locations = arguments.all(ImportCommand.locations)
    references = arguments.all(ImportCommand.references)
    isIdentity =
      types.isEmpty && nameField == nil && renames.isEmpty && drops.isEmpty && locations.isEmpty
      && references.isEmpty
  }

  /// Applies the options to a draft, and notes those that had an effect. Throws `DraftFault` if an
  /// option cannot be applied.
  func apply(_ draft: inout RecordDraft, noting uses: inout OptionUses) throws(DraftFault) {
    if isIdentity { return }
    if uses.sample.isEmpty { uses.sample = draft.fields.map(\.name.text) }
    try takeName(&draft)
    if !drops.isEmpty {
      draft.fields.removeAll { field in
        guard drops.contains(field.name.text) else { return false }
        uses.note(.drop, field.name.text)
        return true
      }
    }
    for location in locations where try join(location, &draft) {
      uses.note(.location, location.field)
    }
    for index in draft.fields.indices {
      try convert(&draft.fields[index], &uses)
      let name = draft.fields[index].name.text
      if let rename = renames.last(where: { $0.old == name }) {
        uses.note(.rename, name)
        draft.fields[index].name = FieldName(stored: rename.new)
      }
    }
    try checkNames(draft)
    uses.hasRecords = true
  }

  /// Throws `invalidArguments` for options that applied to none of the records, if there are any:
  /// they are misspelt. Returns the fields of `--drop` that no record has.
  func requireUses(_ uses: OptionUses) throws(CloudError) -> [String] {
    guard uses.hasRecords else { return [] }
    let wanted =
      renames.map { (OptionUses.Kind.rename, $0.old, [$0.old]) }
      + types.map { (.type, $0.field, [$0.field]) }
      + references.map { (.reference, $0.field, [$0.field]) }
      + locations.map { (.location, $0.field, [$0.latitude, $0.longitude]) }
    if let (kind, _, fields) = wanted.first(where: { !uses.has($0.0, $0.1) }) {
      let unknown = fields.first { !uses.sample.contains($0) }
      throw CloudError(
        .invalidArguments,
        "--\(kind.rawValue): no record has "
          + (fields.count == 1
            ? "a field '\(fields[0].visible)'"
            : "both fields '\(fields[0].visible)' and '\(fields[1].visible)'"),
        remedy: unknown.flatMap { .nearest(to: $0, among: uses.sample) })
    }
    return drops.filter { !uses.has(.drop, $0) }
  }

  /// Throws if a renamed or combined field has the name of another one.
  private func checkNames(_ draft: RecordDraft) throws(DraftFault) {
    for name in renames.map(\.new) + locations.map(\.field) {
      let fields = draft.fields.filter { $0.name.text == name }
      if fields.count > 1 {
        throw DraftFault("the field '\(name)' appears twice", fields[1].position)
      }
    }
  }

  private func takeName(_ draft: inout RecordDraft) throws(DraftFault) {
    guard let nameField else { return }
    guard let index = draft.fields.firstIndex(where: { $0.name.text == nameField }) else {
      // In a table, the column of that name already is the record's name.
      if nameField == "recordName", draft.name != nil { return }
      throw DraftFault(
        "no field '\(nameField.visible)' to take the record's name from", draft.position,
        remedy: .nearest(to: nameField, among: draft.fields.lazy.map(\.name.text)))
    }
    let field = keepsName ? draft.fields[index] : draft.fields.remove(at: index)
    switch field.value {
    case .string(let text)?: draft.name = text
    case .int64(let number)?: draft.name = String(number)
    case nil:
      throw DraftFault("\(nameField): no value to take the record's name from", field.position)
    case .double?, .timestamp?, .bytes?, .location?, .reference?, .asset?, .list?:
      throw DraftFault("\(nameField): a record name must be text or an integer", field.position)
    }
  }

  /// Combines two fields into a location; returns false if a record does not have both.
  private func join(
    _ location: LocationFields, _ draft: inout RecordDraft
  ) throws(DraftFault) -> Bool {
    guard
      let first = draft.fields.firstIndex(where: { $0.name.text == location.latitude }),
      let second = draft.fields.firstIndex(where: { $0.name.text == location.longitude })
    else { return false }
    let (latitude, longitude) = (draft.fields[first], draft.fields[second])
    draft.fields[first].name = FieldName(stored: location.field)
    draft.fields[first].type = nil
    if latitude.value == nil, longitude.value == nil {
      draft.fields[first].value = nil
    } else {
      guard let north = degrees(latitude.value), let east = degrees(longitude.value),
        let place = Location(latitude: north, longitude: east)
      else {
        throw DraftFault(
          "\(location.field): expected a latitude and a longitude in degrees", latitude.position)
      }
      draft.fields[first].value = .location(place)
    }
    draft.fields.remove(at: second)
    return true
  }

  private func degrees(_ value: FieldValue?) -> Double? {
    switch value {
    case .double(let number)?: number
    case .int64(let number)?: Double(number)
    case .string(let text)?: Double(text)
    case .timestamp?, .bytes?, .location?, .reference?, .asset?, .list?, nil: nil
    }
  }

  private func convert(
    _ field: inout RecordDraft.Field, _ uses: inout OptionUses
  ) throws(DraftFault) {
    let name = field.name.text
    let reference = references.last { $0.field == name }
    let type = types.last { $0.field == name }?.type
    if reference != nil { uses.note(.reference, name) }
    if type != nil { uses.note(.type, name) }
    guard let value = field.value else { return }
    if let reference {
      guard let made = self.reference(value, reference) else {
        throw DraftFault("\(name): expected a record name", field.position)
      }
      field.value = made
      field.type = FieldType(.reference, isList: made.isList)
    }
    if let type {
      guard let made = value.converted(to: type) else {
        throw DraftFault("\(name): cannot be converted to \(type.schemaName)", field.position)
      }
      field.value = made
      field.type = type
    }
  }

  private func reference(_ value: FieldValue, _ option: ReferenceField) -> FieldValue? {
    switch value {
    case .string(let text): target(option.prefix + text, option)
    case .int64(let number): target(option.prefix + String(number), option)
    case .list(let members): members.isEmpty ? value : list(members, option)
    case .reference: value
    case .double, .timestamp, .bytes, .location, .asset: nil
    }
  }

  private func list(_ members: [FieldValue], _ option: ReferenceField) -> FieldValue? {
    var references: [FieldValue] = []
    references.reserveCapacity(members.count)
    for member in members {
      guard let reference = reference(member, option) else { return nil }
      references.append(reference)
    }
    return .list(references)
  }

  private func target(_ name: String, _ option: ReferenceField) -> FieldValue? {
    guard let name = try? RecordName(name) else { return nil }
    return .reference(Reference(name, action: option.action))
  }
}

/// The error of a record that an import cannot read, with its position.
struct DraftFault: Error, Sendable {
  let message: String
  let position: TextPosition
  let remedy: Remedy?

  init(_ message: String, _ position: TextPosition, remedy: Remedy? = nil) {
    (self.message, self.position, self.remedy) = (message, position, remedy)
  }
}

/// The options of an import that applied to a field of some record.
struct OptionUses: Sendable {
  /// An option on fields, by its name.
  enum Kind: String {
    case type, rename, drop, location, reference
  }

  /// A short list, searched for every record.
  private var met: [(kind: Kind, field: String)] = []
  /// The fields of the first record.
  var sample: [String] = []
  /// Whether the options were applied to a record.
  var hasRecords = false

  mutating func note(_ kind: Kind, _ field: String) {
    if !has(kind, field) { met.append((kind, field)) }
  }

  func has(_ kind: Kind, _ field: String) -> Bool {
    met.contains { $0.kind == kind && $0.field == field }
  }
}

extension FieldValue {
  fileprivate var isList: Bool { if case .list = self { true } else { false } }

  /// The value as another type, if its text fits that type.
  fileprivate func converted(to type: FieldType) -> FieldValue? {
    if case .list(let members) = self {
      guard type.isList else { return nil }
      let made = members.compactMap { $0.converted(to: FieldType(type.base)) }
      return made.count == members.count ? .list(made) : nil
    }
    if type.isList { return nil }
    if self.type?.base == type.base { return self }
    if case .int64(let number) = self, type.base == .timestamp {
      return Timestamp(given: number).map { .timestamp($0) }
    }
    if case .double(let number) = self, type.base == .int64 {
      return Int64(exactly: number).map { .int64($0) }
    }
    return FieldValue(text: cellText, as: type.base)
  }
}
