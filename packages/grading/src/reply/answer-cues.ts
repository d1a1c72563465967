/** A phrase that announces an answer, such as "the answer is". */
export interface Cue {
  /** Index of the cue's noun or verb. */
  readonly start: number;
  /** Index where the answer may begin: behind the copula, colon, quotes and white space. */
  readonly end: number;
}

/** Cue words of a language, as parts of regular expressions. Adjectives stand before or behind the noun. */
interface Language {
  readonly answer: string;
  readonly choice: string;
  readonly result: string;
  readonly copula: string;
  readonly verb: string;
  readonly correct: string;
  /** What begins a phrase between noun and copula: "answer to the question is". */
  readonly preposition?: string;
}

const languages: Readonly<Record<string, Language>> = {
  en: {
    answer: "answers?|ans",
    choice: "choices?|options?|alternatives?",
    result: "results?|solutions?|total",
    copula:
      "(?:is|are|was)(?: (?:given by|equal to|found to be))?|equals|(?:would|must|should|will|has to|to) be|becomes|(?:comes|turns) (?:out )?to(?: be)?",
    verb: "choose|chose|choosing|select(?:ed)?|selecting|pick(?:ed)?|go(?:ing)? (?:with|for)|opt for|vote for",
    correct: "correct|right|best|true|final|appropriate",
    preposition: "to|for|of|in|as",
  },
  es: {
    answer: "respuestas?",
    choice: "opción|opciones|alternativa|inciso",
    result: "resultado|solución",
    copula: "es(?: igual a)?|son|sería|será",
    verb: "elijo|escojo|selecciono|elegimos",
    correct: "correct[ao]s?|finale?s?|verdader[ao]|adecuad[ao]",
    preposition: "al?|de(?:l| la)?|para",
  },
  fr: {
    answer: "réponses?|reponses?",
    choice: "options?|choix|proposition",
    result: "résultat|solution",
    copula: "(?:est|vaut|sont|serait)(?: égale? à)?",
    verb: "choisis|sélectionne|retiens",
    correct: "correcte?s?|bonne|juste|exacte?|finale?",
    preposition: "à|au|de|du|pour",
  },
  de: {
    answer: "antwort(?:en)?",
    choice: "option|auswahl|möglichkeit|aussage|antwortmöglichkeit",
    result: "ergebnis|resultat|lösung",
    copula: "ist|sind|lautet|wäre|beträgt|heißt",
    verb: "wähle|nehme",
    correct: "(?:richtig|korrekt|best|endgültig)e?[nrs]?",
    preposition: "auf|für|zu[rm]?",
  },
  pt: {
    answer: "respostas?",
    choice: "opção|opções|alternativa",
    result: "resultado|solução",
    copula: "é(?: igual a)?|são|seria|será",
    verb: "escolho|seleciono|marco",
    correct: "corret[ao]s?|certa|final",
    preposition: "[aà]|para|d[aeo]",
  },
  id: {
    answer: "jawaban(?:nya)?",
    choice: "pilihan|opsi",
    result: "hasil(?:nya)?",
    copula: "adalah|ialah|yaitu",
    verb: "memilih|pilih",
    correct: "(?:yang )?(?:benar|tepat|terbaik)|akhir(?:nya)?",
    preposition: "untuk|dari|atas",
  },
  ar: {
    answer: "[وف]?(?:ال)?(?:إجابة|اجابة|جواب)",
    choice: "[وف]?(?:ال)?(?:خيار|اختيار)",
    result: "[وف]?(?:ال)?(?:نتيجة|ناتج)",
    copula: "هي|هو",
    verb: "أختار|اختر",
    correct: "(?:ال)?(?:صحيحة?|نهائية?)",
  },
};
/** Languages whose copula stands behind the answer or may be missing, and whose words need no spaces. */
const copulaLast = {
  answer: "答案|答え|正解|正答|解答|回答|答(?=[は:])|정답|답변?(?=[은는이: ])|उत्तर|जवाब",
  choice: "选项|選項|選択肢|선택지|보기|विकल्प",
  result: "结果|結果|결과|परिणाम",
  copula: "(?:应该?|應該?)?(?:是|为|為|选|選)|は、?|が|이|가|은|는|है|हैं",
  verb: "(?<![不未])(?:选(?!项)择?|選(?![項択ん])擇?)",
} as const;

