internal import Basics
internal import CloudModel
internal import FieldCodecs

// The contents of subscriptions and notifications as the text of a column.

extension NotificationInfo {
  /// The text of a column, with the members that are set.
  var stored: String { json.text }

  /// Reads the text of a column.
  init(stored text: String) { self.init(json: (try? JSONParser.parse(text)) ?? .null) }
}

extension PushNotification {
  /// The members without columns of their own.
  var contents: String {
    if id.isEmpty, info.isEmpty { return "{}" }
    var members = id.isEmpty ? [] : [JSONMember("id", .string(id))]
    if !info.isEmpty { members.append(JSONMember("info", info.json)) }
    let lists = [
      ("alert", arguments.alert), ("title", arguments.title), ("subtitle", arguments.subtitle),
    ]
    for (name, values) in lists where !values.isEmpty {
      members.append(JSONMember(name, .array(values.map { .string($0) })))
    }
    if !fields.isEmpty {
      members.append(
        JSONMember("fields", .object(fields.map { JSONMember($0.name.text, .string($0.json)) })))
    }
    return JSONValue.object(members).text
  }

  /// Reads that text.
  mutating func set(contents text: String) {
    let value = (try? JSONParser.parse(text)) ?? .null
    id = value["id"]?.string ?? ""
    info = NotificationInfo(json: value["info"] ?? .null)
    arguments.alert = value["alert"]?.texts ?? []
    arguments.title = value["title"]?.texts ?? []
    arguments.subtitle = value["subtitle"]?.texts ?? []
    guard case .object(let members)? = value["fields"] else { return }
    fields = members.map { Value(FieldName(stored: $0.name), json: $0.value.string ?? "null") }
  }
}

extension JSONValue {
  fileprivate var texts: [String]? { array?.compactMap(\.string) }
}
