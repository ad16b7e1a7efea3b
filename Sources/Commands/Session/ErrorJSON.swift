internal import Basics
internal import CloudModel
internal import WireFormat

extension CommandError {
  /// The error as one JSON object (M6).
  var json: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(text: "{\"error\":")
    bytes.append(
      error: cloud, code: exitCode.name, message: text, hint: hint, itemHint: { $0.hint })
    bytes.append(text: "}\n")
    return bytes
  }
}
