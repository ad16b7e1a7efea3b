internal import Basics
internal import CloudModel
internal import FieldCodecs
internal import WireFormat

/// Inputs of devices: keys with their values, and paths of documents.
enum DeviceTargets {
  /// Values with their types, as JSON and as an XML property list: a valid one is written the same
  /// again.
  static func values(_ bytes: [UInt8]) {
    let json = bytes.withUnsafeBytes { bytes in try? JSONParser.parse(bytes) }
    if let json, let value = try? PropertyListValue(tagged: json) {
      let again = try? PropertyListValue(tagged: value.tagged)
      FuzzTarget.law(again == value, "written as \(value.tagged.text), and read as another")
    }
    do {
      let members = try PropertyListText.values(bytes)
      // Values that XML cannot express do not come from it.
      let text = try PropertyListText(members).text
      let again = try PropertyListText.values(Array(text.utf8))
      FuzzTarget.law(again == members, "written as \(text), and read as another")
    } catch let error as any NotationError {
      FuzzTarget.law((0...bytes.count).contains(error.offset), "an error at \(error.offset)")
    } catch {
      FuzzTarget.law(false, "\(error)")
    }
  }

  /// An accepted path stays within the container, in each of its forms.
  static func path(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self),
      let path = try? DocumentPath(text)
    else { return }
    let names = path.text.utf8.split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self) }
    FuzzTarget.law(
      names.allSatisfy { !["", ".", ".."].contains($0) && $0.utf8.count <= 255 },
      "it is taken: \(path.text)")
    FuzzTarget.law(utf8Equal(path.name, names.last ?? ""), "its name is \(path.name)")
    let key = path.key
    FuzzTarget.law(utf8Equal(DocumentPath(stored: key).key, key), "two keys of \(path.text)")
    // A folder that leaves no room for a number would make paths too long.
    let hasRoom = path.folder.utf8.count <= 3_980
    for other in [path.text] + (hasRoom ? [2, 1_000].map { path.numbered($0).text } : []) {
      let again = try? DocumentPath(other)
      FuzzTarget.law(again.map { utf8Equal($0.text, other) } ?? false, "'\(other)' is refused")
    }
    guard !path.folder.isEmpty else { return }
    // The spelling of the folder does not matter.
    let moved = path.moved(from: DocumentPath(stored: path.folder).key, to: "new")
    FuzzTarget.law(utf8Equal(moved.text, "new/\(path.name)"), "moved to \(moved.text)")
  }
}
