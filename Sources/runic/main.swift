#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

exit(Program.main(Array(CommandLine.arguments.dropFirst()), commands: Commands.all))
