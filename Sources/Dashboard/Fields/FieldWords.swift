#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import FieldCodecs

  extension FieldAssignment {
    /// The assignment as a word of `ckdb record save`. `known` is the field's type in the schema;
    /// nil for a new field. `file` is the name of the file of an asset.
    func word(known: FieldType?, file: String?) -> String {
      let name = name.text
      guard let value else { return "\(name):=null" }
      if let file, case .asset = value { return "\(name)@\(file)" }
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
