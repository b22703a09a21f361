import CanonicalJSON
import RunicCore

/// `runic export`.
let exportCommand = Command(
  description: CommandDescription(
    "export", summary: "print all records, conflicts and deletes, not encrypted", group: .maintain,
    exitStatus: [.busy, .noRepository],
    details: [
      "JSON Lines that 'runic import' reads. Records made with --local, defaults, and what is said of devices and "
        + "key slots are left out."
    ],
    examples: [Example("runic export > records.jsonl", "keeps a plain copy")])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let output = context.output
  try repository.read { snapshot in
    output.write(ExportCoding.header(repository: repository.id) + [UInt8(ascii: "\n")])
    var (line, count): ([UInt8], Int64) = ([], 0)
    try Exporter(snapshot).forEachRecord { record in
      line.removeAll(keepingCapacity: true)
      ExportCoding.append(record, to: &line)
      line.append(UInt8(ascii: "\n"))
      output.write(line)
      count += 1
      output.progress("exported \(counted(count, "record"))")
      try Interrupt.check()
    }
  }
  return .done
}
