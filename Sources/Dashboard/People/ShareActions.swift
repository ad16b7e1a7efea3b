#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The actions on shares, of owners and of those who take part.
  enum ShareActions {
    static let all = [create, invite, set, remove, edit, answer, stop, accept, leave, request]

    // MARK: Owners and administrators

    static let create = Action(
      name: "share-create", summary: "Share a record, or a zone", verb: "share create"
    ) { request in
      let open = try request.open()
      let zone = open.place.zone ?? .defaultZone
      let root = try request.form.text("root").map { try RecordName($0) }
      let who = (request.form["who"] ?? "").trimmed
      var edit = ShareEdit()
      var options: [String?] = root == nil ? ["--whole-zone"] : []
      if !who.isEmpty {
        let word = try invitation(request, who, open)
        edit.added = [word.invitation]
        options += ["--with", word.text]
      }
      let result = try open.database.createShare(of: root, in: zone, edit)
      let share = result.share.record.name.text
      let known = options.compactMap(\.self)
      let line =
        known.count < options.count
        ? nil
        : open.place.command(["share", "create"], [root?.text].compactMap(\.self), options: known)
      return .done(
        Done(
          message: "Shared \(root?.text ?? "the zone \(zone.text)")",
          notes: words(result.notices), command: line), at: open.place.address(["share", share]))
    }

    static let invite = Action(
      name: "share-invite", summary: "Invite a person to a share", verb: "share edit"
    ) { request in
      let open = try request.open()
      let who = (request.form["who"] ?? "").trimmed
      let word = try invitation(request, who, open)
      var edit = ShareEdit()
      edit.added = [word.invitation]
      return try change(request, open, edit, "Invited \(who)", ["--add", word.text])
    }

    static let set = Action(
      name: "share-permission", summary: "Change the permission of a participant",
      verb: "share edit"
    ) { request in
      let open = try request.open()
      let who = request.form["who"] ?? ""
      let permission = permission(request)
      var edit = ShareEdit()
      edit.changed = [(try open.database.environment.invitee(who), permission)]
      return try change(
        request, open, edit, "\(who) has \(permission.name)",
        ["--set", word(who, permission.word)])
    }

    static let remove = Action(
      name: "share-remove", summary: "Remove a participant", verb: "share edit"
    ) { request in
      let open = try request.open()
      let who = request.form["who"] ?? ""
      var edit = ShareEdit()
      edit.removed = [try open.database.environment.invitee(who)]
      return try change(request, open, edit, "Removed \(who)", ["--remove", who])
    }

    static let edit = Action(
      name: "share-edit", summary: "Change who may join a share", verb: "share edit"
    ) { request in
      let open = try request.open()
      let word = request.form["public"] ?? ""
      let permissions: [String: SharePermission] = [
        "none": .none, "read": .readOnly, "write": .readWrite,
      ]
      guard let permission = permissions[word] else {
        throw CloudError(.invalidArguments, "Unknown permission")
      }
      var edit = ShareEdit()
      edit.publicPermission = permission
      edit.allowsRequests = request.form["requests"] != nil
      return try change(
        request, open, edit, "Changed the share",
        [
          "--public", word,
          edit.allowsRequests == true ? "--allow-requests" : "--no-requests",
        ])
    }

    static let answer = Action(
      name: "share-answer", summary: "Answer a request for access", verb: "share approve"
    ) { request in
      let open = try request.open()
      let who = request.form["who"] ?? ""
      let answers: [String: (AccessAnswer, String)] = [
        "approve": (.approve(nil), "Approved"), "deny": (.deny, "Denied"),
        "block": (.block, "Blocked"), "unblock": (.unblock, "Unblocked"),
      ]
      let word = request.form["answer"] ?? ""
      guard let (answer, done) = answers[word] else {
        throw CloudError(.invalidArguments, "Unknown answer")
      }
      let share = request.form["share"] ?? ""
      let result = try open.database.answer(
        answer, to: open.database.environment.invitee(who), of: .name(RecordName(share)),
        in: open.place.zone)
      return request.done(
        "\(done) \(who)", notes: words(result.notices),
        line: open.place.command(["share", word], [share, who]))
    }

    static let stop = Action(
      name: "share-stop", summary: "Stop sharing", verb: "share stop"
    ) { request in
      let open = try request.open()
      let share = request.form["share"] ?? ""
      _ = try open.database.stopShare(.name(RecordName(share)), in: open.place.zone)
      return request.done(
        "Stopped the share", line: open.place.command(["share", "stop"], [share]))
    }

    // MARK: Other people

    static let accept = Action(
      name: "share-accept", summary: "Accept a share", verb: "share accept"
    ) { request in
      let (open, url) = (try request.open(), try shareURL(request))
      let result = try open.database.environment.accept(url)
      return request.done(
        "\(name(open)) has accepted", notes: words(result.notices),
        line: open.place.command(["share", "accept"], [url.text]))
    }

    static let leave = Action(
      name: "share-leave", summary: "Leave a share", verb: "share leave"
    ) { request in
      let (open, url) = (try request.open(), try shareURL(request))
      _ = try open.database.leaveShare(.url(url), in: nil)
      return request.done(
        "\(name(open)) has left", line: open.place.command(["share", "leave"], [url.text]))
    }

    static let request = Action(
      name: "share-request", summary: "Ask for access to a share", verb: "share request"
    ) { request in
      let (open, url) = (try request.open(), try shareURL(request))
      let notices = try open.database.environment.requestAccess(to: url)
      return request.done(
        "\(name(open)) has asked for access", notes: words(notices),
        line: open.place.command(["share", "request"], [url.text]))
    }

    // MARK: Parts

    private static func name(_ open: OpenPlace) -> String { open.place.account?.name ?? "Nobody" }

    private static func shareURL(_ request: ActionRequest) throws -> ShareURL {
      try ShareURL(request.form["url"] ?? "")
    }

    private static func permission(_ request: ActionRequest) -> SharePermission {
      request.form["permission"] == SharePermission.readWrite.name ? .readWrite : .readOnly
    }

    /// The invitation of a form, and its word in commands.
    private static func invitation(
      _ request: ActionRequest, _ who: String, _ open: OpenPlace
    ) throws -> (invitation: Invitation, text: String?) {
      let isAdministrator = request.form["administrator"] != nil
      let permission = isAdministrator ? .readWrite : permission(request)
      let invitee = try open.database.environment.invitee(who)
      let words = "\(permission.word)\(isAdministrator ? ":administrator" : "")"
      return (
        Invitation(invitee, permission, isAdministrator: isAdministrator), word(who, words)
      )
    }

    /// A person with words about a permission; nil if commands cannot tell the two apart.
    private static func word(_ who: String, _ words: String) -> String? {
      who.utf8.contains(UInt8(ascii: ":")) ? nil : "\(who):\(words)"
    }

    /// Changes a share. A nil option has no equivalent in commands.
    private static func change(
      _ request: ActionRequest, _ open: OpenPlace, _ edit: ShareEdit, _ message: String,
      _ options: [String?]
    ) throws -> ActionResult {
      let share = request.form["share"] ?? ""
      let result = try open.database.edit(.name(RecordName(share)), in: open.place.zone, edit)
      let known = options.compactMap(\.self)
      return request.done(
        message, notes: words(result.notices),
        line: known.count < options.count
          ? nil : open.place.command(["share", "edit"], [share], options: known))
    }

    private static func words(_ notices: [Notice]) -> [String] {
      notices.compactMap { notice in
        guard case .unknownInvitee(let account, let near) = notice else { return nil }
        let hint = near.map { ", did you mean \($0.name)?" } ?? ""
        return "The store has no account \(account.name) yet\(hint)"
      }
    }
  }

  extension SharePermission {
    /// The word in commands.
    fileprivate var word: String { self == .readWrite ? "write" : "read" }
  }
#endif
