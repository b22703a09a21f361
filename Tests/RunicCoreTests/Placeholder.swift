import Testing

@Suite struct PlaceholderRunicCore {}
