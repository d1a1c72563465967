import { lastBoxed } from "./reply/last-boxed.ts";
import { readReply } from "./reply/read-reply.ts";
import { readCurrent } from "./reply/retraction.ts";
import { noAnswer, type Extracted, type Verdict } from "./verdict.ts";

/** The end of what an author says before the letter, in English or Chinese. */
const trigger =
  /答案(?:应?该?是|为|选|\s*:)|(?<!不)选(?!项)择?|\b(?:(?:answer|choice|option)s?\b(?:\s*(?:choice|option|letter))?\s*(?:is|are|would be|must be|should be|:|=)+|(?:option|choose|select|pick|go(?:ing)?\s+with)\b|answer\s*(?=\())/giu;

/** What may stand between the trigger and the letter. */
const between =
  /^(?:[\s:*_"'`$([{]|\\(?:text|textbf|mathrm|mathbf|boxed|fbox)\b|\\[([]|(?:the|option|choice|letter|answer|clearly|definitely|therefore|indeed|thus|likely|probably|most likely|correct)\b(?!\s*(?:is|are)\s+not))*/iu;

/**
 * The letter that a reply chooses: in the last box, after the last trigger such as "answer is", the last one in
 * parentheses, or the reply itself. Prose is never upper-cased, so the article "a" is no letter.
 * @param letters - those of the benchmark, such as `ABCDE`
 * @returns null when it chooses none
 */
export function extractLetter(reply: string, letters: string): Extracted | null {
  return readCurrent(readReply(reply), (text) =>
    letterOf(text.replaceAll(/<\/?answer>|^\s*####[ \t]*(?=\S)/gmu, " ").replaceAll(insteadOf, "$1"), letters),
  );
}

function letterOf(text: string, letters: string): Extracted | null {
  const boxed = lastBoxed(text);
  const inBox = boxed === null ? null : alone(boxed, letters);
  if (inBox) return { answer: inBox, rule: "boxed" };
  const triggered = afterTrigger(text, letters);
  if (triggered === "several") return null;
  if (triggered) return { answer: triggered, rule: "after the answer trigger" };
  const concluded = conclusion.exec(text)?.[1];
  if (concluded !== undefined && letters.includes(concluded)) return { answer: concluded, rule: "the last sentence" };
  const named = [...text.matchAll(/\b([A-Z])\)? is (?:the )?(?:correct|right|best|answer)\b/gu)].findLast(
    ([, letter]) => letters.includes(letter as string),
  )?.[1];
  if (named) return { answer: named, rule: "named as the answer" };
  const said = withoutOptions(text, letters);
  const bracketed = [...said.matchAll(/\(\s*(?:\\text\{)?([A-Z])\}?\s*\)/gu)].filter(([, letter]) =>
    letters.includes(letter as string),
  );
  const [before, last] = [bracketed.at(-2), bracketed.at(-1)];
  const side = before && last && said.slice(before.index + before[0].length, last.index).trim() === "";
  // Two letters side by side choose nothing.
  if (side && before[1] !== last[1]) return null;
  const parenthesised = last?.[1];
  if (parenthesised) return { answer: parenthesised, rule: "last in parentheses" };
  const only = alone(said, letters) ?? leading(said, letters);
  return only ? { answer: only, rule: "the reply is a letter" } : null;
}

/** "not C but B" says B. */
const insteadOf = /\bnot\s+(?:option\s+)?\(?[A-Z]\)?,?\s+but\s+(?:rather\s+)?(?:option\s+)?(\(?[A-Z]\)?)(?![\w'’])/gu;

const label = /(?<!\w)\(?([A-Z])[).:](?!\w)/gu;
/** What stands behind a label that is spoken about. */
const spokenOf = /^\s*(?:is|are|was|were|would|can|cannot|could|does|fails|works|gives|seems|contradicts)\b/iu;
const longestOption = 160;

/** A text without the options that it quotes: labels in order, from the first on, three of them or two side by side. */
function withoutOptions(text: string, letters: string): string {
  const labels = [...text.matchAll(label)].map(({ index, 0: all, 1: letter }) => ({
    start: index,
    end: index + all.length,
    at: letters.indexOf(letter as string),
  }));
  let rest = text;
  for (let i = labels.length - 1; i >= 0; i--) {
    if (labels[i]?.at !== 0) continue;
    const run = labels.slice(i);
    const stop = run.findIndex(
      ({ at, start }, k) => at !== k || (k > 0 && start - (run[k - 1]?.end ?? 0) > longestOption),
    );
    const quoted = stop === -1 ? run : run.slice(0, stop);
    const [first, last] = [quoted[0], quoted.at(-1)];
    if (!first || !last || quoted.some(({ end }) => spokenOf.test(text.slice(end, end + 20)))) continue;
    const besides = quoted.length === 2 && text.slice(first.end, last.start).trim() === "";
    if (quoted.length > 2 || besides) rest = `${rest.slice(0, first.start)} ${rest.slice(last.end)}`;
  }
  return rest;
}

/** `Hence B.` at the end. */
const conclusion = /(?:\b(?:hence|therefore|thus|so|must be|it is|it's)|;)[\s,:*]{1,4}\(?([A-Z])\)?[*.!\s]{0,5}$/iu;
/** A letter that is denied right behind it. */
const deniedBehind =
  /^["'*`)\]}]{0,4}\s+(?:is|are|was|looks|seems)(?:\s+(?:clearly|definitely|also))?\s+(?:wrong|incorrect|false|not|impossible|invalid|out)\b/iu;

/** A text that is a letter but for its wrapping. */
function alone(text: string, letters: string): string | null {
  const bare = text
    .replaceAll(/\\(?:text|textbf|mathrm|mathbf|boxed)|[\s(){}[\].,:;*_$"'`\\]/gu, "")
    .replace(/^(?:option|choice|answer)(?=[a-z]$)/iu, "");
  if (bare.length === 1 && letters.includes(bare.toUpperCase())) return bare.toUpperCase();
  return leading(text.replace(/^[\s${]*\\(?:text|textbf|mathrm|mathbf)\{/u, ""), letters);
}

/** `B) 17`, `B. 17`, `B: 17` as the first thing said. */
function leading(text: string, letters: string): string | null {
  const letter = /^[\s*_(]{0,4}([A-Z])[*_]{0,2}[).:][\s*_}]/u.exec(`${text} `)?.[1];
  return letter !== undefined && letters.includes(letter) ? letter : null;
}

/** The letter after the last trigger that has one; "several" where another letter is named beside it. */
function afterTrigger(text: string, letters: string): string | null {
  let found: string | null = null;
  const another = new RegExp(
    `^["'*\`)\\]}]{0,4}\\s*(?:,?\\s*(?:or|and)\\s+|[/&,]\\s*|(?=\\([A-Z]\\)))(?:option\\s+)?\\(?[${letters}](?![\\w'’])(?!\\)?\\s+(?:is|was|are|fails|ignores))`,
    "u",
  );
  for (const match of text.matchAll(trigger)) {
    const rest = text.slice(match.index + match[0].length, match.index + match[0].length + 80);
    const said = rest.slice(between.exec(rest)?.[0].length ?? 0);
    // A small letter counts only where it ends the clause: "the answer is a matter of taste" chooses nothing.
    const letter = /^[A-Z](?!\w|['’]\w)/u.exec(said)?.[0] ?? /^[a-z](?=\s*(?:[).,;:\]}*"'`$]|$))/u.exec(said)?.[0];
    if (letter === undefined || !letters.includes(letter.toUpperCase())) continue;
    const behind = text.slice(match.index + match[0].length + (rest.length - said.length) + 1).slice(0, 60);
    if (!deniedBehind.test(behind)) found = another.test(behind) ? "several" : letter.toUpperCase();
  }
  return found;
}

/** Judges a reply whose gold is one of `letters`. */
export function gradeLetter(reply: string, gold: string, letters: string): Verdict {
  const extracted = extractLetter(reply, letters);
  if (!extracted) return noAnswer;
  const wanted = gold.trim().toUpperCase();
  return {
    correct: extracted.answer === wanted,
    extracted: extracted.answer,
    rule: `${extracted.rule}, same letter`,
    certainty: "exact",
    steps: [{ name: `letter, ${extracted.rule}`, answer: extracted.answer, gold: wanted }],
  };
}
