internal import Basics
internal import Glibc

/// Makes stores fail in every way that is possible on one machine, and checks the results.
///
/// `Faults CKDB SHIM [EXPERIMENT…]`: CKDB is linked dynamically, SHIM is `Shim/faults.c` as a
/// library. Each experiment prints one line of figures; the exit code is 1 when one found a fault.
@main
enum Faults {
  static func main() {
    let words = CommandLine.arguments
    Interrupt.install()
    guard words.count >= 3 else {
      print("usage: Faults CKDB SHIM [EXPERIMENT…]")
      exit(64)
    }
    let wanted = words[3...]
    for name in wanted where !experiments.contains(where: { $0.name.hasPrefix(name) }) {
      let names = experiments.map(\.name).joined(separator: " ")
      print("no experiment begins with '\(name)': \(names)")
      exit(64)
    }
    do {
      let laboratory = try Laboratory(ckdb: words[1], shim: words[2])
      var isSound = true
      for experiment in experiments
      where wanted.isEmpty || wanted.contains(where: { experiment.name.hasPrefix($0) }) {
        isSound = run(experiment, laboratory) && isSound
      }
      laboratory.clean()
      exit(isSound ? 0 : 1)
    } catch {
      print("cannot begin: \(error)")
      exit(70)
    }
  }

  private static func run(_ experiment: Experiment, _ laboratory: Laboratory) -> Bool {
    let start = Platform.monotonicMilliseconds
    let findings = Findings()
    let figures: String
    do { figures = try experiment.run(laboratory, findings) } catch {
      findings.add("\(error)")
      figures = "broken off"
    }
    let seconds = (Platform.monotonicMilliseconds - start) / 1000
    for text in findings.texts { print("  \(text)") }
    let verdict = findings.count == 0 ? "ok" : "\(findings.count) WRONG"
    print("\(experiment.name.padded(to: 14)) \(figures) · \(seconds) s · \(verdict)")
    fflush(nil)
    return findings.count == 0
  }

  private static let experiments: [Experiment] =
    [CallFaults.experiment, CopyFaults.experiment] + PowerLoss.experiments
    + [Kills.experiment, KeyValueKills.experiment, DocumentKills.experiment]
    + Writers.experiments + DocumentRaces.experiments
    + [Evictions.experiment, Signals.experiment]
    + Damages.experiments + FlippedReads.experiments + ZeroedPages.experiments
    + [ZeroedUbiquity.experiment, LostWrites.experiment, Growth.experiment]
    + ContentsAttacks.experiments + [MountRaces.experiment] + Limits.experiments
    + [Matrix.experiment, SurroundingFaults.experiment]
}

/// An experiment on stores.
struct Experiment: Sendable {
  let name: String
  /// Runs the experiment; returns its figures.
  let run: @Sendable (Laboratory, Findings) throws -> String
}

/// The faults that an experiment found.
final class Findings {
  private(set) var texts: [String] = []
  private(set) var count = 0

  /// Adds a fault; the first twenty are printed.
  func add(_ text: String) {
    count += 1
    if texts.count < 20 { texts.append(text) }
  }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
