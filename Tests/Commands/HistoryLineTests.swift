internal import Testing

@testable internal import Commands

/// The lines that the prompt's history keeps (T12).
@Suite struct HistoryLineTests {
  @Test(
    "T12: secrets are not kept, nor are lines that begin with a blank",
    arguments: [
      ("record list", "record list"), (" record list", nil), ("", nil),
      ("remote add --token abc --zone Z", "remote add --token … --zone Z"),
      ("remote add --token=abc", "remote add --token=…"), ("x --KEY a", "x --KEY …"),
      ("record save User password=hunter2 n=1", "record save User password=… n=1"),
      ("record save User password:='\"x\"'", "record save User password=…"),
      ("record save Note text=token", "record save Note text=token"),
    ] as [(String, String?)])
  func kept(line: String, expected: String?) { #expect(HistoryLine.kept(line) == expected) }
}
