internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// The options that `share create` and `share edit` have in common.
enum ShareRecordOptions {
  static let title = Option(
    "title", nil, ValueKind<String>.text("TEXT"), "Title of the share")
  static let type = Option(
    "type", nil, ValueKind<String>.text("UTI"),
    "Uniform type identifier of what is shared: com.example.list")
  static let thumbnail = Option("thumbnail", nil, .file, "Picture of what is shared")
  static let publicAccess = Option(
    "public", nil, ValueKind<PublicAccess>.choice("PERMISSION"),
    "Permission of anyone with the URL: none, read, write")
  static let allowRequests = Flag("allow-requests", "Allow others to ask for access")
  static let noRequests = Flag("no-requests", "Do not allow others to ask for access")
  static let fields = Operand(
    "FIELD=VALUE", .assignment, .any, "Fields of the share's record")

  static var all: [AnyOption] {
    [
      AnyOption(title), AnyOption(type), AnyOption(thumbnail), AnyOption(publicAccess),
      AnyOption(allowRequests), AnyOption(noRequests),
    ]
  }

  /// The edit that the options and fields describe.
  static func edit(
    _ arguments: Arguments, _ context: Context, in environment: CloudEnvironment
  ) throws -> ShareEdit {
    var edit = ShareEdit()
    edit.publicPermission = arguments[publicAccess]?.permission
    switch (arguments[allowRequests], arguments[noRequests]) {
    case (true, true):
      throw CommandError("--allow-requests cannot be used with --no-requests", .usage)
    case (true, false): edit.allowsRequests = true
    case (false, true): edit.allowsRequests = false
    case (false, false): break
    }
    for (name, option) in [(FieldName.shareTitle, title), (.shareType, type)] {
      guard let text = arguments[option] else { continue }
      edit.assignments.append(
        FieldAssignment(name, text.isEmpty ? nil : .string(text), type: FieldType(.string)))
    }
    if let path = arguments[thumbnail] {
      let bytes =
        try path == "-"
        ? FileSystem.contents(of: context.surroundings.input) : FileSystem.contents(of: path)
      edit.assignments.append(
        FieldAssignment(.shareThumbnail, .bytes(bytes), type: FieldType(.bytes)))
    }
    let reader = AssignmentReader(
      context: context, environment: environment, type: .share,
      schema: try environment.schema(of: .share))
    edit.assignments += try reader.read(arguments.all(fields))
    return edit
  }

  /// Runs work with the edit that the options describe; if it fails, discards the edit's staged
  /// files.
  static func editing<Result>(
    _ arguments: Arguments, _ context: Context, in environment: CloudEnvironment,
    _ work: (inout ShareEdit) throws -> Result
  ) throws -> Result {
    var edit = try edit(arguments, context, in: environment)
    do { return try work(&edit) } catch {
      environment.discard(edit.assignments)
      throw error
    }
  }
}
