import { noAnswer, textVerdict, type MathsGrader, type Verdict } from "@laconic/grading";

/**
 * Minerva's rule for answers in mathematics: Lewkowycz et al. 2022 (arXiv 2206.14858), appendix D.1. The answer is what its prompt asks for,
 * "Final Answer: The final answer is X. I hope it is correct.". Both sides are normalised; they are equal texts, or equal for SymPy. Ours
 * stands where SymPy does.
 */
const opening = /final answer(?: is|:)(?:\s{1,3}the final answer is)?/iu;
/** UTF-16 units of the sentence that are read. */
const longestSentence = 2000;

/** What the sentence says; null where there is none. */
function finalAnswer(reply: string): string | null {
  const start = opening.exec(reply);
  if (!start) return null;
  const from = start.index + start[0].length;
  const line = reply.slice(from, from + longestSentence).split("\n", 1)[0] as string;
  const said = (line.split(/I hope it is correct/iu, 1)[0] as string).trim().replace(/\.$/u, "").trim();
  return said === "" ? null : said;
}

/** Replaced one after the other. */
const substitutions: readonly (readonly [string, string])[] = [
  ["an ", ""],
  ["a ", ""],
  [".$", "$"],
  ["\\$", ""],
  ["\\ ", ""],
  [" ", ""],
  ["mbox", "text"],
  [",\\text{and}", ","],
  ["\\text{and}", ","],
  ["\\text{m}", "\\text{}"],
];
/** Left out, one after the other: parts of words too. */
const removed: readonly string[] = [
  ..."square ways integers dollars mph inches ft hours km units \\ldots sue points feet minutes digits cents degrees".split(
    " ",
  ),
  ..."cm gm pounds meters meals edges students childrentickets multiples \\text{s} \\text{.}".split(" "),
  "\\text{\ns}",
  "\\text{}^2",
  "\\text{}^3",
  "\\text{\n}",
  ...'\\text{} \\mathrm{th} ^\\circ ^{\\circ} \\; ,\\! {,} " \\dots'.split(" "),
];

/** The text that Minerva's published rule compares. */
function minervaText(answer: string): string {
  let text = answer.split("=").at(-1) as string;
  for (const [from, to] of substitutions) text = text.replaceAll(from, to);
  for (const expression of removed) text = text.replaceAll(expression, "");
  text = text
    .replaceAll(/.*?\$(.*?)\$.*/gu, "$$$1$$")
    .replaceAll(/\\text\{(.*?)\}/gu, "$1")
    .replaceAll(/\\textbf\{(.*?)\}/gu, "$1")
    .replaceAll(/\\overline\{(.*?)\}/gu, "$1")
    .replaceAll(/\\boxed\{(.*)\}/gu, "$1")
    .replaceAll(/frac([^{])(.)/gu, "frac{$1}{$2}")
    .replaceAll(/sqrt([^{])/gu, "sqrt{$1}")
    .replaceAll("$", "");
  const digits = text.replaceAll(",", "");
  return /^\d+$/u.test(digits) ? digits : text;
}

/** The verdict of Minerva's rule: what stands where SymPy does is asked for sides whose texts differ. */
export async function gradeMinerva(
  reply: string,
  gold: string,
  maths: MathsGrader,
  signal?: AbortSignal,
): Promise<Verdict> {
  const found = finalAnswer(reply);
  if (found === null) return noAnswer;
  const [said, wanted] = [minervaText(found), minervaText(gold)];
  const steps = [
    { name: "found in the final sentence", answer: found, gold },
    { name: "normalised as Minerva does", answer: said, gold: wanted },
  ];
  // Its parser reads expressions and equations alone.
  if (said === wanted || [said, wanted].some((text) => /[,%]|\\\{|\\cup/u.test(text)))
    return textVerdict(found, "Minerva's published rule, same text", steps);
  const compared = await maths.grade(said, wanted, { bareGold: true, bareReply: true, digits: 10 }, signal);
  const rule = `Minerva's published rule, ${compared.rule}`;
  return { ...compared, extracted: found, rule, steps: [...steps, ...(compared.steps ?? [])] };
}
