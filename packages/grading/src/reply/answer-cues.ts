import cueWords from "../../assets/cue-words.json" with { type: "json" };

export interface Cue {
  /** Noun or verb. */
  readonly start: number;
  /** Start of the answer, after copula, colon, quotes and white space. */
  readonly end: number;
  /** "the answer is", "I choose", or a noun before a name as in "option B". */
  readonly kind: "statement" | "verb" | "name";
}

/** `spaced`: en, es, fr, de, pt, id, ar; `unspaced`: ja, ko, zh and hi, with the copula after the answer or none. */
const { spaced, unspaced } = cueWords;

const word = (pattern: string): string => String.raw`(?<![\p{L}\p{M}\\])(?:${pattern})(?![\p{L}\p{M}])`;
const both = (field: keyof typeof spaced & keyof typeof unspaced): string =>
  `(?:${word(spaced[field])}|${unspaced[field]})`;
export const conjunction: string = both("or");
export const isWrong: string = `(?:\\s*${both("copula")})?(?:\\s+(?:clearly|definitely|also|both|all))*\\s*${both("wrong")}`;

const heads = new RegExp(
  String.raw`(?<!${word(spaced.wrong)} )(?:(?<![\p{L}\p{M}/])(?:(?:final|correct|chosen|selected)[-_]?)?(?<noun>(?:${spaced.answer})(?:[-_ ]?(?:choice|letter|option|key|number|value))?)(?![\p{L}\p{M}])` +
    `|(?<last>${unspaced.answer})|(?<choice>${both("choice")})|(?<result>${both("result")})` +
    `|(?<correct>${word(spaced.correct)})|(?<verb>${both("verb")}))`,
  "giu",
);
const quotes = "\"'`“”‘’«»„「『」』";
const adjectives = String.raw`(?:[\s,]*${word(`${spaced.correct}|here|then|therefore|thus|so|donc|also|の|choice|letter|option`)}){0,3},?`;
const phrase = String.raw`(?:\s+(?:${spaced.preposition})\s[^.:=?!\n]{1,80}?)?`;
/** Link of noun and answer: "to the question is", `":`, `>` of a tag. */
const link = new RegExp(
  String.raw`${adjectives}${phrase}(?:[${quotes}*_)\]]{0,4}[ \t]{0,8}(?:\s{0,8}${both("copula")}|[:=](?!=)>?|[→⇒—]|['’]s(?!\p{L})|(?<=<\w{0,40})>))+`,
  "iuy",
);
const copulaLink = new RegExp(
  String.raw`(?:\s+(?!fail|false|wrong|incorrect|not)\p{L}{2,20}){0,3}?\s+${both("copula")}[ \t]*:?`,
  "iuy",
);
const lead = new RegExp(
  String.raw`(?:[\s:*_}${quotes}]|=(?!=)|(?:therefore|thus|then|hence|indeed|clearly|simply|just|probably|definitely|(?:most )?likely|also|obviously|donc|entonces|somit|folglich|logo|jadi)(?![\p{L}\p{M}])[\s,]*)*`,
  "iuy",
);
const lineEnd = /[ \t*_:]*\n\s*/uy;
const headingStart = new RegExp(String.raw`^[ \t#>*_\d.)]*(?:(?:the|my|la|le|die|${spaced.correct})\s+)*$`, "iu");

/**
 * Nouns with copula, colon or tag, or headings.
 * @param also - `"choosing"` adds "I choose", "Option" and "the correct statement is"; `"result"` adds "the result is",
 * which also ends calculation steps
 */
export function cuesIn(text: string, also?: "choosing" | "result"): readonly Cue[] {
  const cues: Cue[] = [];
  for (const match of text.matchAll(heads)) {
    const { noun, last, choice, result, correct, verb } = match.groups as Readonly<Record<string, string | undefined>>;
    if ((choice ?? correct ?? verb) !== undefined && also !== "choosing") continue;
    if (result !== undefined && also === undefined) continue;
    if (verb !== undefined && isDenied(text, match.index, match.index)) continue;
    const from = match.index + match[0].length;
    const linked =
      endOf(correct === undefined ? link : copulaLink, text, from) ??
      (noun === undefined ? null : headingEnd(text, match.index, from)) ??
      ((last ?? verb) === undefined ? null : from);
    const bare = linked === null && also === "choosing" && (choice ?? noun) !== undefined;
    if (linked === null && !bare) continue;
    const end = endOf(lead, text, linked ?? from) ?? from;
    if (cues.at(-1)?.end !== end)
      cues.push({ start: match.index, end, kind: bare ? "name" : verb === undefined ? "statement" : "verb" });
  }
  return cues;
}

function headingEnd(text: string, start: number, from: number): number | null {
  const end = endOf(lineEnd, text, from);
  return end !== null && headingStart.test(text.slice(text.lastIndexOf("\n", start) + 1, start)) ? end : null;
}

function endOf(pattern: RegExp, text: string, from: number): number | null {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : null;
}

