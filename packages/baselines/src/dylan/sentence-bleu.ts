const orders = 4;

/**
 * BLEU of two texts, 0 to 100, like sacreBLEU's `sentence_bleu` (Post 2018): mteval-v13a tokens, lower case,
 * exponential smoothing.
 */
export function sentenceBleu(text: string, reference: string): number {
  const [replies, wanted] = [tokensOf(text), tokensOf(reference)];
  let sum = 0;
  let used = 0;
  let smoothing = 1;
  let matches = 0;
  for (let n = 1; n <= orders; n++) {
    const total = replies.length - n + 1;
    if (total <= 0) break;
    const [mine, theirs] = [countGrams(replies, n), countGrams(wanted, n)];
    let correct = 0;
    for (const [gram, count] of mine) correct += Math.min(count, theirs.get(gram) ?? 0);
    matches += correct;
    if (correct === 0) smoothing *= 2;
    sum += Math.log((100 * (correct === 0 ? 1 / smoothing : correct)) / total);
    used = n;
  }
  if (matches === 0) return 0;
  const brevity = replies.length < wanted.length ? Math.exp(1 - wanted.length / replies.length) : 1;
  return brevity * Math.exp(sum / used);
}

function tokensOf(text: string): string[] {
  const plain = text
    .toLowerCase()
    .replaceAll("-\n", "")
    .replaceAll("\n", " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");
  return ` ${plain} `
    .replaceAll(/([{-~[-` -&(-+:-@/])/gu, " $1 ")
    .replaceAll(/([^0-9])([.,])/gu, "$1 $2 ")
    .replaceAll(/([.,])([^0-9])/gu, " $1 $2")
    .replaceAll(/([0-9])(-)/gu, "$1 $2 ")
    .split(/\s+/u)
    .filter((token) => token !== "");
}

function countGrams(tokens: readonly string[], n: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let i = 0; i + n <= tokens.length; i++) {
    const gram = tokens.slice(i, i + n).join(" ");
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}
