/// Documents: syncing many unchanged ones, finding one by name, and moving files between devices.
struct Documents {
  let bench: Workbench
  private var work: String { bench.work }

  /// The scenarios by name; each prepares its needs when it is made.
  var scenarios: [(name: String, make: () throws -> any Measurable)] {
    [
      ("document-sync", { Unchanged(bench: bench) }), ("document-find", find),
      ("document-mount", mount),
    ]
  }

  /// One of 100,000 documents by its name, against `find -name` in their mount.
  private func find() throws -> Scenario {
    let count = bench.isQuick ? 10_000 : 100_000
    try makeStore("document-find", count)
    return Scenario(
      name: "document-find", rival: "find", must: 1.0, aim: 0.8, rounds: bench.isQuick ? 5 : 25,
      rivalRun: { _ in
        ChildProcess(
          ["find", "\(work)/document-find-mount", "-name", "file77-7.txt"], output: "/dev/null")
      },
      ownRun: { _ in
        bench.own(
          "document-find", ["document", "find", "kMDItemFSName == 'file77-7.txt'"],
          output: "/dev/null")
      })
  }

  /// A gigabyte in a hundred files: scanned in one mount and written into another, against rsync
  /// and a sync of the file system.
  private func mount() throws -> Scenario {
    let megabytes = bench.isQuick ? 1 : 10
    TextFile.write(
      "\(work)/gigabyte",
      """
      set -e
      mkdir -p "$1/Documents"
      for n in $(seq 1 100); do
        head -c \(megabytes << 20) /dev/urandom > "$1/Documents/f$n"
      done
      sync -f "$1"
      """)
    TextFile.write(
      "\(work)/prepare",
      """
      set -e
      mv one/Documents/f* files/Documents 2> /dev/null || true
      rm -rf store one two copy
      ckdb() { \(bench.ckdb) --store store "$@" > /dev/null 2>&1; }
      ckdb container create iCloud.org.example.app
      for device in one two; do ckdb device add $device --kind mac; done
      ckdb document mount one --device one
      [ "$1" = rsync ] || mv files/Documents/* one/Documents
      sync -f .
      """)
    TextFile.write(
      "\(work)/mount",
      """
      set -e
      ckdb() { \(bench.ckdb) --store store document "$@" > /dev/null 2>&1; }
      ckdb scan one --device one
      ckdb sync --all-devices --device one
      ckdb mount two --device two
      """)
    try ChildProcess(["sh", "\(work)/gigabyte", "\(work)/files"]).run()
    func prepared(for side: String, _ command: String) throws -> ChildProcess {
      try ChildProcess(["sh", "-c", "cd \(work) && sh prepare \(side)"]).run()
      return ChildProcess(["sh", "-c", "cd \(work) && \(command)"])
    }
    return Scenario(
      name: "document-mount", rival: "rsync", must: 1.5, aim: 1.0, rounds: 5,
      rivalRun: { _ in
        try prepared(for: "rsync", "rsync -a files/Documents/ copy/ && sync -f copy")
      },
      ownRun: { _ in try prepared(for: "ckdb", "sh mount") })
  }

  /// Makes a store with `count` documents that a device has sent.
  fileprivate func makeStore(_ name: String, _ count: Int) throws {
    try bench.makeStore(name)
    let mount = "\(work)/\(name)-mount"
    TextFile.write(
      "\(work)/files.py",
      """
      import os
      for folder in range(\(count / 100)):
          path = '\(mount)/Documents/src/d%d' % folder
          os.makedirs(path)
          for file in range(100):
              open('%s/file%d-%d.txt' % (path, folder, file), 'w').write('%d %d' % (folder, file))
      """)
    try bench.own(name, ["document", "mount", mount, "-q"]).run()
    try ChildProcess(["python3", "\(work)/files.py"]).run()
    for words in [["scan", mount, "-q"], ["sync"]] {
      try bench.own(name, ["document"] + words, output: "/dev/null").run()
    }
  }

  /// The time to sync ten thousand unchanged documents.
  private struct Unchanged: Measurable {
    let bench: Workbench
    let name = "document-sync"
    private static let most = 50.0

    func measure() throws {
      try Documents(bench: bench).makeStore(name, 10_000)
      var times: [Double] = []
      for _ in 0..<(bench.isQuick ? 5 : 25) {
        let sync = bench.own(name, ["document", "sync"], output: "/dev/null")
        times.append(try sync.run().milliseconds)
      }
      let median = Scenario.median(times)
      print(
        Scenario.pad(name, 17), "10,000 unchanged documents:",
        "\(Scenario.number(median)) ms of \(Int(Self.most))", median < Self.most ? "ok" : "MISS")
    }
  }
}
