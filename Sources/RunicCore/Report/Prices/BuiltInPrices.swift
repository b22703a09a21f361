// Made by scripts/make-prices from a public price list; not edited by hand.

extension PriceTable {
  static let builtInDate = "2026-11"

  /// Providers in brackets, then a model a line; see scripts/make-prices.
  static let builtInLines = """
    [anthropic]
    claude-fable-5 10 50 1 12.5 20
    claude-fable-5-1 10 50 0.25 12.5 20
    claude-haiku-4-5 1 5 0.1 1.25 2
    claude-haiku-4-5-20251001 1 5 0.1 1.25 2
    claude-haiku-5-5 0.1 0.5 0.01 0.125 0.2 100000 0.5 2.5 0.05 0.625
    claude-mythos-5 10 50 1 12.5 20
    claude-mythos-5-1 10 50 0.25 12.5 20
    claude-mythos-preview 10 50 1 12.5 20
    claude-opus-4-5 5 25 0.5 6.25 10
    claude-opus-4-5-20251101 5 25 0.5 6.25 10
    claude-opus-4-6 5 25 0.5 6.25 10
    claude-opus-4-6-20260205 5 25 0.5 6.25 10
    claude-opus-4-7 5 25 0.5 6.25 10
    claude-opus-4-7-20260416 5 25 0.5 6.25 10
    claude-opus-4-8 5 25 0.5 6.25 10
    claude-opus-5 5 25 0.5 6.25 10
    claude-opus-5-5 4 20 0.2 5 8
    claude-sonnet-4-5 3 15 0.3 3.75 6
    claude-sonnet-4-5-20250929 3 15 0.3 3.75 6
    claude-sonnet-4-6 3 15 0.3 3.75 6
    claude-sonnet-5 2 10 0.2 2.5 4
    claude-sonnet-5-5 2 10 0.1 2.5 4
    [gemini]
    deep-research-max-preview-04-2026 2 12
    deep-research-pro-preview-12-2025 2 12
    gemini-2.5-flash 0.3 2.5 0.03
    gemini-2.5-flash-lite 0.1 0.4 0.01
    gemini-2.5-pro 1.25 10 0.125 - - 200000 2.5 15 0.25
    gemini-3-flash-preview 0.5 3 0.05
    gemini-3.1-flash-lite 0.25 1.5 0.025
    gemini-3.1-flash-lite-preview 0.25 1.5 0.025
    gemini-3.1-pro-preview 2 12 0.2 - - 200000 4 18 0.4
    gemini-3.1-pro-preview-customtools 2 12 0.2 - - 200000 4 18 0.4
    gemini-3.5-flash 1.5 9 0.15
    gemini-3.5-flash-lite 0.3 2.5 0.03
    gemini-3.6-flash 0.75 3.75 0.075
    gemini-3.7-flash 0.75 3.75 0.075
    gemini-3.8-flash 0.75 3.75 0.075
    gemini-4-argon 2 10 0.1
    gemini-4-hydrogen 1.5 7.5 0.075
    gemini-exp-1114 0 0 - - - 128000 0 0
    gemini-exp-1206 0.3 2.5 0.03
    gemini-flash-latest 0.75 3.75 0.075
    gemini-flash-lite-latest 0.3 2.5 0.03
    gemini-gemma-2-27b-it 0.35 1.05
    gemini-gemma-2-9b-it 0.35 1.05
    gemini-omni-1.1-flash 1.5 9
    gemini-omni-1.2-flash 1.5 9
    gemini-omni-flash-preview 1.5 9
    gemini-pro-latest 2 12 0.2 - - 200000 4 18 0.4
    gemma-3-27b-it 0 0 - - - 128000 0 0
    gemma-4-26b-a4b-it 0 0
    gemma-4-31b-it 0 0
    learnlm-1.5-pro-experimental 0 0 - - - 128000 0 0
    [openai]
    chat-latest 5 30 0.5
    daybreak-blue-latest 4 20 0.4 5 - 272000 8 30 0.8 10
    daybreak-red-latest 12.5 75 1.25 15.625 - 272000 25 112.5 2.5 31.25
    gpt-3.5-turbo 0.5 1.5
    gpt-3.5-turbo-0125 0.5 1.5
    gpt-3.5-turbo-1106 1 2
    gpt-3.5-turbo-16k 3 4
    gpt-4 30 60
    gpt-4-0613 30 60
    gpt-4-1106-preview 10 30
    gpt-4-turbo 10 30
    gpt-4-turbo-2024-04-09 10 30
    gpt-4.1 2 8 0.5
    gpt-4.1-2025-04-14 2 8 0.5
    gpt-4.1-mini 0.4 1.6 0.1
    gpt-4.1-mini-2025-04-14 0.4 1.6 0.1
    gpt-4.1-nano 0.1 0.4 0.025
    gpt-4.1-nano-2025-04-14 0.1 0.4 0.025
    gpt-4o 2.5 10 1.25
    gpt-4o-2024-05-13 5 15
    gpt-4o-2024-08-06 2.5 10 1.25
    gpt-4o-2024-11-20 2.5 10 1.25
    gpt-4o-mini 0.15 0.6 0.075
    gpt-4o-mini-2024-07-18 0.15 0.6 0.075
    gpt-5 1.25 10 0.125
    gpt-5-2025-08-07 1.25 10 0.125
    gpt-5-chat 1.25 10 0.125
    gpt-5-chat-latest 1.25 10 0.125
    gpt-5-codex 1.25 10 0.125
    gpt-5-mini 0.25 2 0.025
    gpt-5-mini-2025-08-07 0.25 2 0.025
    gpt-5-nano 0.05 0.4 0.005
    gpt-5-nano-2025-08-07 0.05 0.4 0.005
    gpt-5-pro 15 120
    gpt-5-pro-2025-10-06 15 120
    gpt-5-search-api 1.25 10 0.125
    gpt-5-search-api-2025-10-14 1.25 10 0.125
    gpt-5.1 1.25 10 0.125
    gpt-5.1-2025-11-13 1.25 10 0.125
    gpt-5.1-chat-latest 1.25 10 0.125
    gpt-5.1-codex 1.25 10 0.125
    gpt-5.1-codex-max 1.25 10 0.125
    gpt-5.1-codex-mini 0.25 2 0.025
    gpt-5.2 1.75 14 0.175
    gpt-5.2-2025-12-11 1.75 14 0.175
    gpt-5.2-chat-latest 1.75 14 0.175
    gpt-5.2-codex 1.75 14 0.175
    gpt-5.2-pro 21 168
    gpt-5.2-pro-2025-12-11 21 168
    gpt-5.3-chat-latest 1.75 14 0.175
    gpt-5.3-codex 1.75 14 0.175
    gpt-5.4 2.5 15 0.25 - - 272000 5 22.5 0.5
    gpt-5.4-2026-03-05 2.5 15 0.25 - - 272000 5 22.5 0.5
    gpt-5.4-mini 0.75 4.5 0.075
    gpt-5.4-mini-2026-03-17 0.75 4.5 0.075
    gpt-5.4-nano 0.2 1.25 0.02
    gpt-5.4-nano-2026-03-17 0.2 1.25 0.02
    gpt-5.4-pro 30 180 - - - 272000 60 270
    gpt-5.4-pro-2026-03-05 30 180 - - - 272000 60 270
    gpt-5.5 5 30 0.5 - - 272000 10 45 1
    gpt-5.5-2026-04-23 5 30 0.5 - - 272000 10 45 1
    gpt-5.5-cyber 12.5 75 1.25
    gpt-5.5-cyber-preview 12.5 75 1.25
    gpt-5.5-pro 30 180 - - - 272000 60 270
    gpt-5.5-pro-2026-04-23 30 180 - - - 272000 60 270
    gpt-5.6 4 20 0.4 5 - 272000 8 30 0.8 10
    gpt-5.6-cyber 12.5 75 1.25 15.625 - 272000 25 112.5 2.5 31.25
    gpt-5.6-luna 0.2 1.2 0.02 0.25 - 272000 0.4 1.8 0.04 0.5
    gpt-5.6-sol 4 20 0.4 5 - 272000 8 30 0.8 10
    gpt-5.6-terra 2 12 0.2 2.5 - 272000 4 18 0.4 5
    gpt-6-astra 10 50 1 12.5 - 272000 20 75 2 25
    gpt-6-astra-law 10 50 1
    gpt-6-cyber 20 100 2 25
    gpt-6-luna 0.1 0.5 0.01 0.125 - 272000 0.2 0.75 0.02 0.25
    gpt-6-rosalind 15 75 1.5 18.75 - 272000 30 112.5 3 37.5
    gpt-6-sol 2 10 0.2 2.5 - 272000 4 15 0.4 5
    gpt-6.1-sol 2 10 0.1 2.5 - 272000 4 15 0.2 5
    gpt-6.1-terra 1 5 0.05 1.25 - 272000 2 7.5 0.1 2.5
    gpt-daybreak-blue-latest 4 20 0.4 5 - 272000 8 30 0.8 10
    gpt-daybreak-red-latest 12.5 75 1.25 15.625 - 272000 25 112.5 2.5 31.25
    gpt-rosalind-discovery 5 25 0.5
    gpt-rosalind-research 5 25 0.5
    o1 15 60 7.5
    o1-2024-12-17 15 60 7.5
    o1-pro 150 600
    o1-pro-2025-03-19 150 600
    o3 2 8 0.5
    o3-2025-04-16 2 8 0.5
    o3-deep-research 10 40 2.5
    o3-deep-research-2025-06-26 10 40 2.5
    o3-mini 1.1 4.4 0.55
    o3-mini-2025-01-31 1.1 4.4 0.55
    o3-pro 20 80
    o3-pro-2025-06-10 20 80
    o4-mini 1.1 4.4 0.275
    o4-mini-2025-04-16 1.1 4.4 0.275
    o4-mini-deep-research 2 8 0.5
    o4-mini-deep-research-2025-06-26 2 8 0.5
    """
}
