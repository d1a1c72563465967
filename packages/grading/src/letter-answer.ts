import { conjunction, type Cue, isWrong, cuesIn, isDenied, withoutDenied, readCurrent } from "./reply/answer-cues.ts";
import { lastBoxed } from "./reply/boxes.ts";
import { readReply } from "./reply/read-reply.ts";
import { noAnswer, textVerdict, type Extracted, type Verdict } from "./verdict.ts";

/**
 * Chosen letter, from the last box, last cue such as "answer is", conclusion, "correct" option, first word, "option",
 * or last parentheses; null for none or several.
 * @param letters - of the benchmark, such as `ABCDE`
 */
export function extractLetter(reply: string, letters: string): Extracted | null {
  return readCurrent(withoutDenied(readReply(reply)), (text) => letterOf(text, letters));
}

/** Alphabets in circles, squares and parentheses. */
const enclosed = [0x249c, 0x24b6, 0x24d0, 0x1f130, 0x1f150, 0x1f170];

function plainLetters(text: string): string {
  return text
    .replaceAll(/[\u249c-\u24e9]|[\u{1f130}-\u{1f189}]/gu, (sign) => {
      const code = sign.codePointAt(0)!;
      return `(${String.fromCodePoint(65 + code - (enclosed.findLast((first) => first <= code) ?? code))})`;
    })
    .replaceAll(/^\s*#{3,4}[ \t]*(?=\S)|\\(?:text|boxed|fbox)(?=\s*\{)|\\quad|\\[()[\] ,]|[{}]/gmu, " ");
}

interface Token {
  readonly letter: string;
  /** Includes brackets. */
  readonly start: number;
  readonly end: number;
  readonly bracketed: boolean;
  /** Joined letters; the text may reject or question them. */
  readonly group: { readonly letters: Set<string>; denied: boolean };
}

const tokenPattern =
  /(?<![\p{Script=Latin}\p{N}_^\\-]|\p{L}['’]|(?<!\p{L})\p{Script=Latin}\()(?<open>[([]\s*)?(?<letter>[A-Za-z])(?<close>\s*[)\]])?(?![\p{Script=Latin}\p{N}_]|['’]\p{L}|-[\p{L}\d])/gu;
/** Follows an article or pronoun. */
const sentence =
  /^\s+(?!(?:is|are|was|because|since|as|and|or|but|for|would|can|cannot|fits|with|which|that|here)\b)\p{Ll}/u;
/** Follows a name in a formula. */
const formula = /^\s*(?:[=+^<>≤≥](?!\/)|\\[a-z])/u;
const joining = new RegExp(
  String.raw`^["'\]) \t$*]*(?:(?<and>,?[ \t]*(?:${conjunction}|[&/])(?:\s+(?:maybe|perhaps|either))?)|(?<comma>,)|)["'[( \t$*]*(?:(?:option|choice)\s+)?$`,
  "iu",
);
const predicate =
  /^\s+(?:is|was|has|does|can|cannot|could|would|fails?|ignores?|gives?|seems?|violates?|contradicts?)\b/iu;
const rejectedBefore =
  /(?:\b(?:eliminat\w+|exclud\w+|except|rul(?:e|es|ed|ing)\s+out|discard\w*|reject\w*|descart\w+|everything\s+but|instead\s+of|rather\s+than|unlike|than|(?:not|never|n['’]t)\s+\w+|none\s+of|(?:could|might|may|can)\s+be|unsure|both|either|between|what\s+about|is\s+it)|[排除])(?:\s+(?:options?|choices?|either|between))*[\s*$:"']*$/iu;
const rejectedBehind = new RegExp(
  String.raw`^["'*)\]}]{0,4}(?:\s*\?|${isWrong}|\s+(?:is|are|was|looks|seems)(?:n['’]t|\s+(?:clearly|definitely|also|both|all|not|impossible|invalid|out|too|tempting|ruled|eliminated|a\s+distractor))+(?!\p{L})|\s+can(?:not|['’]t|\s+be\s+(?:ruled|eliminated|excluded))|\s*不)`,
  "iu",
);
const clauseBehind = new RegExp(String.raw`^\s+(?!${conjunction})\p{Ll}`, "iu");

function tokensIn(text: string, letters: string): Token[] {
  const tokens: Token[] = [];
  let closed = false;
  for (const match of text.matchAll(tokenPattern)) {
    const { open, letter = "", close } = match.groups as Readonly<Record<string, string | undefined>>;
    const [start, end, bracketed] = [match.index, match.index + match[0].length, (open ?? close) !== undefined];
    const behind = text.slice(end, end + 40);
    const capital = letter.toUpperCase();
    if (!letters.includes(capital) || formula.test(behind)) continue;
    if (!bracketed && /[AIai]/u.test(letter) && sentence.test(behind)) continue;
    const last = tokens.at(-1);
    const how = last && start - last.end < 30 ? joining.exec(text.slice(last.end, start))?.groups : undefined;
    const and = how?.["and"];
    // "B, A is wrong" and "B and A is wrong" start another clause.
    const clause = and === undefined ? clauseBehind.test(behind) : predicate.test(behind) && !/or|\//iu.test(and);
    const joined: boolean = last !== undefined && how !== undefined && !clause && !(closed && and === undefined);
    closed = joined && and !== undefined;
    const rejected = isDenied(text, start, end) || rejectedBefore.test(text.slice(Math.max(0, start - 40), start));
    const group = joined && last ? last.group : { letters: new Set<string>(), denied: rejected };
    group.letters.add(capital);
    group.denied ||= rejectedBehind.test(behind);
    tokens.push({ letter, start, end, bracketed, group });
  }
  return tokens;
}

const longestOption = 160;

/** Quoted labels: in order, three of them or two adjacent. */
function quotedIn(text: string, tokens: readonly Token[], letters: string): ReadonlySet<Token> {
  const labels = tokens.filter(
    ({ bracketed, end }) => bracketed || /^(?:[).:](?!\w)|\s*\n|$)/u.test(text.slice(end, end + 2)),
  );
  const quoted = new Set<Token>();
  for (let from = 0; from < labels.length; from++) {
    const run: Token[] = [];
    for (const token of labels.slice(from, from + letters.length)) {
      const gap = token.start - (run.at(-1)?.end ?? token.start);
      if (token.letter.toUpperCase() !== letters[run.length] || gap > longestOption) break;
      if (token.group.denied || token.group.letters.size > 1 || predicate.test(text.slice(token.end, token.end + 20)))
        break;
      run.push(token);
    }
    const [first, second] = run;
    const beside = first && second && text.slice(first.end, second.start).trim() === "";
    if (run.length > 2 || beside) for (const token of run) quoted.add(token);
  }
  return quoted;
}

/** Between a cue and its letter. */
const filler =
  /^(?:[\s:*_"'`“”‘’«»„「『$([{]|(?:the|la|el|le|l['’]|die|der|das|a|o|option|choice|letter|answer|statement|opción|letra|alternativa|réponse|Option|Antwort|pilihan|opsi|given by|given in|most|correct)(?!\p{L}))*$/u;
const conclusion =
  /(?:(?<!\p{L})(?:hence|therefore|thus|so|guess|think|believe|probably|likely|it is|it['’]s|only|(?:leaving|leaves|left)(?: (?:us|me))?(?: with)?|lean(?:ing)? towards?|say|(?:must|has to) be|by elimination|also|donc|jadi|logo|daher)|(?<!["'])[:;.!?\n]|所以|因此|よって|따라서)[\s,:*("']{0,4}(?:(?:option|choice|the\s+answer)\s+)?$/iu;
/** Line end, or a reason. */
const textEnd = /^["'*)\]}.!\s$]*(?:$|\n|(?:(?<=[\s]),?|,)\s*(?:since|because|as|for)\b)/u;
const named =
  /^["'*)\]}]{0,3}\s*(?:is|es|ist|est|é|adalah|が|이|가|是)\s*(?:(?:the|la|die|a|el|le|o|one|most|yang|clearly|indeed)\s+)*(?:correct|right|best|answer|only|valid|true|one\s+that|respuesta|opción|richtig|bonne|réponse|juste|resposta|alternativa|jawaban|benar|正|정답|답|答案)|^\s+(?:richtig|korrekt)\s*(?:[.!,;\n]|$)/iu;
const opening = /^[\s*_"'`「{$]*(?:(?:option|choice|opción|antwort|réponse|letter)\s+)?$/iu;
/** Line end, option text, or a reason. */
const openedBy =
  /^["'*_`」}$]*(?:\s*(?:$|\n|[—–,;]|- )|\s+(?:because|since|as|for)\b|\s*[.:)!](?!\s*I\b)|\s+(?=[\p{Lu}\d]))/u;

function letterOf(raw: string, letters: string): Extracted | null {
  const boxed = lastBoxed(raw);
  const inBox = boxed === null ? null : tokensIn(plainLetters(boxed), letters)[0];
  if (boxed !== null && inBox && /^[\s({[$]*$/u.test(plainLetters(boxed).slice(0, inBox.start))) {
    const alone = inBox.group.letters.size === 1 && /^\s*(?:[).:},\s$]|$)/u.test(plainLetters(boxed).slice(inBox.end));
    return alone ? { answer: inBox.letter.toUpperCase(), rule: "boxed" } : null;
  }
  const text = plainLetters(raw);
  const tokens = tokensIn(text, letters);
  const quoted = quotedIn(text, tokens, letters);
  const behind = ({ end }: Token): string => text.slice(end, end + 60);
  const before = ({ start }: Token): string => text.slice(Math.max(0, start - 60), start);
  const usable = (token: Token): boolean => !token.group.denied && token.group.letters.size === 1 && !quoted.has(token);
  const capital = ({ letter, bracketed }: Token): boolean => bracketed || letter !== letter.toLowerCase();
  const cues = cuesIn(text, "choosing");
  const chosen = (kind: Cue["kind"]): Token | undefined => {
    let next = tokens.length - 1;
    for (const cue of cues.toReversed()) {
      if (cue.kind !== kind) continue;
      while ((tokens[next - 1]?.start ?? -1) >= cue.end) next -= 1;
      const token = tokens[next];
      if (!token || token.start < cue.end || !filler.test(text.slice(cue.end, Math.min(token.start, cue.end + 60))))
        continue;
      const small = capital(token) || /^\s*(?:[).,;:\]}*"'`$]|<\/|$)/u.test(behind(token));
      if (small && !token.group.denied && !quoted.has(token)) return token;
    }
    return undefined;
  };
  const [first] = tokens;
  const opens =
    first &&
    opening.test(text.slice(0, first.start)) &&
    openedBy.test(text[first.end - 1] === ")" ? `)${behind(first)}` : behind(first));
  const alone = (token: Token): boolean =>
    /\bonly\s+(?:(?:option|choice)\s+)?$/iu.test(before(token)) && /^\s+\p{Ll}/u.test(behind(token));
  const places: readonly (readonly [rule: string, token: Token | undefined])[] = [
    ["after the answer trigger", chosen("statement")],
    ["after the verb", chosen("verb")],
    [
      "the last sentence",
      tokens.findLast((t) => usable(t) && capital(t) && conclusion.test(before(t)) && textEnd.test(behind(t))),
    ],
    ["named as the answer", tokens.findLast((t) => usable(t) && capital(t) && (named.test(behind(t)) || alone(t)))],
    [
      "the first word",
      first && opens && usable(first) && (capital(first) || /^[\s.!]*$/u.test(behind(first))) ? first : undefined,
    ],
    ["after the option's name", chosen("name")],
    ["last in parentheses", tokens.findLast((t) => t.bracketed && !quoted.has(t) && !t.group.denied)],
  ];
  const [rule, token] = places.find(([, location]) => location !== undefined) ?? [];
  return rule === undefined || token?.group.letters.size !== 1 ? null : { answer: token.letter.toUpperCase(), rule };
}

/** The gold is one of `letters`. */
export function gradeLetter(reply: string, gold: string, letters: string): Verdict {
  const extracted = extractLetter(reply, letters);
  if (!extracted) return noAnswer;
  const { answer, rule } = extracted;
  const step = { name: `letter, ${rule}`, answer, gold: gold.trim().toUpperCase() };
  return textVerdict(answer, `${rule}, same letter`, [step]);
}
