import { asksInWords, countFacts, isOrder, passagesOf, quantityWords, type Passage } from "./facts.ts";
import { formulasOf, sentencesOf, type Stretch } from "./sentences.ts";

/**
 * Facts of a mathematics problem: its clauses; if fewer than two, statements and drawings; then statements and the given
 * values of what is asked (formulas, numbers with their unit); then the sides, terms or factors of formulas. The first
 * of these with two facts counts.
 */
export function mathsPassages(text: string): Passage[] {
  const levels = [
    passagesOf,
    (all: string) => valuesIn(all, (value) => (drawing.test(value) ? [0] : [])),
    (all: string) => valuesIn(all, () => [0]),
    (all: string) => valuesIn(all, (value) => [0, ...operatorsIn(value)]),
  ];
  for (const level of levels) {
    const passages = level(text);
    const isComputed = level === passagesOf && passages.some((passage) => passage.fact && computing.test(passage.text));
    if (!isComputed && countFacts(passages) >= 2 && asksInWords(passages)) return passages;
  }
  return [{ text, fact: false }];
}

const drawing = /^(?:\[asy\]|```)/u;

/** Cuts statements, and values out of sentences that ask; `cut` gives the start of each part of a value, none to keep it. */
function valuesIn(text: string, cut: (value: string) => number[]): Passage[] {
  const formulas = formulasOf(text);
  const facts = sentencesOf(text).flatMap((sentence): Stretch[] => {
    const content = text.slice(sentence.start, sentence.end);
    if (answerForm.test(content)) return [];
    const values = valuesAmong(text, sentence, formulas).flatMap(({ start, end }) => {
      const cuts = cut(text.slice(start, end)).map((position) => start + position);
      return cuts.map((from, i) => ({ start: from, end: cuts[i + 1] ?? end }));
    });
    const asks = [/\?/u, asksWithin, computing].some((sign) => sign.test(content)) || isOrder(content);
    return asks || values.length > 1 ? values : [sentence];
  });
  return between(text, facts);
}

/** Returns values of a sentence, with the function words before and a number's unit. */
function valuesAmong(text: string, { start, end }: Stretch, formulas: readonly Stretch[]): Stretch[] {
  const sentence = text.slice(start, end);
  const last = start + (formWithin.exec(sentence)?.index ?? sentence.length);
  const inside = formulas.filter((formula) => formula.start >= start && formula.end <= last);
  const numbers = [...text.slice(start, last).matchAll(numberWithUnit)]
    .map(({ index, 0: { length } }) => ({ start: start + index, end: start + index + length }))
    .filter((item) => inside.every((formula) => item.end <= formula.start || item.start >= formula.end));
  let from = start;
  return [...inside.filter((stretch) => isValue(text.slice(stretch.start, stretch.end))), ...numbers]
    .toSorted((a, b) => a.start - b.start)
    .map((value) => {
      const lead = leading.exec(text.slice(from, value.start))?.[0].length ?? 0;
      from = value.end;
      return { start: value.start - lead, end: value.end };
    });
}

/** More than the name of an unknown. */
function isValue(formula: string): boolean {
  return /\d|[=<>+^-]|\\(?:[dt]?frac|sqrt|le|ge|leq|geq|neq|equiv|cdot|times|in|sin|cos|tan|log|ln|text)\b/u.test(
    formula,
  );
}

function between(text: string, facts: readonly Stretch[]): Passage[] {
  const passages: Passage[] = [];
  let from = 0;
  for (const { start, end } of facts) {
    if (start > from) passages.push({ text: text.slice(from, start), fact: false });
    passages.push({ text: text.slice(start, end), fact: true });
    from = end;
  }
  return from < text.length ? [...passages, { text: text.slice(from), fact: false }] : passages;
}

/** Operators outside brackets, of the first kind that a formula has. */
function operatorsIn(formula: string): number[] {
  if (!/^[^$\\]*(?:\$|\\[([])/u.test(formula)) return [];
  const depths = depthsOf(formula);
  // "441 + 361 = x" has its value on one side.
  const isDefinition = /^[^$\\]*\$+\s*\p{L}\s*=|=\s*\p{L}[\s.,]*\$+$/u.test(formula);
  for (const operator of isDefinition ? [sums, products] : [relations, sums, products]) {
    const cuts = [...formula.matchAll(operator)].flatMap(({ index, 0: sign }) => {
      const hasTermBefore = /[\p{L}\d)\]}!|]\s*$/u.test(formula.slice(0, index));
      return depths[index] === 0 && hasTermBefore && /[\p{L}\d]/u.test(formula.slice(index + sign.length)) ? index : [];
    });
    if (cuts.length > 0) return cuts;
  }
  return [];
}

function depthsOf(formula: string): number[] {
  const body = formula.replace(/^[^$\\]*(?:\$\$?|\\[([])/u, (head) => " ".repeat(head.length));
  let depth = 0;
  return Array.from(body, (sign, i) => {
    if (/[)\]}]/u.test(sign) || body.startsWith("\\end", i)) depth--;
    const here = depth;
    if (/[([{]/u.test(sign) || body.startsWith("\\begin", i)) depth++;
    return here;
  });
}

const relations = /[=<>]|\\(?:leq?|geq?|neq?|equiv|approx|sim)\b|,\s*\\?\s*/gu;
const sums = /[+-]|\\pm\b/gu;
const products = /\\(?:cdot|times|div|sin|cos|tan|log|ln|sqrt|[dt]?frac|d?binom)\b|[/*]/gu;

const answerForm =
  /^[\s(]*(?:(?:enter|round)\b|(?:express|give|write|state|list|include)\s+(?:your|all|the)\b.*\b(?:answers?|solutions?|result)\b)/isu;

const formWithin =
  /,?\s+(?:and\s+)?(?:express|enter|give|write)\s+(?:your|the)\s+(?:answer|result)\b|\s+in the form\b/iu;

const computing = /\b(?:calculat|comput|evaluat|simplif|expand)/iu;

const asksWithin = /[,;:]\s*(?:then\s+)?(?:find|compute|calculate|determine|evaluate|solve|express|what|how)\b/iu;

const leading =
  /(?:\b(?:of|by|in|with|when|if|from|to|into|for|than|and|or|at|on|between|that|where|such|least|most|about|over|per|as|given)\s+)+$/iu;

const notUnit =
  "(?:of|by|in|with|is|are|was|were|has|have|does|do|can|will|when|if|from|to|for|than|and|or|at|on|as|that|which|where|such|who|whose|its|their|the|equal|equals|less|more)";
const numberWithUnit: RegExp = new RegExp(
  String.raw`(?<![\p{L}\d_])(?:[$€£]?\d[\d,]*(?:\.\d+)?%?|${quantityWords})(?:[\s-]+(?!${notUnit}\b)\p{Ll}{3,})?`,
  "giu",
);