const of = (field: keyof Language): string =>
  Object.values(languages)
    .map((language) => language[field])
    .filter(Boolean)
    .join("|");
const word = (pattern: string): string => String.raw`(?<![\p{L}\p{M}\\])(?:${pattern})(?![\p{L}\p{M}])`;
/** Nouns and verbs that begin a cue, in groups by what may follow them. */
const heads = new RegExp(
  String.raw`(?<![\p{L}\p{M}/])(?:(?:final|correct|chosen|selected)[-_]?)?(?<noun>(?:${of("answer")})(?:[-_ ]?(?:choice|letter|option|key|number|value))?)(?![\p{L}\p{M}])` +
    `|(?<bare>${copulaLast.answer})|(?<choice>${word(of("choice"))}|${copulaLast.choice})|(?<result>${word(of("result"))}|${copulaLast.result})` +
    `|(?<correct>${word(of("correct"))})|(?<verb>${word(of("verb"))}|${copulaLast.verb})`,
  "giu",
);
const copula = `${word(of("copula"))}|${copulaLast.copula}`;
const adjectives = String.raw`(?:[\s,]*${word(`${of("correct")}|here|then|therefore|thus|so|only|donc|also|の|choice|letter|option`)}){0,3},?`;
const phrase = String.raw`(?:\s+(?:${of("preposition")})\s[^.:=?!\n]{1,80}?)?`;
const quotes = "\"'`“”‘’«»„「『」』";
const closing = String.raw`[${quotes}*_)\]]{0,4}[ \t]{0,8}`;
const adverbs =
  "therefore|thus|then|hence|indeed|clearly|simply|just|probably|definitely|(?:most )?likely|also|obviously|donc|entonces|somit|folglich|logo|jadi";
/** Between a noun and its answer: "to the question is", `":`, `>` of a tag. */
const link = new RegExp(
  String.raw`${adjectives}${phrase}(?:${closing}(?:\s{0,8}(?:${copula})|[:=](?!=)>?|[→⇒—]|(?<=<\w{0,40})>))+`,
  "iuy",
);
const copulaLink = new RegExp(String.raw`(?:\s+\p{L}{2,20}){0,2}?\s+(?:${copula})[ \t]*:?`, "iuy");
/** Signs and adverbs before the answer itself. Brackets, dollars and backslashes belong to the answer. */
const lead = new RegExp(String.raw`(?:[\s:*_}${quotes}]|=(?!=)|(?:${adverbs})(?![\p{L}\p{M}])[\s,]*)*`, "iuy");
const lineEnd = /[ \t*_:]*\n\s*/uy;
const headingStart = new RegExp(String.raw`^[ \t#>*_\d.)]*(?:(?:the|my|la|le|die|${of("correct")})\s+)*$`, "iu");

/**
 * Cues in the order of the text: a noun with its copula, colon or tag, a heading above the answer.
 * @param also - `"choosing"` adds verbs ("I choose"), options by their name ("Option") and "the correct statement is";
 *   `"result"` adds "the result is", which also ends steps of a calculation
 */
export function cuesIn(text: string, also?: "choosing" | "result"): readonly Cue[] {
  const cues: Cue[] = [];
  for (const match of text.matchAll(heads)) {
    const { noun, bare, choice, result, correct, verb } = match.groups as Readonly<Record<string, string | undefined>>;
    if ((correct ?? verb) !== undefined && also !== "choosing") continue;
    if (result !== undefined && also === undefined) continue;
    const from = match.index + match[0].length;
    const alone = bare ?? verb ?? (also === "choosing" ? (choice ?? noun) : undefined);
    const linked =
      endOf(correct === undefined ? link : copulaLink, text, from) ??
      (noun === undefined ? null : headingEnd(text, match.index, from)) ??
      (alone === undefined ? null : from);
    if (linked === null) continue;
    const end = endOf(lead, text, linked) ?? linked;
    if (cues.at(-1)?.end !== end) cues.push({ start: match.index, end });
  }
  return cues;
}

/** Where the answer begins below a line that holds only the noun. */
function headingEnd(text: string, start: number, from: number): number | null {
  const end = endOf(lineEnd, text, from);
  return end !== null && headingStart.test(text.slice(text.lastIndexOf("\n", start) + 1, start)) ? end : null;
}

function endOf(pattern: RegExp, text: string, from: number): number | null {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : null;
}
