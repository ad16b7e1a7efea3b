internal import Basics
public import CloudModel

extension [UInt8] {
  /// Appends an error as one JSON object (M6); omits keys that do not apply.
  ///
  /// `code` and `message` describe an error that is not from CloudKit; `hint` is its remedy, and
  /// `itemHint` returns the remedy of each item.
  public mutating func append(
    error: CloudError?, code: String, message: String, hint: String?,
    itemHint: (CloudError) -> String?
  ) {
    append(text: "{\"code\":")
    append(jsonString: error?.code.name ?? code)
    if let number = error?.code.rawValue { append(text: ",\"number\":\(number)") }
    if let serverCode = error?.serverCode { append(text: ",\"serverCode\":\(serverCode)") }
    append(text: ",\"message\":")
    append(jsonString: error?.message ?? message)
    if let error { append(factsOf: error, itemHint: itemHint) }
    if let hint {
      append(text: ",\"hint\":")
      append(jsonString: hint)
    }
    append(UInt8(ascii: "}"))
  }

  private mutating func append(factsOf error: CloudError, itemHint: (CloudError) -> String?) {
    if let name = error.recordName {
      append(text: ",\"recordName\":")
      append(jsonString: name)
    }
    if let zone = error.zone {
      append(UInt8(ascii: ","))
      append(zoneMembers: zone)
    }
    if error.didResetEncryptedData { append(text: ",\"userDidResetEncryptedData\":true") }
    if let seconds = error.retryAfter {
      append(text: ",\"retryAfter\":")
      append(jsonDouble: seconds)
    }
    if let conflict = error.conflict {
      append(text: ",\"serverRecord\":")
      append(plain: conflict.server)
      append(text: ",\"clientRecord\":")
      append(plain: conflict.client)
    }
    guard !error.items.isEmpty else { return }
    append(text: ",\"items\":")
    append(jsonList: error.items, "[", "]") {
      $0.append(
        error: $1, code: "", message: "", hint: itemHint($1), itemHint: itemHint)
    }
  }
}
