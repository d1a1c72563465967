/** Part of a text with trailing white space. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * Splits English by UAX #29 (`Intl.Segmenter`), but not after an abbreviation or initial, inside a formula or brackets,
 * or before a lower-case word.
 */
export function sentencesOf(text: string): Stretch[] {
  const whole = wholesOf(text);
  const sentences: Stretch[] = [];
  let start = 0;
  const ends = new Set([...segmenter.segment(text)].map(({ index, segment }) => index + segment.length));
  // The standard keeps "10 left. 8 people stayed." as one sentence.
  for (const { index, 0: sign } of text.matchAll(/[.!?]["'”’)]*\s+(?=[$€£]?\d|__)/gu)) ends.add(index + sign.length);
  // The standard ignores full stops at the end of formulas.
  for (const { index, 0: sign } of text.matchAll(/[.?]\s*(?:\$\$?|\\[\])])\s*(?=\p{Lu})/gu))
    ends.add(index + sign.length);
  for (const end of [...ends].toSorted((a, b) => a - b)) {
    if (end < text.length && (isWithin(whole, end) || goesOn(text.slice(start, end), text.slice(end)))) continue;
    sentences.push({ start, end });
    start = end;
  }
  return sentences;
}

/** Uncut parts: `formulasOf`, and closed brackets. */
export function wholesOf(text: string): Stretch[] {
  const formulas = formulasOf(text);
  const brackets: Stretch[] = [];
  const open: { readonly sign: string; readonly start: number }[] = [];
  for (const { 0: sign, index } of text.matchAll(/[()[\]{}]/gu)) {
    const opening = openingOf[sign];
    if (opening === undefined) open.push({ sign, start: index });
    else {
      const position = open.findLastIndex((item) => item.sign === opening);
      // A list's "a)" closes nothing.
      if (position >= 0) brackets.push({ start: open.splice(position)[0]?.start ?? index, end: index + 1 });
    }
  }
  return [...formulas, ...brackets];
}

/** Formulas (pandoc's rule, without prices), fenced programs and drawings. */
export function formulasOf(text: string): Stretch[] {
  return [...text.matchAll(formula)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
}

export function isWithin(stretches: readonly Stretch[], position: number): boolean {
  return stretches.some(({ start, end }) => start < position && position < end);
}

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

const formula =
  /```[\s\S]*?```|\[asy\][\s\S]*?\[\/asy\]|\\begin\{align\*?\}[\s\S]*?\\end\{align\*?\}|(?<!\\)\$\$[^$]+\$\$|(?<![\\$])\$(?![\s$])(?:[^$\n]|\n(?!\s*\n))*?(?<![\s\\])\$(?![\d$])|\\\([\s\S]*?\\\)|\\\[[\s\S]*?\\\]/gu;

const openingOf: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Abbreviations that never end a sentence. */
const before =
  /(?:^|[^\p{L}])(?:[Rr]s|Re|Dr|Mr|Mrs|Ms|Messrs|Prof|Rev|Hon|Gen|Col|Capt|Lt|Sgt|St|Mt|Ft|No|Nos|Fig|Figs|Eq|Eqs|Ex|Sec|Ch|Art|Vol|Vols|pp?|cf|viz|vs?|e\.\s?g|i\.\s?e|approx|ca|al|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.\s*$/u;

/** End a sentence only before a typical first word. */
const perhaps =
  /(?:^|[^\p{L}])(?:\p{L}|(?:\p{L}\.\s?)+\p{L}|Ph\.\s?D|etc|Inc|Ltd|Co|Corp|Bros|Jr|Sr|Ave|Blvd|Rd|min|max|mins|secs?|hrs?|yrs?|wks?|ins?|ft|yds?|mi|lbs?|oz|gal|pts?|qts?|sq|cu|dia|km|cm|mm|kg|gms?|lit|mph|kmph|deg|avg|resp|dept|est)\.\s*$/u;

const beginning =
  /^["'“‘(]*(?:The|This|That|These|Those|There|Then|They|Their|He|She|It|Its|His|Her|We|You|I|If|In|On|At|By|For|From|To|A|An|And|But|So|As|After|Before|When|While|What|Which|Who|Whose|Whom|Where|Why|How|Each|Every|Both|All|Some|One|Find|Given|Assume|Assuming|Suppose|Calculate|Determine|Let|Is|Are|Was|Were|Do|Does|Did|Can|Could|Will|Would|During|Because|Since|Later|Meanwhile|However|Next|Now|Today|Finally)\b/u;

function goesOn(sentence: string, rest: string): boolean {
  if (rest.trim() === "" || sentence.trim() === "") return true;
  // List marks: "1.", "iv.", "B."
  if (/^\s*(?:\d{1,3}|[ivxIVX]{1,5}|[A-Z])[.)]\s*$/u.test(sentence)) return true;
  if (/^\s*\p{Ll}/u.test(rest) && !/\n\s*\n\s*$/u.test(sentence)) return true;
  // A line break before a formula.
  if (/[^.!?;:\s]\s*\n\s*$/u.test(sentence) && /^\s*(?:\\\[|\$)/u.test(rest)) return true;
  // A decimal with a space.
  if (/\d\.\s+$/u.test(sentence) && /^\d/u.test(rest)) return true;
  if (before.test(sentence) || (/(?:^|[^\p{L}])nos?\.\s*$/u.test(sentence) && /^\d/u.test(rest))) return true;
  return perhaps.test(sentence) && !beginning.test(rest.trimStart());
}
