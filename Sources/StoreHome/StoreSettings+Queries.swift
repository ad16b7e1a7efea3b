internal import Basics
internal import CloudModel

extension SavedQuery {
  init?(_ json: JSONValue) {
    guard let name = json["name"]?.string, let words = json["words"]?.array else { return nil }
    self.init(name: name, words: words.compactMap(\.string), about: json["about"]?.string)
  }

  var json: JSONValue {
    var members = [
      JSONMember("name", .string(name)),
      JSONMember("words", .array(words.map { .string($0) })),
    ]
    if let about { members.append(JSONMember("about", .string(about))) }
    return .object(members)
  }
}
