import CanonicalJSON
import RunicCore

extension Output {
  /// What a command did: an object for programs, a line for people, who may not want to be told.
  func result(_ text: @autoclosure () -> String, _ json: @autoclosure () -> JSONValue) {
    if style.wantsJSON { self.json(json()) } else if !style.isQuiet { paragraph(text()) }
  }
}

/// A number of bytes, as people read it: `1.5 MiB`.
func readableSize(_ bytes: Int64) -> String {
  var (value, units) = (Double(bytes), ["bytes", "KiB", "MiB", "GiB", "TiB"][...])
  while value >= 1024, units.count > 1 {
    value /= 1024
    units = units.dropFirst()
  }
  let unit = units.first ?? "bytes"
  if unit == "bytes" { return counted(bytes, "byte") }
  let tenths = Int64((value * 10).rounded())
  return "\(tenths / 10).\(tenths % 10) \(unit)"
}
