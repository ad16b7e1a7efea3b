#if Server
  internal import CloudModel
  internal import FieldCodecs

  /// The controls of a field in a form: each type has its own.
  struct FieldEditor {
    let name: String
    let type: FieldType
    let input: FieldInput
    /// What is wrong with the contents; nil for nothing.
    var problem: String?

    /// The controls.
    var html: HTML {
      "\(controls)\(shownProblem.map { "<p class=\"problem\" id=\"p.\(name)\">\($0)</p>" as HTML })"
    }

    private var controls: HTML {
      if type.base == .asset { return files }
      if let json = input.json {
        return "\(area("json", json, lines: 3))<span class=\"type\">JSON</span>"
      }
      if type.isList { return list }
      switch type.base {
      case .string: return "\(area("f", text, lines: lines))\(emptyMark("empty text"))"
      case .bytes: return bytes
      case .timestamp: return time
      case .location: return place
      case .reference: return reference
      case .int64, .double, .number, .asset:
        return line("f", text, " inputmode=\"decimal\" class=\"num\"")
      }
    }

    /// A browser does not send a file twice unless it is chosen again.
    private var shownProblem: String? {
      if let first = input.files.first { return "choose the file again: \(first.fileName)" }
      return problem
    }

    private var text: String { input.texts.first ?? "" }

    private var lines: Int {
      let count = text.utf8.reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) }
      return min(12, max(count, text.utf8.count / 70 + 1))
    }

    // MARK: Kinds of controls

    /// The attributes of every control: its name, its label, and its problem.
    private func attributes(_ part: String, _ label: String, isFirst: Bool = true) -> HTML {
      """
       name="\(part).\(name)"\(if: part == "f" && isFirst, " id=\"f.\(name)\"") \
      aria-label="\(label)"\
      \(if: problem != nil, " aria-invalid=\"true\" aria-describedby=\"p.\(name)\"")
      """
    }

    private func line(
      _ part: String, _ value: String, _ more: HTML = "", label: String? = nil,
      isFirst: Bool = true
    ) -> HTML {
      """
      <input\(attributes(part, label ?? name, isFirst: isFirst)) value="\(value)" \
      spellcheck="false" autocomplete="off"\(more)>
      """
    }

    private func area(_ part: String, _ value: String, lines: Int) -> HTML {
      """
      <textarea\(attributes(part, name)) rows="\(String(lines))" spellcheck="false">
      \(value)</textarea>
      """
    }

    /// Says that an empty control is an empty value. Without it, it is none.
    private func emptyMark(_ label: String) -> HTML {
      """
      <label class="mark"><input type="checkbox" name="empty.\(name)" value="1"\
      \(if: input.isEmpty, " checked")> \(label)</label>
      """
    }

    private func file(_ label: String, isMultiple: Bool) -> HTML {
      """
      <input type="file" name="file.\(name)" aria-label="\(label)"\(if: isMultiple, " multiple")>
      """
    }

    private var bytes: HTML {
      """
      \(area("f", text, lines: min(4, lines)))<span class="type">Base64, or a file:</span>
      \(file("File for \(name)", isMultiple: false))\(emptyMark("no bytes, but not none"))
      """
    }

    /// The control of the browser for dates, which has no time zone, and one for the zone.
    private var time: HTML {
      """
      <span class="parts">\
      <input type="datetime-local" step="0.001"\(attributes("f", name)) value="\(text)">\
      \(line("second", input.second, " size=\"7\" placeholder=\"Z\"", label: "\(name), time zone"))\
      <span class="type">Z, or such as +02:00</span></span>
      """
    }

    private var place: HTML {
      """
      <span class="parts">\
      \(line("f", text, " size=\"11\" placeholder=\"latitude\"", label: "\(name), latitude"))\
      \(line("second", input.second, " size=\"11\" placeholder=\"longitude\"",
        label: "\(name), longitude"))\
      \(line("third", input.third, " size=\"8\" placeholder=\"altitude\"",
        label: "\(name), altitude in metres"))</span>\(map)
      """
    }

    /// The place on a map; nil if there is none.
    private var map: HTML? {
      Location("\(text),\(input.second)").map { WorldMap.html([$0]) }
    }

    private var reference: HTML {
      let actions = Reference.Action.allCases.map { action -> HTML in
        """
        <option value="\(action.name)"\(if: action.name == input.second, " selected")>\
        \(action.words)</option>
        """
      }
      return """
        <span class="parts">\
        \(line("f", text, " class=\"mono\" data-names=\"\" placeholder=\"recordName\""))\
        <select name="second.\(name)" aria-label="\(name), action">\(actions)</select></span>
        """
    }

    private var list: HTML {
      let texts = input.texts.filter { !$0.isEmpty } + [""]
      let lines = texts.enumerated().map { place, text -> HTML in
        let label = "\(name), \(place + 1)"
        return "<li>\(line("f", text, label: label, isFirst: place == 0))</li>"
      }
      return """
        <ol class="members" data-grows="">\(lines)</ol>\(emptyMark("empty list"))
        """
    }

    private var files: HTML {
      let kept = input.kept.map { hash -> HTML in
        """
        <label class="mark">\
        <input type="checkbox" name="keep.\(name)" value="\(hash)" checked> \
        keep <code>\(String(hash.prefix(12)))…</code></label>
        """
      }
      let label = "File for \(name)"
      return """
        \(kept)\(file(label, isMultiple: type.isList))\(if: type.isList, emptyMark("empty list"))
        """
    }
  }

  extension Reference.Action {
    /// What the action means, in words.
    fileprivate var words: String {
      switch self {
      case .none: "no action"
      case .deleteSelf: "delete with it"
      case .validate: "must exist"
      }
    }
  }
#endif
