internal import Basics
public import CloudModel

extension FieldValue {
  /// The value as a literal of the predicate language.
  public var predicateText: String {
    switch self {
    case .string(let text): quoted(text)
    case .int64(let number): String(number)
    case .double(let number): number.description
    case .timestamp(let time): "date(\(quoted(time.text)))"
    case .location(let place): "location(\(place.latitude), \(place.longitude))"
    case .reference(let reference): "ref(\(quoted(reference.name.text)))"
    case .bytes(let bytes): "bytes(\(quoted(Base64.encode(bytes))))"
    case .asset(let asset): quoted(asset.sha256)
    case .list(let members): "{\(members.map(\.predicateText).joined(separator: ", "))}"
    }
  }

  private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        result += "\\"
        result.unicodeScalars.append(scalar)
      case "\0"..." ":
        if scalar == " " {
          result += " "
        } else {
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
