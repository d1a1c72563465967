import { cuesIn } from "./answer-cues.ts";

/** An author takes back what stands before. */
const takenBack =
  /\bI(?:['’]ve|\s+have|\s+had)?\s+(?:made|see|found|noticed?)\s+(?:an?|my|the)\s+(?:\w+\s+)?(?:error|mistake|slip)\b|\bI\s+(?:was|am)\s+(?:wrong|mistaken)\b|\b(?:above|boxed|previous|earlier|first)\s+(?:answer|result|value|number|box)\s+(?:is|was)\s+(?:wrong|incorrect|not\s+(?:right|correct))|\bcorrection\s*:|\bscratch\s+that\b/giu;
/** The same right behind an answer: further off, "this" is something else. */
const thisIsWrong =
  /^[^\n]{0,80}?[}\n][^\p{L}\d]{0,12}(?:(?:no|wait|hmm|oops|actually|sorry)\b[^\p{L}\d]{0,6}){0,3}(?:that|this|it)(?:\s+(?:is|was)|['’]s)\s+(?:actually\s+)?(?:wrong|incorrect|not\s+(?:right|correct)|a\s+mistake|an\s+error)\b/iu;
/** Another answer is given. */
const givenAnew =
  /\b(?:no,?\s+wait|wait,?\s+no)\b|\b(?:correct(?:ed)?|right)\s+(?:final\s+)?(?:result|answer|value|number|solution|option|choice)\s*(?:is|should\s+be|would\s+be|equals|=|:)/giu;

const mark = /\\(?:boxed|fbox)\s*\{[^}]*|####/gu;
/**
 * Reads a reply whose last box or `####` is not the last word: behind "I made an error" or "the correct result is" the rest is read
 * alone. Where the rest says nothing, an answer that was taken back is none, and any other stands.
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