const not = `(?:${both("not")}|n['’]t(?!\\p{L}))`;
const deniedBefore = new RegExp(
  String.raw`${not}(?:\s+(?:be|equal|exactly|just|simply|es|é|the|la|option|choice|answer)(?!\p{L}))*[\s$*:("'\\]*$`,
  "iu",
);
const deniedBehind = new RegExp(String.raw`^["'*)\]}」]{0,4}\s?(?:${unspaced.notBehind})`, "iu");

/** "is not 5", "5ではない". */
export function isDenied(text: string, start: number, end: number): boolean {
  return deniedBefore.test(text.slice(Math.max(0, start - 40), start)) || deniedBehind.test(text.slice(end, end + 12));
}

const instead = new RegExp(
  String.raw`${not}(?!\s+only\b)(\s+(?:es|é))?\s+((?:[^.\n;]|\.\d){1,40}?)[,;]?\s*${both("but")}(?:\s+rather)?(?!\p{L})`,
  "giu",
);

/** "not 5 but 6" gives 6. */
export function withoutDenied(text: string): string {
  return text.replaceAll(instead, "$1");
}

const boundBefore =
  /(?:\b(?:at\s+(?:least|most)|(?:more|less|greater|fewer|higher|lower)\s+than|above|below|over|under|between|up\s+to|from)|(?<![\w"/])[<>]|[≤≥≠±]|\\(?:pm|mp|neq?|leq?|geq?|lt|gt))[\s$*:]*$/iu;
/** `6 or more`, `6 points or fewer`, `6+`. */
const openEnded =
  /^[\s$*})]*(?:\\text\s*\{\s*)?(?:(?!or\b)\p{L}+\s+)?or\s+(?:more|less|fewer|greater|larger|smaller|higher|lower|above|below|over|under|so)\b|^\+(?![\s\w(])|^\s*\?/iu;

/** "I am unable to solve this with 5 unknowns" gives no number. */
const refused =
  /\b(?:(?:not|un)\s?able\s+to|can\s?not|can['’]t|could(?:\s+not|n['’]t))\s+(?:answer|calculate|compute|determine|find|help|provide|solve)\b[^.,;:!?\n]*$/iu;

/** Denied, or only a bound: "at least 6", "6 or more". */
export function isUnsaid(text: string, start: number, end: number): boolean {
  return (
    isDenied(text, start, end) ||
    refused.test(text.slice(Math.max(0, start - 120), start)) ||
    boundBefore.test(text.slice(Math.max(0, start - 24), start)) ||
    openEnded.test(text.slice(end))
  );
}

const takenBack =
  /\bI(?:['’]ve|\s+have|\s+had)?\s+(?:made|see|found|noticed?)\s+(?:an?|my|the)\s+(?:\w+\s+)?(?:error|mistake|slip)\b|\bI\s+(?:was|am)\s+(?:wrong|mistaken)\b|\b(?:above|boxed|previous|earlier|first)\s+(?:answer|result|value|number|box)\s+(?:is|was)\s+(?:wrong|incorrect|not\s+(?:right|correct))|\bcorrection\s*:|\bscratch\s+that\b/giu;
/** Later, "this" is something else. */
const thisIsWrong =
  /^[^\n]{0,80}?[}\n][^\p{L}\d]{0,12}(?:(?:no|wait|hmm|oops|actually|sorry)\b[^\p{L}\d]{0,6}){0,3}(?:that|this|it)(?:\s+(?:is|was)|['’]s)\s+(?:actually\s+)?(?:wrong|incorrect|not\s+(?:right|correct)|a\s+mistake|an\s+error)\b/iu;
const givenAnew =
  /\b(?:no,?\s+wait|wait,?\s+no)\b|\b(?:correct(?:ed)?|right)\s+(?:final\s+)?(?:result|answer|value|number|solution|option|choice)\s*(?:is|should\s+be|would\s+be|equals|=|:)/giu;

const mark = /\\(?:boxed|fbox)\s*\{[^}]*|####/gu;
/**
 * Reads a corrected reply: the rest after "I made an error" or "the correct result is". If it has no answer, only
 * retracted answers are dropped.
 */
export function readCurrent<T>(text: string, read: (text: string) => T | null): T | null {
  const marked = [...text.matchAll(mark)].at(-1);
  const end = marked
    ? marked.index + marked[0].length
    : cuesIn(text, "choosing").findLast(({ kind }) => kind === "statement")?.end;
  if (end === undefined) return read(text);
  const behind = text.slice(end);
  const close = thisIsWrong.exec(behind);
  const denied = [...behind.matchAll(takenBack)].at(-1)?.index ?? (close ? close[0].length : undefined);
  const anew = [...behind.matchAll(givenAnew)].at(-1)?.index;
  if (denied === undefined && anew === undefined) return read(text);
  const rest = behind.slice(Math.max(denied ?? 0, anew ?? 0));
  return read(rest) ?? (denied === undefined ? read(text) : null);
}
