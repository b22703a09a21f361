import Testing

@Suite struct PlaceholderCommandLine {}
