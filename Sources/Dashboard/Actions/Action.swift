#if Server
  internal import CloudModel
  internal import CloudServices

  /// Something that a form of the dashboard does. Each action has a `ckdb` line that does the same.
  struct Action: Sendable {
    /// Its name in addresses.
    let name: String
    /// What it does, in words.
    let summary: String
    /// The words of the equivalent command; empty for an action that only concerns the dashboard.
    let verb: String
    /// Does it.
    let run: @Sendable (ActionRequest) throws -> ActionResult

    /// All actions, in the order of the list on the page of keys.
    static let all: [Action] =
      [
        SaveRecord.action, EditRecords.action, DeleteRecords.action, ImportFile.action,
        CopyFixture.action, AddIndex.action, DeploySchema.action, CheckFiles.action,
        CreateContainer.action, SampleData.action, Undo.action, LockProduction.action,
        RepeatRequest.action,
      ] + PeopleActions.all + ShareActions.all + FaultActions.all + KeyValueActions.all
      + DocumentActions.all + SnapshotActions.all
  }

  /// A form that asks for an action.
  struct ActionRequest {
    let visitor: Visitor
    /// The place of the page; nil for an action on the whole store.
    let place: Place?
    let form: FormFields

    /// Opens the place, where the account may change something. Throws `CloudError`.
    func open() throws(CloudError) -> OpenPlace {
      let open = try openToLook()
      try open.requireChangeable()
      return open
    }

    /// Opens the place. Throws `CloudError`.
    func openToLook() throws(CloudError) -> OpenPlace {
      guard let place else { throw CloudError(.unknownItem, "Page not found") }
      return try OpenPlace(place, for: visitor)
    }

    /// The address of the page to return to, which must be one of the dashboard.
    func back(or usual: String) -> String {
      guard let text = form.text("back"), text.hasPrefix("\(visitor.base)/iCloud.") else {
        return usual
      }
      return text
    }
  }

  /// The result of an action.
  enum ActionResult {
    /// It was done; the browser goes to an address.
    case done(Done, at: String)
    /// A page that asks for more, or shows why it could not be done.
    case page(HTML, status: Int = 200)
    /// Another page.
    case redirect(String)
  }

  /// What an action did.
  struct Done: Sendable {
    /// What it did, in words.
    let message: String
    /// What the user should know besides, such as a new type.
    var notes: [String] = []
    /// The equivalent command; nil if it would be too long.
    var command: String?
    /// How to undo it; nil if that is not possible.
    var undo: UndoPlan?
  }
#endif
