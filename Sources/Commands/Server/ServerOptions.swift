internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// What the server is started with.
struct ServerOptions {
  /// The settings as the server's program reads them.
  let json: JSONValue

  /// The settings of a server for the command of `exec`: it may be reset, and logs nothing.
  init(servingTests store: CloudStore, _ context: Context) throws {
    var members = try Self.common(store, context)
    members += [
      JSONMember("port", .int(0)), JSONMember("allowReset", .bool(true)),
      JSONMember("isOwn", .bool(true)), JSONMember("log", .string("none")),
      JSONMember("json", .bool(true)),
    ]
    json = .object(members)
  }

  /// The settings for `ckdb dashboard`: a free port, and no log.
  init(showing store: CloudStore, isReadOnly: Bool, _ context: Context) throws {
    var members = try Self.common(store, context)
    members += [
      JSONMember("port", .int(0)), JSONMember("log", .string("none")),
      JSONMember("open", .bool(true)), JSONMember("readOnly", .bool(isReadOnly)),
      JSONMember("json", .bool(context.settings.explicitFormat?.isJSON == true)),
    ]
    json = .object(members)
  }

  /// The settings that do not depend on the options of a command.
  private static func common(_ store: CloudStore, _ context: Context) throws -> [JSONMember] {
    let directory = context.surroundings.workingDirectory
    var members = [JSONMember("store", .string(FileSystem.path(store.path, in: directory)))]
    let request = try context.request()
    if request.isStrict { members.append(JSONMember("strict", .bool(true))) }
    if let clock = try request.fixedClock ?? fixtureClock(of: store) {
      members.append(JSONMember("clock", .int(clock.milliseconds)))
    }
    if case .seeded(let seed) = request.randomness {
      members.append(JSONMember("seed", .string(String(seed))))
    }
    members.append(JSONMember("wait", .int(request.patience.milliseconds)))
    return members
  }

  init(
    _ arguments: Arguments, _ context: Context, _ store: CloudStore, removes own: String?
  ) throws {
    var members = try Self.common(store, context)
    func add(_ name: String, _ text: String?) {
      if let text { members.append(JSONMember(name, .string(text))) }
    }
    func add(_ name: String, _ isSet: Bool) {
      if isSet { members.append(JSONMember(name, .bool(true))) }
    }
    let directory = context.surroundings.workingDirectory
    func path(_ option: Option<String>) -> String? {
      arguments[option].map { FileSystem.path($0, in: directory) }
    }
    add("removes", own)
    add("isOwn", own != nil)
    add("host", arguments[ServeCommand.host])
    members.append(JSONMember("port", .int(Int64(arguments[ServeCommand.port] ?? 8321))))
    add("unix", path(ServeCommand.socket))
    add("basePath", arguments[ServeCommand.basePath])
    add("tlsCert", path(ServeCommand.certificate))
    add("tlsKey", path(ServeCommand.key))
    add("tls", arguments[ServeCommand.tls])
    add("readOnly", arguments[ServeCommand.readOnly])
    add("allowReset", arguments[ServeCommand.allowReset])
    add("open", arguments[ServeCommand.opens])
    add("log", (arguments[ServeCommand.log] ?? .text).rawValue)
    add("readyFile", path(ServeCommand.readyFile))
    add("json", context.settings.explicitFormat?.isJSON == true)
    members.append(
      JSONMember(
        "origins", .array(arguments.all(ServeCommand.origins).map { .string($0) })))
    json = .object(members)
  }

  /// The time at which a fixture froze the clock.
  private static func fixtureClock(of store: CloudStore) throws -> Timestamp? {
    try store.context()[GlobalOptions.clock.name].flatMap { Timestamp($0) }
  }
}
