import { randomFromSeed, type SampleRequest } from "@laconic/core";

/**
 * Protocol of nano-vllm's bench.py (github.com/GeeeekExplorer/nano-vllm): 256 sequences, prompts and replies of 100 to
 * 1,024 random tokens each, no end token. Small: 8 sequences of 4 to 16.
 */
export function nanoRequests(vocabulary: number, small: boolean): SampleRequest[] {
  const random = randomFromSeed("nano");
  const [count, least, most] = small ? [8, 4, 16] : [256, 100, 1024];
  const length = (): number => least + random.integer(most - least + 1);
  return Array.from({ length: count }, (_, row) => ({
    promptTokens: Array.from({ length: length() }, () => random.integer(Math.min(vocabulary, 10_000))),
    sampling: { temperature: 0.6, maxTokens: length() },
    stopTokens: [],
    random: random.split(row).state(),
  }));
}
