/// Finds what was meant by a mistyped word.
enum Suggestion {
  /// The candidate nearest to `word`, or nil where none is near enough; the first one where several are.
  ///
  /// Near enough is one edit for each three letters, and at least one; a unique completion always is.
  static func nearest(to word: String, among candidates: [String]) -> String? {
    let typed = Array(word.utf8)
    guard !typed.isEmpty, typed.count <= 64 else { return nil }
    let completions = candidates.filter {
      $0.utf8.count > typed.count && Array($0.utf8.prefix(typed.count)) == typed
    }
    if let only = completions.first, completions.count == 1 { return only }
    let limit = max(1, (typed.count + 1) / 3)
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let distance = distance(typed, Array(candidate.utf8))
      if distance <= limit, distance < (best?.distance ?? Int.max) { best = (candidate, distance) }
    }
    return best?.candidate
  }

  /// Edits between two words: bytes added, removed or changed, or two neighbours swapped (Damerau's distance in
  /// its restricted form). O(n·m) time, O(m) memory.
  static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
    if first.isEmpty || second.isEmpty { return max(first.count, second.count) }
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for i in 1...first.count {
      var row = [i]
      for j in 1...second.count {
        let changed = last[j - 1] + (first[i - 1] == second[j - 1] ? 0 : 1)
        var least = min(changed, last[j] + 1, row[j - 1] + 1)
        if i > 1, j > 1, first[i - 1] == second[j - 2], first[i - 2] == second[j - 1] {
          least = min(least, beforeLast[j - 2] + 1)
        }
        row.append(least)
      }
      (beforeLast, last) = (last, row)
    }
    return last[second.count]
  }
}
