#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import FieldCodecs

  extension FieldAssignment {
    /// The assignment as a word of `ckdb record save`; nil if no word can have its assets. `known`
    /// is the field's type in the schema; nil for a new field. `files` are the new files of assets.
    func word(known: FieldType?, files: [FormFile]) -> String? {
      let name = name.text
      guard let value else { return "\(name):=null" }
      guard value.assets.isEmpty else {
        guard files.count == value.assets.count else { return nil }
        if case .asset = value { return "\(name)@\(files[0].operand)" }
        let names = files.map(\.operand)
        if names.contains(where: { $0.utf8.contains(UInt8(ascii: ",")) }) { return nil }
        return "\(name):list<asset>@\(names.joined(separator: ","))"
      }
      let type = known == nil ? self.type.map { ":\($0.assignmentName)" } ?? "" : ""
      switch value {
      case .string(let text): return "\(name)\(type)=\(text)"
      case .int64, .double, .timestamp, .bytes: return "\(name)\(type)=\(value.cellText)"
      case .reference(let reference)
      // Behind a comma an action may follow.
      where reference.action == .none && !reference.name.text.contains(","):
        return "\(name)\(type)=\(reference.name.text)"
      case .location(let place) where known == nil && place.isPlain:
        let altitude = place.altitude.map { ",\($0)" } ?? ""
        return "\(name)\(type)=\(place.latitude),\(place.longitude)\(altitude)"
      case .list where known == nil: return "\(name)\(type)=\(value.plainJSON.text)"
      case .reference, .location, .list, .asset: return "\(name):=\(value.plainJSON.text)"
      }
    }
  }

  extension FieldType {
    /// The name of the type in a word of `ckdb record save`: `list<string>`.
    var assignmentName: String {
      var name = base.rawValue.lowercased()
      if isEncrypted { name = "encrypted<\(name)>" }
      return isList ? "list<\(name)>" : name
    }
  }
#endif
