internal import Basics
internal import CloudModel
internal import WireFormat

extension CommandError {
  /// The error as one JSON object (M6); keys that do not apply are left out.
  var json: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(text: "{\"error\":")
    bytes.append(errorMembers: cloud, message: text, hint: hint, exitCode)
    bytes.append(text: "}\n")
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(
    errorMembers error: CloudError?, message: String, hint: String?, _ exitCode: ExitCode
  ) {
    append(text: "{\"code\":")
    append(jsonString: error?.code.name ?? "\(exitCode)")
    if let number = error?.code.rawValue { append(text: ",\"number\":\(number)") }
    append(text: ",\"message\":")
    append(jsonString: error?.message ?? message)
    if let name = error?.recordName {
      append(text: ",\"recordName\":")
      append(jsonString: name)
    }
    if let zone = error?.zone {
      append(UInt8(ascii: ","))
      append(zoneMembers: zone)
    }
    if error?.didResetEncryptedData == true {
      append(text: ",\"userDidResetEncryptedData\":true")
    }
    if let seconds = error?.retryAfter {
      append(text: ",\"retryAfter\":")
      append(jsonDouble: seconds)
    }
    if let conflict = error?.conflict {
      append(text: ",\"serverRecord\":")
      append(plain: conflict.server)
      append(text: ",\"clientRecord\":")
      append(plain: conflict.client)
    }
    if let items = error?.items, !items.isEmpty {
      append(text: ",\"items\":")
      append(jsonList: items, "[", "]") {
        $0.append(errorMembers: $1, message: $1.message, hint: $1.hint, $1.exitCode)
      }
    }
    if let hint {
      append(text: ",\"hint\":")
      append(jsonString: hint)
    }
    append(UInt8(ascii: "}"))
  }
}
