internal import CloudModel
internal import CommandKit
internal import FieldCodecs

/// What the options of an import do to each record before it is saved.
struct DraftTransform: Sendable {
  // Few, and looked for in every field of every record: lists are quicker than dictionaries.
  private let types: [(field: String, type: FieldType)]
  private let nameField: String?
  private let keepsName: Bool
  private let renames: [(old: String, new: String)]
  private let drops: [String]
  private let locations: [LocationFields]
  private let references: [ReferenceField]
  private let isIdentity: Bool

  /// Takes records as they are.
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

  /// Changes a draft. Throws `ImportItem.Fault` for a value that an option cannot work with.
  func apply(_ draft: inout RecordDraft) throws(DraftFault) {
    if isIdentity { return }
    try takeName(&draft)
    if !drops.isEmpty { draft.fields.removeAll { drops.contains($0.name.text) } }
    for location in locations { try join(location, &draft) }
    for index in draft.fields.indices {
      try convert(&draft.fields[index])
      if let rename = renames.last(where: { $0.old == draft.fields[index].name.text }) {
        draft.fields[index].name = FieldName(stored: rename.new)
      }
    }
    try checkNames(draft)
  }

  /// A field that was renamed, or joined of others, may have the name of another one.
  private func checkNames(_ draft: RecordDraft) throws(DraftFault) {
    for name in renames.map(\.new) + locations.map(\.field) {
      let fields = draft.fields.filter { $0.name.text == name }
      if fields.count > 1 {
        throw DraftFault("the field '\(name)' appears twice", fields[1].position)
      }
    }
  }

  private func takeName(_ draft: inout RecordDraft) throws(DraftFault) {
    guard let nameField,
      let index = draft.fields.firstIndex(where: { $0.name.text == nameField })
    else { return }
    let field = keepsName ? draft.fields[index] : draft.fields.remove(at: index)
    switch field.value {
    case .string(let text)?: draft.name = text
    case .int64(let number)?: draft.name = String(number)
    case nil: break
    case .double?, .timestamp?, .bytes?, .location?, .reference?, .asset?, .list?:
      throw DraftFault("\(nameField): a record's name is a text or an integer", field.position)
    }
  }

  private func join(
    _ location: LocationFields, _ draft: inout RecordDraft
  ) throws(DraftFault) {
    guard
      let first = draft.fields.firstIndex(where: { $0.name.text == location.latitude }),
      let second = draft.fields.firstIndex(where: { $0.name.text == location.longitude })
    else { return }
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
          "\(location.field): no latitude and longitude in degrees", latitude.position)
      }
      draft.fields[first].value = .location(place)
    }
    draft.fields.remove(at: second)
  }

  private func degrees(_ value: FieldValue?) -> Double? {
    switch value {
    case .double(let number)?: number
    case .int64(let number)?: Double(number)
    case .string(let text)?: Double(text)
    case .timestamp?, .bytes?, .location?, .reference?, .asset?, .list?, nil: nil
    }
  }

  private func convert(_ field: inout RecordDraft.Field) throws(DraftFault) {
    guard let value = field.value else { return }
    if let reference = references.last(where: { $0.field == field.name.text }) {
      guard let made = self.reference(value, reference) else {
        throw DraftFault("\(field.name.text): no record name for a reference", field.position)
      }
      field.value = made
      field.type = FieldType(.reference, isList: made.isList)
    }
    if let type = types.last(where: { $0.field == field.name.text })?.type {
      guard let made = value.converted(to: type) else {
        throw DraftFault(
          "\(field.name.text): cannot become \(type.schemaName)", field.position)
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

/// Why a record cannot be made of a text, and where.
struct DraftFault: Error, Sendable {
  let message: String
  let position: TextPosition

  init(_ message: String, _ position: TextPosition) {
    self.message = message
    self.position = position
  }
}

extension FieldValue {
  fileprivate var isList: Bool { if case .list = self { true } else { false } }

  /// The value as another type, where a text can say both.
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
