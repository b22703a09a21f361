import Foundation
import Testing

@testable import runic

/// What is installed and packed, with a small program in place of the real one: nothing is built here.
@Suite struct PackagingTests {
  private static let stand = "cp /bin/sh program; cd \"$PACKAGE\""

  private func run(_ script: String, in folder: TestFolder) throws -> String {
    try folder.run(
      ["sh", "-euc", script], program: "", ["PACKAGE": BuiltProgram.package, "HERE": folder.path])
  }

  @Test func uninstallTakesAwayWhatInstallPutAndNothingElse() throws {
    let folder = try TestFolder()
    defer { folder.remove() }
    let listing = try run(
      """
      mkdir -p prefix/share/man/man1 prefix/empty
      : > prefix/share/man/man1/runic-of-another.1
      find prefix | sort > before
      \(Self.stand)
      ./scripts/install.sh "$HERE/program" "$HERE/prefix" > /dev/null
      (cd "$HERE/prefix" && find . -type f | sort)
      echo share/man/man1/runic-old.1 >> "$HERE/prefix/share/doc/runic/installed"
      : > "$HERE/prefix/share/man/man1/runic-old.1"
      ./scripts/install.sh "$HERE/program" "$HERE/prefix" > /dev/null
      [ ! -e "$HERE/prefix/share/man/man1/runic-old.1" ] || echo 'a page of an older version stayed'
      ./scripts/install.sh --remove "$HERE/prefix"
      cd "$HERE" && find prefix | sort > after && diff before after
      """, in: folder)
    let files = Set(listing.split(separator: "\n").map(String.init))
    for name in [
      "bin/runic", "share/bash-completion/completions/runic", "share/doc/runic/LICENSE",
      "share/fish/vendor_completions.d/runic.fish", "share/zsh/site-functions/_runic",
      "share/man/man1/runic-pull.1", "share/man/man7/runic.7",
    ] {
      #expect(files.contains("./\(name)"), "\(name) was not installed")
    }
    #expect(!listing.contains("older version"))
  }

  /// `PREFIX=~/.local` reaches make as it stands under zsh, dash and fish.
  @Test(arguments: ["~/.local", "prefix", ""]) func aPrefixThatIsNoWholePathIsRefused(_ prefix: String) throws
  {
    let folder = try TestFolder()
    defer { folder.remove() }
    let said = try run(
      """
      \(Self.stand)
      for first in "$HERE/program" --remove; do
        ./scripts/install.sh "$first" '\(prefix)' 2>&1 && echo installed || echo "status $?"
      done
      [ ! -e '\(prefix)' ] || echo 'something was made'
      """, in: folder)
    let refusal = """
      install.sh: error: the prefix '\(prefix)' is no whole path
      install.sh: hint: begin it with a slash, as in PREFIX="$HOME/.local"
      status 2

      """
    #expect(said == refusal + refusal)
  }

  @Test(arguments: [("dist", "tar.gz"), ("deb", "deb")])
  func packagesMadeTwiceAreTheSameBytes(_ script: String, _ suffix: String) throws {
    if script == "deb", !BuiltProgram.hasTool("dpkg-deb") {
      print("not tried: the Debian package: dpkg-deb is not installed")
      return
    }
    let folder = try TestFolder()
    defer { folder.remove() }
    let made = try run(
      """
      \(Self.stand)
      export SOURCE_DATE_EPOCH=1788696000
      ./scripts/\(script).sh "$HERE/program" "$HERE/first" > /dev/null
      touch "$HERE/program"
      umask 077
      LC_ALL=C TZ=Asia/Tokyo ./scripts/\(script).sh "$HERE/program" "$HERE/second" > /dev/null
      cd "$HERE" && cmp first/*.\(suffix) second/*.\(suffix) && ls first
      """, in: folder)
    #expect(made.contains("runic"), "\(made)")
    #expect(made.contains(runicVersion))
  }

  @Test func aTarballChecksItself() throws {
    let folder = try TestFolder()
    defer { folder.remove() }
    let output = try run(
      """
      \(Self.stand)
      ./scripts/dist.sh "$HERE/program" "$HERE/dist" > /dev/null
      cd "$HERE/dist"
      sha256sum --check --quiet *.sha256
      tar xzf *.tar.gz
      cd runic-*/
      sha256sum --check --quiet SHA256SUMS
      find . -type f ! -name SHA256SUMS | wc -l
      wc -l < SHA256SUMS
      """, in: folder)
    let counts = output.split { " \n".contains($0) }
    #expect(counts.count == 2 && counts.first == counts.last, "\(output)")
  }

  @Test func theVersionSaysWhatItWasBuiltWith() {
    let text = Run(["version", "--verbose"], commands: Commands.all).out
    for word in ["swift: ", "openssl: OpenSSL ", "zlib: 1.", "build: ", "platform: ", "format: "] {
      #expect(text.contains("\n\(word)"), "\(word)")
    }
    let json = Run(["version", "--json"], commands: Commands.all).out
    #expect(json.hasPrefix("{\"build\":{\"kind\":\"") && json.contains("\"format\":1"))
  }
}
