internal import Basics
internal import CloudModel
internal import CommandKit

/// The prompt's text, which shows where commands act.
struct PromptText {
  private let session: Session
  private let template: String?

  /// Uses a template with names in braces, or the default one (nil).
  init(_ session: Session, template: String?) {
    self.session = session
    self.template = template
  }

  /// The current text. Colours are between the marks that readline needs to count columns.
  var text: String {
    let context = Context(session, Arguments())
    let container = try? context.containerID().id.text
    let settings = context.settings
    let environment = (try? settings.environment()) ?? .development
    let values = Values(
      container: container ?? "ckdb", environment: environment.rawValue,
      database: (try? settings.scope().name) ?? "",
      zone: ((try? settings.namedZone()) ?? nil)?.text,
      user: ((try? settings.find(GlobalOptions.user)) ?? nil)?.value,
      mark: session.prompt?.transaction == nil ? "" : "*")
    let text =
      template.map { values.filling($0) }
      ?? (container == nil
        ? "ckdb> "
        : values.usual(
          names: environment != .development, columns: session.surroundings.width() / 2))
    let style = TextStyle(settings, isTerminal: true)
    guard environment == .production, style.isOn else { return text }
    return "\u{1}\u{1B}[\(TextStyle.Role.production.rawValue)m\u{2}\(text)\u{1}\u{1B}[0m\u{2}"
  }

  private struct Values {
    let container: String
    let environment: String
    let database: String
    let zone: String?
    let user: String?
    let mark: String

    /// The usual text in at most `columns` columns: the container is shortened to its last part.
    func usual(names isNamed: Bool, columns: Int) -> String {
      let whole = text(container, names: isNamed)
      if whole.columnWidth <= columns { return whole }
      let last = container.split(separator: ".").last.map(String.init) ?? container
      let short = text(last, names: isNamed)
      return short.columnWidth <= columns ? short : "ckdb\(mark)> "
    }

    private func text(_ container: String, names isNamed: Bool) -> String {
      var text = container
      if isNamed { text += ":\(environment)" }
      text += ":\(database)"
      if let zone { text += "/\(zone)" }
      if let user { text += " (\(user))" }
      return text + mark + "> "
    }

    func filling(_ template: String) -> String {
      let all = [
        ("container", container), ("environment", environment), ("database", database),
        ("zone", zone ?? "_defaultZone"), ("user", user ?? "me"), ("mark", mark),
      ]
      return all.reduce(template) { $0.replacingUTF8("{\($1.0)}", with: $1.1) }
    }
  }
}
