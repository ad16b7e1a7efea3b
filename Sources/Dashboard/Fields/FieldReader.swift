#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import FieldCodecs
  internal import WireFormat

  /// Why the controls of a field have no value of its type.
  struct FieldFault: Error {
    let message: String

    init(_ message: String) { self.message = message }

    static func expected(_ type: FieldType, found text: String) -> FieldFault {
      FieldFault("expected \(type.schemaName), found '\(text.prefix(60))'")
    }
  }

  /// Reads the controls of fields as values.
  struct FieldReader {
    private let environment: CloudEnvironment
    /// Contents that were uploaded with the form.
    private(set) var staged: [StagedAsset] = []

    init(_ environment: CloudEnvironment) { self.environment = environment }

    /// The value of controls; nil for none. Throws `FieldFault`, and `CloudError` for a file.
    mutating func value(
      _ input: FieldInput, of type: FieldType, over stored: FieldValue?
    ) throws -> FieldValue? {
      if type.base == .asset { return try assets(input, of: type, over: stored) }
      if let json = input.json { return try value(json: json, of: type) }
      let text = input.texts.first ?? ""
      if type.isList { return try list(input, of: type) }
      switch type.base {
      case .string: return text.isEmpty && !input.isEmpty ? nil : .string(text)
      case .bytes: return try bytes(input, of: type)
      case .timestamp: return try time(text.trimmed, zone: input.second.trimmed, of: type)
      case .location: return try place(input, of: type)
      case .reference: return try reference(text, action: input.second)
      case .int64, .double, .number, .asset: return try single(text.trimmed, of: type)
      }
    }

    private func single(_ text: String, of type: FieldType) throws(FieldFault) -> FieldValue? {
      if text.isEmpty { return nil }
      guard let value = FieldValue(text: text, as: type.base) else {
        throw .expected(type, found: text)
      }
      return value
    }

    private func value(json text: String, of type: FieldType) throws(FieldFault) -> FieldValue? {
      if text.trimmed.isEmpty { return nil }
      do {
        return try PlainJSONReader.value(JSONParser.parse(text), as: type)
      } catch let error as ValueReadingError {
        throw FieldFault(error.message)
      } catch {
        throw .expected(type, found: text)
      }
    }

    private func list(_ input: FieldInput, of type: FieldType) throws(FieldFault) -> FieldValue? {
      let member = FieldType(type.base)
      var members: [FieldValue] = []
      for text in input.texts where !text.isEmpty {
        if type.base == .string {
          members.append(.string(text))
        } else if type.base == .reference {
          if let value = try reference(text, action: "") { members.append(value) }
        } else if let value = try single(text.trimmed, of: member) {
          members.append(value)
        }
      }
      return members.isEmpty && !input.isEmpty ? nil : .list(members)
    }

    private func bytes(_ input: FieldInput, of type: FieldType) throws -> FieldValue? {
      if let file = input.files.first {
        return .bytes(try FileSystem.contents(of: file.open()))
      }
      let text = (input.texts.first ?? "").filter { !$0.isWhitespace }
      if text.isEmpty { return input.isEmpty ? .bytes([]) : nil }
      return try single(text, of: type)
    }

    /// A date, from the control that browsers have for it, or as ISO 8601.
    private func time(
      _ text: String, zone: String, of type: FieldType
    ) throws(FieldFault) -> FieldValue? {
      if text.isEmpty { return nil }
      var forms = [text + (zone.isEmpty ? "Z" : zone)]
      // A date that was typed with its own zone.
      if zone.isEmpty || zone == "Z" { forms.append(text) }
      for form in forms {
        if let time = Timestamp(form) { return .timestamp(time) }
      }
      throw .expected(type, found: text + zone)
    }

    private func place(_ input: FieldInput, of type: FieldType) throws(FieldFault) -> FieldValue? {
      let parts = [input.texts.first ?? "", input.second, input.third].map(\.trimmed)
      if parts.allSatisfy(\.isEmpty) { return nil }
      guard let latitude = Double(parts[0]), let longitude = Double(parts[1]),
        var place = Location(latitude: latitude, longitude: longitude)
      else {
        throw FieldFault("expected a latitude of -90 to 90 and a longitude of -180 to 180")
      }
      if !parts[2].isEmpty {
        guard let altitude = Double(parts[2]), altitude.isFinite else {
          throw FieldFault("expected an altitude in metres, found '\(parts[2].prefix(60))'")
        }
        place.altitude = altitude
      }
      return .location(place)
    }

    private func reference(
      _ text: String, action: String
    ) throws(FieldFault) -> FieldValue? {
      if text.isEmpty { return nil }
      do {
        return .reference(
          Reference(try RecordName(text), action: Reference.Action(name: action) ?? .none))
      } catch { throw FieldFault(error.message) }
    }

    /// The stored assets that stay, and the new files.
    private mutating func assets(
      _ input: FieldInput, of type: FieldType, over stored: FieldValue?
    ) throws -> FieldValue? {
      var left = input.kept
      var members = (stored?.assets ?? []).filter { asset in
        guard let place = left.firstIndex(of: asset.sha256) else { return false }
        left.remove(at: place)
        return true
      }.map { FieldValue.asset($0) }
      for file in input.files {
        let own = try environment.stage(file.open())
        staged.append(own)
        members.append(.asset(own.asset))
      }
      if type.isList { return members.isEmpty && !input.isEmpty ? nil : .list(members) }
      return members.last
    }

    /// The staged contents of a value.
    func staged(of value: FieldValue?) -> [StagedAsset] {
      let assets = value?.assets ?? []
      return staged.filter { assets.contains($0.asset) }
    }

    /// Discards the contents that no record kept.
    func discardUnused() { staged.forEach(environment.discard) }
  }

  extension String {
    /// The text without white space at both ends.
    var trimmed: String {
      let start = drop(while: \.isWhitespace)
      let end = start.lastIndex { !$0.isWhitespace }
      return end.map { String(start[...$0]) } ?? ""
    }
  }
#endif
