#if Server
  internal import CloudModel
  internal import CloudServices

  /// The first page: the containers of the store, and what a newcomer can do.
  enum StartPage {
    static func html(_ visitor: Visitor) throws -> HTML {
      var frame = Frame("Containers", base: visitor.base)
      frame.visitor = visitor
      frame.command = "ckdb container list"
      let containers = try visitor.store.containers().map {
        Frame.Link(text: $0.text, address: Place($0, base: visitor.base).address(["records"])).item
      }
      return frame.page(
        """
        <div class="title"><h1>Containers</h1></div>
        \(if: containers.isEmpty, "<p class=\"quiet\">This store has no container yet.</p>")
        <ul class="list">\(containers)</ul>
        \(visitor.isReadOnly ? Frame.notice(Visitor.readOnly) : forms(visitor))
        \(if: containers.isEmpty || containers.count == 1, advice)
        """)
    }

    private static func forms(_ visitor: Visitor) -> HTML {
      func address(_ action: Action) -> String { "\(visitor.base)/do/\(action.name)" }
      return """
        <div class="cards"><form method="post" class="card" \
        action="\(address(SampleData.action))">\(visitor.formToken)<h2>Sample data</h2>
        <p>A container with books, authors, places, references, a shared list and an encrypted note.
        </p><p><button class="primary" data-testid="sample">Load the sample data</button></p></form>
        <form method="post" class="card" action="\(address(CreateContainer.action))">\
        \(visitor.formToken)<h2><label for="container">New container</label></h2>
        <p><input id="container" name="container" class="mono" required spellcheck="false" \
        placeholder="iCloud.com.example.app"></p><p><button data-testid="create">Create</button></p>
        </form></div>
        """
    }

    private static let advice: HTML = """
      <h2>What you can do here</h2>
      <ul class="advice">
      <li>Choose the container, the environment, the database and the zone at the top, and act as \
      any account on any device.</li>
      <li>Save a record: in development its type and its fields are created.</li>
      <li>Type a predicate: what CloudKit would refuse is underlined, with what to do about it.</li>
      <li>Look at the schema, see what production does not have yet, and deploy it.</li>
      <li>Every page and every action shows the <code>ckdb</code> command that does the same.</li>
      </ul>
      """
  }
#endif
